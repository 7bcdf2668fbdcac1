"""A notebook that reads the tables of others runs after them, and again when one of them changed."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from unison import paths
from unison.errors import UnisonError
from unison.notebooks.layout import Layout
from unison.notebooks.reproduce import Plan, reproduce
from unison.notebooks.runner import NotebookRun, checked_parameters
from unison.notebooks.series import Entry, entry_of, load_series, read_notebook, select

PARAMETERS = """\
profile = "smoke"  # size
corpus = ""  # corpus
out_dir = ""  # products
figures_dir = ""  # tables
"""


class InstantRun:
    """Stands for a process that writes each product at once; a reader copies what it found."""

    started: list[str]

    def __init__(self, entry: Entry, layout: Layout) -> None:
        self.entry, self.layout = entry, layout

    @classmethod
    def start(cls, entry: Entry, parameters: object, layout: Layout, limit_s: float) -> InstantRun:
        cls.started.append(entry.name)
        return cls(entry, layout)

    def is_running(self) -> bool:
        return False

    def stop(self) -> None:
        pass

    def publish(self) -> list[Path]:
        self.layout.figures.mkdir(parents=True, exist_ok=True)
        found = "".join(sorted(path.name for path in self.layout.figures.glob("tab*.csv")))
        for name in self.entry.files:
            (self.layout.figures / name).write_text(found if self.entry.reads_products else "made")
        return [self.layout.figures / name for name in self.entry.files]


@pytest.fixture
def folder(tmp_path: Path, make_notebook: Callable[..., Path]) -> Path:
    """The reader has the first number, so that only its declaration can put it last."""
    notebooks = tmp_path / "notebooks"
    path = make_notebook(notebooks / "00_claims.ipynb", products=["claims"], parameters=PARAMETERS)
    notebook = json.loads(path.read_text())
    notebook["metadata"]["unison"]["reads_products"] = True
    path.write_text(json.dumps(notebook))
    make_notebook(notebooks / "01_alpha.ipynb", products=["tab01_facts"], parameters=PARAMETERS)
    make_notebook(notebooks / "02_beta.ipynb", products=["tab02_main"], parameters=PARAMETERS)
    return notebooks


@pytest.fixture
def run(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Reproduces the series and returns which notebooks were started, in order."""
    monkeypatch.setattr("unison.notebooks.reproduce.NotebookRun", InstantRun)
    monkeypatch.setattr("unison.notebooks.reproduce.project_inputs", lambda *_: {})
    monkeypatch.setattr(paths, "FIGURES", tmp_path / "figures")
    layout = Layout.under(tmp_path)

    def started() -> list[str]:
        InstantRun.started = []
        outcomes = reproduce(Plan(load_series(folder), "smoke", layout, jobs=3), io.StringIO())
        assert [outcome.name for outcome in outcomes] == ["00_claims", "01_alpha", "02_beta"]
        return InstantRun.started

    return started


def test_it_runs_when_the_others_have_ended_and_finds_their_tables(run, tmp_path: Path):
    assert run() == ["01_alpha", "02_beta", "00_claims"]
    assert (tmp_path / "figures" / "claims.csv").read_text() == "tab01_facts.csvtab02_main.csv"


def test_it_is_not_run_again_until_a_table_changes(run, tmp_path: Path):
    run()
    assert run() == []
    (tmp_path / "figures" / "real").mkdir()
    (tmp_path / "figures" / "real" / "real_x.csv").write_text("new")
    assert run() == ["00_claims"]
    (tmp_path / "figures" / "tab01_facts.csv").write_text("altered")
    assert run() == ["01_alpha"], "the table is made anew, with the bytes that were read before"
    (tmp_path / "figures" / "tab09_other.csv").write_text("more")
    assert run() == ["00_claims"]


def test_the_ledger_is_a_table_of_its_own_name(folder: Path):
    series = load_series(folder)
    (entry,) = select(series, ["claims"])
    assert entry.files == ["claims.csv", "claims.md"]
    assert entry.reads_products
    assert not series[1].reads_products


def test_its_folder_of_tables_is_set_by_the_runner(folder: Path, tmp_path: Path):
    path = folder / "00_claims.ipynb"
    entry = entry_of(path, read_notebook(path))
    with pytest.raises(UnisonError, match="'figures_dir' is set by the runner"):
        checked_parameters(entry, {"figures_dir": "x"})
    layout = Layout.under(tmp_path / "out")
    run = NotebookRun.start(entry, {}, layout)
    run.stop()
    job = json.loads((run.folder / "job.json").read_text())
    assert job["parameters"]["figures_dir"] == str(layout.figures)


def test_a_reader_without_that_parameter_is_refused(folder: Path):
    path = folder / "00_claims.ipynb"
    path.write_text(path.read_text().replace("figures_dir", "tables_dir"))
    with pytest.raises(UnisonError, match="'figures_dir' is not declared"):
        checked_parameters(entry_of(path, read_notebook(path)), {})


def test_a_declaration_that_is_no_truth_value_is_refused(folder: Path):
    path = folder / "00_claims.ipynb"
    path.write_text(path.read_text().replace('"reads_products": true', '"reads_products": "yes"'))
    with pytest.raises(UnisonError, match="reads_products is 'yes'; give true or false"):
        load_series(folder)
