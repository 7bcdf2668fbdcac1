"""The Parquet form of a corpus: declared columns and units, checked at the file boundary."""

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
from unison.traces.corpus import FIRST_TOOL, MIN_SERVICE_NS, UNKNOWN, Corpus

SCHEMA_VERSION = 1
_META_KEY = b"unison.corpus"
_NONNEGATIVE = pa.Check.ge(0, error="at least 0")
_MOST_NAMES = np.iinfo(np.int16).max

CORPUS_SCHEMA = pa.DataFrameSchema(
    {
        "session": pa.Column("int32", _NONNEGATIVE, description="dense session number"),
        "turn": pa.Column("int32", _NONNEGATIVE, description="0, 1, 2, ... within a session"),
        "gap_ns": pa.Column(
            "Int64", _NONNEGATIVE, nullable=True, description="idle time before the turn [ns]"
        ),
        "service_ns": pa.Column(
            "Int64",
            pa.Check.ge(MIN_SERVICE_NS, error=f"at least {MIN_SERVICE_NS}"),
            nullable=True,
            description="arrival to completion [ns]",
        ),
        "arrival_ns": pa.Column(
            "Int64", _NONNEGATIVE, nullable=True, description="logged arrival since the session's first [ns]"
        ),
        "prompt_tokens": pa.Column("int64", _NONNEGATIVE, description="prompt length [tokens]"),
        "new_prompt_tokens": pa.Column(
            "int64", _NONNEGATIVE, description="prompt not in the prefix [tokens]"
        ),
        "output_tokens": pa.Column("int64", _NONNEGATIVE, description="reply length [tokens]"),
        "tool": pa.Column(str, description="tool whose wait preceded the turn"),
        "agent_role": pa.Column(str, description="role of the agent, or empty"),
        "completed": pa.Column("boolean", nullable=True, description="False: right-censored, NA: unknown"),
        "tokens_estimated": pa.Column(bool, description="tokens are estimates"),
        "timing_estimated": pa.Column(bool, description="times are estimates"),
    },
    strict=True,
    ordered=True,
)


def corpus_to_frame(corpus: Corpus) -> pd.DataFrame:
    """The corpus as a data frame in the declared schema (unknown times become NA)."""

    def nullable(values: np.ndarray) -> pd.arrays.IntegerArray:
        return pd.arrays.IntegerArray(values.astype(np.int64), values == UNKNOWN)

    done = corpus.completed[corpus.session]
    return pd.DataFrame(
        {
            "session": corpus.session,
            "turn": corpus.turn,
            "gap_ns": nullable(corpus.gap_ns),
            "service_ns": nullable(corpus.service_ns),
            "arrival_ns": nullable(corpus.arrival_ns),
            "prompt_tokens": corpus.prompt_tokens,
            "new_prompt_tokens": corpus.new_prompt_tokens,
            "output_tokens": corpus.output_tokens,
            "tool": np.asarray(corpus.tools, dtype=object)[corpus.tool],
            "agent_role": np.asarray(corpus.roles, dtype=object)[corpus.role],
            "completed": pd.arrays.BooleanArray(done == 1, done == UNKNOWN),
            "tokens_estimated": corpus.tokens_estimated,
            "timing_estimated": corpus.timing_estimated,
        }
    )


def corpus_from_frame(frame: pd.DataFrame, name: str, source: str = "the table") -> Corpus:
    """A validated corpus from a data frame in the declared schema.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows ordered by session and turn, columns as in ``CORPUS_SCHEMA``.
    name : str
        Name of the corpus.
    source : str
        File or place named in errors.

    Returns
    -------
    Corpus

    Raises
    ------
    UnisonError
        Naming the column, the row and what was expected.
    """
    if len(frame) == 0:
        raise UnisonError(f"{source}: no turns; a corpus needs at least one session of one turn")
    try:
        checked = CORPUS_SCHEMA.validate(frame.reset_index(drop=True), lazy=True)
    except pa.errors.SchemaErrors as error:
        raise UnisonError(f"{source}: {_first_failure(error)}") from None
    session = checked["session"].to_numpy()
    turn = checked["turn"].to_numpy()
    _check_order(session, turn, source)
    first = turn == 0
    prompt, new_prompt = checked["prompt_tokens"].to_numpy(), checked["new_prompt_tokens"].to_numpy()
    done = checked["completed"].astype("Int8").fillna(UNKNOWN).to_numpy(dtype=np.int8)
    gap = checked["gap_ns"].fillna(UNKNOWN).to_numpy(dtype=np.int64)
    _refuse(done != done[first][session], done, "completed", "the same for all turns of a session", source)
    _refuse(first & (gap > 0), gap, "gap_ns", "0 or none at a session's first turn", source)
    _refuse(new_prompt > prompt, new_prompt, "new_prompt_tokens", "at most prompt_tokens", source)
    tools, tool_codes = _name_codes(checked["tool"], source)
    roles, role_codes = _name_codes(checked["agent_role"], source)
    return Corpus(
        name=name,
        session=session,
        turn=turn,
        gap_ns=np.where(first, 0, gap),
        service_ns=checked["service_ns"].fillna(UNKNOWN).to_numpy(dtype=np.int64),
        arrival_ns=checked["arrival_ns"].fillna(UNKNOWN).to_numpy(dtype=np.int64),
        prompt_tokens=prompt,
        new_prompt_tokens=new_prompt,
        output_tokens=checked["output_tokens"].to_numpy(),
        tool=tool_codes,
        tools=tools,
        role=role_codes,
        roles=roles,
        completed=done[first],
        tokens_estimated=checked["tokens_estimated"].to_numpy(),
        timing_estimated=checked["timing_estimated"].to_numpy(),
    )


def write_corpus(corpus: Corpus, path: Path) -> None:
    """Write the corpus as Parquet (the same corpus gives the same bytes); nothing is left half-written.

    Raises
    ------
    UnisonError
        If the corpus breaks the schema, so that it could not be read again.
    """
    frame = corpus_to_frame(corpus)
    corpus_from_frame(frame, corpus.name, f"corpus {corpus.name!r}")
    table = arrow.Table.from_pandas(frame, preserve_index=False)
    meta = json.dumps({"name": corpus.name, "schema": SCHEMA_VERSION}, sort_keys=True).encode()
    table = table.replace_schema_metadata({_META_KEY: meta})
    with atomic_path(path) as temporary:
        parquet.write_table(table, temporary, compression="zstd")


def is_corpus(path: Path) -> bool:
    """True if the file is Parquet that `write_corpus` wrote."""
    try:
        metadata = parquet.read_schema(path).metadata or {}
    except (arrow.ArrowInvalid, OSError):
        return False
    return _META_KEY in metadata


def read_corpus(path: Path) -> Corpus:
    """Read a corpus that `write_corpus` wrote.

    Raises
    ------
    UnisonError
        If the file is missing, is not such a corpus, or breaks the schema; the message says how to mend it.
    """
    if not path.is_file():
        raise UnisonError(
            f"{path}: no such file; give a corpus name (unison corpora) or an imported Parquet file"
        )
    try:
        table = parquet.read_table(path)
    except (arrow.ArrowInvalid, OSError) as error:
        raise UnisonError(f"{path}: not a readable Parquet file ({error}); import it again") from None
    meta = (table.schema.metadata or {}).get(_META_KEY)
    if meta is None:
        raise UnisonError(
            f"{path}: not a Unison corpus; import it first: unison import FORMAT {path} -o corpus.parquet"
        )
    try:
        info = json.loads(meta)
        name, version = str(info["name"]), info["schema"]
    except (ValueError, KeyError, TypeError):
        raise UnisonError(f"{path}: its description of the corpus is broken; import it again") from None
    if version != SCHEMA_VERSION:
        raise UnisonError(f"{path}: schema {version}, this version reads {SCHEMA_VERSION}; import it again")
    return corpus_from_frame(restore_column_types(table), name, str(path))


_NULLABLE = {arrow.int64(): pd.Int64Dtype(), arrow.bool_(): pd.BooleanDtype()}


def restore_column_types(table: arrow.Table) -> pd.DataFrame:
    """The table as a data frame with the schema's types; a column that wrongly holds NA keeps it."""
    frame = table.to_pandas(types_mapper=_NULLABLE.get)
    for name, column in CORPUS_SCHEMA.columns.items():
        if name in frame and not column.nullable and not frame[name].isna().any():
            frame[name] = frame[name].astype(str(column.dtype))
    return frame


def _first_failure(error: pa.errors.SchemaErrors) -> str:
    case = error.failure_cases.iloc[0]
    if case["check"] == "column_in_dataframe":
        return f"column {case['failure_case']}: missing"
    if case["check"] == "column_in_schema":
        return f"column {case['failure_case']}: not expected; allowed are {', '.join(CORPUS_SCHEMA.columns)}"
    if case["check"] == "column_ordered":
        return f"column {case['failure_case']}: out of place; the order is {', '.join(CORPUS_SCHEMA.columns)}"
    at = "" if pd.isna(case["index"]) else f"row {int(case['index'])}, "
    expected = "a value, not a missing one" if case["check"] == "not_nullable" else case["check"]
    return f"{at}column {case['column']}: found {case['failure_case']}, expected {expected}"


def _refuse(wrong: np.ndarray, found: np.ndarray, column: str, expected: str, source: str) -> None:
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise UnisonError(f"{source}: row {row}, column {column}: found {found[row]}, expected {expected}")


def _check_order(session: np.ndarray, turn: np.ndarray, source: str) -> None:
    before = np.concatenate(([-1], session[:-1]))
    jumps = (session < before) | (session > before + 1)
    _refuse(jumps, session, "session", "0, 1, 2, ... in order, without holes", source)
    expected = np.arange(session.size) - np.searchsorted(session, session)
    _refuse(turn != expected, turn, "turn", "0, 1, 2, ... within each session", source)


def _name_codes(column: pd.Series, source: str) -> tuple[tuple[str, ...], np.ndarray]:
    names, codes = np.unique(column.to_numpy(dtype=str), return_inverse=True)
    if names.size > _MOST_NAMES:
        raise UnisonError(
            f"{source}: column {column.name}: {names.size} different names, at most {_MOST_NAMES} are "
            "allowed; merge the rare ones"
        )
    return tuple(str(name) for name in names), codes.astype(np.int16)


__all__ = [
    "CORPUS_SCHEMA",
    "FIRST_TOOL",
    "corpus_from_frame",
    "corpus_to_frame",
    "read_corpus",
    "restore_column_types",
    "write_corpus",
]
