"""Opening a corpus: by name, by the file of an import, by a common table, and what it refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from support import logs
from support.corpora import assert_same_corpus
from support.sessions import make_corpus

from unison.errors import UnisonError
from unison.traces.importers import import_traces
from unison.traces.library import load_corpus
from unison.traces.schema import write_corpus
from unison.traces.synthetic import CORPORA, synthesize


def refusal(given: str | Path) -> str:
    with pytest.raises(UnisonError) as caught:
        load_corpus(given)
    return str(caught.value)


def test_name_of_a_synthetic_corpus_makes_it():
    assert_same_corpus(load_corpus(CORPORA[-1]), synthesize(CORPORA[-1]))


def test_imported_corpus_is_read_under_its_own_name(tmp_path: Path):
    corpus = make_corpus([2, 3], [1, -1], name="mine")
    write_corpus(corpus, tmp_path / "renamed.parquet")
    for given in (tmp_path / "renamed.parquet", str(tmp_path / "renamed.parquet")):
        assert_same_corpus(load_corpus(given), corpus)


@pytest.mark.parametrize(
    ("suffix", "content"), [("parquet", logs.table_parquet()), ("csv", logs.table_csv())]
)
def test_common_table_is_imported_whole_under_the_name_of_its_file(
    suffix: str, content: bytes, tmp_path: Path
):
    path = tmp_path / f"my logs.{suffix}"
    path.write_bytes(content)
    expected = import_traces("table", path, name="my_logs").corpus
    assert expected is not None
    assert_same_corpus(load_corpus(path), expected)


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_dirty_table_names_the_first_problem_and_the_way_out(suffix: str, tmp_path: Path):
    columns = logs.table_columns()
    columns["prompt_tokens"][1] = -5
    path = tmp_path / f"dirty.{suffix}"
    path.write_bytes(logs.table_parquet(columns) if suffix == "parquet" else logs.table_csv(columns))
    told = refusal(path)
    place = "row 2" if suffix == "parquet" else "line 3"
    assert f"the first problem: {path}, {place}, field prompt_tokens: found -5" in told
    assert f"unison import FORMAT {path} -o FILE.parquet" in told


def test_dirty_table_is_refused_even_if_other_sessions_are_clean(tmp_path: Path):
    path = tmp_path / "half.csv"
    path.write_bytes(logs.table_csv() + b"too,few,cells\n")
    assert "line 6: found 3 cells; expected 15 cells" in refusal(path)


@pytest.mark.parametrize("given", ["logs/none.parquet", "none.parquet", "none.csv", "logs/none"])
def test_missing_file_is_told_with_the_names_there_are(given: str):
    told = refusal(given)
    assert told.startswith(f"{given}: no such file")
    assert CORPORA[0] in told


def test_mistyped_name_names_the_nearest():
    assert "unknown corpus 'gaia-gema4'; did you mean 'gaia-gemma4'" in refusal("gaia-gema4")


def test_empty_name_is_unknown():
    assert refusal("").startswith("unknown corpus ''")


def test_folder_is_told_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "logs").mkdir()
    monkeypatch.chdir(tmp_path)
    for given in (tmp_path / "logs", "logs"):
        assert refusal(given).startswith(f"{given}: a folder")


def test_path_that_no_file_can_have_is_an_error():
    assert "File name too long" in refusal("a" * 5000)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("notes.txt", b"these are\nnotes\n"),
        ("empty.parquet", b""),
        ("empty.csv", b""),
        ("garbage.parquet", bytes(range(256)) * 20),
        ("garbage.csv", bytes(range(256)) * 20),
        ("half.parquet", logs.table_parquet()[:-30]),
        ("nul.csv", b"session_id,turn,prompt_tokens,output_tokens\n\x00,0,1,1\n\x00\x00"),
    ],
)
def test_garbage_is_refused_by_name(name: str, content: bytes, tmp_path: Path):
    path = tmp_path / name
    path.write_bytes(content)
    assert refusal(path).startswith(f"{path}: neither made by `unison import` nor a clean common table")


def test_half_a_corpus_is_refused(tmp_path: Path):
    path = tmp_path / "half.parquet"
    write_corpus(make_corpus([2, 3]), path)
    path.write_bytes(path.read_bytes()[:-20])
    assert "broken or half-written" in refusal(path)


def test_corpus_with_a_hole_in_its_middle_is_refused(tmp_path: Path):
    # The footer still says that it is a corpus.
    path = tmp_path / "hole.parquet"
    write_corpus(make_corpus([50, 300]), path)
    content = bytearray(path.read_bytes())
    content[100:600] = bytes(500)
    path.write_bytes(content)
    assert refusal(path).startswith(f"{path}: not a readable Parquet file")
