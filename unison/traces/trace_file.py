"""The Parquet form of a trace: a corpus and its absolute schedule, checked at the file boundary."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pandera.pandas as pa
import pyarrow as arrow
import pyarrow.parquet as parquet

from unison.errors import UnisonError
from unison.files import atomic_path
from unison.traces.schema import CORPUS_SCHEMA, corpus_from_frame, corpus_to_frame, restore_column_types
from unison.traces.trace import Trace

TRACE_SCHEMA_VERSION = 1
_META_KEY = b"unison.trace"
_SCHEDULE = ("request_ns", "end_ns")

TRACE_SCHEMA = CORPUS_SCHEMA.add_columns(
    {
        "request_ns": pa.Column(
            "int64", pa.Check.ge(0, error="at least 0"), description="absolute arrival [ns]"
        ),
        "end_ns": pa.Column(
            "int64", pa.Check.ge(0, error="at least 0"), description="absolute completion [ns]"
        ),
    }
)
"""``CORPUS_SCHEMA`` with the schedule appended; ``arrival_ns`` stays the logged arrival of the corpus."""


def write_trace(trace: Trace, path: Path) -> None:
    """Write the trace as Parquet (the same trace gives the same bytes); nothing is left half-written."""
    frame = corpus_to_frame(trace.corpus).assign(request_ns=trace.arrival_ns, end_ns=trace.end_ns)
    table = arrow.Table.from_pandas(TRACE_SCHEMA.validate(frame), preserve_index=False)
    meta = {
        "name": trace.corpus.name,
        "schema": TRACE_SCHEMA_VERSION,
        "left_out": trace.left_out,
        "concurrency": trace.concurrency,
        "load": trace.load,
        "seed": trace.seed,
    }
    table = table.replace_schema_metadata({_META_KEY: json.dumps(meta, sort_keys=True).encode()})
    with atomic_path(path) as temporary:
        parquet.write_table(table, temporary, compression="zstd")


def read_trace(path: Path) -> Trace:
    """Read a trace that `write_trace` wrote.

    Raises
    ------
    UnisonError
        If the file is missing, is not such a trace, breaks the schema, or its schedule disagrees with its
        gaps and service times.
    """
    if not path.is_file():
        raise UnisonError(f"{path}: no such file; give a trace that write_trace wrote")
    try:
        table = parquet.read_table(path)
    except (arrow.ArrowInvalid, OSError) as error:
        raise UnisonError(f"{path}: not a readable Parquet file ({error}); write the trace again") from None
    meta = (table.schema.metadata or {}).get(_META_KEY)
    if meta is None:
        raise UnisonError(f"{path}: not a Unison trace; make one from a corpus with schedule and write_trace")
    info = json.loads(meta)
    if info["schema"] != TRACE_SCHEMA_VERSION:
        raise UnisonError(
            f"{path}: schema {info['schema']}, this version reads {TRACE_SCHEMA_VERSION}; "
            "write the trace again"
        )
    missing = [name for name in _SCHEDULE if name not in table.column_names]
    if missing:
        raise UnisonError(f"{path}: column {missing[0]}: missing; write the trace again")
    frame = restore_column_types(table)
    trace = Trace(
        corpus=corpus_from_frame(frame.drop(columns=list(_SCHEDULE)), info["name"], str(path)),
        arrival_ns=_times(frame, "request_ns", path),
        end_ns=_times(frame, "end_ns", path),
        left_out=info["left_out"],
        concurrency=info["concurrency"],
        load=info["load"],
        seed=info["seed"],
    )
    _check_schedule(trace, path)
    return trace


def _times(frame: pd.DataFrame, name: str, path: Path) -> np.ndarray:
    column = frame[name]
    if not pd.api.types.is_integer_dtype(column):
        raise UnisonError(f"{path}: column {name}: found {column.dtype}, expected int64")
    wrong = np.asarray(column.isna() | (column < 0).fillna(True), dtype=np.bool_)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise UnisonError(f"{path}: row {row}, column {name}: found {column.iloc[row]}, expected at least 0")
    times: np.ndarray = column.to_numpy(dtype=np.int64)
    return times


def _check_schedule(trace: Trace, path: Path) -> None:
    corpus = trace.corpus
    if not corpus.is_timed.all():
        raise UnisonError(f"{path}: columns gap_ns, service_ns: a trace needs known times in every row")
    ended_before = np.where(corpus.turn == 0, trace.arrival_ns, np.roll(trace.end_ns, 1))
    for name, found, expected in (
        ("request_ns", trace.arrival_ns, ended_before + corpus.gap_ns),
        ("end_ns", trace.end_ns, trace.arrival_ns + corpus.service_ns),
    ):
        wrong = np.flatnonzero(found != expected)
        if wrong.size:
            row = int(wrong[0])
            raise UnisonError(
                f"{path}: row {row}, column {name}: found {found[row]}, "
                f"expected {expected[row]} from gap and service"
            )


__all__ = ["TRACE_SCHEMA", "read_trace", "write_trace"]
