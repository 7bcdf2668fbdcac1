"""The Parquet form of a corpus: round trip, same bytes, and refusals that name row and column."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from support.corpora import assert_same_corpus, fewer, make_corpus, random_corpora

from unison.errors import UnisonError
from unison.traces.corpus import UNKNOWN, Corpus
from unison.traces.schema import corpus_from_frame, corpus_to_frame, read_corpus, write_corpus

SESSIONS = [
    [(0, 5, 100, 100, 10, ""), (3, 5, 130, 20, 5, "bash")],
    [(0, None, 50, 50, 1, ""), (None, 2, 60, 9, 1, "web")],
]


def frame() -> pd.DataFrame:
    return corpus_to_frame(make_corpus(SESSIONS))


@fewer
@given(random_corpora())
def test_round_trip_keeps_every_column(tmp_path: Path, corpus: Corpus):
    path = tmp_path / "corpus.parquet"
    write_corpus(corpus, path)
    assert_same_corpus(read_corpus(path), corpus)


def test_unknown_times_and_ends_are_missing_values_in_the_file(tmp_path):
    path = tmp_path / "corpus.parquet"
    write_corpus(make_corpus(SESSIONS, [True, None]), path)
    table = parquet.read_table(path)
    assert table["gap_ns"].to_pylist() == [0, 3_000_000, 0, None]
    assert table["service_ns"].to_pylist() == [5_000_000, 5_000_000, None, 2_000_000]
    assert table["completed"].to_pylist() == [True, True, None, None]
    assert read_corpus(path).completed.tolist() == [1, UNKNOWN]


def test_two_writes_give_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_corpus(make_corpus(SESSIONS), tmp_path / f"{name}.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_nothing_is_left_of_a_write_that_is_refused(tmp_path):
    corpus = make_corpus(SESSIONS)
    corpus.prompt_tokens[1] = -4
    with pytest.raises(UnisonError, match="row 1, column prompt_tokens: found -4, expected at least 0"):
        write_corpus(corpus, tmp_path / "corpus.parquet")
    assert list(tmp_path.iterdir()) == []


BROKEN_CELLS = [
    ("gap_ns", 1, -3, "row 1, column gap_ns: found -3, expected at least 0"),
    ("gap_ns", 2, 7, "row 2, column gap_ns: found 7, expected 0 or none at a session's first turn"),
    ("service_ns", 1, 999_999, "row 1, column service_ns: found 999999, expected at least 1000000"),
    ("session", 2, 2, "row 2, column session: found 2, expected 0, 1, 2, ... in order, without holes"),
    ("session", 0, 1, "row 0, column session: found 1, expected 0, 1, 2"),
    ("turn", 3, 2, "row 3, column turn: found 2, expected 0, 1, 2, ... within each session"),
    ("prompt_tokens", 3, -1, "row 3, column prompt_tokens: found -1, expected at least 0"),
    ("new_prompt_tokens", 3, 61, "row 3, column new_prompt_tokens: found 61, expected at most prompt_tokens"),
    ("output_tokens", 0, -1, "row 0, column output_tokens: found -1, expected at least 0"),
    ("completed", 1, False, "row 1, column completed: found 0, expected the same for all turns of a session"),
    ("tool", 1, None, "row 1, column tool: found None, expected a value"),
]


@pytest.mark.parametrize(("column", "row", "value", "message"), BROKEN_CELLS)
def test_a_broken_cell_is_refused_with_row_and_column(column, row, value, message):
    broken = frame()
    broken.loc[row, column] = value
    with pytest.raises(UnisonError) as error:
        corpus_from_frame(broken, "broken", "FILE")
    assert str(error.value).startswith("FILE: ")
    assert message in str(error.value)


BROKEN_TABLES = [
    (lambda d: d.drop(columns="tool"), "column tool: missing"),
    (lambda d: d.assign(note=1), "column note: not expected; allowed are session, turn"),
    (lambda d: d[d.columns[::-1]], "out of place; the order is session, turn"),
    (lambda d: d.assign(turn=d.turn.astype("int64")), "column turn: found int64, expected dtype('int32')"),
    (lambda d: d.iloc[:0], "no turns"),
]


@pytest.mark.parametrize(("change", "message"), BROKEN_TABLES)
def test_a_broken_table_is_refused_with_its_column(change, message):
    with pytest.raises(UnisonError) as error:
        corpus_from_frame(change(frame()), "broken")
    assert message in str(error.value)


def test_more_tool_names_than_the_column_can_number_are_refused():
    many = 40_000
    one = corpus_to_frame(make_corpus([[(0, 1, 1, 1, 1, "")]]))
    table = one.loc[[0] * many].reset_index(drop=True)
    table["turn"] = np.arange(many, dtype=np.int32)
    table["tool"] = [f"tool{i}" for i in range(many)]
    with pytest.raises(UnisonError, match="column tool: 40000 different names"):
        corpus_from_frame(table, "broken")


def test_missing_file_is_told_with_what_to_give(tmp_path):
    with pytest.raises(UnisonError, match="no such file; give a corpus name"):
        read_corpus(tmp_path / "none.parquet")


def test_a_file_that_is_not_parquet_is_refused(tmp_path):
    (tmp_path / "text.parquet").write_text("hello")
    with pytest.raises(UnisonError, match="not a readable Parquet file"):
        read_corpus(tmp_path / "text.parquet")


def test_another_parquet_file_is_refused_with_the_import_command(tmp_path):
    frame().to_parquet(tmp_path / "other.parquet")
    with pytest.raises(UnisonError, match="not a Unison corpus; import it first: unison import"):
        read_corpus(tmp_path / "other.parquet")


def test_another_schema_version_is_refused(tmp_path):
    path = tmp_path / "corpus.parquet"
    write_corpus(make_corpus(SESSIONS), path)
    meta = {b"unison.corpus": json.dumps({"name": "made", "schema": 999}).encode()}
    parquet.write_table(parquet.read_table(path).replace_schema_metadata(meta), path)
    with pytest.raises(UnisonError, match="schema 999, this version reads 1"):
        read_corpus(path)


def test_a_missing_value_in_a_file_is_refused_with_its_row(tmp_path):
    path = tmp_path / "corpus.parquet"
    write_corpus(make_corpus(SESSIONS), path)
    table = parquet.read_table(path)
    holes = arrow.array([1, None, 1, 1], type=arrow.int64())
    table = table.set_column(table.column_names.index("output_tokens"), "output_tokens", holes)
    parquet.write_table(table, path)
    with pytest.raises(UnisonError, match="column output_tokens"):
        read_corpus(path)


@pytest.mark.parametrize("description", [b"{", b"[]", b'{"name": "made"}', b'"text"'])
def test_a_broken_description_of_the_corpus_is_refused(tmp_path: Path, description: bytes) -> None:
    path = tmp_path / "made.parquet"
    table = arrow.table({"session": [0]}).replace_schema_metadata({b"unison.corpus": description})
    parquet.write_table(table, path)
    with pytest.raises(UnisonError, match="broken; import it again"):
        read_corpus(path)
