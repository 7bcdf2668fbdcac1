"""Figure 2: what is live at once, which is what a cache would have to hold."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from unison.report.plots.panels import SMALL_PT, corpus_grid, model_colour, y_from
from unison.report.style import figure_style

_KILO = 1000.0
_S_PER_H = 3600.0


def plot_live_set(data: pd.DataFrame) -> Figure:
    """Tokens of all live sessions over the trace, with their mean over time.

    Parameters
    ----------
    data : pandas.DataFrame
        As `unison.experiments.fig02_traces.live_set` returns it.

    Returns
    -------
    matplotlib.figure.Figure
    """
    with figure_style():
        figure, panels = corpus_grid(data)
        for name, axes in panels.items():
            rows = data[data["corpus"] == name]
            tokens, mean = rows["live_tokens"] / _KILO, float(rows["mean_live_tokens"].iloc[0]) / _KILO
            colour = model_colour(name)
            axes.fill_between(rows["time_s"] / _S_PER_H, tokens, color=colour, alpha=0.15, linewidth=0)
            axes.plot(rows["time_s"] / _S_PER_H, tokens, color=colour, linewidth=0.9)
            axes.axhline(mean, color="black", linewidth=0.7, linestyle="--")
            axes.annotate(
                f"mean {mean:,.0f}",
                (1, mean),
                xycoords=("axes fraction", "data"),
                xytext=(-2, 2),
                textcoords="offset points",
                ha="right",
                va="bottom",
                fontsize=SMALL_PT,
                bbox={"boxstyle": "square,pad=0.1", "facecolor": "white", "alpha": 0.75},
            )
            axes.set_title(f"{name} (at most {int(rows['max_live'].iloc[0])} live)")
            axes.set_xlim(0, float(data["time_s"].max()) / _S_PER_H)
        y_from(list(panels.values()), 0)
        figure.supxlabel("Time since the first request [h]", fontsize="medium")
        figure.supylabel("Live tokens [thousands]", fontsize="medium")
        return figure
