"""Figure 4, the policy's side: ASE against the number of slots."""

from __future__ import annotations

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, NullLocator

from unison.report.style import PAPER_WIDTH_IN, direct_labels, figure_style, new_figure, policy_look

_HEIGHT_IN = 2.4


def plot_slots(data: pd.DataFrame) -> Figure:
    """ASE with the range of the corpora, and the paper's points.

    Parameters
    ----------
    data : pandas.DataFrame
        ``slots``, ``ase``, ``least``, ``most``, ``paper`` (missing where the paper has none).

    Returns
    -------
    matplotlib.figure.Figure
    """
    look = policy_look("spear+tide")
    with figure_style():
        figure, axes = new_figure(1, _HEIGHT_IN / PAPER_WIDTH_IN[1])
        axes.set_xscale("log", base=2)
        axes.fill_between(
            data["slots"], data["least"], data["most"], color=look.color, alpha=0.18, linewidth=0
        )
        axes.plot(data["slots"], data["ase"], color=look.color, marker=look.marker, label="ours")
        known = data[data["paper"].notna()]
        if len(known):
            axes.plot(known["slots"], known["paper"], "ko:", markersize=3, linewidth=0.9, label="paper")
        ticks = data["slots"].tolist()
        axes.xaxis.set_major_locator(FixedLocator(ticks))
        axes.xaxis.set_minor_locator(NullLocator())
        axes.set_xticks(ticks, [str(tick) for tick in ticks])
        axes.set_ylim(0, 1.08)
        axes.set_xlabel("Session slots N, log axis; band: range over the corpora")
        axes.set_ylabel("ASE, 1 at the most slots")
        if len(known):
            axes.legend(loc="lower right")
        else:
            direct_labels(axes)
        return figure
