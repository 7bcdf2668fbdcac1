"""When a finished notebook has to be made again, and that a kill never leaves one that passes as whole."""

import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from unison import paths
from unison.notebooks.imports import ImportGraph
from unison.notebooks.layout import Layout
from unison.notebooks.runner import NotebookRun
from unison.notebooks.series import OUTSIDE, entry_of, read_notebook
from unison.notebooks.stamps import Stamp, notebook_inputs, outside_inputs, project_inputs, tree_sha256


@pytest.fixture
def stamp(tmp_path: Path) -> Stamp:
    product = tmp_path / "tab02.csv"
    product.write_text("x\n")
    stamp = Stamp(tmp_path / "stamps" / "02_beta.json", {"notebook": "1", "package source": "2"})
    stamp.write([product])
    return stamp


def test_an_unchanged_run_is_not_stale(stamp: Stamp) -> None:
    assert stamp.stale_because() == ""


@pytest.mark.parametrize("name", ["notebook", "package source", "corpus file"])
def test_a_changed_input_is_named(stamp: Stamp, name: str) -> None:
    assert Stamp(stamp.path, {**stamp.inputs, name: "other"}).stale_because() == f"{name} changed"


def test_a_missing_or_altered_product_is_named(stamp: Stamp, tmp_path: Path) -> None:
    (tmp_path / "tab02.csv").write_text("y\n")
    assert stamp.stale_because().endswith("tab02.csv was altered")
    (tmp_path / "tab02.csv").unlink()
    assert stamp.stale_because().endswith("tab02.csv is missing")


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"inputs": 1, "products": 2}', '{"inputs": {}'])
def test_an_unreadable_stamp_is_stale(stamp: Stamp, text: str) -> None:
    stamp.path.write_text(text)
    assert stamp.stale_because() == "its stamp is unreadable"
    stamp.path.unlink()
    assert stamp.stale_because() == "not made yet"


def test_inputs_follow_every_file_a_notebook_depends_on(
    tmp_path: Path, make_notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "ROOT", tmp_path)
    monkeypatch.setattr(paths, "DATA", tmp_path / "data")
    files = {
        "package source": tmp_path / "unison" / "deep" / "code.py",
        "data/*.toml": tmp_path / "data" / "calibration" / "gaia.toml",
        "requirements.lock": tmp_path / "requirements.lock",
        "corpus file": tmp_path / "logs.parquet",
        "notebook": make_notebook(tmp_path / "notebooks" / "01_a.ipynb", "import unison.deep.code"),
    }
    for path in files.values():
        path.parent.mkdir(parents=True, exist_ok=True)
    for name in ("data/*.toml", "requirements.lock", "corpus file"):
        files[name].write_text("one")
    files["package source"].write_text("one = 1")
    entry = entry_of(files["notebook"], read_notebook(files["notebook"]))

    def inputs() -> dict[str, str]:
        project = project_inputs(entry, ImportGraph(tmp_path / "unison"))
        return notebook_inputs(entry, {"scale": 1.0}, files["corpus file"], project)

    for name, path in files.items():
        before = inputs()
        path.write_text(path.read_text() + " ")
        assert [key for key in before if before[key] != inputs()[key]] == [name]


def test_a_renamed_file_changes_the_hash_of_a_tree(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    before = tree_sha256(tmp_path.iterdir(), tmp_path)
    (tmp_path / "a").rename(tmp_path / "b")
    assert tree_sha256(tmp_path.iterdir(), tmp_path) != before


def test_a_kill_while_publishing_leaves_whole_files(
    tmp_path: Path, make_notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_notebook(tmp_path / "01_a.ipynb", products=["tab01_facts"])
    layout = Layout.under(tmp_path / "out")
    folder = layout.staging / "01_a"
    (folder / "figures").mkdir(parents=True)
    for name in (
        "figures/tab01_facts.csv",
        "figures/tab01_facts.md",
        "page.md",
        "page.html",
        "executed.ipynb",
    ):
        (folder / name).write_text("new content")
    (folder / "result.json").write_text("{}")
    layout.figures.mkdir()
    for name in ("tab01_facts.csv", "tab01_facts.md"):
        (layout.figures / name).write_text("old content")
    copies = []

    def copy_half_of_the_second(source: Path, target: Path) -> None:
        copies.append(target)
        text = Path(source).read_text()
        Path(target).write_text(text if len(copies) == 1 else text[:3])
        if len(copies) == 2:
            raise KeyboardInterrupt

    monkeypatch.setattr(shutil, "copyfile", copy_half_of_the_second)
    with subprocess.Popen(["true"], stdin=subprocess.PIPE) as process:
        process.wait()
        run = NotebookRun(entry_of(path, read_notebook(path)), layout, folder, process)
        with pytest.raises(KeyboardInterrupt):
            run.publish()
    assert {p.name: p.read_text() for p in layout.figures.iterdir()} == {
        "tab01_facts.csv": "new content",
        "tab01_facts.md": "old content",
    }


def test_a_notebook_is_stale_when_what_it_names_outside_the_package_changed(
    tmp_path: Path, make_notebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "FIGURES", tmp_path / "figures")
    monkeypatch.setenv("CXX", "a-compiler-that-is-not-there")
    path = make_notebook(tmp_path / "01_a.ipynb", "x = 1")
    entry = entry_of(path, read_notebook(path))
    assert outside_inputs(entry) == {}
    entry = replace(entry, outside=OUTSIDE)
    results = tmp_path / "figures" / "rtl" / "tab11_cosim.csv"
    seen = [outside_inputs(entry)]
    results.parent.mkdir(parents=True)
    for text in ("mismatches\n0\n", "mismatches\n1\n"):
        results.write_text(text)
        seen.append(outside_inputs(entry))
    assert len({found["figures/rtl"] for found in seen}) == 3
    assert {found["C++ compiler"] for found in seen} == {"none"}
    monkeypatch.setenv("CXX", sys.executable)
    assert outside_inputs(entry)["C++ compiler"] == "found"
