"""Figure 2: two readings of survival, local and cumulative."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from unison.report.plots.panels import corpus_grid, percent_y, right_column
from unison.report.style import OKABE_ITO, direct_labels, figure_style

_LOOKS = {
    "local": ("local, 1 − h(t)", OKABE_ITO["blue"]),
    "cumulative": ("cumulative", OKABE_ITO["orange"]),
}


def plot_survival(data: pd.DataFrame) -> Figure:
    """Local and cumulative survival with their intervals, a panel a corpus.

    Parameters
    ----------
    data : pandas.DataFrame
        As `unison.experiments.fig02_hazard.survival_curves` returns it.

    Returns
    -------
    matplotlib.figure.Figure
    """
    with figure_style():
        figure, panels = corpus_grid(data)
        for name, axes in panels.items():
            for form, (label, colour) in _LOOKS.items():
                rows = data[(data["corpus"] == name) & (data["form"] == form)]
                axes.fill_between(
                    rows["turn"], rows["low"], rows["high"], color=colour, alpha=0.2, linewidth=0
                )
                axes.plot(rows["turn"], rows["survival"], color=colour, label=label)
            axes.set_xlim(1, float(data["turn"].max()))
            axes.set_ylim(0, 1.02)
            percent_y(axes)
        figure.supxlabel("Turn t", fontsize="medium")
        figure.supylabel("Sessions that go on [%]", fontsize="medium")
        for axes in right_column(panels):
            direct_labels(axes)
        return figure
