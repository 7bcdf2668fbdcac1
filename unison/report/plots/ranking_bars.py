"""Ranking bars, printed: the paused sessions at one instant by score, the next victim at the top."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from unison.report.plots.panels import SMALL_PT
from unison.report.plots.residency import OVER_COLOUR, PLACE_COLOURS, finish, fixed_margins
from unison.report.style import PAPER_WIDTH_IN, figure_style, new_figure, policy_look

MOST_SHOWN = 12
"""Sessions of a panel."""

_ROW_IN = 0.19
_FRAME_IN = 1.1
_LEAST_ROWS = 5
_ROOM = 1.75


def plot_ranking_bars(data: pd.DataFrame, *, policies: Sequence[str]) -> Figure:
    """Score of each paused session, a panel a policy, with the time until it really comes back.

    Parameters
    ----------
    data : pandas.DataFrame
        Of `unison.experiments.residency.victims`, the policies one below the other; the first
        `MOST_SHOWN` of each are drawn.
    policies : sequence of str
        The panels from left to right.

    Returns
    -------
    matplotlib.figure.Figure
    """
    shown = data[data["rank"] <= MOST_SHOWN]
    most = max([_LEAST_ROWS, *shown["rank"]])
    with figure_style(), fixed_margins():
        height = _ROW_IN * most + _FRAME_IN
        figure, panels = new_figure(2, height / PAPER_WIDTH_IN[2], cols=len(policies), squeeze=False)
        for policy, axes in zip(policies, panels.flat, strict=True):
            _draw(axes, shown[shown["policy"] == policy], most)
            axes.set_title(policy_look(policy).label)
        tiers = [place for place in PLACE_COLOURS if place in set(shown["place"])]
        keys = [Patch(color=PLACE_COLOURS[tier], label=tier.upper()) for tier in tiers]
        keys.append(Patch(color=OVER_COLOUR, label="endless score: over, for who sees it"))
        finish(figure, "Score, the largest goes first [s]", keys, left_in=0.8)
        return figure


def _draw(axes: Axes, rows: pd.DataFrame, most: int) -> None:
    scores = rows["score"].to_numpy(dtype=np.float64)
    finite = scores[np.isfinite(scores)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    high = high if high > low else low + 1.0
    widths = np.where(np.isfinite(scores), scores, high)
    places = np.arange(len(rows))
    colours = [
        PLACE_COLOURS[place] if np.isfinite(score) else OVER_COLOUR
        for place, score in zip(rows["place"], scores, strict=True)
    ]
    axes.barh(places, widths, color=colours, height=0.72)
    for place, width, back in zip(places, widths, rows["back_s"], strict=True):
        axes.annotate(
            "never back" if np.isnan(back) else f"back in {back:.3g} s",
            (max(float(width), 0.0), float(place)),
            xytext=(3, 0),
            textcoords="offset points",
            va="center",
            fontsize=SMALL_PT,
        )
    axes.set_yticks(places, [f"session {session}" for session in rows["session"]])
    axes.set_ylim(most - 0.4, -0.6)
    axes.set_xlim(low, low + _ROOM * (high - low))
    axes.grid(visible=False)
