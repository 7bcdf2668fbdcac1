"""Running one notebook, strictly: all of its products or an error that says what to mend.

::

    layout = Layout.under(Path("build/x"))
    run_notebook(Path("notebooks/01_characterize_traces.ipynb"), {"profile": "full"}, layout)

The notebook writes into a folder of its own, through its ``out_dir`` parameter. Only when it has ended well
and written exactly the products it declares are they moved to where they belong, each whole.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from unison import paths
from unison.errors import UnisonError
from unison.files import atomic_path
from unison.notebooks.job import WORKER, Job, private_environment
from unison.notebooks.layout import Layout, shown
from unison.notebooks.parameters import Value, checked, declared_parameters
from unison.notebooks.series import Entry, entry_of, read_notebook

CELL_TIMEOUT_S = 1800.0
_STOP_S = 5.0
_LOG_LINES = 8


@dataclass
class NotebookRun:
    """A notebook being executed in a process of its own.

    Attributes
    ----------
    entry : Entry
    layout : Layout
    folder : pathlib.Path
        Its staging folder.
    process : subprocess.Popen
    """

    entry: Entry
    layout: Layout
    folder: Path
    process: subprocess.Popen[bytes]

    @classmethod
    def start(
        cls,
        entry: Entry,
        parameters: Mapping[str, Value],
        layout: Layout,
        cell_timeout_s: float = CELL_TIMEOUT_S,
    ) -> NotebookRun:
        """Start a notebook whose parameters have been checked (`checked_parameters`).

        Its staging folder has a name that no earlier run had, so that what a killed one may still write goes
        elsewhere; the folders of earlier runs are removed.
        """
        layout.staging.mkdir(parents=True, exist_ok=True)
        for left in layout.staging.glob(f"{entry.name}.*"):
            shutil.rmtree(left, ignore_errors=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{entry.name}.", dir=layout.staging))
        (folder / "figures").mkdir()
        home = paths.BUILD / "jupyter"
        home.mkdir(parents=True, exist_ok=True)
        values = {**parameters, "out_dir": str(folder / "figures")}
        if entry.reads_products:
            values["figures_dir"] = str(layout.figures)
        Job(str(entry.path.absolute()), str(folder), values, cell_timeout_s).write(folder / "job.json")
        with (folder / "log.txt").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", WORKER, str(folder / "job.json")],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
                cwd=paths.ROOT,
                env=private_environment(home),
                start_new_session=True,
            )
        return cls(entry, layout, folder, process)

    def is_running(self) -> bool:
        """Whether the process has not ended yet."""
        return self.process.poll() is None

    def stop(self) -> None:
        """End the process and its kernel."""
        if self.process.stdin is not None:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()
        try:
            self.process.wait(_STOP_S)
        except subprocess.TimeoutExpired:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def publish(self) -> list[Path]:
        """Move what an ended run has made to its place.

        Returns
        -------
        list of pathlib.Path
            Every file written: products, Markdown, page, executed notebook.

        Raises
        ------
        UnisonError
            If the notebook failed, or its files are not exactly the products it declares.
        """
        self.stop()
        self._raise_failure()
        made = {path.name for path in (self.folder / "figures").iterdir()}
        declared = set(self.entry.files)
        if made != declared:
            missing, extra = sorted(declared - made), sorted(made - declared)
            raise UnisonError(
                f"notebook {self.entry.path.name}: "
                + "; ".join(
                    f"{label} {', '.join(names)}"
                    for label, names in (("did not write", missing), ("wrote undeclared", extra))
                    if names
                )
                + "; make unison.products in its metadata agree with what it saves"
            )
        moves = [(self.folder / "figures" / name, self.layout.figures / name) for name in self.entry.files]
        moves += [(self.folder / source, target) for source, target in views(self.entry, self.layout).items()]
        for source, target in moves:
            with atomic_path(target) as temporary:
                shutil.copyfile(source, temporary)
        shutil.rmtree(self.folder)
        return [target for _, target in moves]

    def _raise_failure(self) -> None:
        """Raise what went wrong, if anything did."""
        result = self.folder / "result.json"
        kept = f"What it had done is in {shown(self.folder)}"
        if not result.is_file():
            log = (self.folder / "log.txt").read_text(errors="replace").strip().splitlines()
            raise UnisonError(
                f"notebook {self.entry.path.name}: the process that ran it ended with status "
                f"{self.process.returncode} and no result. {kept}. Last lines of its log:\n"
                + "\n".join(log[-_LOG_LINES:])
            )
        error = json.loads(result.read_text(encoding="utf-8")).get("error")
        if error:
            raise UnisonError(f"{error}. {kept}")


def views(entry: Entry, layout: Layout) -> dict[str, Path]:
    """Where each view of an executed notebook goes, by its name in the staging folder."""
    return {
        "page.md": layout.rendered / f"{entry.name}.md",
        "page.html": layout.html / f"{entry.name}.html",
        "executed.ipynb": layout.executed / f"{entry.name}.ipynb",
    }


def checked_parameters(entry: Entry, given: Mapping[str, object]) -> dict[str, Value]:
    """The given parameters of a notebook, checked against its parameters cell.

    Raises
    ------
    UnisonError
        If one is unknown, mistyped, or set by the runner (``out_dir``, ``figures_dir``), or the cell is not
        in order.
    """
    where = f"notebook {entry.path.name}"
    declared = declared_parameters(read_notebook(entry.path), where)
    for name in ("out_dir", "figures_dir") if entry.reads_products else ("out_dir",):
        if name in given:
            raise UnisonError(
                f"{where}: parameter {name!r} is set by the runner; choose the folder with --out"
            )
        if name not in declared:
            raise UnisonError(
                f'{where}: parameter {name!r} is not declared; add {name} = "" to its parameters'
            )
    return checked(declared, given, where)


def run_notebook(
    path: Path, parameters: Mapping[str, object], layout: Layout, *, cell_timeout_s: float = CELL_TIMEOUT_S
) -> Path:
    """Execute a notebook and publish its products.

    Parameters
    ----------
    path : pathlib.Path
        The source.
    parameters : mapping of str to object
        Values by name; those not given keep their defaults.
    layout : Layout
        Where things go.
    cell_timeout_s : float
        Longest time one cell may take [s].

    Returns
    -------
    pathlib.Path
        The executed notebook.

    Raises
    ------
    UnisonError
        For anything that is not in order; nothing has been published then.
    """
    entry = entry_of(path, read_notebook(path))
    values = checked_parameters(entry, parameters)
    with layout.locked():
        run = NotebookRun.start(entry, values, layout, cell_timeout_s)
        try:
            while run.is_running():
                time.sleep(0.05)
        finally:
            run.stop()
        run.publish()
    return views(entry, layout)["executed.ipynb"]
