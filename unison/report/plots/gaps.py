"""Figure 2: how long sessions wait."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from unison.report.plots.panels import log_x, model_colour, percent_y, workload_grid
from unison.report.style import figure_style

_TICKS_S = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5)
_NAMES = ("1 ms", "10 ms", "0.1 s", "1 s", "10 s", "100 s", "1,000 s", "10,000 s", "100,000 s")
_SCARCE_TICKS = 7


def plot_gaps(data: pd.DataFrame) -> Figure:
    """Share of gaps up to a length, on a logarithmic axis, a panel a workload.

    Parameters
    ----------
    data : pandas.DataFrame
        ``corpus``, ``median_s``, ``gap_s``, ``share``, as `unison.experiments.fig02_traces.gap_cdf` has them.

    Returns
    -------
    matplotlib.figure.Figure
    """
    inside = data[(data["share"] > 0) & (data["share"] < 1)]["gap_s"]
    with figure_style():
        figure, members, panels = workload_grid(data)
        for title, axes in panels.items():
            for name in members[title]:
                rows = data[data["corpus"] == name]
                label = f"{name.rpartition('-')[2] if len(members[title]) > 1 else name}, median "
                label += _seconds(float(rows["median_s"].iloc[0]))
                axes.plot(rows["gap_s"], rows["share"], color=model_colour(name), label=label)
            shown = [(t, n) for t, n in zip(_TICKS_S, _NAMES, strict=True) if _near(t, inside)]
            step = 1 if len(shown) <= _SCARCE_TICKS and len(panels) > 1 else 2
            log_x(axes, [t for t, _ in shown[::step]], [n for _, n in shown[::step]])
            axes.set_xlim(inside.min() / 1.3, inside.max() * 1.3)
            axes.set_ylim(0, 1)
            percent_y(axes)
            axes.set_xlabel("Gap between turns")
            axes.legend(
                loc="lower right" if len(panels) == 1 else "upper left", handlelength=1.2, borderaxespad=0.2
            )
        next(iter(panels.values())).set_ylabel("Gaps up to this [%]")
        return figure


def _near(tick: float, inside: pd.Series) -> bool:
    return bool(inside.min() / 1.3 <= tick <= inside.max() * 1.3)


def _seconds(value: float) -> str:
    return f"{value:.1f} s" if value >= 1 else f"{1000 * value:.0f} ms"
