"""Saving a table: a CSV to compute with and a Markdown file to read, the same bytes on every run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unison.errors import UnisonError, unknown_name
from unison.files import write_text
from unison.report.figures import csv_text, read_csv, rounded

_MANY = 1000.0
_PER_CENT = ("%", "% points")

MISSING = "–"
"""What a missing value shows in Markdown; it is an empty field in CSV."""


@dataclass(frozen=True)
class Column:
    """How one column of a frame is shown.

    Attributes
    ----------
    name : str
        Column of the frame and of the CSV.
    header : str
        Header in Markdown; the name by default.
    unit : str
        Shown in brackets after the header; ``%`` and ``% points`` show the value times 100.
    decimals : int
        Digits after the point of a float; integers and text ignore it.
    signed : bool
        Show a plus before positive numbers, for differences.
    is_mixed : bool
        The column mixes magnitudes: three significant digits below 1,000, whole numbers above; `decimals`
        is not used.
    """

    name: str
    header: str = ""
    unit: str = ""
    decimals: int = 2
    signed: bool = False
    is_mixed: bool = False

    @property
    def title(self) -> str:
        """Header with its unit, as ``Hit rate [%]``."""
        header = self.header or self.name
        return f"{header} [{self.unit}]" if self.unit else header

    def cell(self, value: Any) -> str:
        """One value as text."""
        if value is None or value is pd.NA or (isinstance(value, float | np.floating) and np.isnan(value)):
            return MISSING
        if isinstance(value, bool | np.bool_):
            return "yes" if value else "no"
        sign = "+" if self.signed else ""
        if isinstance(value, int | np.integer):
            return f"{int(value):{sign},d}"
        if isinstance(value, float | np.floating):
            scaled = float(value) * (100.0 if self.unit in _PER_CENT else 1.0)
            if self.is_mixed:
                return f"{scaled:{sign},.0f}" if abs(scaled) >= _MANY else f"{scaled:{sign}.3g}"
            return f"{scaled:{sign}z.{self.decimals}f}"
        return str(value).replace("|", "\\|").replace("\n", " ")


@dataclass(frozen=True)
class SavedTable:
    """A table on disk or in hand; as the last expression of a cell it shows itself.

    Attributes
    ----------
    stem : str
        File name without suffix; empty for a table that is only shown.
    markdown : str
        The table and its caption.
    """

    stem: str
    markdown: str

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        """The table for Jupyter, as Markdown."""
        return {"text/markdown": self.markdown, "text/plain": self.markdown}


def markdown_table(frame: pd.DataFrame, columns: Sequence[Column] = (), *, caption: str = "") -> str:
    """A frame as an aligned Markdown table; numbers to the right, text to the left.

    Parameters
    ----------
    frame : pandas.DataFrame
        Rows in the order they are shown.
    columns : sequence of Column
        Which columns, in which order; every one with its plain name by default.
    caption : str
        A line below the table.

    Raises
    ------
    UnisonError
        If a column is not in the frame.
    """
    shown = list(columns) or [Column(str(name)) for name in frame.columns]
    blocks = []
    for column in shown:
        if column.name not in frame.columns:
            raise unknown_name("table column", column.name, [str(name) for name in frame.columns])
        values = frame[column.name]
        right = values.dtype.kind in "iuf"
        cells = [column.title, *(column.cell(value) for value in values.tolist())]
        width = max(3, *(len(cell) for cell in cells))
        rule = "-" * (width - 1) + ":" if right else "-" * width
        padded = [cell.rjust(width) if right else cell.ljust(width) for cell in cells]
        blocks.append([padded[0], rule, *padded[1:]])
    lines = ["| " + " | ".join(row) + " |" for row in zip(*blocks, strict=True)]
    if caption:
        lines += ["", caption]
    return "\n".join(lines) + "\n"


def show_table(frame: pd.DataFrame, columns: Sequence[Column] = (), *, caption: str = "") -> SavedTable:
    """A table that is shown and not saved; see `markdown_table`."""
    return SavedTable("", markdown_table(frame, columns, caption=caption))


def save_table(
    frame: pd.DataFrame, stem: str, *, out: Path, columns: Sequence[Column] = (), caption: str = ""
) -> SavedTable:
    """Write ``stem.csv`` (every column, rounded) and ``stem.md`` (the columns shown, with units).

    Parameters
    ----------
    frame : pandas.DataFrame
        Its column names carry their units (``amat_ns``); integers stay integers.
    stem : str
        As ``tab02_main``.
    out : pathlib.Path
        Folder.
    columns, caption
        See `markdown_table`.

    Returns
    -------
    SavedTable

    Raises
    ------
    UnisonError
        If the frame is empty or a column is unknown; nothing is written then.
    """
    if frame.empty:
        raise UnisonError(f"table {stem!r}: its data frame is empty; there is nothing to show")
    exact = rounded(frame)
    text = markdown_table(exact, columns, caption=caption)
    write_text(Path(out) / f"{stem}.csv", csv_text(exact))
    write_text(Path(out) / f"{stem}.md", text)
    return SavedTable(stem, text)


def read_table(stem: str, *, out: Path) -> pd.DataFrame:
    """The frame of a saved table or figure, number for number.

    Raises
    ------
    UnisonError
        If ``stem.csv`` is not there.
    """
    path = Path(out) / f"{stem}.csv"
    if not path.is_file():
        made = sorted(p.stem for p in path.parent.glob("*.csv"))
        raise unknown_name(f"table in {path.parent.name}/", stem, made)
    return read_csv(path)
