"""The series: order, declarations, and selection by product."""

import json
from pathlib import Path

import pytest

from unison.errors import UnisonError
from unison.notebooks.series import load_series, select


@pytest.fixture
def folder(tmp_path: Path, make_notebook) -> Path:
    make_notebook(tmp_path / "02_beta.ipynb", products=["tab02_main"])
    make_notebook(tmp_path / "01_alpha.ipynb", products=["fig01_curve", "tab01_facts"])
    return tmp_path


def test_notebooks_come_in_order_with_what_they_declare(folder: Path) -> None:
    alpha, beta = load_series(folder)
    assert (alpha.name, beta.name) == ("01_alpha", "02_beta")
    assert alpha.minutes == {"smoke": 0.1, "full": 0.2}
    assert alpha.files == [
        "fig01_curve.svg",
        "fig01_curve.png",
        "fig01_curve.csv",
        "tab01_facts.csv",
        "tab01_facts.md",
    ]


@pytest.mark.parametrize("only", ["tab02", "tab02_main", "02_beta", "02"])
def test_a_product_selects_the_notebook_that_makes_it(folder: Path, only: str) -> None:
    assert [entry.name for entry in select(load_series(folder), [only])] == ["02_beta"]


def test_nothing_named_selects_all_and_several_keep_the_order(folder: Path) -> None:
    series = load_series(folder)
    assert select(series, []) == series
    assert select(series, ["tab02", "fig01", "tab01"]) == series


def test_an_unknown_product_is_refused_with_the_nearest(folder: Path) -> None:
    with pytest.raises(UnisonError, match=r"'tab03'; did you mean 'tab0\d'"):
        select(load_series(folder), ["tab03"])


def test_two_notebooks_cannot_make_the_same_product(folder: Path, make_notebook) -> None:
    make_notebook(folder / "03_gamma.ipynb", products=["tab02_main"])
    with pytest.raises(UnisonError, match=r"tab02_main: declared by 02_beta.ipynb and 03_gamma.ipynb"):
        load_series(folder)


@pytest.mark.parametrize(
    "meta",
    [
        {},
        {"products": ["figure1"], "minutes": {"smoke": 1, "full": 1}},
        {"products": ["fig01", "fig01"], "minutes": {"smoke": 1, "full": 1}},
        {"products": [], "minutes": {"smoke": 1}},
        {"products": [], "minutes": {"smoke": 1, "full": "2"}},
        {"products": [], "minutes": {"smoke": 1, "full": 0}},
    ],
)
def test_malformed_metadata_is_refused_by_name(folder: Path, meta: dict) -> None:
    path = folder / "02_beta.ipynb"
    notebook = json.loads(path.read_text())
    notebook["metadata"]["unison"] = meta
    path.write_text(json.dumps(notebook))
    with pytest.raises(UnisonError, match=r"02_beta.ipynb: metadata unison\.(products|minutes)"):
        load_series(folder)


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"nbformat": 3, "cells": [], "metadata": {}}', '{"cells": [1]}']
)
def test_a_file_that_is_no_notebook_is_refused(folder: Path, text: str) -> None:
    (folder / "02_beta.ipynb").write_text(text)
    with pytest.raises(UnisonError, match=r"notebook 02_beta.ipynb: .*(valid|format)"):
        load_series(folder)


def test_a_stray_name_and_an_empty_folder_are_refused(folder: Path, tmp_path: Path, make_notebook) -> None:
    make_notebook(folder / "Untitled.ipynb")
    with pytest.raises(UnisonError, match=r"Untitled.ipynb: notebooks are called NN_name"):
        load_series(folder)
    (tmp_path / "empty").mkdir()
    with pytest.raises(UnisonError, match="no notebook in empty/"):
        load_series(tmp_path / "empty")


def test_what_a_notebook_depends_on_outside_has_to_be_known(folder: Path) -> None:
    path = folder / "02_beta.ipynb"
    notebook = json.loads(path.read_text())
    notebook["metadata"]["unison"]["outside"] = ["C++ compiler"]
    path.write_text(json.dumps(notebook))
    assert load_series(folder)[1].outside == ("C++ compiler",)
    notebook["metadata"]["unison"]["outside"] = ["the weather"]
    path.write_text(json.dumps(notebook))
    with pytest.raises(UnisonError, match=r"02_beta.ipynb: metadata unison\.outside is \['the weather'\]"):
        load_series(folder)
