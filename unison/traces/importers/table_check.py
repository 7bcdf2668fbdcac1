"""Checks of a common table: every session is sound or has one named fault."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from unison.traces.importers.fields import MAX_SECONDS, MAX_WHOLE
from unison.traces.importers.records import BadRecord
from unison.traces.importers.table_columns import COUNTS, FLAGS, TIMES, RawTable


@dataclass(frozen=True)
class CheckedTable:
    """A table grouped by session, rows in order of turn, with the faulty sessions named.

    Attributes
    ----------
    numbers, times, flags : dict of str to float64 [rows]
        Counts, seconds, and flags (0 or 1); NaN where unknown. Every column is there.
    text : dict of str to object [rows]
        `tool` and `agent_role`.
    bad : dict of int to BadRecord
        Session code to its first fault.
    first_rows : int64 [sessions]
        First row of each session in the file's order.
    """

    numbers: dict[str, np.ndarray]
    times: dict[str, np.ndarray]
    flags: dict[str, np.ndarray]
    text: dict[str, np.ndarray]
    bad: dict[int, BadRecord]
    first_rows: np.ndarray
    _order: np.ndarray
    _starts: np.ndarray
    _lines: np.ndarray
    _unit: str

    def rows_of(self, session: int) -> np.ndarray:
        """Rows of a session in order of turn."""
        rows: np.ndarray = self._order[self._starts[session] : self._starts[session + 1]]
        return rows

    def place(self, row: int) -> str:
        """Where a row is in the file."""
        return f"{self._unit} {int(self._lines[row])}"


def check_table(raw: RawTable) -> CheckedTable:
    """The table's sessions, each sound or named in `bad`.

    Raises
    ------
    BadRecord
        If it has no rows.
    """
    n_rows = raw.lines.size
    if n_rows == 0:
        raise BadRecord("", "no rows", "at least one row, a turn")
    values = {name: raw.values.get(name, np.full(n_rows, np.nan)) for name in (*COUNTS, *TIMES, *FLAGS)}
    text = {name: raw.text.get(name, np.full(n_rows, None, dtype=object)) for name in ("tool", "agent_role")}
    session = _session_codes(raw, n_rows)
    order = np.lexsort((values["turn"], session))
    starts = np.searchsorted(session[order], np.arange(session.max() + 2))
    table = CheckedTable(
        numbers={name: values[name] for name in COUNTS},
        times={name: values[name] for name in TIMES},
        flags={name: values[name] for name in FLAGS},
        text=text,
        bad={},
        first_rows=np.minimum.reduceat(order, starts[:-1]),
        _order=order,
        _starts=starts,
        _lines=raw.lines,
        _unit=raw.unit,
    )
    _check_cells(table, raw, values, session)
    _check_turns(table, values, session)
    return table


def _session_codes(raw: RawTable, n_rows: int) -> np.ndarray:
    """Dense code of each row's (trace, session_id); rows without an id share one of their own."""
    ids, _ = pd.factorize(raw.text["session_id"], use_na_sentinel=False)
    traces = np.zeros(n_rows, dtype=np.int64)
    if "trace" in raw.text:
        traces, _ = pd.factorize(raw.text["trace"], use_na_sentinel=False)
    codes, _ = pd.factorize(traces.astype(np.int64) * (n_rows + 1) + ids)
    return np.asarray(codes, dtype=np.int64)


def _check_cells(
    table: CheckedTable, raw: RawTable, values: dict[str, np.ndarray], session: np.ndarray
) -> None:
    """Faults that one row shows by itself."""
    missing_id = np.array([cell is None or cell != cell for cell in raw.text["session_id"]])
    _note(table, session, missing_id, "session_id", "the session's id", "nothing")
    for name, bad in raw.unreadable.items():
        _note(table, session, bad, name, "true or false" if name in FLAGS else "a number", "something else")
    whole = f"a whole number from 0 to {MAX_WHOLE}"
    for name in COUNTS:
        value = values[name]
        optional = np.isnan(value) if name == "new_prompt_tokens" else False
        with np.errstate(invalid="ignore"):
            good = (value >= 0) & (value <= MAX_WHOLE) & (np.floor(value) == value)
        _note(table, session, ~(good | optional), name, whole, value)
    for name in TIMES:
        value = values[name]
        good = np.isnan(value) | ((value >= 0) & (value <= MAX_SECONDS))
        _note(table, session, ~good, name, f"seconds from 0 to {MAX_SECONDS}, or NaN if unknown", value)
    new, prompt = values["new_prompt_tokens"], values["prompt_tokens"]
    _note(table, session, new > prompt, "new_prompt_tokens", "at most prompt_tokens of the row", new)


def _check_turns(table: CheckedTable, values: dict[str, np.ndarray], session: np.ndarray) -> None:
    """Faults that show only between the rows of a session."""
    order = table._order
    position = np.arange(order.size) - np.repeat(table._starts[:-1], np.diff(table._starts))
    wrong = np.zeros(order.size, dtype=np.bool_)
    wrong[order] = values["turn"][order] != position
    expected = "turns 0, 1, 2, ... without holes or repetitions"
    _note(table, session, wrong, "turn", expected, values["turn"])
    if not np.isnan(values["last"]).all():
        at_end = np.zeros(order.size)
        at_end[order[table._starts[1:] - 1]] = 1
        cut = values["last"] != at_end
        _note(table, session, cut, "last", "true on the session's last row and nowhere else", "another end")
    first = order[table._starts[:-1]]
    done = np.nan_to_num(values["completed"], nan=-1)
    differs = done != done[first][session]
    _note(table, session, differs, "completed", "the same value on all rows of a session", "two values")


def _note(
    table: CheckedTable,
    session: np.ndarray,
    bad: np.ndarray,
    field: str,
    expected: str,
    found: str | np.ndarray,
) -> None:
    """Note the first row of each session that shows a fault, unless the session has one already."""
    for row in np.flatnonzero(bad).tolist():
        code = int(session[row])
        if code not in table.bad:
            what = found if isinstance(found, str) else _told(float(found[row]))
            table.bad[code] = BadRecord(field, what, expected, table.place(row))


def _told(value: float) -> str:
    if np.isnan(value):
        return "nothing"
    return str(int(value)) if abs(value) <= MAX_WHOLE and value == int(value) else repr(value)
