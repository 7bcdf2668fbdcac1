"""Measures: the declarative way in which the ledger says how one of our numbers comes from the tables.

A measure is one of

- a selection, ``{table, column, where, by, order, minus, reduce, holds, rows}``: of the rows of a table that
  meet `where`, the column, reduced to one number for each value of the columns `by`;
- a difference or ratio, ``{difference = [a, b]}``, of two measures, group by group;
- a fold, ``{fold = a, minus, reduce, holds}``: the groups of a measure reduced to one number;
- a setting, ``{setting = "section.name"}``: a constant of data/defaults.toml, which every run is made with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from unison.claims import selection
from unison.claims.selection import Comparison, Condition, number, reduced
from unison.claims.tables import SKIPPED, NotMeasured, Row, Tables, UnreadableTable, Value, cell, parsed
from unison.config import load_defaults
from unison.errors import UnisonError, unknown_name

Key = tuple[Value, ...]
Groups = dict[Key, float]
"""One number for each group; a measure without groups has the one key ``()``."""


@dataclass(frozen=True)
class Select:
    """Rows of a table, and one column of theirs as a number for each group.

    Attributes
    ----------
    table : str
        Stem of the product; ``real/`` before those on real traces.
    column : str
    where : tuple of Condition
    by : tuple of str
        Columns whose values make the groups.
    order : str
        Column that the rows of a group are sorted by; empty keeps the table's order.
    minus : float
        Taken from each number before it is reduced.
    reduce : str
        One of `unison.claims.selection.REDUCTIONS`.
    holds : Comparison or None
        Keeps only the numbers of which it is true.
    rows : int or None
        How many rows there have to be, so that a part of a table cannot pass for the whole.
    """

    table: str
    column: str
    where: tuple[Condition, ...] = ()
    by: tuple[str, ...] = ()
    order: str = ""
    minus: float = 0.0
    reduce: str = "only"
    holds: Comparison | None = None
    rows: int | None = None

    def stems(self) -> Iterator[str]:
        """The tables it reads."""
        yield self.table

    def groups(self, tables: Tables) -> Groups:
        """Its number for each group.

        Raises
        ------
        UnreadableTable
            If the table does not hold what is asked of it.
        NotMeasured
            If a row that is asked for was skipped.
        """
        chosen = [row for row in tables.rows(self.table) if all(c.holds(row, self.table) for c in self.where)]
        self._check_rows(len(chosen))
        for row in chosen:
            if row.get(SKIPPED) is not None:
                raise NotMeasured(f"SKIPPED: {row[SKIPPED]}")
        parts: dict[Key, list[Row]] = {}
        for row in chosen:
            parts.setdefault(tuple(cell(row, name, self.table) for name in self.by), []).append(row)
        return {key: self._reduced(rows) for key, rows in parts.items()}

    def _check_rows(self, found: int) -> None:
        wanted = " and ".join(map(str, self.where))
        what = f"rows with {wanted}" if wanted else "rows"
        if self.rows is not None and found != self.rows:
            raise UnreadableTable(f"{self.table}.csv has {found} {what}; the claim is about {self.rows}")
        if not found and self.reduce not in selection.ANY_VALUE:
            raise UnreadableTable(f"{self.table}.csv has no {what}")

    def _reduced(self, rows: list[Row]) -> float:
        for condition in self.where:
            rows = condition.late(rows, self.table)
        if self.order:
            rows = sorted(rows, key=lambda row: number(row, self.order, self.table))
        if self.reduce == "distinct":
            return float(len({cell(row, self.column, self.table) for row in rows}))
        if self.reduce == "count" and self.holds is None:
            return float(len([cell(row, self.column, self.table) for row in rows]))
        values = [number(row, self.column, self.table) - self.minus for row in rows]
        try:
            return reduced(self.reduce, values, self.holds)
        except UnreadableTable as error:
            raise UnreadableTable(f"{self.table}.csv, column {self.column}: {error}") from None


OPERATIONS: dict[str, Callable[[float, float], float]] = {
    "difference": lambda left, right: left - right,
    "ratio": lambda left, right: left / right,
}


@dataclass(frozen=True)
class Combine:
    """Two measures made one, group by group; a measure without groups goes with every group of the other.

    Attributes
    ----------
    operation : str
        One of `OPERATIONS`.
    left, right : Measure
    """

    operation: str
    left: Measure
    right: Measure

    def stems(self) -> Iterator[str]:
        """The tables it reads."""
        yield from self.left.stems()
        yield from self.right.stems()

    def groups(self, tables: Tables) -> Groups:
        """Its number for each group.

        Raises
        ------
        UnreadableTable
            If the two have not the same groups, a divisor is 0, or a table does not hold what is asked.
        """
        left, right = self.left.groups(tables), self.right.groups(tables)
        if set(left) == {()}:
            left = dict.fromkeys(right, left[()])
        elif set(right) == {()}:
            right = dict.fromkeys(left, right[()])
        if left.keys() != right.keys():
            odd = sorted(map(str, left.keys() ^ right.keys()))
            raise UnreadableTable(f"{self._place()}: only one side of the {self.operation} has {odd[0]}")
        try:
            return {key: OPERATIONS[self.operation](left[key], right[key]) for key in left}
        except ZeroDivisionError:
            raise UnreadableTable(f"{self._place()}: a divisor is 0") from None

    def _place(self) -> str:
        return ", ".join(f"{stem}.csv" for stem in dict.fromkeys(self.stems()))


@dataclass(frozen=True)
class Fold:
    """The groups of a measure as one number.

    Attributes
    ----------
    of : Measure
    reduce : str
        One of `unison.claims.selection.REDUCTIONS`.
    minus : float
        Taken from each group's number before it is reduced.
    holds : Comparison or None
        Keeps only the groups whose number meets it.
    """

    of: Measure
    reduce: str
    minus: float = 0.0
    holds: Comparison | None = None

    def stems(self) -> Iterator[str]:
        """The tables it reads."""
        yield from self.of.stems()

    def groups(self, tables: Tables) -> Groups:
        """Its number, under the one key ``()``.

        Raises
        ------
        UnreadableTable
            If a table does not hold what is asked of it.
        """
        values = [value - self.minus for value in self.of.groups(tables).values()]
        return {(): reduced(self.reduce, values, self.holds)}


@dataclass(frozen=True)
class Setting:
    """A constant of the project.

    Attributes
    ----------
    name : str
        Dotted name in data/defaults.toml.
    """

    name: str

    def stems(self) -> Iterator[str]:
        """No table."""
        return iter(())

    def groups(self, tables: Tables) -> Groups:
        """Its value, under the one key ``()``.

        Raises
        ------
        UnreadableTable
            If there is no such constant or it is no number.
        """
        constants = load_defaults().constants
        value = constants[self.name].value if self.name in constants else None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise UnreadableTable(f"data/defaults.toml has no number {self.name}")
        return {(): float(value)}


Measure = Select | Combine | Fold | Setting


def value_of(measure: Measure, tables: Tables) -> float:
    """The one number of a measure.

    Raises
    ------
    UnreadableTable
        If a table does not hold what is asked of it, or several groups are left.
    """
    groups = measure.groups(tables)
    if set(groups) != {()}:
        places = ", ".join(f"{stem}.csv" for stem in dict.fromkeys(measure.stems()))
        raise UnreadableTable(f"{places}: {len(groups)} groups are left where one is meant")
    return groups[()]


_SELECT_KEYS = ("table", "column", "where", "by", "order", "minus", "reduce", "holds", "rows")
_FOLD_KEYS = ("fold", "minus", "reduce", "holds")


def parse_measure(spec: object, where: str) -> Measure:
    """A measure from its TOML table.

    Parameters
    ----------
    spec : object
        The table.
    where : str
        What messages call its place.

    Raises
    ------
    UnisonError
        If a key, predicate or reduction is unknown or missing; the message names the nearest.
    """
    if not isinstance(spec, dict):
        raise UnisonError(
            f"{where}: found {spec!r}; expected a table such as {{ table = ..., column = ... }}"
        )
    for operation in OPERATIONS:
        if operation in spec:
            return _parse_combine(spec, operation, where)
    if "fold" in spec:
        _check_keys(spec, _FOLD_KEYS, ("fold", "reduce"), where)
        inner = parse_measure(spec["fold"], where)
        minus = float(spec.get("minus", 0))
        return Fold(inner, _reduction(spec["reduce"], where), minus, _holds(spec, where))
    if "setting" in spec:
        _check_keys(spec, ("setting",), ("setting",), where)
        return Setting(str(spec["setting"]))
    return _parse_select(spec, where)


def _parse_combine(spec: Mapping[str, Any], operation: str, where: str) -> Combine:
    _check_keys(spec, (operation,), (operation,), where)
    parts = spec[operation]
    if not isinstance(parts, list) or len(parts) != 2:
        raise UnisonError(f"{where}: {operation} takes a list of two measures; found {parts!r}")
    left, right = (parse_measure(part, where) for part in parts)
    return Combine(operation, left, right)


def _parse_select(spec: Mapping[str, Any], where: str) -> Select:
    _check_keys(spec, _SELECT_KEYS, ("table", "column"), where)
    rows = spec.get("rows")
    if rows is not None and type(rows) is not int:
        raise UnisonError(f"{where}: rows is {rows!r}; give a whole number")
    return Select(
        table=str(spec["table"]),
        column=str(spec["column"]),
        where=tuple(_condition(name, wanted, where) for name, wanted in spec.get("where", {}).items()),
        by=tuple(spec.get("by", ())),
        order=str(spec.get("order", "")),
        minus=float(spec.get("minus", 0)),
        reduce=_reduction(spec.get("reduce", "only"), where),
        holds=_holds(spec, where),
        rows=rows,
    )


def _condition(column: str, wanted: Any, where: str) -> Condition:
    if isinstance(wanted, dict):
        if len(wanted) != 1:
            raise UnisonError(f"{where}: where.{column}: one predicate at a time; found {wanted!r}")
        [(predicate, value)] = wanted.items()
        if predicate not in (*selection.PREDICATES, selection.LATE):
            raise UnisonError(
                f"{where}: {unknown_name('predicate', predicate, (*selection.PREDICATES, selection.LATE))}"
            )
        return Condition(column, predicate, _plain(value))
    return Condition(
        column, "is", [_plain(each) for each in (wanted if isinstance(wanted, list) else [wanted])]
    )


def _plain(value: Any) -> Any:
    """A TOML value as a field of a table is read: numbers as float."""
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return float(value) if type(value) is int else value


def _reduction(name: object, where: str) -> str:
    if name not in selection.REDUCTIONS:
        raise UnisonError(f"{where}: {unknown_name('reduction', str(name), selection.REDUCTIONS)}")
    return str(name)


def _holds(spec: Mapping[str, Any], where: str) -> Comparison | None:
    return None if "holds" not in spec else parse_comparison(str(spec["holds"]), where)


def parse_comparison(text: str, where: str) -> Comparison:
    """A comparison from text such as ``>= 0.99``.

    Raises
    ------
    UnisonError
        If it is no sign followed by a number.
    """
    sign = next((sign for sign in selection.COMPARE if text.startswith(sign)), "")
    bound = as_number(text.removeprefix(sign))
    if not sign or bound is None:
        signs = ", ".join(selection.COMPARE)
        raise UnisonError(f"{where}: {text!r} is no comparison; write a sign ({signs}) and a number")
    return Comparison(sign, bound)


def as_number(text: str) -> float | None:
    """Text as a finite number, or None if it is none."""
    value = parsed(text.strip())
    return value if isinstance(value, float) else None


def _check_keys(
    spec: Mapping[str, Any], allowed: tuple[str, ...], needed: tuple[str, ...], where: str
) -> None:
    for key in spec:
        if key not in allowed:
            raise UnisonError(f"{where}: {unknown_name('key', key, allowed)}")
    for key in needed:
        if key not in spec:
            raise UnisonError(f"{where}: key {key!r} is missing")
