"""One cell of Table II: every contender in one envelope."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from unison.report.plots.panels import SMALL_PT
from unison.report.style import PAPER_WIDTH_IN, figure_style, new_figure, policy_look

_ROW_IN = 0.2
_FRAME_IN = 0.75
_LEAST = 0.01


def plot_cell(cells: pd.DataFrame, *, corpus: str, envelope: str, load: float = 1) -> Figure:
    """Hit rate of each contender in one corpus, envelope and load, best at the top, SRAM hits in full colour.

    Parameters
    ----------
    cells : pandas.DataFrame
        As `unison.experiments.tab02_policies.tab02_cells` returns it.
    corpus, envelope : str
    load : float

    Returns
    -------
    matplotlib.figure.Figure
    """
    at = (cells["corpus"] == corpus) & (cells["envelope"] == envelope) & (cells["load"] == load)
    rows = cells[at].sort_values("hit_rate", ascending=False, kind="stable")
    places = np.arange(len(rows))
    colours = [policy_look(policy).color for policy in rows["policy"]]
    with figure_style():
        height = _ROW_IN * len(rows) + _FRAME_IN
        figure, axes = new_figure(1, height / PAPER_WIDTH_IN[1])
        axes.barh(places, 100 * rows["hit_rate"], color=colours, alpha=0.45, height=0.72)
        axes.barh(places, 100 * rows["sram_hit_rate"], color=colours, height=0.72)
        for place, rate in zip(places, rows["hit_rate"], strict=True):
            axes.annotate(
                f"{100 * rate:.1f}",
                (100 * rate, place),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize=SMALL_PT,
            )
        axes.set_yticks(places, [policy_look(policy).label for policy in rows["policy"]])
        axes.set_ylim(len(rows) - 0.4, -0.6)
        axes.set_xlim(0, 115 * max(float(rows["hit_rate"].max()), _LEAST))
        axes.grid(visible=False)
        axes.set_xlabel("Hit rate [%]; SRAM hits in full colour")
        axes.set_title(f"{corpus}, {envelope}, load {load:g}")
        return figure
