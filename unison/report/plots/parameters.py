"""UNISON's hit rate against P and alpha."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from unison.report.plots.corpus_lines import corpus_line
from unison.report.plots.panels import SMALL_PT, legend_above, percent_y
from unison.report.style import PAPER_WIDTH_IN, figure_style, new_figure

_LABELS = {"penalty_s": "P [s], log axis", "alpha": "α, weight of the newest gap"}
_HEIGHT_IN = 2.5


def plot_parameters(data: pd.DataFrame) -> Figure:
    """A panel for P and one for alpha, a line for each corpus: hit rate less that of LRU + completion.

    Parameters
    ----------
    data : pandas.DataFrame
        As `unison.experiments.tab06_options.parameter_curves` returns it.

    Returns
    -------
    matplotlib.figure.Figure
    """
    names = list(dict.fromkeys(data["corpus"]))
    with figure_style():
        figure, panels = new_figure(2, _HEIGHT_IN / PAPER_WIDTH_IN[2], cols=len(_LABELS), sharey=True)
        for axes, (parameter, label) in zip(panels, _LABELS.items(), strict=True):
            rows = data[data["parameter"] == parameter]
            for name in names:
                of = rows[rows["corpus"] == name]
                axes.plot(of["setting"], of["hit_gain"], **corpus_line(name), markersize=3)
            if parameter == "penalty_s":
                axes.set_xscale("log")
                axes.xaxis.set_minor_locator(NullLocator())
            ticks = sorted(set(rows["setting"]))
            axes.xaxis.set_major_locator(FixedLocator(ticks))
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.axhline(0, color="black", linewidth=0.7, zorder=0.5)
            axes.set_xlabel(label)
            _mark_default(axes, rows)
        panels[0].set_ylabel("Hit rate less that of\nLRU + completion [% points]")
        percent_y(panels[0])
        legend_above(figure, panels[0], min(len(names), 6))
        return figure


def _mark_default(axes: Axes, rows: pd.DataFrame) -> None:
    at = rows[rows["is_default"]]["setting"]
    if at.empty:
        return
    axes.axvline(float(at.iloc[0]), color="#888888", linewidth=0.8, linestyle=":", zorder=0.5)
    axes.annotate(
        "paper's",
        (float(at.iloc[0]), 1),
        xycoords=("data", "axes fraction"),
        xytext=(2, 1),
        textcoords="offset points",
        fontsize=SMALL_PT,
        color="#555555",
    )
