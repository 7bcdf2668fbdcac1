"""Figures of what lies where: KV in HBM over time, and blocks moved to flash against blocks written there."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from unison.experiments.flash_cells import BASELINE, BOUND, LACHESIS, OURS, PLACED
from unison.report.flash_columns import placement_title
from unison.report.plots.flash import flash_line, flash_look
from unison.report.plots.panels import SMALL_PT, legend_above, percent_y
from unison.report.style import OKABE_ITO, figure_style, new_figure

_HOLDERS = {
    "reasoning": ("reasoning", OKABE_ITO["sky"]),
    "sub_agents": ("sub-agents", OKABE_ITO["green"]),
    "surviving": ("surviving output", OKABE_ITO["orange"]),
    "lead": ("leads", OKABE_ITO["vermillion"]),
}
_APART = 0.046
"""Least distance of two titles over the range of the axis that they stand along."""

_MIDST = (BASELINE, LACHESIS, PLACED, OURS, BOUND)
_SECONDS_PER_HOUR = 3600
_FAR = 0.6
_PASSES = 200
_CLEAR = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
"""Box behind a title that a line would cross."""


def plot_flash_occupancy(data: pd.DataFrame) -> Figure:
    """What HBM holds over the run, by class of segment: a panel a placement.

    Parameters
    ----------
    data : pandas.DataFrame
        ``policy, time_s``, and the shares of HBM ``reasoning, sub_agents, surviving, lead``.
    """
    policies = list(dict.fromkeys(data["policy"]))
    with figure_style():
        figure, grid = new_figure(2, 0.36, cols=len(policies), sharex=True, sharey=True, squeeze=False)
        for axes, policy in zip(grid[0], policies, strict=True):
            rows = data[data["policy"] == policy]
            labels, colors = zip(*_HOLDERS.values(), strict=True)
            shares = [rows[name] for name in _HOLDERS]
            axes.stackplot(
                rows["time_s"] / _SECONDS_PER_HOUR, *shares, labels=labels, colors=colors, linewidth=0
            )
            axes.set_title(placement_title(str(policy)))
            axes.set_xlabel("time [h]")
            axes.margins(x=0)
        percent_y(grid[0][0])
        grid[0][0].set_ylim(0, 1)
        grid[0][0].set_ylabel("HBM held by [%]")
        legend_above(figure, grid[0][0], len(_HOLDERS))
        return figure


def plot_flash_pareto(data: pd.DataFrame) -> Figure:
    """Bytes written to flash against bytes moved there from HBM; who never moves has a strip of its own.

    Parameters
    ----------
    data : pandas.DataFrame
        ``series, margin, flash_gb_per_s, moved_gb_per_s``; a series with margins is a line over them.
    """
    moving = data[data["moved_gb_per_s"] > 0]
    with figure_style():
        figure, (strip, plane) = new_figure(2, 0.5, cols=2, sharey=True, width_ratios=(1, 1.9))
        for series, rows in moving.groupby("series", sort=False):
            plane.plot(rows["moved_gb_per_s"], rows["flash_gb_per_s"], **flash_line(str(series)), zorder=3)
            _label_line(plane, str(series), rows.reset_index(drop=True))
        apart = _APART * float(np.ptp(data["flash_gb_per_s"]))
        _strip(strip, data[data["moved_gb_per_s"] == 0], apart)
        _levels(plane, data)
        plane.set_xlim(0, float(moving["moved_gb_per_s"].max()) * 1.12)
        plane.set_xlabel("moved from HBM to flash [GB/s]")
        plane.set_title("moves blocks")
        strip.set_title("never moves a block")
        strip.set_ylabel("written to flash [GB/s], moves included")
        strip.margins(y=0.08)
        return figure


def _levels(axes: Axes, data: pd.DataFrame) -> None:
    """Lines at what Lachesis and the bound write: the gap that is to be closed."""
    for series in (LACHESIS, BOUND):
        look = flash_look(series)
        for level in data.loc[data["series"] == series, "flash_gb_per_s"]:
            axes.axhline(level, color=look.color, linewidth=0.7, linestyle=":", zorder=1)
            if series == LACHESIS:
                axes.annotate(look.label, (1, level), xycoords=("axes fraction", "data"), xytext=(-2, 5),
                              textcoords="offset points", fontsize=SMALL_PT, color=look.color, ha="right",
                              va="center", fontweight="bold")  # fmt: skip


def _label_line(axes: Axes, series: str, rows: pd.DataFrame) -> None:
    """The title beside a point, or above the end of a line whose points bear their margins."""
    look = flash_look(series)
    bold = "bold" if series in _MIDST else "normal"
    for _, row in rows.iterrows():
        at = float(row["moved_gb_per_s"]), float(row["flash_gb_per_s"])
        is_line = not np.isnan(row["margin"])
        if is_line:
            axes.annotate(f"×{row['margin']:g}", at, xytext=(2, 7), textcoords="offset points",
                          fontsize=SMALL_PT - 1, color=look.color, ha="left", va="center")  # fmt: skip
        if not is_line or row["margin"] == rows["margin"].min():
            is_far = not is_line and at[0] > _FAR * axes.get_xlim()[1]
            offset, side = ((-7, 0), "right") if is_far else ((7, 0 if is_line else 6), "left")
            axes.annotate(look.label, at, xytext=offset, textcoords="offset points", fontsize=SMALL_PT,
                          color=look.color, ha=side, va="center", fontweight=bold, bbox=_CLEAR)  # fmt: skip


def _strip(axes: Axes, points: pd.DataFrame, apart: float) -> None:
    """Points one above the other, each with its title to the right, pushed apart and tied to its point."""
    points = points.sort_values("flash_gb_per_s")
    values = points["flash_gb_per_s"].to_numpy(dtype=np.float64)
    heights = _spread(values, apart)
    for series, value, height in zip(points["series"], values, heights, strict=True):
        look = flash_look(str(series))
        bold = "bold" if series in _MIDST else "normal"
        axes.plot([0.04], [value], color=look.color, marker=look.marker, linestyle="none", zorder=3)
        axes.plot([0.06, 0.14], [value, height], color=look.color, linewidth=0.5)
        axes.text(0.16, height, look.label, color=look.color if bold == "bold" else "#505050",
                  fontsize=SMALL_PT, va="center", fontweight=bold)  # fmt: skip
    axes.set_xlim(0, 1)
    axes.set_xticks([])
    axes.grid(visible=False)


def _spread(values: np.ndarray, apart: float) -> np.ndarray:
    """Heights at least `apart` from each other, as near to the rising values as one pass each way brings."""
    heights = values.copy()
    for _ in range(_PASSES):
        gaps = np.diff(heights)
        short = np.flatnonzero(gaps < apart - 1e-12)
        if not short.size:
            break
        for i in short:
            push = (apart - (heights[i + 1] - heights[i])) / 2
            if push > 0:
                heights[i] -= push
                heights[i + 1] += push
    return heights
