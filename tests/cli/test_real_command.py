"""``unison real``: what it lists, where it writes, and errors in one line."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.sessions import make_corpus

from unison import paths
from unison.cli import main
from unison.report.real import NOT_REPLAYABLE, NOT_RERUN
from unison.traces.schema import write_corpus


def run(*arguments: Any) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["real", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a small timed corpus and one without times."""
    folder = tmp_path / "traces"
    folder.mkdir()
    write_corpus(make_corpus([3, 4, 2], gaps_s=[5, 20, 1, 60, 2, 3], name="mine"), folder / "a.parquet")
    write_corpus(make_corpus([2], services_s=-1, name="untimed"), folder / "b.parquet")
    return folder


def test_every_corpus_is_listed_with_the_sha256_of_its_file_and_its_status(folder: Path, tmp_path: Path):
    status, out, err = run(folder, "--out", tmp_path / "out")
    assert (status, err) == (0, "")
    digests = [hashlib.sha256((folder / f"{name}.parquet").read_bytes()).hexdigest() for name in "ab"]
    header, mine, untimed = (line.split(maxsplit=2) for line in out.splitlines())
    assert header[0] == "corpus"
    assert mine == ["mine", digests[0], "new"]
    assert untimed == ["untimed", digests[1], NOT_REPLAYABLE]


def test_second_run_says_what_is_identical_and_what_was_not_re_run(folder: Path, tmp_path: Path):
    run(folder, "--out", tmp_path / "out")
    (folder / "b.parquet").unlink()
    _, out, _ = run(folder, "--out", tmp_path / "out")
    assert [line.split(maxsplit=2)[2] for line in out.splitlines()[1:]] == ["identical", NOT_RERUN]


def test_products_go_to_figures_real_by_default(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(paths, "FIGURES", tmp_path / "figures")
    assert run(folder)[0] == 0
    assert (tmp_path / "figures" / "real" / "real_tab02.csv").is_file()
    assert "figures/real" in " ".join(run("--help")[1].split())


@pytest.mark.parametrize("kind", ["missing", "empty", "broken", "twice", "out"])
def test_mistake_is_told_in_one_line_and_writes_nothing(kind: str, folder: Path, tmp_path: Path):
    out = tmp_path / "out"
    told = {
        "missing": f"{tmp_path / 'none'}: no such folder",
        "empty": f"{tmp_path / 'empty'}: holds no .parquet or .csv file",
        "broken": f"{folder / 'z.parquet'}: neither made by `unison import`",
        "twice": f"{folder / 'a.parquet'} and {folder / 'z.parquet'} both hold a corpus called 'mine'",
        "out": f"{out}: no folder can be made there",
    }[kind]
    given = {"missing": tmp_path / "none", "empty": tmp_path / "empty"}.get(kind, folder)
    if kind == "empty":
        given.mkdir()
    elif kind == "broken":
        (folder / "z.parquet").write_bytes(b"PAR1 and no more")
    elif kind == "twice":
        (folder / "z.parquet").write_bytes((folder / "a.parquet").read_bytes())
    elif kind == "out":
        out.write_bytes(b"a file")
    status, shown, err = run(given, "--out", out)
    assert (status, shown) == (2, "")
    assert err.startswith(f"unison: error: {told}")
    assert err.count("\n") == 1
    assert not out.is_dir()


def test_folder_is_needed():
    status, _, err = run()
    assert status == 2
    assert err == "unison: error: Missing argument 'FOLDER'; see unison real --help\n"
