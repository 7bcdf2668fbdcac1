"""Figure 5: time to first token under load."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from unison.report.plots.panels import legend_above, log_x, y_from
from unison.report.style import PAPER_WIDTH_IN, figure_style, new_figure, policy_line

_TITLES = {"p50": "median", "p99": "99th percentile"}
_HEIGHT_IN = {1: 3.6, 2: 3.5}


def plot_ttft_load(data: pd.DataFrame) -> Figure:
    """TTFT over LRU's against load: a column a corpus, the median above and the 99th percentile below.

    Parameters
    ----------
    data : pandas.DataFrame
        As `unison.experiments.tab02_views.ttft_by_load` returns it.

    Returns
    -------
    matplotlib.figure.Figure
    """
    names, quantiles = list(dict.fromkeys(data["corpus"])), list(dict.fromkeys(data["quantile"]))
    loads = sorted(set(data["load"]))
    span = 1 if len(names) == 1 else 2
    with figure_style():
        figure, grid = new_figure(
            span,
            _HEIGHT_IN[span] / PAPER_WIDTH_IN[span],
            rows=len(quantiles),
            cols=len(names),
            sharex=True,
            sharey="row",
            squeeze=False,
        )
        for row, quantile in zip(grid, quantiles, strict=True):
            for axes, name in zip(row, names, strict=True):
                cell = data[(data["corpus"] == name) & (data["quantile"] == quantile)]
                for policy, line in cell.groupby("policy", sort=False):
                    axes.plot(line["load"], line["ttft_ratio"], **policy_line(str(policy)), markersize=3)
                axes.axhline(1, color="black", linewidth=0.7, zorder=0.5)
                log_x(axes, loads, [f"{load:g}×" for load in loads])
            y_from(list(row), 0)
            row[0].set_ylabel(f"TTFT over LRU's,\n{_TITLES[quantile]}")
        for axes, name in zip(grid[0], names, strict=True):
            axes.set_title(name)
        figure.supxlabel("Load factor", fontsize="medium")
        legend_above(figure, grid[0][0], data["policy"].nunique() if span == 2 else 2)
        return figure
