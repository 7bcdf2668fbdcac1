"""The Parquet form of a trace: round trip, same bytes, and refusals."""

from pathlib import Path

import numpy as np
import pyarrow as arrow
import pyarrow.parquet as parquet
import pytest
from hypothesis import given
from support.corpora import assert_same_corpus, fewer, make_corpus, random_corpora

from unison.errors import UnisonError
from unison.traces.corpus import Corpus
from unison.traces.schema import write_corpus
from unison.traces.trace import Trace, schedule
from unison.traces.trace_file import read_trace, write_trace


def small_trace() -> Trace:
    corpus = make_corpus([[(0, 5, 100, 100, 10, ""), (3, 5, 130, 20, 5, "bash")], [(0, None, 1, 1, 1, "")]])
    return schedule(corpus, concurrency=3.0, load=2.0, seed=7)


@fewer
@given(random_corpora(timed=True))
def test_round_trip_keeps_the_schedule(tmp_path: Path, corpus: Corpus):
    trace = schedule(corpus, seed=3)
    write_trace(trace, tmp_path / "trace.parquet")
    found = read_trace(tmp_path / "trace.parquet")
    assert_same_corpus(found.corpus, trace.corpus)
    np.testing.assert_array_equal(found.arrival_ns, trace.arrival_ns)
    np.testing.assert_array_equal(found.events, trace.events)


def test_round_trip_keeps_the_arguments(tmp_path):
    write_trace(small_trace(), tmp_path / "trace.parquet")
    found = read_trace(tmp_path / "trace.parquet")
    assert (found.left_out, found.concurrency, found.load, found.seed) == (1, 3.0, 2.0, 7)


def test_two_writes_give_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_trace(small_trace(), tmp_path / f"{name}.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def edited(tmp_path: Path, column: str, values: list[int | None] | None) -> Path:
    path = tmp_path / "trace.parquet"
    write_trace(small_trace(), path)
    table = parquet.read_table(path)
    index = table.column_names.index(column)
    if values is None:
        table = table.remove_column(index)
    else:
        table = table.set_column(index, column, arrow.array(values, type=arrow.int64()))
    parquet.write_table(table, path)
    return path


@pytest.mark.parametrize(
    ("column", "values", "message"),
    [
        ("end_ns", [5_000_000, 13_000_001], "row 1, column end_ns: found 13000001, expected 13000000"),
        ("request_ns", [0, 7_999_999], "row 1, column request_ns: found 7999999, expected 8000000"),
        ("end_ns", [5_000_000, None], "row 1, column end_ns"),
        ("request_ns", [-1, 8_000_000], "row 0, column request_ns: found -1, expected at least 0"),
        ("request_ns", None, "column request_ns: missing"),
        ("gap_ns", [0, None], "a trace needs known times"),
        ("turn", [0, 1], "column turn"),
    ],
)
def test_a_broken_trace_is_refused_with_its_place(tmp_path, column, values, message):
    path = edited(tmp_path, column, values)
    if column == "turn":
        table = parquet.read_table(path)
        index = table.column_names.index("turn")
        parquet.write_table(table.set_column(index, "turn", arrow.array([0, 5], type=arrow.int32())), path)
    with pytest.raises(UnisonError) as error:
        read_trace(path)
    assert message in str(error.value)


def test_a_corpus_file_is_not_a_trace(tmp_path):
    write_corpus(small_trace().corpus, tmp_path / "corpus.parquet")
    with pytest.raises(UnisonError, match="not a Unison trace"):
        read_trace(tmp_path / "corpus.parquet")


def test_missing_and_unreadable_files_are_told(tmp_path):
    with pytest.raises(UnisonError, match="no such file"):
        read_trace(tmp_path / "none.parquet")
    (tmp_path / "text.parquet").write_text("hello")
    with pytest.raises(UnisonError, match="not a readable Parquet file"):
        read_trace(tmp_path / "text.parquet")
