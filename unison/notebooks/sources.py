"""Notebook sources: reading them, and the rules that every committed one keeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from unison.errors import UnisonError
from unison.notebooks.parameters import TAG, declared_parameters, tagged_cells, uncommented
from unison.notebooks.series import SHARED_PARAMETERS, entry_of, read_notebook

KERNEL_NAME = "python3"
MOST_CODE_CELLS = 15
MOST_LINES = 25


def check_sources(folder: Path) -> list[str]:
    """What is wrong with the notebooks of a folder, one sentence each; empty if nothing is.

    Parameters
    ----------
    folder : pathlib.Path
        Holds ``NN_name.ipynb``; folders below it are not looked at.

    Returns
    -------
    list of str
        Broken rules: no outputs, no execution counts, kernel ``python3``, one `parameters` cell that is
        the first code cell and holds commented literals with the shared names, at most 15 code cells of
        at most 25 lines, and metadata that `entry_of` reads.
    """
    problems: list[str] = []
    for path in sorted(folder.glob("*.ipynb")):
        try:
            problems += [f"{path.name}: {problem}" for problem in _problems(path)]
        except UnisonError as error:
            problems.append(str(error))
    return problems


def _problems(path: Path) -> list[str]:
    """The broken rules of one notebook."""
    notebook = read_notebook(path)
    entry_of(path, notebook)
    declared = declared_parameters(notebook, path.name)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    problems = []
    kernel = notebook["metadata"].get("kernelspec", {}).get("name")
    if kernel != KERNEL_NAME:
        problems.append(f"its kernel is {kernel!r}; set kernelspec.name to {KERNEL_NAME!r}")
    if len(code) > MOST_CODE_CELLS:
        problems.append(f"{len(code)} code cells; at most {MOST_CODE_CELLS}: move logic into the package")
    if TAG not in code[0]["metadata"].get("tags", []):
        problems.append("the first code cell is not the parameters cell; move it to the top")
    problems += _cell_problems(code)
    for name in SHARED_PARAMETERS:
        if name not in declared or declared[name].type_name != "str":
            problems.append(f"parameter {name!r} of type str is missing; declare it")
    for name in uncommented(tagged_cells(notebook, TAG)[0]["source"]):
        problems.append(f"parameter {name!r} has no comment; say what it is and what is allowed")
    return problems


def _cell_problems(code: list[dict[str, Any]]) -> list[str]:
    """The broken rules of the code cells one by one."""
    problems = []
    for number, cell in enumerate(code, start=1):
        lines = len(cell["source"].splitlines())
        if cell.get("outputs") or cell.get("execution_count") is not None:
            problems.append(
                f"code cell {number} has outputs or an execution count; clear them before committing"
            )
        if lines > MOST_LINES:
            problems.append(f"code cell {number} has {lines} lines; at most {MOST_LINES}")
    return problems
