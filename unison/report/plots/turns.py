"""Figure 2: how many turns sessions have."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from unison.report.plots.panels import log_x, model_colour, percent_y, workload_grid
from unison.report.style import figure_style

_TICKS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)


def plot_turns(data: pd.DataFrame) -> Figure:
    """Share of sessions that have at least so many turns, a panel a workload.

    Parameters
    ----------
    data : pandas.DataFrame
        ``corpus``, ``turns``, ``sessions``, ``share_at_least``, as
        `unison.experiments.fig02_traces.turn_counts` has them.

    Returns
    -------
    matplotlib.figure.Figure
    """
    most = float(data["turns"].max())
    with figure_style():
        figure, members, panels = workload_grid(data)
        for title, axes in panels.items():
            for name in members[title]:
                rows = data[data["corpus"] == name]
                median = np.median(np.repeat(rows["turns"], rows["sessions"]))
                label = f"{name.rpartition('-')[2] if len(members[title]) > 1 else name}, median {median:g}"
                turns = np.concatenate(([1], rows["turns"]))
                share = np.concatenate(([1.0], rows["share_at_least"]))
                axes.step(turns, share, where="pre", color=model_colour(name), label=label)
            ticks = [tick for tick in _TICKS if tick <= most]
            log_x(axes, ticks, [f"{tick:g}" for tick in ticks])
            axes.set_xlim(1, most * 1.1)
            axes.set_ylim(0, 1.02)
            percent_y(axes)
            axes.set_xlabel("Turns")
            axes.legend(loc="lower left", handlelength=1.2, borderaxespad=0.2)
        next(iter(panels.values())).set_ylabel("Sessions with at least as many [%]")
        return figure
