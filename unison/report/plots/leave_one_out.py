"""Figure 6: what leaving a signal out changes, point by point."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from unison.experiments.tab02_policies import geometric_mean
from unison.report.plots.panels import SMALL_PT
from unison.report.style import OKABE_ITO, PAPER_WIDTH_IN, figure_style, new_figure

_LABELS = {"left out": "without {}", "form": "{} in place of (a)"}
_COLOURS = (OKABE_ITO["blue"], OKABE_ITO["orange"], OKABE_ITO["green"])
_SPREAD = 0.13
_ROW_IN = 0.3
_FOR_NUMBERS = 0.12


def plot_leave_one_out(data: pd.DataFrame) -> Figure:
    """A row a variant, a dot for each corpus and envelope, a bar at the mean (of AMAT ratios geometric).

    Parameters
    ----------
    data : pandas.DataFrame
        ``corpus``, ``axis``, ``value``, ``hit_gain``, ``amat_ratio``, as
        `unison.experiments.fig06_leave_one_out.fig06_cells` has them; variants from top to bottom.

    Returns
    -------
    matplotlib.figure.Figure
    """
    variants = list(dict.fromkeys(zip(data["axis"], data["value"], strict=True)))
    workloads = list(dict.fromkeys(data["corpus"].str.split("-").str[0]))
    with figure_style():
        height = _ROW_IN * len(variants) + 0.85
        figure, (left, right) = new_figure(2, height / PAPER_WIDTH_IN[2], cols=2, sharey=True)
        for place, (axis, value) in enumerate(variants):
            rows = data[(data["axis"] == axis) & (data["value"] == value)]
            mean, ratio = rows["hit_gain"].mean(), geometric_mean(rows["amat_ratio"])
            _dots(left, place, 100 * rows["hit_gain"], rows["corpus"], workloads)
            _mean(left, place, 100 * float(mean))
            _dots(right, place, 100 * (rows["amat_ratio"] - 1), rows["corpus"], workloads)
            _mean(right, place, 100 * (ratio - 1))
        for axes, label in (
            (left, "Change of hit rate [% points]"),
            (right, "Change of AMAT [%], symmetric log axis"),
        ):
            axes.axvline(0, color="black", linewidth=0.7, zorder=0.5)
            axes.set_xlabel(label)
            axes.grid(visible=False, axis="y")
            axes.grid(visible=True, axis="x")
        low, high = left.get_xlim()
        left.set_xlim(low, high + _FOR_NUMBERS * (high - low))
        right.set_xscale("symlog", linthresh=10, linscale=1.0)
        right.set_xticks([-10, 0, 10, 100, 1000], ["−10", "0", "10", "100", "1000"])
        names = [_LABELS[axis].format(value) for axis, value in variants]
        left.set_yticks(np.arange(len(variants)), names)
        left.set_ylim(len(variants) - 0.4, -0.6)
        handles, labels = left.get_legend_handles_labels()
        unique = dict(zip(labels, handles, strict=True))
        figure.legend(unique.values(), unique.keys(), loc="outside upper center", ncols=len(unique))
        return figure


def _dots(axes: Axes, place: int, values: pd.Series, corpora: pd.Series, workloads: list[str]) -> None:
    """The points of one variant, a line for each workload."""
    of = corpora.str.split("-").str[0]
    offsets = np.linspace(-_SPREAD, _SPREAD, len(workloads)) if len(workloads) > 1 else [0.0]
    for workload, offset, colour in zip(workloads, offsets, _COLOURS, strict=False):
        some = values[of == workload]
        axes.plot(
            some, [place + offset] * len(some), "o", color=colour, markersize=3, alpha=0.55,
            markeredgewidth=0, label=workload.upper(),
        )  # fmt: skip


def _mean(axes: Axes, place: int, mean: float) -> None:
    """A bar at the mean, and its number at the right edge."""
    axes.plot([mean, mean], [place - 0.3, place + 0.3], color="black", linewidth=1.4, label="mean")
    axes.annotate(
        f"{mean:+z.1f}",
        (1, place),
        xycoords=("axes fraction", "data"),
        ha="right",
        va="center",
        fontsize=SMALL_PT,
    )
