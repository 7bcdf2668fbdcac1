"""Figure 4: why requests miss."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from unison.report.plots.panels import corpus_grid, legend_above
from unison.report.style import figure_style, policy_look

_CAUSES = {
    "first_turn": ("first turn", "#CFCFCF"),
    "shrunk_prefix": ("prefix shrunk", "#8A8A8A"),
    "bypassed": ("bypassed: no room", "#E6D2B5"),
    "timeout": ("dropped by timeout", "#B98A55"),
    "evicted": ("evicted while paused", "#6B4423"),
}
_ROW_IN = 0.21


def plot_miss_causes(data: pd.DataFrame) -> Figure:
    """Share of requests that miss, a bar a policy, split by cause; what no policy can avoid comes first.

    Parameters
    ----------
    data : pandas.DataFrame
        ``corpus``, ``policy``, ``cause``, ``share``, as `unison.experiments.tab02_views.miss_causes` has
        them; policies from top to bottom in their order.

    Returns
    -------
    matplotlib.figure.Figure
    """
    policies = list(dict.fromkeys(data["policy"]))
    places = np.arange(len(policies))
    with figure_style():
        figure, panels = corpus_grid(data, height_in=_ROW_IN * len(policies) + 0.35)
        for name, axes in panels.items():
            shares = data[data["corpus"] == name].pivot(index="policy", columns="cause", values="share")
            left = np.zeros(len(policies))
            for cause, (label, colour) in _CAUSES.items():
                width = shares[cause].reindex(policies).to_numpy()
                axes.barh(places, width, left=left, height=0.72, color=colour, label=label)
                left = left + width
            axes.set_yticks(places, [policy_look(policy).label for policy in policies])
            axes.set_ylim(len(policies) - 0.4, -0.6)
            axes.set_xlim(0, 1)
            axes.grid(visible=False, axis="y")
            axes.grid(visible=True, axis="x")
            axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.0f}"))
        figure.supxlabel("Requests that miss [%]", fontsize="medium")
        columns = len(_CAUSES) if len(panels) > 1 else 2
        legend_above(figure, next(iter(panels.values())), columns)
        return figure
