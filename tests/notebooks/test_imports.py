"""Which files of the package a notebook depends on."""

from pathlib import Path

import pytest

from unison import paths
from unison.errors import UnisonError
from unison.notebooks.imports import ImportGraph
from unison.notebooks.job import WORKER
from unison.notebooks.series import Entry, load_series, read_notebook

FILES = {
    "__init__.py": "",
    "top.py": "import json\nfrom pack.low import deep\n",
    "low/__init__.py": "",
    "low/deep.py": "def f():\n    from pack import late\n    from .near import g\n",
    "low/near.py": "",
    "low/never.py": "",
    "low/schema.json": "{}",
    "low/words/page.txt": "",
    "late.py": "import pack.top\n",
    "every/__init__.py": "import pkgutil\nlist(pkgutil.iter_modules(__path__))\n",
    "every/one.py": "",
    "every/two.py": "",
    "aside/__init__.py": "import pack.top\n",
    "aside/page.html": "",
}

NEVER_BEHIND_A_NOTEBOOK = ("bench", "checks", "cli", "faults", "site")
"""Packages that run, check or publish notebooks; work on them leaves the products as they are."""


@pytest.fixture
def graph(tmp_path: Path) -> ImportGraph:
    for name, text in FILES.items():
        path = tmp_path / "pack" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return ImportGraph(tmp_path / "pack")


def behind(graph: ImportGraph, *sources: str, modules: tuple[str, ...] = ()) -> set[str]:
    found = graph.files_behind(sources, modules)
    return {path.relative_to(graph.folder).as_posix() for path in found}


@pytest.mark.parametrize("source", ["import pack.top", "from pack import top", "from pack.top import x as y"])
def test_imports_are_followed_wherever_they_stand(graph: ImportGraph, source: str) -> None:
    # top -> low.deep -> late (inside a function) -> top, and low.near by a relative name.
    reached = {"__init__.py", "top.py", "low/__init__.py", "low/deep.py", "low/near.py", "late.py"}
    assert behind(graph, source) == reached | {"low/schema.json", "low/words/page.txt"}


def test_a_package_that_walks_its_folder_depends_on_all_of_it(graph: ImportGraph) -> None:
    assert behind(graph, "import pack.every") == {
        "__init__.py",
        "every/__init__.py",
        "every/one.py",
        "every/two.py",
    }


def test_a_module_that_is_run_counts_as_imported(graph: ImportGraph) -> None:
    assert behind(graph, "import numpy", modules=("pack.low.near",)) >= {"low/near.py"}


def test_a_cell_that_is_no_plain_python_depends_on_everything(graph: ImportGraph) -> None:
    assert behind(graph, "%matplotlib inline") == set(FILES)


def test_a_broken_module_is_named(graph: ImportGraph) -> None:
    (graph.folder / "late.py").write_text("x = 1\ndef\n")
    with pytest.raises(UnisonError, match=r"pack\.late: line 2 is no valid Python"):
        behind(graph, "import pack.late")


@pytest.mark.parametrize("entry", load_series(paths.NOTEBOOKS), ids=lambda entry: entry.name)
def test_no_notebook_reaches_what_runs_checks_or_publishes_it(entry: Entry) -> None:
    cells = [cell["source"] for cell in read_notebook(entry.path)["cells"] if cell["cell_type"] == "code"]
    reached = ImportGraph(paths.ROOT / "unison").modules_behind(cells, [WORKER])
    assert WORKER in reached
    assert len(reached) > 20
    assert not [
        name for name in reached if name.split(".")[1:2] and name.split(".")[1] in NEVER_BEHIND_A_NOTEBOOK
    ]
