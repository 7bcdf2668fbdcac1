"""Explorer: drop-down lists over a pure function that draws a figure, for a notebook that is open."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets as widgets
from matplotlib.figure import Figure

from unison.report.style import figure_style


def explorer(draw: Callable[..., Figure], **choices: Sequence[Any]) -> widgets.VBox:
    """A control that redraws when another value is chosen.

    Make it the last expression of a cell of its own: it is left out of what is rendered, so that the cell
    before it shows a saved picture.

    Parameters
    ----------
    draw : callable
        ``draw(**chosen) -> Figure``, without side effects.
    **choices : sequence
        Values of each argument of `draw`; the first is drawn at once.

    Returns
    -------
    ipywidgets.VBox
        The drop-down lists, and below them the picture.
    """
    lists = {
        name: widgets.Dropdown(options=list(values), description=name) for name, values in choices.items()
    }
    picture = widgets.Image(format="png", layout=widgets.Layout(max_width="100%"))

    def redraw(_: object = None) -> None:
        picture.value = figure_png(draw(**{name: box.value for name, box in lists.items()}))

    for box in lists.values():
        box.observe(redraw, names="value")
    redraw()
    return widgets.VBox([widgets.HBox(list(lists.values())), picture])


def figure_png(figure: Figure) -> bytes:
    """The figure as PNG."""
    buffer = io.BytesIO()
    with figure_style():
        figure.savefig(buffer, format="png", dpi=130)
    return buffer.getvalue()
