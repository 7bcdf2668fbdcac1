"""Figure: where Spear with Tide beats LRU, over gap dispersion, capacity and what the session explains."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from unison.experiments.contenders import UNISON
from unison.experiments.fig08_surface import RIVALS
from unison.report.style import FONT_SIZE_PT, PAPER_WIDTH_IN, figure_style, new_figure, policy_look

SMALL_PT = FONT_SIZE_PT - 1.5
_SHARE_STYLES = {0.0: ("#9ECAE1", "nothing"), 0.5: ("#4292C6", "half"), 1.0: ("#08306B", "all")}


def surface_data(grid: pd.DataFrame) -> pd.DataFrame:
    """What the figure shows: gain over each rival [percentage points] at every grid point."""
    mine = grid[grid["policy"] == UNISON]
    frames = []
    for gain, rival in RIVALS.items():
        frame = mine[["dispersion", "session_share", "capacity_share"]].assign(rival=rival)
        for column, source in (("gain_pp", gain), ("low_pp", f"{gain}_low"), ("high_pp", f"{gain}_high")):
            frame[column] = 100 * mine[source]
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


@figure_style()
def plot_surface(data: pd.DataFrame, places: pd.DataFrame) -> Figure:
    """A panel for each capacity (columns) and rival (rows); lines by what the session explains.

    Parameters
    ----------
    data : pandas.DataFrame
        Of `surface_data`, rounded.
    places : pandas.DataFrame
        ``corpus`` and ``dispersion`` of measured corpora, marked below the panels.
    """
    capacities = sorted(set(data["capacity_share"]))
    rivals = list(dict.fromkeys(data["rival"]))
    height = 0.5 + 1.75 * len(rivals)
    figure, grid = new_figure(
        2,
        height / PAPER_WIDTH_IN[2],
        rows=len(rivals),
        cols=len(capacities),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for line, rival in enumerate(rivals):
        for column, capacity in enumerate(capacities):
            at = (data["rival"] == rival) & (data["capacity_share"] == capacity)
            _panel(grid[line][column], data[at], places)
            if line == 0:
                grid[line][column].set_title(f"{capacity:g} × live set")
        grid[line][0].set_ylabel(f"over {policy_look(rival).label}")
    figure.supylabel("gain in hit rate [pp]", fontsize=FONT_SIZE_PT)
    for axes in grid[-1]:
        axes.set_xlabel("sd of log gap")
    handles, labels = grid[0][0].get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="outside upper center",
        ncols=len(handles),
        title="share of that variance between sessions",
    )
    return figure


def _panel(axes: Axes, data: pd.DataFrame, places: pd.DataFrame) -> None:
    axes.axhline(0, color="#707070", linewidth=0.9)
    for share, rows in data.groupby("session_share"):
        colour, name = _SHARE_STYLES.get(float(share), ("#54278F", f"{share:g}"))
        axes.fill_between(rows["dispersion"], rows["low_pp"], rows["high_pp"], color=colour, alpha=0.2)
        axes.plot(rows["dispersion"], rows["gain_pp"], color=colour, marker="o", markersize=2.5, label=name)
    transform = axes.get_xaxis_transform()
    for _, place in places.iterrows():
        is_real = bool(place["is_real"])
        colour = "#D55E00" if is_real else "#999999"
        axes.plot(
            [place["dispersion"]], [0.03 if is_real else 0.09], marker="^" if is_real else "|",
            color=colour, markersize=4, transform=transform, clip_on=False, linestyle="none",
        )  # fmt: skip


def place_label(places: pd.DataFrame) -> str:
    """The key to the marks: which corpus lies at which spread."""
    ordered = places.sort_values("dispersion")
    parts = [
        f"{p['corpus']} {p['dispersion']:.2f}" for _, p in ordered.iterrows() if np.isfinite(p["dispersion"])
    ]
    return ", ".join(parts)
