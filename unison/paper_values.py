"""Paper values: what the UNISON paper reports, each with its place and how well it is known."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from unison.constants import read_toml
from unison.errors import UnisonError, unknown_name
from unison.paths import DATA

PAPER_VALUES_FILE = DATA / "paper_values.toml"
GRADES = ("prose", "notes")
"""``prose``: the paper's running text; ``notes``: third-party reading notes of the full text."""

_KEYS = {"value", "unit", "place", "grade"}


@dataclass(frozen=True)
class PaperValue:
    """One number of the paper.

    Attributes
    ----------
    name : str
        Dotted name, as ``amat_ratio.swe-qwen3``.
    value : float
    unit : str
        ``"1"`` for a pure number, ``"pp"`` for percentage points.
    place : str
        Where in the paper.
    grade : str
        One of `GRADES`.
    """

    name: str
    value: float
    unit: str
    place: str
    grade: str


def paper_value(name: str) -> PaperValue:
    """The value of that name.

    Raises
    ------
    UnisonError
        If there is none; the message names the nearest.
    """
    values = load_paper_values()
    if name not in values:
        raise unknown_name("paper value", name, values)
    return values[name]


@cache
def load_paper_values() -> dict[str, PaperValue]:
    """All values of data/paper_values.toml by name, read once."""
    return read_paper_values(PAPER_VALUES_FILE)


def read_paper_values(path: Path) -> dict[str, PaperValue]:
    """Values from a file in the form of data/paper_values.toml.

    Raises
    ------
    UnisonError
        If an entry lacks a key, has one too many, an unknown grade, or a value that is no finite number.
    """
    values = {}
    for section, entries in read_toml(path).items():
        for key, entry in entries.items():
            name = f"{section}.{key}"
            values[name] = _checked(name, entry, path)
    return values


def _checked(name: str, entry: object, path: Path) -> PaperValue:
    if not isinstance(entry, dict) or set(entry) != _KEYS:
        raise UnisonError(f"{path}: {name}: expected exactly {', '.join(sorted(_KEYS))}; found {entry!r}")
    value = entry["value"]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UnisonError(f"{path}: {name}.value: found {value!r}, expected a finite number")
    if entry["grade"] not in GRADES:
        raise UnisonError(f"{path}: {name}.grade: {unknown_name('grade', str(entry['grade']), GRADES)}")
    return PaperValue(name, float(value), str(entry["unit"]), str(entry["place"]), str(entry["grade"]))
