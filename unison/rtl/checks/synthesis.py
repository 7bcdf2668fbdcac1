"""Yosys' own checks: hierarchy, drivers, loops and latches after its elaboration of the processes."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path

from unison.rtl.checks.findings import Finding, Outcome
from unison.rtl.checks.tools import YOSYS, find_scripts, run, write_sources
from unison.rtl.cosim.toolchain import Skipped

TOOL = "Yosys"
CHECK = "hierarchy and check -assert, each module as its own top"
_LATCHES = "t:$dlatch t:$adlatch t:$dlatchsr t:$sr"
_IGNORED = "Replacing memory"
"""Yosys says so of a memory that it takes apart into registers, which is no defect."""
_PROBLEM = re.compile(r"^(?:Warning|ERROR): (?P<text>.*)$", re.MULTILINE)


def check_synthesis(texts: Mapping[str, str]) -> Outcome:
    """Elaborate every module as a top with Yosys and let it look for what cannot be hardware.

    Parameters
    ----------
    texts : mapping of str to str
        Verilog by module name.
    """
    scripts = find_scripts(YOSYS)
    if isinstance(scripts, Skipped):
        return Outcome.skipped(TOOL, CHECK, scripts.reason)
    with tempfile.TemporaryDirectory(prefix="unison-") as name:
        folder = Path(name)
        files = " ".join(write_sources(dict(texts), folder))
        read = f"read_verilog -noautowire {files}\n"
        parts = [_script(module) for module in texts]
        (folder / "check.ys").write_text(read + "".join(parts), encoding="utf-8")
        status, output = run([scripts / YOSYS, "-Q", "-T", "check.ys"], folder)
    found = _findings(output, tuple(texts))
    if status and not found:
        found = [Finding(CHECK, TOOL, "run", f"exit status {status}: {output.strip()[-200:]}")]
    return Outcome.of(TOOL, CHECK, len(texts), "modules", found)


def _script(module: str) -> str:
    return (
        f"log == {module}\ndesign -push-copy\nhierarchy -check -top {module}\nproc\n"
        f"select -assert-none {_LATCHES}\ncheck -assert\ndesign -pop\n"
    )


def _findings(output: str, modules: tuple[str, ...]) -> list[Finding]:
    """Warnings and errors, each under the module whose turn it was."""
    found = []
    parts = re.split(r"^== (\w+)$", output, flags=re.MULTILINE)
    for module, text in zip(["reading", *parts[1::2]], parts[::2], strict=True):
        problems = [match["text"] for match in _PROBLEM.finditer(text)]
        found += [Finding(CHECK, module, TOOL, problem) for problem in problems if _IGNORED not in problem]
    missing = set(modules) - set(parts[1::2])
    found += [Finding(CHECK, module, TOOL, "was not reached") for module in sorted(missing)]
    return found
