"""`unison reproduce`, interrupted at any moment and called again, ends as if nothing had happened."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from unison import paths

pytestmark = pytest.mark.slow

DRIVER = """\
import itertools, os, signal, sys
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever runs the tests may have it ignored
from unison import paths
root, notebooks, stop_at = map(str, sys.argv[1:4])
paths.BUILD, paths.NOTEBOOKS = Path(root, "build"), Path(notebooks)
import unison.notebooks.reproduce as series
import unison.notebooks.runner as runner
import unison.notebooks.stamps as stamps
series.project_inputs = lambda *_: {}  # an edit of the package during the test is no matter of the test

def stop(*_):
    os.killpg(0, signal.SIGKILL)

copies, copy = itertools.count(1), runner.shutil.copyfile
def copy_or_stop(source, target):
    if stop_at == f"copy {next(copies)}":
        Path(target).write_bytes(Path(source).read_bytes()[:10])
        stop()
    copy(source, target)

runner.shutil.copyfile = copy_or_stop
if stop_at == "stamp":
    stamps.write_text = stop
from unison.cli import main
main(["reproduce", "--jobs", "2", "--out", f"{root}/out", *sys.argv[4:]])
"""
CELL = """\
import time, pathlib
for suffix in ("csv", "md"):
    path = pathlib.Path(out_dir, f"tab0{number}_facts.{{suffix}}")
    path.write_text("".join(f"{number},{{k}}\\n" for k in range(2000)))
    time.sleep(0.2)
"""
NOTEBOOKS = 3
COPIES = 5  # two products, Markdown, page and executed notebook
MOST_RUNS = 40
INTERRUPTIONS = [
    *[(signal.SIGKILL, ""), (signal.SIGINT, ""), (signal.SIGTERM, "")] * 2,
    (signal.SIGKILL, "copy 1"),
    (signal.SIGKILL, f"copy {COPIES}"),
    (signal.SIGKILL, "stamp"),
]
"""Signals to the process group at random moments, and ends at the moments that are hardest to hit."""


@dataclass(frozen=True)
class Project:
    """A series in a folder of its own, run by processes that are found again by their environment."""

    root: Path
    notebooks: Path
    arguments: tuple[str, ...] = ()

    def start(self, stop_at: str = "") -> subprocess.Popen[str]:
        (self.root / "tmp").mkdir(parents=True, exist_ok=True)
        return subprocess.Popen(
            [sys.executable, "-c", DRIVER, str(self.root), str(self.notebooks), stop_at, *self.arguments],
            env=os.environ | {"TMPDIR": str(self.root / "tmp"), "UNISON_TEST_ROOT": str(self.root)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def finish(self) -> str:
        """Run to the end; what was printed."""
        process = self.start()
        printed, _ = process.communicate(timeout=300)
        assert process.returncode == 0, printed
        return printed

    def interrupt(self, number: int, stop_at: str, seconds: float) -> bool:
        """Run, and send a signal to the process group after some seconds; False if it ended before."""
        process = self.start(stop_at)
        try:
            printed, _ = process.communicate(timeout=300 if stop_at else seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, number)
            process.communicate(timeout=60)
        else:
            assert process.returncode == (-number if stop_at else 0), printed
        return process.returncode != 0

    def stamps(self) -> dict[str, int]:
        """When each finished notebook was stamped."""
        return {path.name: path.stat().st_mtime_ns for path in self._files("out/stamps")}

    def products(self) -> dict[str, bytes]:
        """Every figure, table and rendered notebook."""
        return {
            str(p.relative_to(self.root)): p.read_bytes()
            for p in self._files("out/figures", "out/notebooks/rendered")
        }

    def _files(self, *folders: str) -> Iterator[Path]:
        for folder in folders:
            for path in sorted((self.root / folder).glob("*")):
                if not path.name.startswith("."):
                    yield path

    def leftovers(self) -> list[str]:
        """Temporary files, and folders of notebooks at work."""
        found = [path for path in self.root.rglob("*.tmp*") if path.is_file()]
        found += [path for path in (self.root / "out" / "staging").iterdir() if path.name != "lock"]
        found += list((self.root / "tmp").iterdir())
        found += list((self.root / "build" / "jupyter" / "runtime").glob("*"))
        return [str(path.relative_to(self.root)) for path in found]

    def processes(self) -> list[int]:
        """Processes of any of its runs that are still there."""
        mark = f"UNISON_TEST_ROOT={self.root}\0".encode()
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if mark in (folder / "environ").read_bytes():
                    found.append(int(folder.name))
            except OSError:
                continue
        return found

    def is_quiet_within(self, seconds: float) -> bool:
        """Whether all of its processes end in time."""
        deadline = time.monotonic() + seconds
        while self.processes():
            if time.monotonic() > deadline:
                return False
            time.sleep(0.1)
        return True


@pytest.fixture(scope="module")
def notebooks(tmp_path_factory: pytest.TempPathFactory, make_notebook) -> Path:
    folder = tmp_path_factory.mktemp("series")
    for number in range(1, NOTEBOOKS + 1):
        cell = CELL.format(number=number)
        make_notebook(
            folder / f"0{number}_made.ipynb", cell, "print(profile)", products=[f"tab0{number}_facts"]
        )
    return folder


def test_a_series_interrupted_at_any_moment_ends_with_the_same_bytes(notebooks: Path, tmp_path: Path) -> None:
    begun = time.monotonic()
    undisturbed = Project(tmp_path / "undisturbed", notebooks)
    undisturbed.finish()
    seconds = time.monotonic() - begun
    project, rng = Project(tmp_path / "interrupted", notebooks), random.Random(3)
    waiting, finished = list(INTERRUPTIONS), {}
    for _ in range(MOST_RUNS):
        if not waiting:
            break
        number, stop_at = waiting[0]
        share = (1 + NOTEBOOKS - len(finished)) / (1 + NOTEBOOKS)
        if project.interrupt(number, stop_at, rng.uniform(0.2, 1) * share * seconds):
            waiting.pop(0)
        else:
            seconds *= 0.8  # it ended before the signal: the first run, from cold caches, was slower
        now = project.stamps()
        assert now.items() >= finished.items(), "finished work was done again"
        finished = now
        if len(finished) == NOTEBOOKS:
            assert project.products() == undisturbed.products()
            for path in (project.root / "out" / "stamps").iterdir():
                path.unlink()
            finished = {}
    assert not waiting, f"signals that interrupted none of {MOST_RUNS} runs: {waiting}"
    printed = project.finish()
    assert printed.count("up to date") == len(finished)
    assert project.stamps().items() >= finished.items()
    assert project.products() == undisturbed.products()
    assert project.is_quiet_within(10), "a notebook outlived the call that ran it"
    assert project.leftovers() == undisturbed.leftovers() == []


def test_a_notebook_of_the_series_killed_half_way_ends_with_the_same_bytes(tmp_path: Path) -> None:
    arguments = ("--profile", "smoke", "--only", "01")
    undisturbed = Project(tmp_path / "undisturbed", paths.NOTEBOOKS, arguments)
    begun = time.monotonic()
    undisturbed.finish()
    seconds = time.monotonic() - begun
    project = Project(tmp_path / "interrupted", paths.NOTEBOOKS, arguments)
    assert project.interrupt(signal.SIGKILL, "", 0.6 * seconds)
    assert project.stamps() == {}
    project.finish()
    assert project.products() == undisturbed.products()
    assert "1 notebooks" in project.finish()
    assert project.is_quiet_within(10), "a notebook outlived the call that ran it"
    assert project.leftovers() == undisturbed.leftovers() == []
