"""Calibration: the numbers of the synthetic corpora, each with its unit, source and status."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

from unison.errors import UnisonError
from unison.flash.calibration import check_flash
from unison.paths import CALIBRATION

STATUSES = ("published", "measured on public traces", "assumed")
"""What a calibration number may rest on."""

_FIELDS = {"value", "unit", "source", "status"}


@dataclass(frozen=True)
class Quantity:
    """One calibration number, list of numbers, or name of another entry.

    Attributes
    ----------
    value : int, float, str or tuple of int
    unit, source : str
        What it counts and where it comes from.
    status : str
        One of ``STATUSES``.
    """

    value: int | float | str | tuple[int, ...]
    unit: str
    source: str
    status: str


@dataclass(frozen=True)
class Calibration:
    """The quantities of a calibration folder by dotted name, ``<file>.<table>.<...>``.

    Attributes
    ----------
    quantities : mapping of str to Quantity
    """

    quantities: Mapping[str, Quantity]

    def __getitem__(self, name: str) -> Quantity:
        """The quantity of that name; an error that says so if there is none."""
        try:
            return self.quantities[name]
        except KeyError:
            raise UnisonError(
                f"data/calibration: {name} is missing; add it with its unit, source and status"
            ) from None

    def integer(self, name: str) -> int:
        """The value of that name, an integer."""
        value = self[name].value
        if not isinstance(value, int):
            raise _wrong_type(name, value, "an integer")
        return value

    def number(self, name: str) -> float:
        """The value of that name, an integer or a float."""
        value = self[name].value
        if not isinstance(value, int | float):
            raise _wrong_type(name, value, "a number")
        return float(value)

    def integers(self, name: str) -> tuple[int, ...]:
        """The value of that name, a list of integers in non-decreasing order."""
        value = self[name].value
        if not isinstance(value, tuple) or any(b < a for a, b in pairwise(value)):
            raise _wrong_type(name, value, "a non-decreasing list of integers")
        return value

    def text(self, name: str) -> str:
        """The value of that name, a string."""
        value = self[name].value
        if not isinstance(value, str):
            raise _wrong_type(name, value, "a string")
        return value

    def children(self, prefix: str) -> tuple[str, ...]:
        """The names one level below `prefix`, sorted."""
        depth = prefix.count(".") + 1
        return tuple(sorted({n.split(".")[depth] for n in self.quantities if n.startswith(f"{prefix}.")}))


def load_calibration(folder: Path = CALIBRATION) -> Calibration:
    """The calibration of a folder of TOML files.

    Parameters
    ----------
    folder : pathlib.Path
        Every ``*.toml`` in it is read; each entry is a table of value, unit, source and status.

    Returns
    -------
    Calibration

    Raises
    ------
    UnisonError
        Naming the file and the entry that lacks one of the four, has an unknown status, or, of flash.toml, is
        out of range.
    """
    quantities: dict[str, Quantity] = {}
    for path in sorted(folder.glob("*.toml")):
        try:
            table = tomllib.loads(path.read_text(encoding="utf-8"))
        except tomllib.TOMLDecodeError as error:
            raise UnisonError(f"{path}: not valid TOML: {error}") from None
        quantities.update(_walk(table, path.stem, path))
    if not quantities:
        raise UnisonError(f"{folder}: no calibration there; restore data/calibration from the repository")
    values = {name: quantity.value for name, quantity in quantities.items()}
    flash = {
        name.removeprefix("flash."): value for name, value in values.items() if name.startswith("flash.")
    }
    check_flash(flash, values.get("common.levels"), str(folder / "flash.toml"))
    return Calibration(quantities)


@cache
def default_calibration() -> Calibration:
    """The committed calibration, read once."""
    return load_calibration()


def _walk(table: Mapping[str, object], name: str, path: Path) -> Iterator[tuple[str, Quantity]]:
    if "value" in table:
        yield name, _quantity(table, name, path)
        return
    for key, child in table.items():
        if not isinstance(child, dict):
            raise UnisonError(f"{path}: {name}.{key}: expected a table with value, unit, source and status")
        yield from _walk(child, f"{name}.{key}", path)


def _quantity(table: Mapping[str, object], name: str, path: Path) -> Quantity:
    if set(table) != _FIELDS:
        raise UnisonError(f"{path}: {name}: has {sorted(table)}, expected exactly {sorted(_FIELDS)}")
    value, status = table["value"], table["status"]
    if status not in STATUSES:
        raise UnisonError(f"{path}: {name}: status {status!r}, expected one of {', '.join(STATUSES)}")
    for field in ("unit", "source"):
        if not isinstance(table[field], str) or not table[field]:
            raise UnisonError(f"{path}: {name}: {field} must be a sentence, not {table[field]!r}")
    if isinstance(value, list) and value and all(type(v) is int for v in value):
        value = tuple(value)
    if isinstance(value, bool) or not isinstance(value, int | float | str | tuple):
        raise UnisonError(f"{path}: {name}: value {value!r}, expected a number, a list of integers or a name")
    return Quantity(value, str(table["unit"]), str(table["source"]), str(status))


def _wrong_type(name: str, value: object, expected: str) -> UnisonError:
    return UnisonError(f"data/calibration: {name} is {value!r}, expected {expected}")
