"""The grid of integer forms against its two gates."""

from __future__ import annotations

from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from unison.fixed_point.study import Gates
from unison.report.style import OKABE_ITO, PAPER_WIDTH_IN, figure_style, new_figure

_HEIGHT_IN = 4.2
_COLOURS = (OKABE_ITO["orange"], OKABE_ITO["purple"], OKABE_ITO["sky"], OKABE_ITO["blue"], OKABE_ITO["green"])
_MARKERS = {"affine": "o", "shift": "^"}
_STEP = 0.15
"""Between the pairs of widths at one hazard width, of the distance between two hazard widths."""
_UNITS = {1: "1 ns", 1000: "1 µs", 1_000_000: "1 ms"}
_ROWS = (
    ("disagreement", "Another one first\n[% of snapshots, log]"),
    ("hit_drift_worst", "Largest hit-rate drift\n[% points, log]"),
)
_LEAST = 1e-4
"""Where a value of 0 is drawn: the foot of the log axes."""


def plot_quantization(data: pd.DataFrame, gates: Gates) -> Figure:
    """A column for each unit of time, a row for each gate; all 180 points, those above the line fail.

    Parameters
    ----------
    data : pandas.DataFrame
        ``hazard_bits``, ``gap_bits``, ``score_bits``, ``tau_ns``, ``divider``, ``penalty_form``,
        ``disagreement`` (1 less ``top1``), ``hit_drift_worst``, ``is_selected``, ``is_paper``.
    gates : Gates

    Returns
    -------
    matplotlib.figure.Figure
    """
    units = sorted(set(data["tau_ns"]))
    widths = sorted({(row.gap_bits, row.score_bits) for row in data.itertuples()})
    limits = {"disagreement": 1 - gates.top1, "hit_drift_worst": gates.hit_drift_pp / 100}
    with figure_style():
        figure, grid = new_figure(
            2, _HEIGHT_IN / PAPER_WIDTH_IN[2], rows=len(_ROWS), cols=len(units), sharex=True, sharey="row",
            squeeze=False,
        )  # fmt: skip
        for line, (column, label) in zip(grid, _ROWS, strict=True):
            for axes, unit in zip(line, units, strict=True):
                _draw_points(axes, data[data["tau_ns"] == unit], column, widths)
                _draw_gate(axes, limits[column])
            line[0].set_ylabel(label)
        for axes, unit in zip(grid[0], units, strict=True):
            axes.set_title(f"stored unit {_UNITS.get(unit, f'{unit:,} ns')}")
        bits = sorted(set(data["hazard_bits"]))
        for axes in grid[-1]:
            axes.set_xticks(range(len(bits)), [str(each) for each in bits])
            axes.set_xlabel("Hazard bits")
        figure.legend(handles=_legend(widths), loc="outside upper center", ncols=4, columnspacing=1.3)
        return figure


def _draw_points(axes: Axes, rows: pd.DataFrame, column: str, widths: list[tuple[int, int]]) -> None:
    bits = sorted(set(rows["hazard_bits"]))
    for row in rows.to_dict("records"):
        pair = widths.index((row["gap_bits"], row["score_bits"]))
        place = bits.index(row["hazard_bits"]) + _STEP * (pair - (len(widths) - 1) / 2)
        colour = _COLOURS[pair % len(_COLOURS)]
        is_exact = row["divider"] == "exact"
        axes.plot(
            [place], [max(row[column], _LEAST)], marker=_MARKERS.get(row["penalty_form"], "s"),
            markersize=3 if is_exact else 5, markeredgecolor=colour, markeredgewidth=0.6,
            markerfacecolor=colour if is_exact else "none", linestyle="none", clip_on=False,
        )  # fmt: skip
        for flag, edge in (("is_selected", "black"), ("is_paper", "#888888")):
            if row[flag]:
                axes.plot(
                    [place], [max(row[column], _LEAST)], marker="o", markersize=9, markeredgecolor=edge,
                    markerfacecolor="none", markeredgewidth=1.1, linestyle="none", clip_on=False,
                )  # fmt: skip
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(10))
    axes.yaxis.set_minor_formatter(NullFormatter())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:g}"))
    axes.set_ylim(bottom=_LEAST)


def _draw_gate(axes: Axes, limit: float) -> None:
    axes.axhline(limit, color=OKABE_ITO["vermillion"], linewidth=1.0, zorder=0.5)


def _legend(widths: list[tuple[int, int]]) -> list[Line2D]:
    """Colours of the widths, then forms, dividers, the two rings and the gate."""
    dot: dict[str, Any] = {"linestyle": "none", "markersize": 5}
    ring: dict[str, Any] = {"linestyle": "none", "marker": "o", "markerfacecolor": "none"}
    gate: dict[str, Any] = {"color": OKABE_ITO["vermillion"], "linewidth": 1.0}
    looks = [
        (f"gap {gap}, score {score} bits", dot | {"marker": "s", "color": _COLOURS[at % len(_COLOURS)]})
        for at, (gap, score) in enumerate(widths)
    ]
    looks += [
        (f"{form} penalty", dot | {"marker": marker, "color": "#404040"}) for form, marker in _MARKERS.items()
    ]
    looks += [
        ("reciprocal divider", ring | {"markersize": 5, "color": "#404040"}),
        ("selected", ring | {"markersize": 9, "color": "black"}),
        ("the paper's", ring | {"markersize": 9, "color": "#888888"}),
        ("gate: above it a point fails", gate),
    ]
    return [Line2D([], [], label=label, **look) for label, look in looks]
