"""The rules for committed notebooks, and that the committed ones keep them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from unison import paths
from unison.notebooks.sources import check_sources


def test_every_committed_notebook_keeps_the_rules() -> None:
    assert check_sources(paths.NOTEBOOKS) == []


def test_a_clean_notebook_has_no_problems(tmp_path: Path, make_notebook) -> None:
    make_notebook(tmp_path / "01_a.ipynb", "x = 1")
    assert check_sources(tmp_path) == []


def with_output(notebook: dict) -> None:
    notebook["cells"][2]["outputs"] = [{"output_type": "stream", "name": "stdout", "text": "1"}]


def with_count(notebook: dict) -> None:
    notebook["cells"][2]["execution_count"] = 1


def other_kernel(notebook: dict) -> None:
    notebook["metadata"]["kernelspec"]["name"] = "my-env"


def too_many_cells(notebook: dict) -> None:
    notebook["cells"] += [dict(notebook["cells"][2]) for _ in range(14)]


def too_long(notebook: dict) -> None:
    notebook["cells"][2]["source"] = "x = 1\n" * 26


def not_first(notebook: dict) -> None:
    notebook["cells"].insert(1, notebook["cells"].pop(2))


def no_tag(notebook: dict) -> None:
    notebook["cells"][1]["metadata"] = {}


def derived(notebook: dict) -> None:
    notebook["cells"][1]["source"] = "import os"


def no_comment(notebook: dict) -> None:
    notebook["cells"][1]["source"] += "\nbare = 1\n"


def no_out_dir(notebook: dict) -> None:
    notebook["cells"][1]["source"] = 'profile = "smoke"  # p\ncorpus = ""  # c\n'


def no_metadata(notebook: dict) -> None:
    del notebook["metadata"]["unison"]


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        (with_output, "code cell 2 has outputs"),
        (with_count, "code cell 2 has outputs or an execution count"),
        (other_kernel, "its kernel is 'my-env'"),
        (too_many_cells, "16 code cells; at most 15"),
        (too_long, "code cell 2 has 26 lines; at most 25"),
        (not_first, "the first code cell is not the parameters cell"),
        (no_tag, "0 cells are tagged"),
        (derived, "line 1: 'import os' is not allowed"),
        (no_comment, "parameter 'bare' has no comment"),
        (no_out_dir, "parameter 'out_dir' of type str is missing"),
        (no_metadata, "metadata unison.products is None"),
    ],
)
def test_each_broken_rule_is_told(
    tmp_path: Path, make_notebook, spoil: Callable[[dict], None], problem: str
) -> None:
    path = make_notebook(tmp_path / "01_a.ipynb", "x = 1")
    notebook = json.loads(path.read_text())
    spoil(notebook)
    path.write_text(json.dumps(notebook))
    (told,) = check_sources(tmp_path)
    assert told.startswith("01_a.ipynb: ")
    assert problem in told
