"""Table I as a picture: hit rate and AMAT with two register files against one."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from unison.report.plots.corpus_lines import corpus_line
from unison.report.plots.panels import legend_above, percent_y
from unison.report.style import PAPER_WIDTH_IN, figure_style, new_figure

_ROWS = (("hit_change", "Change of hit rate\n[% points]"), ("amat_change", "Change of\nAMAT [%]"))
_HEIGHT_IN = 3.4


def plot_dual(data: pd.DataFrame) -> Figure:
    """A column for syncs every m events and one for every m requests, a line for each corpus.

    Parameters
    ----------
    data : pandas.DataFrame
        ``corpus``, ``unit``, ``every``, ``hit_change``, ``amat_change`` (both against one file).

    Returns
    -------
    matplotlib.figure.Figure
    """
    units, names = list(dict.fromkeys(data["unit"])), list(dict.fromkeys(data["corpus"]))
    periods = sorted(set(data["every"]))
    places = {period: place for place, period in enumerate(periods)}
    with figure_style():
        figure, grid = new_figure(
            2, _HEIGHT_IN / PAPER_WIDTH_IN[2], rows=len(_ROWS), cols=len(units), sharex=True, sharey="row",
            squeeze=False,
        )  # fmt: skip
        for line, (column, label) in zip(grid, _ROWS, strict=True):
            for axes, unit in zip(line, units, strict=True):
                for name in names:
                    of = data[(data["unit"] == unit) & (data["corpus"] == name)]
                    axes.plot(of["every"].map(places), of[column], **corpus_line(name), markersize=3)
                axes.axhline(0, color="black", linewidth=0.7, zorder=0.5)
                axes.set_xticks(list(places.values()), [str(period) for period in periods])
                percent_y(axes)
            line[0].set_ylabel(label)
        for axes, unit in zip(grid[-1], units, strict=True):
            axes.set_xlabel(f"Sync after every m-th of the {unit}")
        legend_above(figure, grid[0][0], min(len(names), 6))
        return figure
