"""The grid of the interactive page: hit rates by corpus, dispersion, capacity and policy, as compact data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unison.errors import UnisonError
from unison.report.figures import read_csv
from unison.report.style import policy_look

GRID = "tab09_grid.csv"
CELLS = "tab02_cells.csv"
BASELINE = "lru"
BOUND = "belady"

AXES = ("dispersion", "session_share", "capacity_share")
"""What is chosen beside the corpus: log-sd of the gaps, share of its variance that the session explains,
capacity over the mean live working set. The first two are missing where a corpus has one of its own."""

MEASURES = ("hit_rate", "low", "high", "gain_low", "gain_high", "token_hit_rate")
"""Of each cell of the grid, in the order of its list of numbers; all but the first may be missing."""

_AT = ["corpus", *AXES, "policy"]
_OPTIONAL = {*AXES[:2], *MEASURES[1:]}
_SCALE = 10_000
_REAL_NAMES = {"hit_low": "low", "hit_high": "high"}
_FEWEST_SESSIONS = 10


@dataclass(frozen=True)
class Grid:
    """The cells that the interactive page shows.

    Attributes
    ----------
    frame : pandas.DataFrame
        Columns ``corpus``, `AXES`, ``policy`` and `MEASURES`; a row a cell.
    files : tuple of str
        The product files that it comes from.
    """

    frame: pd.DataFrame
    files: tuple[str, ...]

    @property
    def corpora(self) -> list[str]:
        """In order of appearance."""
        return list(dict.fromkeys(self.frame["corpus"]))

    @property
    def policies(self) -> list[str]:
        """The bound and the baseline first, then in order of appearance."""
        found = list(dict.fromkeys(self.frame["policy"]))
        first = [name for name in (BOUND, BASELINE) if name in found]
        return first + [name for name in found if name not in first]


def read_grid(figures: Path) -> Grid | None:
    """The grid from the products of a run; None if neither `GRID` nor `CELLS` is there.

    Corpora whose dispersion is moved come from `GRID`, those as they are from `CELLS` at load 1, and real
    ones from ``real/*_cells.csv``.

    Parameters
    ----------
    figures : pathlib.Path
        Folder of the products.

    Raises
    ------
    UnisonError
        If a table lacks a column, or has two rows for one cell.
    """
    synthetic = [name for name in (GRID, CELLS) if (figures / name).is_file()]
    if not synthetic:
        return None
    real = sorted(path.relative_to(figures).as_posix() for path in figures.glob("real/*_cells.csv"))
    frames, files = [], []
    for name in (*synthetic, *real):
        frame = _tidy(read_csv(figures / name), name)
        if not frame.empty:
            frames.append(frame)
            files.append(name)
    return Grid(pd.concat(frames, ignore_index=True), tuple(files))


def _tidy(frame: pd.DataFrame, name: str) -> pd.DataFrame:
    """One table with the columns of the grid."""
    if name != GRID:
        frame = frame.rename(columns={"live_share": "capacity_share", **_REAL_NAMES})
    if "load" in frame.columns:
        frame = frame[frame["load"] == 1]
    if "sessions" in frame.columns:
        frame = frame[frame["sessions"] >= _FEWEST_SESSIONS]
    missing = [column for column in (*_AT, *MEASURES) if column not in {*frame.columns, *_OPTIONAL}]
    if missing:
        needed = ", ".join(column for column in (*_AT, *MEASURES) if column not in _OPTIONAL)
        raise UnisonError(f"{name}: no column {missing[0]!r}; the interactive page needs {needed}")
    tidy = frame.reindex(columns=[*_AT, *MEASURES])
    twice = tidy.duplicated(_AT)
    if twice.any():
        cell = ", ".join(str(value) for value in tidy.loc[twice, _AT].iloc[0])
        raise UnisonError(f"{name}: two rows for one cell ({cell}); give one row a cell")
    tidy["corpus"] = [_title(str(corpus), name) for corpus in tidy["corpus"]]
    return tidy.astype(dict.fromkeys((*AXES, *MEASURES), float))


def _title(corpus: str, name: str) -> str:
    """A corpus as the page calls it."""
    if name == GRID:
        return f"{corpus}, dispersion moved"
    return f"{corpus.replace('_', ' ')} (real)" if name.startswith("real/") else corpus


def compact(grid: Grid) -> dict[str, Any]:
    """The grid as short JSON: measures as whole ten-thousandths, null where missing.

    Returns
    -------
    dict
        ``policies``: name, label, color, marker, dash of each; ``corpora``: for each its ``name``, its
        ``axes`` (the values of each of `AXES`; null alone where there is none) and its ``cells``, nested in
        the order of `AXES` and then policies: a list in the order of `MEASURES`, or null.
    """
    policies = grid.policies
    return {
        "scale": _SCALE,
        "baseline": BASELINE,
        "bound": BOUND,
        "policies": [_look(name) for name in policies],
        "corpora": [_corpus(name, rows, policies) for name, rows in grid.frame.groupby("corpus", sort=False)],
    }


def _look(name: str) -> dict[str, str]:
    look = policy_look(name)
    dash = {"-": "", "--": "6 4", "-.": "7 3 2 3", ":": "2 3"}[look.linestyle]
    return {"name": name, "label": look.label, "color": look.color, "marker": look.marker, "dash": dash}


def _corpus(name: str, rows: pd.DataFrame, policies: Sequence[str]) -> dict[str, Any]:
    """One corpus with its own axes."""
    axes: dict[str, list[float | None]] = {axis: sorted(set(rows[axis].dropna())) or [None] for axis in AXES}
    known = {
        (*(_or_none(getattr(row, axis)) for axis in AXES), row.policy): [
            _whole(getattr(row, measure)) for measure in MEASURES
        ]
        for row in rows.itertuples()
    }
    first, second, third = axes.values()
    cells = [[[[known.get((x, y, z, p)) for p in policies] for z in third] for y in second] for x in first]
    return {"name": name, "axes": axes, "cells": cells}


def _or_none(value: float) -> float | None:
    return None if np.isnan(value) else value


def _whole(value: float) -> int | None:
    return None if np.isnan(value) else round(value * _SCALE)
