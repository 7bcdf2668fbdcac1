"""What stands in the place of a figure whose data could not be made here."""

from __future__ import annotations

import textwrap

from matplotlib.figure import Figure

from unison.report.style import figure_style, new_figure

_LINE = 70


def plot_skipped(reason: str) -> Figure:
    """A frame that says SKIPPED and why.

    Parameters
    ----------
    reason : str
    """
    with figure_style():
        figure, axes = new_figure(2, 0.2)
        axes.set_xticks([])
        axes.set_yticks([])
        axes.grid(visible=False)
        text = textwrap.fill(f"SKIPPED: {reason}", _LINE)
        axes.text(0.5, 0.5, text, ha="center", va="center", transform=axes.transAxes)
        return figure
