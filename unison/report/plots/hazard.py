"""Figure 2: the hazard that a session ends at the turn it has reached."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from unison.report.plots.panels import corpus_grid, model_colour, percent_y, y_from
from unison.report.style import figure_style


def plot_hazard(data: pd.DataFrame) -> Figure:
    """h(t) with its interval, a panel a corpus; the pooled last bin is an open square.

    Parameters
    ----------
    data : pandas.DataFrame
        As `unison.experiments.fig02_hazard.hazard_curves` returns it.

    Returns
    -------
    matplotlib.figure.Figure
    """
    with figure_style():
        figure, panels = corpus_grid(data)
        for name, axes in panels.items():
            rows = data[data["corpus"] == name]
            single, pooled = rows[~rows["is_pooled"]], rows[rows["is_pooled"]]
            colour = model_colour(name)
            axes.fill_between(
                single["turn"], single["low"], single["high"], color=colour, alpha=0.2, linewidth=0
            )
            axes.plot(single["turn"], single["hazard"], color=colour)
            for row in pooled.itertuples():
                axes.vlines(row.turn, row.low, row.high, color=colour, linewidth=1)
                axes.plot(row.turn, row.hazard, "s", color=colour, markerfacecolor="white")
            axes.set_xlim(1, float(data["turn"].max()) + 1)
            percent_y(axes)
        y_from(list(panels.values()), 0)
        figure.supxlabel("Turn t", fontsize="medium")
        figure.supylabel("Hazard h(t) [%]", fontsize="medium")
        return figure
