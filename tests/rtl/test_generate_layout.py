"""The layout of rendered Verilog: only white space changes."""

import re

import pytest

from unison.rtl import generate
from unison.rtl.config import VARIANTS, default_config
from unison.rtl.generate import TEMPLATES
from unison.rtl.generate_layout import COLUMNS, lay_out

HEADER = "// Generated.\n// SPDX\n//\n// A header.\n//\n// Latency: none.\n"


def laid(body: str) -> str:
    text = lay_out(f"{HEADER}`default_nettype none\n\n{body}")
    return text[text.index("\n\n") + 2 :]


def test_ports_stand_in_columns() -> None:
    assert laid("  input  wire a_i,  // one\n  output reg  [31:0] long_o  // two\n") == (
        "  input  wire        a_i,    // one\n  output reg  [31:0] long_o  // two\n"
    )


def test_parameters_stand_in_columns() -> None:
    assert laid("  parameter Width = 8,  // one\n  parameter D = 16  // two\n") == (
        "  parameter Width = 8,  // one\n  parameter D     = 16  // two\n"
    )


def test_nets_stand_in_columns() -> None:
    assert laid("  wire a;\n  reg  [7:0] words_q [0:3];  // four\n") == (
        "  wire       a;\n  reg  [7:0] words_q [0:3];  // four\n"
    )


def test_connections_stand_in_columns() -> None:
    assert laid("    .a (x),\n    .long_i (y)\n") == "    .a      (x),\n    .long_i (y)\n"


def test_assignments_of_one_indent_stand_in_columns() -> None:
    assert laid("  assign a = b;\n  assign long = c;\n      q <= a;\n") == (
        "  assign a    = b;\n  assign long = c;\n      q <= a;\n"
    )


def test_assignments_that_would_get_too_long_stay_short() -> None:
    right = "x" * (COLUMNS - len("  assign a = ;"))
    assert (
        laid(f"  assign a = {right};\n  assign long = c;\n") == f"  assign a = {right};\n  assign long = c;\n"
    )


def test_further_lines_of_a_statement_move_with_the_first() -> None:
    assert laid("  assign a      = b\n                | c;\n  assign d = e;\n") == (
        "  assign a = b\n           | c;\n  assign d = e;\n"
    )


def test_blank_lines_are_single() -> None:
    assert laid("  wire a;\n\n\n\n  wire b;\n") == "  wire a;\n\n  wire b;\n"


def test_header_paragraphs_are_filled_and_kept_apart() -> None:
    words = " ".join(["word"] * 40)
    text = lay_out(
        f"// Generated.\n// SPDX\n//\n// {words}\n// end.\n//\n// Latency: none.\n`default_nettype none\n"
    )
    header = text[: text.index("`")].splitlines()
    assert header[:3] == ["// Generated.", "// SPDX", "//"]
    assert header[-2:] == ["//", "// Latency: none."]
    assert max(map(len, header)) <= COLUMNS
    assert " ".join(line.removeprefix("// ") for line in header[3:-2]) == f"{words} end."


def test_layout_is_a_fixed_point() -> None:
    text = (TEMPLATES.parents[2] / "rtl" / "score_scan" / "unison_control.v").read_text(encoding="utf-8")
    assert lay_out(text) == text


@pytest.mark.parametrize("variant", VARIANTS)
def test_only_white_space_changes(variant: str, monkeypatch: pytest.MonkeyPatch) -> None:
    after = generate.render_ip(default_config(variant, 4))
    monkeypatch.setattr(generate, "lay_out", lambda text: text)
    before = generate.render_ip(default_config(variant, 4))
    for name in after:
        assert solid(after[name]) == solid(before[name]), name


def solid(text: str) -> str:
    """The text without white space and comment signs."""
    return re.sub(r"\s|//", "", text)
