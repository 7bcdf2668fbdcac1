"""Figure 3: hit rate, and what it gains on LRU, against capacity."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure

from unison.report.plots.panels import corpus_grid, legend_above, log_x, percent_y, y_from
from unison.report.style import figure_style, policy_line, policy_look

_TICKS = (0.125, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0)
_NAMES = ("⅛", "¼", "½", "1", "2", "4", "8", "16")


def plot_hit_rate(data: pd.DataFrame) -> Figure:
    """Hit rate against capacity over the live working set, a panel a corpus, a line a policy.

    Parameters
    ----------
    data : pandas.DataFrame
        As `unison.experiments.tab02_views.hit_rate_curves` returns it.

    Returns
    -------
    matplotlib.figure.Figure
    """
    with figure_style():
        figure, _ = _lines(data, "hit_rate", "Hit rate [%]", bottom=0.0)
        return figure


def plot_gain(data: pd.DataFrame) -> Figure:
    """Hit rate less LRU's against capacity over the live working set, with its interval as a band; the
    arguments are those of `plot_hit_rate`.
    """
    with figure_style():
        figure, panels = _lines(data, "hit_gain", "Gain over LRU [% points]", bottom=None)
        for name, axes in panels.items():
            for policy, rows in data[data["corpus"] == name].groupby("policy", sort=False):
                axes.fill_between(
                    rows["live_share"], rows["gain_low"], rows["gain_high"],
                    color=policy_look(str(policy)).color, alpha=0.18, linewidth=0, zorder=0.6,
                )  # fmt: skip
            axes.axhline(0, color="black", linewidth=0.7, zorder=0.5)
        return figure


def _lines(data: pd.DataFrame, column: str, label: str, *, bottom: float | None) -> tuple[Figure, dict]:
    figure, panels = corpus_grid(data)
    low, high = float(data["live_share"].min()), float(data["live_share"].max())
    ticks = [(t, n) for t, n in zip(_TICKS, _NAMES, strict=True) if low / 1.05 <= t <= high * 1.05]
    for name, axes in panels.items():
        for policy, rows in data[data["corpus"] == name].groupby("policy", sort=False):
            axes.plot(rows["live_share"], rows[column], **policy_line(str(policy)), markersize=3)
        log_x(axes, [t for t, _ in ticks], [n for _, n in ticks])
        axes.set_xlim(low / 1.1, high * 1.1)
        percent_y(axes)
    y_from(list(panels.values()), bottom)
    figure.supxlabel("Capacity over the mean live working set", fontsize="medium")
    figure.supylabel(label, fontsize="medium")
    columns = data["policy"].nunique() if len(panels) > 1 else 2
    legend_above(figure, next(iter(panels.values())), columns)
    return figure, panels
