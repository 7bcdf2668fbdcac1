"""Residency, printed: a line a session, coloured by the tier it sat in, with evictions and misses marked."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.layout_engine import PlaceHolderLayoutEngine
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from unison.report.plots.panels import SMALL_PT
from unison.report.style import OKABE_ITO, PAPER_WIDTH_IN, figure_style, new_figure, policy_look

PLACE_COLOURS = {"sram": OKABE_ITO["blue"], "hbm": OKABE_ITO["sky"], "host": OKABE_ITO["green"]}
OVER_COLOUR = "#555555"
"""Places held by sessions that are over."""

LOST_COLOUR = OKABE_ITO["vermillion"]
"""Marks of evictions and misses."""

LOSSES = ("evicted", "dropped", "released")
"""Events that take a session's place."""

_AWAY_COLOUR = "#BBBBBB"
_HALF_BOX = 0.38
_ROW_IN = 0.085
_FRAME_IN = 1.0
_LEAST_IN = 2.4
_MOST_NAMED = 14


def plot_residency(data: pd.DataFrame, *, policies: Sequence[str], at_s: float) -> Figure:
    """Where each session sat, a panel a policy; sessions from top to bottom as they started.

    Parameters
    ----------
    data : pandas.DataFrame
        Of `unison.experiments.residency.residency`, the policies one below the other.
    policies : sequence of str
        The panels from left to right.
    at_s : float
        Instant that is marked, from which the time axis counts [s].

    Returns
    -------
    matplotlib.figure.Figure
    """
    sessions = session_order(data)
    line = {session: place for place, session in enumerate(sessions)}
    with figure_style(), fixed_margins():
        height = max(_LEAST_IN, _ROW_IN * len(sessions) + _FRAME_IN)
        figure, panels = new_figure(
            2, height / PAPER_WIDTH_IN[2], cols=len(policies), sharex=True, sharey=True, squeeze=False
        )
        for policy, axes in zip(policies, panels.flat, strict=True):
            _draw(axes, data[data["policy"] == policy], line, at_s)
            axes.set_title(policy_look(policy).label)
            axes.axvline(0, color="black", linewidth=0.8, linestyle=":")
            axes.grid(visible=False)
        _name_sessions(panels.flat[0], sessions)
        axes.set_xlim(data["start_s"].min() - at_s, data["end_s"].max() - at_s)
        finish(figure, f"Time from {at_s:,.1f} s [s]", _keys(data), left_in=0.5)
        return figure


def session_order(data: pd.DataFrame) -> list[int]:
    """Sessions as they are drawn from top to bottom: by when they are first seen."""
    return [int(s) for s in data.groupby("session")["start_s"].min().sort_values(kind="stable").index]


def fixed_margins() -> AbstractContextManager[None]:
    """Figures made within are not laid out by their contents: the margins are those of `finish`."""
    return mpl.rc_context({"figure.constrained_layout.use": False})


def finish(figure: Figure, label: str, keys: Sequence[Artist], *, left_in: float) -> None:
    """The label of the x axes, the legend, and the margins."""
    width, height = figure.get_size_inches()
    figure.set_layout_engine(PlaceHolderLayoutEngine(adjust_compatible=True, colorbar_gridspec=True))
    figure.subplots_adjust(
        left=left_in / width, right=1 - 0.1 / width, bottom=0.48 / height, top=1 - 0.52 / height,
        wspace=2.4 * left_in / (width - left_in),
    )  # fmt: skip
    figure.supxlabel(label, fontsize="medium", y=0.06 / height)
    figure.legend(handles=list(keys), loc="upper center", ncols=len(keys), columnspacing=1.2)


def _draw(axes: Axes, rows: pd.DataFrame, line: dict[int, int], at_s: float) -> None:
    shown = rows.assign(y=rows["session"].map(line), x=rows["start_s"] - at_s, until=rows["end_s"] - at_s)
    away = shown[shown["place"] == "away"]
    axes.hlines(away["y"], away["x"], away["until"], color=_AWAY_COLOUR, linewidth=0.8)
    for place, colour in PLACE_COLOURS.items():
        held = shown[shown["place"] == place]
        axes.add_collection(_boxes(held[~held["is_over"]], colour))
        axes.add_collection(_boxes(held[held["is_over"]], OVER_COLOUR))
    lost, missed = shown[shown["event"].isin(LOSSES)], shown[shown["event"] == "miss"]
    axes.plot(lost["x"], lost["y"], "x", color=LOST_COLOUR, markersize=3.5, markeredgewidth=1.0)
    axes.plot(
        missed["x"], missed["y"], "o", markerfacecolor="white", markeredgecolor=LOST_COLOUR, markersize=3
    )


def _boxes(stays: pd.DataFrame, colour: str) -> PolyCollection:
    """A box a stay: one collection draws hundreds many times faster than bars."""
    left, right, y = (stays[name].to_numpy(dtype=np.float64) for name in ("x", "until", "y"))
    top, bottom = y - _HALF_BOX, y + _HALF_BOX
    corners = np.stack((left, top, right, top, right, bottom, left, bottom), axis=-1).reshape(-1, 4, 2)
    return PolyCollection(list(corners), facecolors=colour, linewidths=0)


def _name_sessions(axes: Axes, sessions: Sequence[int]) -> None:
    """Ticks with session numbers, of many sessions every other or fewer; the oldest at the top."""
    step = -(-len(sessions) // _MOST_NAMED) or 1
    axes.set_yticks(range(0, len(sessions), step), [str(s) for s in sessions[::step]], fontsize=SMALL_PT - 1)
    axes.set_ylim(max(len(sessions), 1) - 0.4, -0.6)
    axes.set_ylabel("Session")


def _keys(data: pd.DataFrame) -> list[Artist]:
    tiers = [place for place in PLACE_COLOURS if place in set(data["place"])]
    keys: list[Artist] = [Patch(color=PLACE_COLOURS[tier], label=tier.upper()) for tier in tiers]
    keys.append(Patch(color=OVER_COLOUR, label="over, not yet freed"))
    keys.append(Line2D([], [], color=_AWAY_COLOUR, label="not resident"))
    keys.append(Line2D([], [], color=LOST_COLOUR, marker="x", linestyle="", label="evicted"))
    keys.append(
        Line2D([], [], marker="o", linestyle="", markerfacecolor="white", markeredgecolor=LOST_COLOUR,
               label="miss")
    )  # fmt: skip
    return keys
