"""Selections: which rows of a table a claim is about, and how their numbers become one."""

from __future__ import annotations

import math
import operator
import statistics
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from unison.claims.tables import Row, UnreadableTable, Value, cell

COMPARE: dict[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    "<": operator.lt,
}
"""Comparisons by sign; two-character signs first, so that a text is matched at its longest."""


@dataclass(frozen=True)
class Comparison:
    """A sign with a number, as ``> 0``.

    Attributes
    ----------
    sign : str
        One of `COMPARE`.
    bound : float
    """

    sign: str
    bound: float

    def holds(self, value: float) -> bool:
        """Whether it is true of a number."""
        return COMPARE[self.sign](value, self.bound)

    def __str__(self) -> str:
        """The comparison as the ledger writes it."""
        return f"{self.sign} {self.bound:g}"


PREDICATES: dict[str, Callable[[Value, Value], bool]] = {
    "prefix": lambda value, wanted: isinstance(value, str) and value.startswith(str(wanted)),
    "not": lambda value, wanted: value not in wanted if isinstance(wanted, list) else value != wanted,
    "above": lambda value, wanted: isinstance(value, float) and value > float(str(wanted)),
    "below": lambda value, wanted: isinstance(value, float) and value < float(str(wanted)),
}
"""What may stand in a condition besides a value or a list of values."""

LATE = "late"
"""Condition on a number: at least that share of the largest of its group."""


@dataclass(frozen=True)
class Condition:
    """What one column of a row has to be.

    Attributes
    ----------
    column : str
    predicate : str
        ``"is"`` (one of the values), one of `PREDICATES`, or `LATE`.
    wanted : object
        The values of ``"is"``, else what the predicate compares with.
    """

    column: str
    predicate: str
    wanted: Value | list[Value]

    def __str__(self) -> str:
        """The condition in words, for messages."""
        if self.predicate == "is" and isinstance(self.wanted, list):
            return f"{self.column}={' or '.join(map(str, self.wanted))}"
        return f"{self.column} {self.predicate} {self.wanted}"

    def holds(self, row: Row, stem: str) -> bool:
        """Whether it is true of a row; `LATE` is true of every row here, since it needs the group."""
        value = cell(row, self.column, stem)
        if self.predicate == LATE:
            return True
        if self.predicate == "is":
            return isinstance(self.wanted, list) and value in self.wanted
        return PREDICATES[self.predicate](value, self.wanted)  # type: ignore[arg-type]

    def late(self, rows: Sequence[Row], stem: str) -> list[Row]:
        """The rows of a group that pass a `LATE` condition; all of them for any other."""
        if self.predicate != LATE:
            return list(rows)
        least = float(str(self.wanted)) * max(number(row, self.column, stem) for row in rows)
        return [row for row in rows if number(row, self.column, stem) >= least]


def number(row: Row, column: str, stem: str) -> float:
    """One field of a row that has to be a number; a truth value counts as 0 or 1.

    Raises
    ------
    UnreadableTable
        If it is text or empty, or there is no such column.
    """
    value = cell(row, column, stem)
    if value is None or isinstance(value, str):
        raise UnreadableTable(f"{stem}.csv, column {column}: {value or 'an empty field'} is no number")
    return float(value)


def _only(values: Sequence[float]) -> float:
    if len(values) != 1:
        raise UnreadableTable(f"{len(values)} rows are selected where one is meant")
    return values[0]


def _geometric_mean(values: Sequence[float]) -> float:
    if min(values) <= 0:
        raise UnreadableTable("a geometric mean needs numbers above 0")
    return math.exp(math.fsum(map(math.log, values)) / len(values))


def _least_step(values: Sequence[float]) -> float:
    if len(values) < 2:
        raise UnreadableTable("steps need two rows or more")
    return min(after - before for before, after in pairwise(values))


REDUCTIONS: dict[str, Callable[[Sequence[float]], float]] = {
    "only": _only,
    "min": min,
    "max": max,
    "max_abs": lambda values: max(map(abs, values)),
    "mean": lambda values: math.fsum(values) / len(values),
    "geomean": _geometric_mean,
    "median": statistics.median,
    "sum": math.fsum,
    "count": len,
    "distinct": lambda values: len(set(values)),
    "first": lambda values: values[0],
    "last": lambda values: values[-1],
    "least_step": _least_step,
}
"""How several numbers become one. ``only`` wants exactly one; ``least_step`` is the least difference between
neighbours; ``count`` and ``distinct`` take text as well."""

ANY_VALUE = ("count", "distinct")
"""Reductions that do not look at numbers."""


def reduced(name: str, values: Sequence[float], holds: Comparison | None) -> float:
    """Numbers as one number, after keeping only those of which `holds` is true if it is given.

    Raises
    ------
    UnreadableTable
        If the reduction is not defined for them.
    """
    kept = [value for value in values if holds is None or holds.holds(value)]
    if not kept and name not in ANY_VALUE:
        raise UnreadableTable(f"no number to take the {name} of")
    return float(REDUCTIONS[name](kept))
