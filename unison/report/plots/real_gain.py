"""Figure: the gain in hit rate over LRU on real traces, against capacity."""

from __future__ import annotations

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from unison.report.style import direct_labels, new_figure, policy_line

MIN_SESSIONS = 10
PANELS_IN_ROW = 3
SHOWN = ("spear+tide", "lru_completion", "agserve_eta", "belady")


def real_gain_data(cells: pd.DataFrame) -> pd.DataFrame:
    """What the figure shows: gain over LRU with its interval [percentage points] by corpus and envelope.

    Corpora with fewer than `MIN_SESSIONS` sessions are left out: their intervals say nothing.
    """
    shown = cells["policy"].isin(SHOWN) & (cells["sessions"] >= MIN_SESSIONS)
    data = cells[shown][
        ["corpus", "envelope", "live_share", "policy", "hit_gain", "gain_low", "gain_high"]
    ].copy()
    for name in ("hit_gain", "gain_low", "gain_high"):
        data[name] *= 100
    return data.rename(columns={"hit_gain": "gain_pp", "gain_low": "low_pp", "gain_high": "high_pp"})


def plot_real_gain(data: pd.DataFrame) -> Figure:
    """A panel for each corpus, `PANELS_IN_ROW` in a row; bands are the intervals over sessions."""
    corpora = list(dict.fromkeys(data["corpus"]))
    cols = min(PANELS_IN_ROW, len(corpora))
    rows = -(-len(corpora) // cols)
    figure, grid = new_figure(columns=2, aspect=0.4 * rows, rows=rows, cols=cols, squeeze=False)
    panels = grid.ravel()
    for axes, corpus in zip(panels, corpora, strict=False):
        _draw_corpus(axes, corpus, data[data["corpus"] == corpus])
    for axes in panels[len(corpora) :]:
        axes.set_axis_off()
    for axes in grid[:, 0]:
        axes.set_ylabel("gain over LRU [pp of hit rate]")
    last = panels[len(corpora) - 1]
    last.set_xlim(right=last.get_xlim()[1] * 4)
    direct_labels(last)
    return figure


def _draw_corpus(axes: Axes, corpus: str, panel: pd.DataFrame) -> None:
    axes.axhline(0, color="#707070", linewidth=1.0)
    for policy in SHOWN:
        rows = panel[panel["policy"] == policy]
        look = policy_line(policy)
        axes.fill_between(
            rows["live_share"], rows["low_pp"], rows["high_pp"], color=look["color"], alpha=0.15
        )
        axes.plot(rows["live_share"], rows["gain_pp"], **look)
    axes.set_title(corpus.replace("_", " "))
    axes.set_xscale("log", base=2)
    marks = panel.drop_duplicates("envelope")
    axes.set_xticks(marks["live_share"], [name.removeprefix("x") for name in marks["envelope"]])
    axes.set_xticks([], minor=True)
    axes.set_xlabel("capacity / mean live tokens")


def real_gain_sentence(data: pd.DataFrame) -> str:
    """The alternative text: where the paper's system ends up against LRU on each corpus."""
    parts = []
    for corpus, rows in data[data["policy"] == "spear+tide"].groupby("corpus", sort=False):
        gains = rows["gain_pp"].to_numpy(dtype=np.float64)
        parts.append(f"{corpus}: {gains.min():+.1f} to {gains.max():+.1f} points")
    return "Gain in hit rate of Spear with Tide over LRU on real traces; " + "; ".join(parts)
