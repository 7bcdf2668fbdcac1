"""A small project with notebooks of its own, so that no test touches the real ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from unison import paths

PARAMETERS = """\
profile = "smoke"  # "smoke" or "full"
corpus = ""  # one corpus in place of the synthetic ones
out_dir = ""  # where products go
scale = 1.5  # factor of the curve
"""

Maker = Callable[..., Path]


def write_notebook(
    path: Path,
    *cells: str,
    products: Sequence[str] = (),
    parameters: str = PARAMETERS,
    kernel: str = "python3",
) -> Path:
    """A notebook file: a title, the parameters cell, then the given code cells."""
    first = new_code_cell(parameters, metadata={"tags": ["parameters"]})
    notebook = new_notebook(
        cells=[new_markdown_cell("# Title\n\nSee [next](02_beta.ipynb)."), first, *map(new_code_cell, cells)],
        metadata={
            "kernelspec": {"name": kernel, "display_name": "Python 3", "language": "python"},
            "unison": {"products": list(products), "minutes": {"smoke": 0.1, "full": 0.2}},
        },
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(notebook, path)
    return path


@pytest.fixture(scope="session")
def make_notebook() -> Maker:
    """`write_notebook`."""
    return write_notebook


@pytest.fixture(scope="session")
def kernel_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A build/ shared by every test that starts a kernel, so that matplotlib reads its fonts once."""
    return tmp_path_factory.mktemp("kernels")


@pytest.fixture(scope="module")
def module_patch() -> Iterator[pytest.MonkeyPatch]:
    """A monkeypatch that lasts for a module."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def project(
    tmp_path_factory: pytest.TempPathFactory, kernel_home: Path, module_patch: pytest.MonkeyPatch
) -> Path:
    """A folder that stands for the project's root in `unison.paths`; the package stays where it is."""
    root = tmp_path_factory.mktemp("a project")
    module_patch.setattr(paths, "BUILD", kernel_home)
    module_patch.setattr(paths, "FIGURES", root / "figures")
    module_patch.setattr(paths, "NOTEBOOKS", root / "notebooks")
    return root
