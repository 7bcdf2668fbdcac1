"""The generator: same bytes, complete headers, and nothing that the templates leave undefined."""

import dataclasses
import re

import jinja2
import pytest

from unison.errors import UnisonError
from unison.paths import ROOT
from unison.rtl import generate
from unison.rtl.config import GENERATOR_VERSION, VARIANTS, Config, default_config
from unison.rtl.csr_map import registers
from unison.rtl.generate import FILE_LIST, render_ip, write_ip

COMMITTED = ROOT / "rtl"
TOP = "unison_top.v"


@pytest.fixture(scope="module", params=VARIANTS)
def config(request: pytest.FixtureRequest) -> Config:
    return default_config(request.param)


@pytest.fixture(scope="module")
def texts(config: Config) -> dict[str, str]:
    return render_ip(config)


def verilog(texts: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in texts.items() if name.endswith(".v")}


def test_committed_files_are_what_the_generator_writes(config: Config, texts: dict[str, str]) -> None:
    folder = COMMITTED / config.variant
    committed = {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}
    assert sorted(committed) == sorted(texts)
    assert [name for name, text in texts.items() if committed[name] != text] == []


def test_rendering_twice_gives_the_same_bytes(config: Config, texts: dict[str, str]) -> None:
    assert render_ip(config) == texts


def test_write_ip_writes_every_file_and_nothing_else(config: Config, texts: dict[str, str], tmp_path) -> None:
    paths = write_ip(config, tmp_path / "ip")
    assert sorted(path.name for path in (tmp_path / "ip").iterdir()) == sorted(texts)
    assert {path.name: path.read_bytes().decode() for path in paths} == texts


def test_modules_of_an_earlier_configuration_go_and_other_files_stay(tmp_path) -> None:
    write_ip(default_config("score_tree", 4), tmp_path)
    assert (tmp_path / "unison_tree.v").exists()
    own = {"unison_wrapper.v": "// mine\n", "bench.v": (tmp_path / TOP).read_text(), "notes.txt": "\n"}
    for name, text in own.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "unison_folder.v").mkdir()
    (tmp_path / "unison_latin.v").write_bytes(b"// \xe9\n")
    config = default_config("score_scan", 4)
    write_ip(config, tmp_path)
    found = {path.name for path in tmp_path.iterdir()}
    assert found == {*render_ip(config), *own, "unison_folder.v", "unison_latin.v"}
    assert {name: (tmp_path / name).read_text() for name in own} == own


def test_a_folder_that_cannot_be_written_is_told(tmp_path) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "taken" / "unison_divider.v").mkdir(parents=True)
    for folder in (tmp_path / "file" / "x", tmp_path / "taken"):
        with pytest.raises(UnisonError, match=f"cannot be written into {folder}: .*; give a folder"):
            write_ip(default_config("score_scan", 4), folder)


def test_file_list_names_instances_before_their_users(texts: dict[str, str]) -> None:
    names = texts[FILE_LIST].split()
    assert sorted(names) == sorted(verilog(texts))
    for place, name in enumerate(names):
        used = set(re.findall(r"^  (unison_\w+) (?:u_|#\()", texts[name], flags=re.MULTILINE))
        assert {f"{module}.v" for module in used} <= set(names[:place])


def test_every_module_is_used_by_the_top(texts: dict[str, str]) -> None:
    instances = set()
    for text in verilog(texts).values():
        instances |= set(re.findall(r"^  (unison_\w+) (?:u_|#\()", text, flags=re.MULTILINE))
    assert {f"{module}.v" for module in instances} | {TOP} == set(verilog(texts))


def test_header_tells_origin_licence_and_latency_but_no_date(config: Config, texts: dict[str, str]) -> None:
    for name, text in verilog(texts).items():
        header = text[: text.index("`default_nettype none")]
        lines = header.splitlines()
        assert f"generator {GENERATOR_VERSION}, configuration {config.hash32:08x}" in lines[0], name
        assert lines[1] == "// SPDX-License-Identifier: Apache-2.0", name
        assert any(line.startswith("// Latency: ") for line in lines), name
        assert not re.search(r"\b(19|20)\d\d\b|\d\d:\d\d", header), name


def test_a_file_holds_one_module_of_its_name(texts: dict[str, str]) -> None:
    for name, text in verilog(texts).items():
        assert re.findall(r"^module (\w+)", text, flags=re.MULTILINE) == [name.removesuffix(".v")]


def test_every_port_and_parameter_has_a_comment(texts: dict[str, str]) -> None:
    for name, text in verilog(texts).items():
        head = text[text.index("\nmodule") : text.index("\n);")]
        ports = [line for line in head.splitlines() if re.match(r" +(input|output|parameter)\b", line)]
        assert ports, name
        assert [line for line in ports if not re.search(r"// \S", line)] == [], name


def test_text_is_ascii_of_at_most_100_columns(texts: dict[str, str]) -> None:
    for name, text in verilog(texts).items():
        assert text.isascii(), name
        assert [line for line in text.splitlines() if len(line) > 100 or line != line.rstrip()] == [], name


# What Pyverilog reads wrong, or a tool of the chain does not read.
BANNED = {
    "indexed part-select": r"\[[^\]]*[+-]:",
    "arithmetic left shift": r"<<<",
    "casez or casex": r"\bcase[zx]\b",
    "function or task": r"\b(function|task)\b",
    "initialiser": r"^ *(output )?reg\b[^;,]*=",
    "initial block": r"\binitial\b",
    "preprocessor": r"`(define|ifdef|ifndef|include)\b",
    "several assigns in a statement": r"^ *assign [^=]*=[^;(]*[^<>=!]=[^=;]*,",
    "SystemVerilog": r"\b(logic|always_ff|always_comb|assert|typedef|struct|enum)\b",
}


@pytest.mark.parametrize("construct", BANNED)
def test_no_construct_that_a_tool_misreads(construct: str, texts: dict[str, str]) -> None:
    for name, text in verilog(texts).items():
        code = re.sub(r"//.*", "", text)
        assert re.findall(BANNED[construct], code, flags=re.MULTILINE) == [], name


def test_every_state_register_is_called_state_q(texts: dict[str, str]) -> None:
    for name, text in verilog(texts).items():
        cased = set(re.findall(r"\bcase \((\w+)\)", text))
        assert cased <= {"state_q", "opcode_q", "address_i"}, name


def test_registers_have_their_addresses_in_the_verilog(config: Config, texts: dict[str, str]) -> None:
    found = dict(re.findall(r"localparam \[11:0\] ADDR_(\w+) += 12'h([0-9A-F]+);", texts["unison_csr.v"]))
    expected = {
        register.name: f"{register.address:03X}" for register in registers(config) if register.entries == 1
    }
    assert found == expected


def test_register_map_is_written_beside_the_verilog(config: Config, texts: dict[str, str]) -> None:
    for register in registers(config):
        assert f"| {register.name} |" in texts["CSR.md"]


def test_names_that_a_template_does_not_get_are_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    complete = generate.plan

    def without_width(config: Config) -> dict:
        values = complete(config)
        del values["used_w"]
        return values

    monkeypatch.setattr(generate, "plan", without_width)
    with pytest.raises(jinja2.UndefinedError, match="used_w"):
        render_ip(default_config("score_scan", 4))


@pytest.mark.parametrize(
    ("changes", "nearest"),
    [
        ({"variant": "score_scam"}, "score_scan"),
        ({"sessions": 100}, "128"),
        ({"sessions": 2}, "4"),
        ({"sessions": 4096}, "1024"),
        ({"event_depth": 3}, "2"),
        ({"table": "lutran"}, "lutram"),
    ],
)
def test_what_is_not_generated_is_refused_with_the_nearest_valid_value(changes: dict, nearest: str) -> None:
    with pytest.raises(UnisonError, match=nearest):
        dataclasses.replace(default_config("score_scan"), **changes)


def test_table_style_reaches_the_memories() -> None:
    for table, style in (("ff", "registers"), ("lutram", "distributed")):
        text = render_ip(default_config("score_scan", 16, table))["unison_table.v"]
        assert set(re.findall(r'ram_style = "(\w+)"', text)) == {style}
