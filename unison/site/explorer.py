"""The interactive page: curves, intervals and Bélády over a precomputed grid, without Python or network."""

from __future__ import annotations

import json
from typing import Any

from unison.site.grid import Grid, compact
from unison.site.pages import Page, asset, fill

ADDRESS = "explorer.html"
SHOWN_FIRST = ("belady", "lru", "lru_completion", "spear", "spear+tide")
"""Policies that are ticked when the page opens."""


def explorer_page(grid: Grid) -> Page:
    """The page with the grid and the script inside, and tables for a browser without script."""
    data = compact(grid)
    data["first"] = [policy["name"] for policy in data["policies"] if policy["name"] in SHOWN_FIRST]
    body = fill(
        "explorer.html.j2",
        data=json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace(
            "<", "\\u003c"
        ),
        tables=[_table(corpus, data) for corpus in data["corpora"]],
        files=[f"figures/{name}" for name in grid.files],
        is_moved=bool(grid.frame["dispersion"].notna().any()),
    )
    return Page(ADDRESS, "Try it: who wins, and when", body, script=asset("explorer.js"), is_wide=True)


def _table(corpus: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    """One corpus in the middle of its other axes: a row a policy, a column a capacity."""
    dispersions, shares, capacities = corpus["axes"].values()
    at = len(dispersions) // 2, len(shares) // 2
    rows = []
    for position, policy in enumerate(data["policies"]):
        cells = [cell[position] for cell in corpus["cells"][at[0]][at[1]]]
        if any(cells):
            rows.append(
                {"label": policy["label"], "cells": [_percent(cell, data["scale"]) for cell in cells]}
            )
    chosen = (("dispersion", dispersions[at[0]]), ("share of the session", shares[at[1]]))
    where = [f"{name} {value:g}" for name, value in chosen if value is not None]
    return {
        "name": ", ".join([corpus["name"], *where]),
        "capacities": [f"{capacity:.3g}×" for capacity in capacities],
        "rows": rows,
    }


def _percent(cell: list[int | None] | None, scale: int) -> str:
    """A hit rate with its interval, in per cent."""
    if cell is None or cell[0] is None:
        return "–"
    rate, low, high = (None if value is None else f"{100 * value / scale:.1f}" for value in cell[:3])
    return f"{rate} ({low} to {high})" if low and high else f"{rate}"
