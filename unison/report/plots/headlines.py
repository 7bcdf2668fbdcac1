"""The headlines with their intervals over corpus seeds."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from unison.experiments.headlines import ALL
from unison.report.plots.panels import SMALL_PT
from unison.report.style import PAPER_WIDTH_IN, figure_style, new_figure, policy_look

_PANELS = (
    ("Hit rate less the rival's [% points]", 100.0, 0.0,
     (("hit_gain", "lru"), ("completion_gain", "lru_completion"))),
    ("AMAT over the rival's", 1.0, 1.0, (("amat_ratio", "lru"), ("amat_completion_ratio", "lru_completion"))),
    ("Median TTFT over the rival's", 1.0, 1.0,
     (("ttft_ratio", "lru"), ("ttft_completion_ratio", "lru_completion"))),
)  # fmt: skip
_ROW_IN = 0.3


def plot_headlines(data: pd.DataFrame) -> Figure:
    """A row a corpus and one for all, a mean with its interval against LRU and against LRU + completion.

    Parameters
    ----------
    data : pandas.DataFrame
        As `unison.experiments.headlines.tab02_headlines` returns it.

    Returns
    -------
    matplotlib.figure.Figure
    """
    names = list(dict.fromkeys(data["corpus"]))
    with figure_style():
        height = _ROW_IN * len(names) + 0.9
        figure, panels = new_figure(2, height / PAPER_WIDTH_IN[2], cols=len(_PANELS), sharey=True)
        for axes, (label, factor, neutral, series) in zip(panels, _PANELS, strict=True):
            for offset, (headline, rival) in zip((-0.16, 0.16), series, strict=True):
                rows = data[data["headline"] == headline].set_index("corpus").loc[names]
                _intervals(axes, factor * rows[["mean", "low", "high"]], offset, rival)
            axes.axvline(neutral, color="black", linewidth=0.7, zorder=0.5)
            axes.set_xlabel(label)
            axes.grid(visible=False, axis="y")
            axes.grid(visible=True, axis="x")
        shown = ["all corpora" if name == ALL else name for name in names]
        panels[0].set_yticks(np.arange(len(names)), shown)
        panels[0].set_ylim(len(names) - 0.4, -0.6)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=2)
        return figure


def _intervals(axes: Axes, rows: pd.DataFrame, offset: float, rival: str) -> None:
    look = policy_look(rival)
    places = np.arange(len(rows)) + offset
    errors = [rows["mean"] - rows["low"], rows["high"] - rows["mean"]]
    axes.errorbar(
        rows["mean"], places, xerr=errors, fmt=look.marker, color=look.color, markersize=4, elinewidth=1.2,
        capsize=2, label=f"against {look.label}",
    )  # fmt: skip
    decimals = 1 if rows["mean"].abs().max() > 1.5 else 2
    for value, edge, place in zip(rows["mean"], rows["high"], places, strict=True):
        axes.annotate(
            f"{value:.{decimals}f}",
            (edge, place),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL_PT - 1,
            color=look.color,
        )
