"""The common table: one row a turn, as Parquet or CSV, with times in seconds.

===================  ============================================================================
Column               Meaning; where the column is missing
===================  ============================================================================
session_id           which session a row belongs to (with `trace`); required
turn                 0, 1, 2, ... within the session, rows in any order; required
prompt_tokens        prompt length; required
output_tokens        reply length; required
trace                tells apart sessions of one id; all rows the same trace
new_prompt_tokens    prompt not in the previous context; the rule of `unison.traces.importers.tokens`
arrival_s            from the session's first request; unknown
service_s, gap_s     unknown
tool                 what was awaited; ``unknown``
agent_role           empty
completed            the same on all rows of a session; unknown
last                 true on the session's last row only (else the table was cut); not checked
tokens_estimated     false
timing_estimated     false
===================  ============================================================================

NaN, NA and an empty cell mean unknown. A service below 1 ms is raised to it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unison.traces.importers.names import clean_role, clean_tool
from unison.traces.importers.records import BadRecord, ImportLog, SessionRecord, TurnRecord
from unison.traces.importers.registry import importer
from unison.traces.importers.table_check import CheckedTable, check_table
from unison.traces.importers.table_columns import RawTable, read_csv_table, read_parquet_table
from unison.traces.importers.tokens import new_tokens

_PARQUET_MAGIC = b"PAR1"


@importer(
    "table",
    title="the common table (one row a turn)",
    path_help="a .parquet or .csv file, or a folder of such files",
    patterns=("*.parquet", "*.csv"),
)
def read_table(path: Path, log: ImportLog) -> Iterator[SessionRecord]:
    """The sessions of one file in the order of their first row; each is judged on its own."""
    raw = _read(path, log)
    table = check_table(raw)
    for code in np.argsort(table.first_rows, kind="stable"):
        rows = table.rows_of(int(code))
        bad = table.bad.get(int(code))
        if bad is not None:
            log.report(path, bad, table.place(int(rows[0])))
            continue
        turns = _turns(table, rows)
        yield SessionRecord(turns, _completed(table, rows), table.place(int(rows[0])))


def _read(path: Path, log: ImportLog) -> RawTable:
    with path.open("rb") as stream:
        start = stream.read(len(_PARQUET_MAGIC))
    if not start:
        raise BadRecord("", "nothing (the file is empty)", "a Parquet or CSV table")
    if start == _PARQUET_MAGIC or path.suffix.lower() == ".parquet":
        return read_parquet_table(path)
    return read_csv_table(path, log)


def _turns(table: CheckedTable, rows: NDArray[np.int64]) -> list[TurnRecord]:
    numbers = {name: values[rows].tolist() for name, values in table.numbers.items()}
    times = {name: _nanoseconds(values[rows]) for name, values in table.times.items()}
    flags = {name: values[rows].tolist() for name, values in table.flags.items()}
    turns: list[TurnRecord] = []
    previous: tuple[int, int] | None = None
    for at, row in enumerate(rows.tolist()):
        prompt, output = int(numbers["prompt_tokens"][at]), int(numbers["output_tokens"][at])
        new = numbers["new_prompt_tokens"][at]
        turns.append(
            TurnRecord(
                prompt_tokens=prompt,
                new_prompt_tokens=new_tokens(prompt, previous) if np.isnan(new) else int(new),
                output_tokens=output,
                arrival_ns=times["arrival_s"][at],
                service_ns=times["service_s"][at],
                gap_ns=times["gap_s"][at],
                tool=clean_tool(table.text["tool"][row]),
                role=clean_role(table.text["agent_role"][row]),
                tokens_estimated=flags["tokens_estimated"][at] == 1,
                timing_estimated=flags["timing_estimated"][at] == 1,
            )
        )
        previous = (prompt, output)
    return turns


def _nanoseconds(seconds: NDArray[np.float64]) -> list[int | None]:
    """Seconds as the nearest whole nanoseconds; the fraction is scaled on its own so that nothing is lost."""
    known = np.nan_to_num(seconds, nan=0.0)
    whole = np.floor(known)
    ns = whole.astype(np.int64) * 1_000_000_000 + np.rint((known - whole) * 1e9).astype(np.int64)
    return [None if missing else value for value, missing in zip(ns.tolist(), np.isnan(seconds), strict=True)]


def _completed(table: CheckedTable, rows: NDArray[np.int64]) -> bool | None:
    value = table.flags["completed"][rows[0]]
    return None if np.isnan(value) else bool(value)
