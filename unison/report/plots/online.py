"""Figure 7: how fast a table learned online comes up to the offline one."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from unison.report.plots.panels import corpus_grid, legend_above, log_x, y_from
from unison.report.style import OKABE_ITO, figure_style

_LOOKS = {
    "on_complete": ("counted when a session is over (the paper's rule)", OKABE_ITO["vermillion"], "o"),
    "risk_set": ("counted turn by turn (risk set)", OKABE_ITO["blue"], "s"),
}
_TICKS = (1.0, 4.0, 16.0, 64.0, 256.0, 1024.0, 4096.0)


def plot_online(data: pd.DataFrame) -> Figure:
    """A(n) against completed sessions for both update forms, a panel a corpus.

    Parameters
    ----------
    data : pandas.DataFrame
        ``corpus``, ``update``, ``n_completed``, ``convergence``, as
        `unison.experiments.fig07_online.fig07_mean` has them.

    Returns
    -------
    matplotlib.figure.Figure
    """
    most = float(data["n_completed"].max())
    ticks = [tick for tick in _TICKS if tick <= most]
    with figure_style():
        figure, panels = corpus_grid(data)
        for name, axes in panels.items():
            axes.axhline(1, color="black", linewidth=0.7, linestyle="--")
            for update, (label, colour, marker) in _LOOKS.items():
                rows = data[(data["corpus"] == name) & (data["update"] == update)]
                axes.plot(
                    rows["n_completed"],
                    rows["convergence"],
                    color=colour,
                    marker=marker,
                    markersize=3,
                    label=label,
                )
            log_x(axes, ticks, [f"{tick:g}" for tick in ticks])
            axes.set_xlim(0.9, most * 1.2)
        y_from(list(panels.values()), min(0.0, float(data["convergence"].min())))
        figure.supxlabel("Completed sessions n", fontsize="medium")
        figure.supylabel("A(n): share of the offline gain", fontsize="medium")
        legend_above(figure, next(iter(panels.values())), len(_LOOKS) if len(panels) > 1 else 1)
        return figure
