"""Stamps: what a finished notebook was made from and what it made, so that it need not be made again."""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from unison import paths
from unison.files import write_text
from unison.notebooks.imports import ImportGraph
from unison.notebooks.job import WORKER
from unison.notebooks.layout import sha256, shown
from unison.notebooks.parameters import Value
from unison.notebooks.series import Entry, read_notebook
from unison.rtl.cosim.toolchain import find_compiler


def tree_sha256(files: Iterable[Path], root: Path) -> str:
    """SHA-256 over the names below `root` and the contents of files, in the order of their names."""
    digest = hashlib.sha256()
    for path in sorted(files):
        digest.update(f"{path.relative_to(root).as_posix()}\0{sha256(path)}\n".encode())
    return digest.hexdigest()


def project_inputs(entry: Entry, package: ImportGraph) -> dict[str, str]:
    """Hashes of what a notebook depends on: the modules that it can reach, data/, the lock file and Python.

    Parameters
    ----------
    entry : Entry
    package : ImportGraph
        Of ``unison``, of which the notebook's cells and the worker that executes it are followed.
    """
    cells = [cell["source"] for cell in read_notebook(entry.path)["cells"] if cell["cell_type"] == "code"]
    lock = paths.ROOT / "requirements.lock"
    return {
        "package source": tree_sha256(package.files_behind(cells, [WORKER]), package.folder.parent),
        "data/*.toml": tree_sha256(paths.DATA.rglob("*.toml"), paths.DATA),
        "requirements.lock": sha256(lock) if lock.is_file() else "",
        "Python version": platform.python_version(),
    }


def notebook_inputs(
    entry: Entry, parameters: Mapping[str, Value], corpus: Path | None, project: Mapping[str, str]
) -> dict[str, str]:
    """Hashes of everything one run depends on, by what it is called in messages."""
    return {
        **project,
        "notebook": sha256(entry.path),
        "parameters": json.dumps(dict(parameters), sort_keys=True),
        "corpus file": sha256(corpus) if corpus else "",
    }


def table_inputs(entry: Entry, figures: Path) -> dict[str, str]:
    """Hash of the tables that a notebook reads: a folder's, without its own, and those on real traces."""
    if not entry.reads_products:
        return {}
    own = {figures / name for name in entry.files}
    made = [path for path in figures.glob("*.csv") if path not in own]
    real = list((paths.FIGURES / "real").glob("*.csv"))
    return {"tables": tree_sha256(made, figures) + tree_sha256(real, paths.FIGURES)}


def outside_inputs(entry: Entry) -> dict[str, str]:
    """What a notebook names of `unison.notebooks.series.OUTSIDE`, as it is now."""
    found = {}
    if "figures/rtl" in entry.outside:
        found["figures/rtl"] = tree_sha256((paths.FIGURES / "rtl").glob("*.csv"), paths.FIGURES)
    if "C++ compiler" in entry.outside:
        found["C++ compiler"] = "found" if find_compiler() else "none"
    return found


@dataclass(frozen=True)
class Stamp:
    """The record of one finished run, in a JSON file that is written last.

    Attributes
    ----------
    path : pathlib.Path
        The file.
    inputs : dict of str to str
        See `notebook_inputs`.
    """

    path: Path
    inputs: dict[str, str]

    def stale_because(self) -> str:
        """Why the run has to be made again, in a few words; empty if it does not."""
        try:
            known = json.loads(self.path.read_text(encoding="utf-8"))
            inputs, products = dict(known["inputs"]), dict(known["products"])
        except FileNotFoundError:
            return "not made yet"
        except (ValueError, KeyError, TypeError):
            return "its stamp is unreadable"
        for name in self.inputs.keys() | inputs.keys():
            if self.inputs.get(name) != inputs.get(name):
                return f"{name} changed"
        for name, digest in products.items():
            path = Path(name)
            if not path.is_file():
                return f"{shown(path)} is missing"
            if sha256(path) != digest:
                return f"{shown(path)} was altered"
        return ""

    def write(self, products: Iterable[Path]) -> None:
        """Record the run with its products' hashes."""
        hashes = {str(path): sha256(path) for path in products}
        text = json.dumps({"inputs": self.inputs, "products": hashes}, indent=1, sort_keys=True)
        write_text(self.path, text + "\n")
