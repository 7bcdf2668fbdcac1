"""Tables: the produced CSV files that claims are evaluated from, read as plain rows."""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from unison.errors import UnisonError, unknown_name
from unison.notebooks.layout import sha256

REAL = "real/"
"""Prefix of the stems of tables on real traces, which come from inputs outside the project."""

SKIPPED = "skipped"
"""Column with the reason why a row was not measured; empty in a row that was."""

Value = float | str | bool | None
Row = Mapping[str, Value]


class UnreadableTable(UnisonError):
    """A table is missing, or does not hold what a claim asks of it."""


class NotMeasured(UnisonError):
    """A row says in its column `SKIPPED` why it was not measured; no number can be read from it."""


@dataclass(frozen=True)
class Tables:
    """The tables of one folder of products, each read once.

    Attributes
    ----------
    folder : pathlib.Path
        As figures/.
    real : pathlib.Path
        Folder of the tables on real traces, whose stems begin with `REAL`.
    """

    folder: Path
    real: Path
    _rows: dict[str, list[Row]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, folder: Path, otherwise: Path | None = None) -> Tables:
        """The tables of a folder; those on real traces from its real/, or else from the one of `otherwise`.

        A run that is no full one has no real/ of its own, since no notebook makes these tables.
        """
        own = folder / "real"
        return cls(folder, own if own.is_dir() or otherwise is None else otherwise / "real")

    def path(self, stem: str) -> Path:
        """The file of a table."""
        if stem.startswith(REAL):
            return self.real / f"{stem.removeprefix(REAL)}.csv"
        return self.folder / f"{stem}.csv"

    def exists(self, stem: str) -> bool:
        """Whether the table is there."""
        return self.path(stem).is_file()

    def digest(self, stem: str) -> str:
        """SHA-256 of the table's file, in hex."""
        return sha256(self.path(stem))

    def rows(self, stem: str) -> list[Row]:
        """The rows of a table.

        Raises
        ------
        UnreadableTable
            If it is missing, empty, or its rows have not all the same number of fields.
        """
        if stem not in self._rows:
            self._rows[stem] = self._read(stem)
        return self._rows[stem]

    def _read(self, stem: str) -> list[Row]:
        path = self.path(stem)
        try:
            with path.open(encoding="utf-8", newline="") as file:
                header, *lines = list(csv.reader(file, strict=True)) or [[]]
        except FileNotFoundError:
            raise UnreadableTable(f"{stem}.csv is missing") from None
        except (UnicodeDecodeError, csv.Error) as error:
            raise UnreadableTable(f"{stem}.csv is no CSV file ({error})") from None
        if not lines:
            raise UnreadableTable(f"{stem}.csv has no rows")
        for number, line in enumerate(lines, start=2):
            if len(line) != len(header):
                raise UnreadableTable(
                    f"{stem}.csv: line {number} has {len(line)} fields, its header {len(header)}"
                )
        return [dict(zip(header, map(parsed, line), strict=True)) for line in lines]


def parsed(text: str) -> Value:
    """A field of a CSV file as a number, a truth value, text, or None where it is empty."""
    if text in ("", "True", "False"):
        return {"": None, "True": True, "False": False}[text]
    try:
        number = float(text)
    except ValueError:
        return text
    return number if math.isfinite(number) else text


def cell(row: Row, column: str, stem: str) -> Value:
    """One field of a row.

    Raises
    ------
    UnreadableTable
        If there is no such column; the message names the nearest.
    """
    if column not in row:
        raise UnreadableTable(str(unknown_name(f"column of {stem}.csv", column, row)))
    return row[column]
