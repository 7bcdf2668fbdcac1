"""Figure 5: evictors without and with Tide."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from unison.experiments.fig05_evictor_tide import OFF, ON
from unison.report.plots.panels import SMALL_PT
from unison.report.style import PAPER_WIDTH_IN, figure_style, new_figure, policy_look

_PANELS = (
    ("hit_gain", 100.0, "Hit rate less LRU's [% points]", "{:+.1f}"),
    ("amat_ratio", 1.0, "AMAT over LRU's", "{:.2f}"),
    ("prefetch_accuracy", 100.0, "Prefetch accuracy [%]", "{:.0f}"),
)
_HEIGHT_IN = 1.9


def plot_evictor_tide(data: pd.DataFrame) -> Figure:
    """A row an evictor, hollow without and filled with Tide: hit rate, AMAT and prefetch accuracy.

    Parameters
    ----------
    data : pandas.DataFrame
        As `unison.experiments.fig05_evictor_tide.fig05` returns it.

    Returns
    -------
    matplotlib.figure.Figure
    """
    policies = list(dict.fromkeys(data["policy"]))
    with figure_style():
        figure, panels = new_figure(2, _HEIGHT_IN / PAPER_WIDTH_IN[2], cols=len(_PANELS), sharey=True)
        for axes, (column, factor, label, shown) in zip(panels, _PANELS, strict=True):
            for place, policy in enumerate(policies):
                values = data[data["policy"] == policy].set_index("tide")[column] * factor
                _row(axes, place, policy, values, shown)
            axes.set_xlabel(label)
            axes.grid(visible=False, axis="y")
            axes.grid(visible=True, axis="x")
            axes.margins(x=0.32)
        panels[0].axvline(0, color="black", linewidth=0.7, zorder=0.5)
        panels[1].axvline(1, color="black", linewidth=0.7, zorder=0.5)
        panels[2].set_xlim(0, 100)
        panels[0].set_yticks(np.arange(len(policies)), [policy_look(policy).label for policy in policies])
        panels[0].set_ylim(len(policies) - 0.4, -0.6)
        marks = [_mark("white", "without Tide"), _mark("#444444", "with Tide")]
        figure.legend(handles=marks, loc="outside upper center", ncols=2)
        return figure


def _row(axes: Axes, place: int, policy: str, values: pd.Series, shown: str) -> None:
    """The two values of an evictor on one line, each with its number."""
    colour = policy_look(policy).color
    axes.plot(values, [place] * len(values), color=colour, linewidth=1.0, alpha=0.5)
    for tide, fill in ((OFF, "white"), (ON, colour)):
        value = float(values[tide])
        if np.isnan(value):
            continue
        axes.plot(value, place, "o", color=colour, markerfacecolor=fill, markersize=5)
        other = float(values[ON if tide == OFF else OFF])
        is_left = value < other or (value == other and tide == OFF)
        axes.annotate(
            shown.format(value),
            (value, place),
            xytext=(-5 if is_left else 5, 0),
            textcoords="offset points",
            ha="right" if is_left else "left",
            va="center",
            fontsize=SMALL_PT,
        )


def _mark(fill: str, label: str) -> Line2D:
    return Line2D(
        [], [], marker="o", linestyle="none", color="#444444", markerfacecolor=fill, markersize=5, label=label
    )
