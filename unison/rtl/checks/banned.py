"""Constructs that the tools read differently from each other, looked for in the text of a module."""

from __future__ import annotations

import re
from collections.abc import Mapping

from unison.rtl.checks.design import bare
from unison.rtl.checks.findings import Finding, Outcome

CHECK = "banned constructs"

NOT_VERILOG_2001 = (  # noqa: SIM905 - a list of words reads best as words
    "logic bit byte always_ff always_comb always_latch typedef enum struct union package import automatic "
    "unique priority interface assert assume cover"
).split()

BANNED = {
    "indexed part select": (r"\[[^\[\]]*[+-]:", "Pyverilog reads a[i +: w] as a[i:i+w] without an error"),
    "arithmetic left shift": (r"<<<", "Pyverilog prints it as a literal"),
    "casez, casex": (r"\bcase[xz]\b", "Pyverilog loses the don't-cares"),
    "initialiser": (
        r"\b(?:reg|wire|integer)\b[^;()=]*[^;()=<>!]=(?!=)",
        "an assignment in Pyverilog, a reset value elsewhere",
    ),
    "initial block": (r"\binitial\b", "no reset value in hardware"),
    "several assignments in one statement": (
        r"\bassign\b[^;=]*=[^;]*,\s*\w+\s*=(?!=)",
        "Pyverilog does not parse it",
    ),
    "defparam": (r"\bdefparam\b", "Pyverilog does not parse it"),
    "directive": (r"`(?!default_nettype\b)\w+", "variants are resolved by the generator"),
    "delay": (r"#\s*\d", "no meaning in hardware"),
    "task": (r"\btask\b", "Pyverilog does not parse its calls"),
    "SystemVerilog": (rf"\b(?:{'|'.join(NOT_VERILOG_2001)})\b", "the IP is Verilog-2001"),
    "width by $clog2": (r"\$clog2\b", "Pyverilog evaluates it to another number"),
    "unnamed connection": (
        r"\)\s*u_\w+\s*\(\s*[^.\s)]|\bunison_\w+\s+u_\w+\s*\(\s*[^.\s)]",
        "ports are connected by name",
    ),
    "tri-state or inout": (r"\b(?:inout|tri|tri0|tri1|supply0|supply1)\b", "every net has one driver"),
    "genvar in a for": (r"\bfor\s*\(\s*genvar\b", "Pyverilog does not parse it"),
}
"""What must not be in a module: name, pattern in the text without comments and attributes, and why."""


def check_banned(texts: Mapping[str, str]) -> Outcome:
    """Look for every construct of `BANNED` in every module.

    Parameters
    ----------
    texts : mapping of str to str
        Verilog by module name.
    """
    found = [finding for module, text in texts.items() for finding in _findings(module, text, bare(text))]
    return Outcome.of("Pyverilog", CHECK, len(texts), "modules", found, f"{len(BANNED) + 1} constructs")


def _findings(module: str, text: str, code: str) -> list[Finding]:
    found = []
    for name, (pattern, why) in BANNED.items():
        for match in re.finditer(pattern, code):
            line = code.count("\n", 0, match.start()) + 1
            found.append(Finding(CHECK, module, f"line {line}", f"{name}: {why}"))
    if not text.isascii():
        found.append(Finding(CHECK, module, "text", "a character that is not ASCII"))
    return found
