"""Grids of panels, one a corpus or one a workload, and the looks that go with them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from unison.report.style import FONT_SIZE_PT, OKABE_ITO, PAPER_WIDTH_IN, new_figure

MOST_COLUMNS = 3
PANEL_HEIGHT_IN = 1.75
SINGLE_HEIGHT_IN = 2.6
SMALL_PT = FONT_SIZE_PT - 1

_MODEL_COLOURS = {
    "qwen3": OKABE_ITO["blue"],
    "devstral": OKABE_ITO["vermillion"],
    "gemma4": OKABE_ITO["green"],
}
_OTHER_COLOUR = OKABE_ITO["blue"]


def model_colour(corpus: str) -> str:
    """Colour of a synthetic corpus by its model, the same in every figure; one colour for any other."""
    return _MODEL_COLOURS.get(corpus.rpartition("-")[2], _OTHER_COLOUR)


def corpus_grid(data: pd.DataFrame, *, height_in: float = PANEL_HEIGHT_IN) -> tuple[Figure, dict[str, Axes]]:
    """A figure with one titled panel a corpus, three in a row, on common axes.

    Parameters
    ----------
    data : pandas.DataFrame
        Its column ``corpus`` gives the names and their order.
    height_in : float
        Height of a row [inch].

    Returns
    -------
    matplotlib.figure.Figure, dict of str to Axes
    """
    return _grid(list(dict.fromkeys(data["corpus"])), height_in)


def workload_grid(data: pd.DataFrame) -> tuple[Figure, dict[str, list[str]], dict[str, Axes]]:
    """A figure with one panel a workload (``swe``, ``gaia``), or one for a single corpus.

    Returns
    -------
    figure : matplotlib.figure.Figure
    members : dict of str to list of str
        Corpora of each panel.
    axes : dict of str to Axes
    """
    names = list(dict.fromkeys(data["corpus"]))
    members: dict[str, list[str]] = {}
    for name in names:
        members.setdefault(name.split("-")[0] if len(names) > 1 else name, []).append(name)
    figure, axes = _grid(list(members), SINGLE_HEIGHT_IN)
    for title, panel in axes.items():
        panel.set_title(title.upper() if len(names) > 1 else title)
    return figure, members, axes


def _grid(names: Sequence[str], height_in: float) -> tuple[Figure, dict[str, Axes]]:
    columns = min(MOST_COLUMNS, len(names))
    rows = math.ceil(len(names) / columns)
    span = 1 if columns == 1 else 2
    height = SINGLE_HEIGHT_IN if rows == columns == 1 else rows * height_in + 0.4
    figure, grid = new_figure(
        span, height / PAPER_WIDTH_IN[span], rows=rows, cols=columns, sharex=True, sharey=True, squeeze=False
    )
    panels = list(grid.flat)
    for unused in panels[len(names) :]:
        unused.set_visible(False)
    for position, panel in enumerate(panels[: len(names)]):
        panel.set_title(names[position])
        panel.tick_params(labelbottom=position + columns >= len(names))
    return figure, dict(zip(names, panels, strict=False))


def right_column(axes: dict[str, Axes]) -> list[Axes]:
    """The last panel of each row: where lines are labelled."""
    panels = list(axes.values())
    return [
        panel
        for i, panel in enumerate(panels)
        if i % MOST_COLUMNS == MOST_COLUMNS - 1 or i == len(panels) - 1
    ]


def log_x(axes: Axes, ticks: Sequence[float], labels: Sequence[str]) -> None:
    """A logarithmic x axis with written-out ticks and no minor ones."""
    axes.set_xscale("log")
    names = dict(zip(ticks, labels, strict=True))
    axes.xaxis.set_major_locator(FixedLocator(list(ticks)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: names.get(float(value), f"{value:g}")))


def y_from(panels: Sequence[Axes], bottom: float | None) -> None:
    """Common y limits of panels that share their axis, fitted to all of them, from `bottom` if given.

    Call it when everything is drawn: a limit set earlier would be the first panel's.
    """
    panels[0].autoscale_view()
    if bottom is not None:
        panels[0].set_ylim(bottom=bottom)


def legend_above(figure: Figure, axes: Axes, columns: int) -> None:
    """One legend for all panels above them, from the lines or bars of one."""
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, columnspacing=1.3)


def percent_y(axes: Axes) -> None:
    """Shares shown as percentages on the y axis; the unit belongs to the axis label."""
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{100 * value:.4g}"))
