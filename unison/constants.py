"""Constant: a number with its unit, source and status, read from TOML into typed records."""

from __future__ import annotations

import math
import tomllib
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from unison.errors import UnisonError, unknown_name

STATUSES = ("published", "datasheet", "measured on public traces", "assumed")
"""What a constant's value rests on."""

_KEYS = ("value", "unit", "source", "status")
_Record = typing.TypeVar("_Record")


@dataclass(frozen=True)
class Constant:
    """One entry of a constants file.

    Attributes
    ----------
    name : str
        Dotted name, ``section.key``.
    value : object
        As TOML gives it: a number, a string or a list.
    unit : str
        ``"1"`` for a pure number.
    source : str
        Where the value comes from.
    status : str
        One of ``STATUSES``.
    """

    name: str
    value: object
    unit: str
    source: str
    status: str


@dataclass(frozen=True)
class Bounds:
    """The closed range of a field, or of every item of it: ``Annotated[int, Bounds(1)]``.

    Attributes
    ----------
    low, high : float
        The bounds.
    above : bool
        Exclude `low` itself.
    """

    low: float
    high: float = math.inf
    above: bool = False

    def __str__(self) -> str:
        """The range in words."""
        least = f"above {self.low:g}" if self.above else f"at least {self.low:g}"
        return least if self.high == math.inf else f"{least} and at most {self.high:g}"

    def holds(self, value: typing.Any) -> bool:
        """Whether a number lies in the range."""
        return bool(self.low <= value <= self.high) and not (self.above and value == self.low)


def read_toml(path: Path) -> dict[str, typing.Any]:
    """The tables of a TOML file.

    Raises
    ------
    UnisonError
        If the file is missing or is not TOML; the message has the place.
    """
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        raise UnisonError(f"{path}: no such file; restore it from the repository") from None
    except tomllib.TOMLDecodeError as error:
        raise UnisonError(f"{path}: not valid TOML: {error}") from None


def read_constant(name: str, table: object, place: str) -> Constant:
    """A constant from its TOML table, which has a value, a unit, a source and a status and nothing else.

    Parameters
    ----------
    name : str
        Dotted name.
    table : object
        The TOML table.
    place : str
        File named in errors.

    Raises
    ------
    UnisonError
        If a key is missing, empty or unknown, or the status is not one of ``STATUSES``.
    """
    where = f"{place}: {name}"
    if not isinstance(table, dict):
        raise UnisonError(f"{where}: expected a table with {', '.join(_KEYS)}; found {table!r}")
    for key in table:
        if key not in _KEYS:
            raise UnisonError(f"{where}: {unknown_name('key', key, _KEYS)}")
    for key in _KEYS:
        if table.get(key) in (None, ""):
            raise UnisonError(f"{where}: {key} is missing; a constant has {', '.join(_KEYS)}")
    for key in ("unit", "source", "status"):
        if not isinstance(table[key], str):
            raise UnisonError(f"{where}: {key} must be text; found {table[key]!r}")
    if table["status"] not in STATUSES:
        raise UnisonError(f"{where}: {unknown_name('status', table['status'], STATUSES)}")
    return Constant(name, table["value"], table["unit"], table["source"], table["status"])


def read_record(kind: type[_Record], constants: Mapping[str, Constant], place: str, name: str) -> _Record:
    """A frozen dataclass whose fields are filled with the constants of those names.

    Parameters
    ----------
    kind : type
        A dataclass with fields of type int, float, str, Fraction or a tuple of one of them.
    constants : mapping of str to Constant
        By field name.
    place, name : str
        File and section named in errors.

    Raises
    ------
    UnisonError
        If a constant is unknown, missing, of another type or out of its field's range.
    """
    hints = typing.get_type_hints(kind, include_extras=True)
    for key in constants:
        if key not in hints:
            raise UnisonError(f"{place}: {name}: {unknown_name('constant', key, hints)}")
    values = {}
    for key, hint in hints.items():
        if key not in constants:
            raise UnisonError(f"{place}: {name}.{key} is missing; add it with {', '.join(_KEYS)}")
        where = f"{place}: {constants[key].name}"
        values[key] = _convert(hint, constants[key].value, where)
        _check_range(hint, values[key], where)
    return kind(**values)


def check_ranges(record: object, place: str) -> None:
    """Check every field of a dataclass against its `Bounds`.

    Parameters
    ----------
    record : dataclass instance
        The record.
    place : str
        What errors call it.

    Raises
    ------
    UnisonError
        If a value is out of its range or not a finite number.
    """
    for key, hint in typing.get_type_hints(type(record), include_extras=True).items():
        _check_range(hint, getattr(record, key), f"{place}.{key}")


def _convert(hint: object, value: object, where: str) -> object:
    if typing.get_origin(hint) is typing.Annotated:
        hint = typing.get_args(hint)[0]
    if typing.get_origin(hint) is tuple:
        if not isinstance(value, list) or not value:
            raise UnisonError(f"{where}: expected a list of at least one item; found {value!r}")
        item = typing.get_args(hint)[0]
        return tuple(_convert(item, one, where) for one in value)
    if hint is Fraction and isinstance(value, int | str) and not isinstance(value, bool):
        try:
            return Fraction(value)
        except (ValueError, ZeroDivisionError):
            raise UnisonError(f'{where}: expected a fraction such as "1/5"; found {value!r}') from None
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if hint is float and is_number and math.isfinite(typing.cast(float, value)):
        return float(typing.cast(float, value))
    if hint is int and is_number and isinstance(value, int):
        return value
    if hint is str and isinstance(value, str):
        return value
    raise UnisonError(f"{where}: expected {getattr(hint, '__name__', hint)}; found {value!r}")


def _check_range(hint: object, value: object, where: str) -> None:
    if typing.get_origin(hint) is not typing.Annotated:
        return
    bounds = next(extra for extra in typing.get_args(hint)[1:] if isinstance(extra, Bounds))
    for one in value if isinstance(value, tuple) else (value,):
        if not bounds.holds(one):
            raise UnisonError(f"{where}: found {one}, expected {bounds}")
