"""Table III as a picture: the gain over LRU as a tier grows, and as a total is shared."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from unison.experiments.tab03_capacity import HBM
from unison.report.plots.corpus_lines import corpus_line
from unison.report.plots.panels import legend_above, percent_y
from unison.report.style import PAPER_WIDTH_IN, figure_style, new_figure

_ROWS = (
    ("hit_gain", "Hit rate less\nLRU's [% points]"),
    ("amat_reduction", "AMAT reduction\nagainst LRU [%]"),
)
_TITLES = {"HBM": "HBM grows", "SRAM": "SRAM grows", "partition": "SRAM's part of the total grows"}
_HEIGHT_IN = 3.6


def plot_capacity(data: pd.DataFrame) -> Figure:
    """A column an axis, hit rate above and AMAT below, a line for each corpus and a thick one for the mean.

    Parameters
    ----------
    data : pandas.DataFrame
        ``corpus``, ``axis``, ``sram_tokens``, ``hbm_tokens``, ``hit_gain``, ``amat_reduction``.

    Returns
    -------
    matplotlib.figure.Figure
    """
    names, kinds = list(dict.fromkeys(data["corpus"])), list(dict.fromkeys(data["axis"]))
    with figure_style():
        figure, grid = new_figure(
            2, _HEIGHT_IN / PAPER_WIDTH_IN[2], rows=len(_ROWS), cols=len(kinds), sharex="col", sharey="row",
            squeeze=False,
        )  # fmt: skip
        for line, (column, label) in zip(grid, _ROWS, strict=True):
            for axes, kind in zip(line, kinds, strict=True):
                rows = data[data["axis"] == kind]
                size = "hbm_tokens" if kind == HBM else "sram_tokens"
                for name in names:
                    of = rows[rows["corpus"] == name]
                    axes.plot(of[size] / 1000, of[column], **corpus_line(name), markersize=2.5, linewidth=0.9)
                mean = rows.assign(size=rows[size] / 1000).groupby("size")[column].mean()
                axes.plot(mean.index, mean, color="black", linewidth=2, label="mean", zorder=3)
                axes.axhline(0, color="black", linewidth=0.7, zorder=0.5)
                axes.set_xscale("log")
                ticks = sorted({round(value, 1) for value in rows[size] / 1000})
                axes.xaxis.set_major_locator(FixedLocator(ticks))
                axes.xaxis.set_minor_locator(NullLocator())
                axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
                percent_y(axes)
            line[0].set_ylabel(label)
        for axes, lower, kind in zip(grid[0], grid[-1], kinds, strict=True):
            axes.set_title(_TITLES[kind])
            lower.set_xlabel(f"{HBM if kind == HBM else 'SRAM'} [K tokens], log axis")
        legend_above(figure, grid[0][0], 7 if len(names) > 3 else len(names) + 1)
        return figure
