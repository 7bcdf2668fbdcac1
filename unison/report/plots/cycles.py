"""Latency of decisions and events against the number of slots, beside the paper's."""

from __future__ import annotations

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter

from unison.report.plots.panels import log_x
from unison.report.style import OKABE_ITO, PAPER_WIDTH_IN, figure_style, new_figure

_HEIGHT_IN = 3.1
_LOOKS = (
    (OKABE_ITO["vermillion"], "o"), (OKABE_ITO["blue"], "s"), (OKABE_ITO["green"], "D"),
    (OKABE_ITO["purple"], "v"), (OKABE_ITO["orange"], "^"), (OKABE_ITO["sky"], "P"),
)  # fmt: skip
_PAPER = {"mean": ("black", "X"), "worst": ("black", "1")}


def plot_cycles(data: pd.DataFrame, paper: pd.DataFrame, *, extra_cycles: int, clock_mhz: float) -> Figure:
    """A panel for each thing timed; lines are means, dashed ones the worst; the paper's points in each.

    Parameters
    ----------
    data : pandas.DataFrame
        ``variant``, ``sessions``, ``what``, ``mean_us``, ``worst_us``. Variants whose numbers are the same
        everywhere are one line.
    paper : pandas.DataFrame
        ``sessions``, ``statistic``, ``us``.
    extra_cycles : int
        Clock cycles that the paper gives a scan beyond one for each slot.
    clock_mhz : float

    Returns
    -------
    matplotlib.figure.Figure
    """
    timed = list(dict.fromkeys(data["what"]))
    sizes = sorted(set(data["sessions"]))
    groups = _alike(data)
    with figure_style():
        figure, grid = new_figure(
            2, _HEIGHT_IN / PAPER_WIDTH_IN[2], cols=len(timed), sharex=True, sharey=True, squeeze=False
        )
        for axes, what in zip(grid.flat, timed, strict=True):
            for at, names in enumerate(groups):
                _draw(axes, data[(data["what"] == what) & (data["variant"] == names[0])], names, at)
            scan = [(n + extra_cycles) / clock_mhz for n in sizes]
            axes.plot(
                sizes, scan, color="black", linewidth=0.9, linestyle=":", label=f"(N + {extra_cycles}) / f"
            )
            for statistic, (colour, marker) in _PAPER.items():
                own = paper[paper["statistic"] == statistic]
                axes.plot(
                    own["sessions"], own["us"], linestyle="none", marker=marker, color=colour, markersize=6,
                    label=f"paper, {statistic}",
                )  # fmt: skip
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
            log_x(axes, sizes, [str(n) for n in sizes])
            axes.set_title(what)
            axes.set_xlabel("Slots N, log axis")
        grid.flat[0].set_ylabel(f"Latency at {clock_mhz:g} MHz [µs], log axis\nline: mean, dashed: worst")
        handles, labels = grid.flat[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside lower center", ncols=4, columnspacing=1.3)
        return figure


def _draw(axes: Axes, rows: pd.DataFrame, names: list[str], at: int) -> None:
    colour, marker = _LOOKS[at % len(_LOOKS)]
    rows = rows.sort_values("sessions")
    axes.plot(rows["sessions"], rows["mean_us"], color=colour, marker=marker, label=_label(names))
    axes.plot(rows["sessions"], rows["worst_us"], color=colour, linestyle="--", linewidth=0.8, marker="_")


def _alike(data: pd.DataFrame) -> list[list[str]]:
    """Variants, those with the same numbers together."""
    found: dict[tuple[tuple[object, ...], ...], list[str]] = {}
    for variant, rows in data.groupby("variant", sort=False):
        numbers = rows.sort_values(["what", "sessions"])[["what", "sessions", "mean_us", "worst_us"]]
        found.setdefault(tuple(numbers.itertuples(index=False, name=None)), []).append(str(variant))
    return list(found.values())


def _label(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} (all {len(names)} forms)"
