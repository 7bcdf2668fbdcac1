"""The columns of a common table as they are in the file, whatever they hold."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as arrow
import pyarrow.parquet as parquet

from unison.traces.importers.records import BadRecord, ImportLog

REQUIRED = ("session_id", "turn", "prompt_tokens", "output_tokens")
COUNTS = ("turn", "prompt_tokens", "new_prompt_tokens", "output_tokens")
TIMES = ("arrival_s", "service_s", "gap_s")
FLAGS = ("last", "tokens_estimated", "timing_estimated", "completed")
TEXT = ("trace", "session_id", "tool", "agent_role")
COLUMNS = (*TEXT, *COUNTS, *TIMES, *FLAGS)

_TRUE = frozenset({"true", "1", "1.0"})
_FALSE = frozenset({"false", "0", "0.0"})
_UNKNOWN = frozenset({"", "nan", "na", "<na>", "none", "null"})


@dataclass(frozen=True)
class RawTable:
    """The known columns of a file.

    Attributes
    ----------
    text : dict of str to object [rows]
        Text columns; a missing cell is None.
    values : dict of str to float64 [rows]
        Counts, times and flags; a missing cell is NaN.
    unreadable : dict of str to bool [rows]
        Cells of those columns that hold something other than such a value.
    lines : int64 [rows]
        Line (CSV) or row (Parquet) of each row, from 1.
    unit : str
        ``"line"`` or ``"row"``.
    """

    text: dict[str, np.ndarray]
    values: dict[str, np.ndarray]
    unreadable: dict[str, np.ndarray]
    lines: np.ndarray
    unit: str


def read_parquet_table(path: Path) -> RawTable:
    """The table of a Parquet file.

    Raises
    ------
    BadRecord
        If it is not Parquet, or a column is missing or of the wrong type.
    """
    try:
        return _parquet_table(path)
    except (FileNotFoundError, PermissionError):
        raise
    except (arrow.ArrowException, MemoryError, OSError, ValueError):
        raise BadRecord("", "a broken or half-written Parquet file", "a Parquet table") from None


def _parquet_table(path: Path) -> RawTable:
    with parquet.ParquetFile(path) as file:
        names = file.schema_arrow.names
        _check_columns(names)
        table = file.read(columns=[name for name in COLUMNS if name in names])
    text, values, unreadable = {}, {}, {}
    for name in table.column_names:
        column = table.column(name)
        if arrow.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        _check_type(name, column.type)
        if name in TEXT:
            text[name] = np.array([*column.to_pylist(), None], dtype=object)[:-1]
        else:
            values[name] = column.cast(arrow.float64(), safe=False).to_pandas().to_numpy(dtype=np.float64)
            unreadable[name] = np.zeros(len(table), dtype=np.bool_)
    return RawTable(text, values, unreadable, np.arange(1, len(table) + 1), "row")


def read_csv_table(path: Path, log: ImportLog) -> RawTable:
    """The table of a CSV file with a header line; rows of the wrong width are reported and left out.

    Raises
    ------
    BadRecord
        If the header lacks a required column, or a line cannot be read as CSV at all.
    """
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as stream:
        rows = csv.reader(stream)
        try:
            header = next(rows, [])
            _check_columns(header)
            lines, cells = _cells(rows, len(header), path, log)
        except csv.Error:
            raise BadRecord("", "something that is not CSV", "a CSV table", f"line {rows.line_num}") from None
    text, values, unreadable = {}, {}, {}
    for at, name in enumerate(header):
        if name not in COLUMNS:
            continue
        column = [row[at] for row in cells]
        if name in TEXT:
            text[name] = np.array([cell or None for cell in column], dtype=object)
        else:
            values[name], unreadable[name] = _parsed(column, name in FLAGS)
    return RawTable(text, values, unreadable, np.array(lines), "line")


def _cells(rows: Any, width: int, path: Path, log: ImportLog) -> tuple[list[int], list[list[str]]]:
    lines, cells = [], []
    for row in rows:
        if not row:
            continue
        if len(row) != width:
            bad = BadRecord("", f"{len(row)} cells", f"{width} cells, as in line 1", f"line {rows.line_num}")
            log.report(path, bad)
            continue
        lines.append(rows.line_num)
        cells.append(row)
    return lines, cells


def _check_columns(names: list[str]) -> None:
    for name in REQUIRED:
        if name not in names:
            raise BadRecord(name, "no such column", "a column of that name")
    for name in COLUMNS:
        if names.count(name) > 1:
            raise BadRecord(name, "the column twice", "one column of that name")


def _check_type(name: str, kind: arrow.DataType) -> None:
    is_number = arrow.types.is_integer(kind) or arrow.types.is_floating(kind)
    is_text = arrow.types.is_string(kind) or arrow.types.is_large_string(kind)
    if arrow.types.is_null(kind):
        return
    if name in TEXT:
        allowed, expected = is_text or (name == "session_id" and is_number), "text"
    elif name in FLAGS:
        allowed, expected = arrow.types.is_boolean(kind), "booleans"
    else:
        allowed, expected = is_number, "numbers"
    if not allowed:
        raise BadRecord(name, f"a column of type {str(kind)[:40]}", f"a column of {expected}")


def _parsed(column: list[str], is_flag: bool) -> tuple[np.ndarray, np.ndarray]:
    """CSV cells as numbers, and which of them are none."""
    parse = _flag if is_flag else _number
    parsed = [parse(cell.strip().lower()) for cell in column]
    values = np.array([np.nan if value is None else value for value in parsed], dtype=np.float64)
    return values, np.array([value is None for value in parsed], dtype=np.bool_)


def _flag(cell: str) -> float | None:
    if cell in _UNKNOWN:
        return np.nan
    return 1.0 if cell in _TRUE else 0.0 if cell in _FALSE else None


def _number(cell: str) -> float | None:
    if cell in _UNKNOWN:
        return np.nan
    try:
        return float(cell)
    except ValueError:
        return None
