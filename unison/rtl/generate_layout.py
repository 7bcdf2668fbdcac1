"""Layout of rendered Verilog: columns, filled header paragraphs, no blank line twice.

The templates say what is written; widths of names and numbers differ between configurations, so that columns
can only be made afterwards. Nothing but white space changes.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable

COLUMNS = 100

_PORT = re.compile(
    r"^  (?P<kind>(?:input|output) +(?:wire|reg)|parameter) *(?P<range>\[[^\]]*\])? *"
    r"(?P<name>\w+)(?P<rest> = \S+?)?(?P<comma>,?) *(?P<comment>// .*)$"
)
_NET = re.compile(
    r"^  (?P<kind>wire|reg) *(?P<range>\[[^\]]*\])? *(?P<name>\w+(?: \[[^\]]*\])?;) *(?P<comment>// .*)?$"
)
_CONNECTION = re.compile(r"^    (?P<name>\.\w+) *(?P<net>\(.*\),?)$")
_ASSIGNMENT = re.compile(
    r"^(?P<left> *(?:assign |localparam (?:\[[^\]]*\] *)?)?[\w\[\]{}:, ]*?[\w\]}]) *"
    r"(?P<sign><?=) *(?P<right>\S.*;.*)$"
)
_MULTI_LINE = re.compile(r"^(?P<left> *(?:assign )?[\w\[\]]+) *(?P<sign><?=) (?P<right>[^;]*)$")


def lay_out(text: str) -> str:
    """The same Verilog in the project's layout.

    Parameters
    ----------
    text : str
        One file as rendered: a header of comments, then the module.
    """
    header, separator, body = text.partition("`default_nettype none")
    lines = _without_shifts(_single_blanks(body.split("\n")))
    for pattern, columns in (
        (_PORT, _port_columns),
        (_NET, _net_columns),
        (_CONNECTION, _connection_columns),
        (_ASSIGNMENT, _assignment_columns),
    ):
        lines = _by_blocks(lines, pattern, columns)
    return _fill(header) + separator + "\n".join(lines)


def _fill(header: str) -> str:
    """The header with its paragraphs filled; the lines up to the first empty comment stay."""
    first, *paragraphs = re.split(r"^//$", re.sub(r"\n+", "\n", header), flags=re.MULTILINE)
    filled = []
    for paragraph in paragraphs:
        words = " ".join(line.removeprefix("//").strip() for line in paragraph.split("\n"))
        filled.append(textwrap.fill(words.strip(), COLUMNS, initial_indent="// ", subsequent_indent="// "))
    return first + "".join(f"//\n{paragraph}\n" for paragraph in filled)


def _single_blanks(lines: list[str]) -> list[str]:
    kept: list[str] = []
    for line in (line.rstrip() for line in lines):
        if line or not kept or kept[-1] or len(kept) == 1:
            kept.append(line)
    return kept


def _without_shifts(lines: list[str]) -> list[str]:
    """Statements of several lines with one space before the sign, the further lines moved along."""
    laid: list[str] = []
    shift = 0
    for line in lines:
        start = _MULTI_LINE.match(line)
        if start:
            short = f"{start['left']} {start['sign']} {start['right']}"
            shift = len(line) - len(short)
            laid.append(short)
            continue
        laid.append(line[shift:] if shift and not line[:shift].strip() else line)
        if ";" in line:
            shift = 0
    return laid


Columns = Callable[[list["re.Match[str]"]], list[str]]


def _by_blocks(lines: list[str], pattern: re.Pattern[str], columns: Columns) -> list[str]:
    """Lines with every run of lines that match the pattern put in columns."""
    laid: list[str] = []
    block: list[re.Match[str]] = []
    for line in [*lines, ""]:
        match = pattern.match(line)
        if match:
            block.append(match)
            continue
        laid += columns(block) if block else []
        block = []
        laid.append(line)
    return laid[:-1]


def _port_columns(block: list[re.Match[str]]) -> list[str]:
    kinds = [re.sub(r" +", " ", port["kind"]).replace("input ", "input  ") for port in block]
    inner = max(len(port["name"]) for port in block) if any(port["rest"] for port in block) else 0
    names = [f"{port['name']:{inner}}{port['rest'] or ''}{port['comma']}" for port in block]
    return _table(kinds, [port["range"] or "" for port in block], names, [port["comment"] for port in block])


def _net_columns(block: list[re.Match[str]]) -> list[str]:
    ranges, names = ([net[part] or "" for net in block] for part in ("range", "name"))
    return _table([net["kind"] for net in block], ranges, names, [net["comment"] or "" for net in block])


def _connection_columns(block: list[re.Match[str]]) -> list[str]:
    width = max(len(connection["name"]) for connection in block)
    return [f"    {connection['name']:{width}} {connection['net']}" for connection in block]


def _assignment_columns(block: list[re.Match[str]]) -> list[str]:
    """Signs below each other where indent and sign are the same and the lines do not get too long."""
    laid: list[str] = []
    for group in _alike(block):
        lefts = [re.sub(r"(?<=\S) +", " ", statement["left"]) for statement in group]
        width = max(map(len, lefts))
        lines = [
            f"{left:{width}} {statement['sign']} {statement['right']}"
            for left, statement in zip(lefts, group, strict=True)
        ]
        if max(map(len, lines)) > COLUMNS:
            lines = [
                f"{left} {statement['sign']} {statement['right']}"
                for left, statement in zip(lefts, group, strict=True)
            ]
        laid += lines
    return laid


def _alike(block: list[re.Match[str]]) -> list[list[re.Match[str]]]:
    groups: list[list[re.Match[str]]] = []
    last = None
    for statement in block:
        left = statement["left"]
        kind = (len(left) - len(left.lstrip()), statement["sign"], left.split()[0] == "localparam")
        if kind != last:
            groups.append([])
        groups[-1].append(statement)
        last = kind
    return groups


def _table(*columns: list[str]) -> list[str]:
    """Rows of the columns, each as wide as its longest entry, empty columns left out."""
    used = [column for column in columns if any(column)]
    widths = [max(map(len, column)) for column in used]
    gaps = ["  " if column is columns[-1] else " " for column in used]
    rows = []
    for row in zip(*used, strict=True):
        cells = [f"{gap}{cell:{width}}" for gap, cell, width in zip(gaps, row, widths, strict=True)]
        rows.append(" " + "".join(cells).rstrip())
    return rows
