"""Verilator's lint with every warning on, each module as its own top; and the waivers in the Verilog."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from unison.rtl.checks.findings import Finding, Outcome
from unison.rtl.checks.tools import run, write_sources
from unison.rtl.cosim.toolchain import Skipped, Verilator, find_verilator

TOOL = "Verilator"
CHECK = "lint -Wall, each module as its own top"
WAIVERS = "every waiver has a reason"

_MESSAGE = re.compile(
    r"%(?:Warning|Error)(?:-(?P<code>\w+))?: (?:(?P<file>\w+)\.v:(?P<line>\d+):\d+: )?(?P<text>.*)"
)
_WAIVER = re.compile(r"^ *// verilator lint_off (?P<code>\w+)$")


def check_lint(texts: Mapping[str, str]) -> Outcome:
    """Lint every module as a top with all that it instantiates.

    Parameters
    ----------
    texts : mapping of str to str
        Verilog by module name.
    """
    linter = find_verilator()
    if isinstance(linter, Skipped):
        return Outcome.skipped(TOOL, CHECK, linter.reason)
    found: list[Finding] = []
    with tempfile.TemporaryDirectory(prefix="unison-") as name:
        folder = Path(name)
        write_sources(dict(texts), folder)
        for module in texts:
            found += _lint(linter, folder, module)
    return Outcome.of(TOOL, CHECK, len(texts), "modules", found)


def check_waivers(texts: Mapping[str, str]) -> Outcome:
    """Count the waivers and find those without a comment on the line above, or that are not ended.

    Parameters
    ----------
    texts : mapping of str to str
        Verilog by module name.
    """
    found, waivers = [], 0
    for module, text in texts.items():
        lines = text.split("\n")
        for index, line in enumerate(lines):
            waiver = _WAIVER.match(line)
            if waiver is None:
                continue
            waivers += 1
            above = lines[index - 1].strip() if index else ""
            place = f"line {index + 1}"
            if not above.startswith("// ") or above.startswith("// verilator"):
                found.append(Finding(WAIVERS, module, place, f"{waiver['code']} is waived without a reason"))
            if line.replace("lint_off", "lint_on") not in lines[index:]:
                found.append(Finding(WAIVERS, module, place, f"{waiver['code']} stays off until the end"))
    return Outcome.of(TOOL, WAIVERS, len(texts), "modules", found, f"{waivers} waivers")


def _lint(linter: Verilator, folder: Path, module: str) -> list[Finding]:
    flags = ["--lint-only", "-Wall", "--quiet", "-y", ".", "--top-module", module]
    status, output = run([linter.program, *flags, f"{module}.v"], folder, VERILATOR_ROOT=str(linter.root))
    messages = [_MESSAGE.match(line) for line in output.splitlines()]
    found = [
        Finding(
            CHECK,
            match["file"] or module,
            f"line {match['line']}",
            f"{match['code'] or 'error'}: {match['text']}",
        )
        for match in messages
        if match is not None and not match["text"].startswith("Exiting due to")
    ]
    if status and not found:
        found.append(Finding(CHECK, module, "Verilator", f"exit status {status}: {output.strip()[-200:]}"))
    return found
