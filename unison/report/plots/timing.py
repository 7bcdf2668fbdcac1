"""A timing diagram: levels and buses of a simulation against clock cycles, in the form of WaveDrom."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from unison.report.plots.panels import SMALL_PT
from unison.report.style import OKABE_ITO, PAPER_WIDTH_IN, figure_style, new_figure

_ROW_IN = 0.235
_LEVEL = 0.6
"""Height of a high level, of the distance between rows."""
_SLOPE = 0.12
"""Width of an edge [clock cycles]."""
_INK, _FAINT, _HIGH = "#202020", "#DDDDDD", "#D6EAF7"
_SPAN_COLOURS = (OKABE_ITO["green"], OKABE_ITO["vermillion"], OKABE_ITO["blue"])
_LETTERS = 2.5
"""That fit into a clock cycle of a bus; a longer text has no frame."""


def plot_timing(data: pd.DataFrame, spans: Mapping[str, tuple[int, int]]) -> Figure:
    """A row for the clock and for each signal, and above them what is counted.

    Parameters
    ----------
    data : pandas.DataFrame
        ``cycle``, ``signal``, ``label``, ``is_bus``, ``value``, ``text`` (what a bus shows; missing where it
        says nothing), of every cycle.
    spans : mapping of str to (int, int)
        First and last clock cycle of what is counted, by its text.

    Returns
    -------
    matplotlib.figure.Figure
    """
    first, last = int(data["cycle"].min()), int(data["cycle"].max())
    signals = list(dict.fromkeys(data["signal"]))
    rows = len(signals) + 1 + len(spans)
    with figure_style():
        figure, axes = new_figure(2, (rows * _ROW_IN + 0.35) / PAPER_WIDTH_IN[2])
        for cycle in range(first, last + 2):
            axes.plot([cycle, cycle], [-len(signals) - 0.2, 1], color=_FAINT, linewidth=0.5, zorder=0)
        _draw_clock(axes, first, last)
        labels = ["clock"]
        for at, signal in enumerate(signals, start=1):
            own = data[data["signal"] == signal].sort_values("cycle")
            labels.append(str(own["label"].iloc[0]))
            (_draw_bus if own["is_bus"].iloc[0] else _draw_level)(axes, own, -at)
        for at, (text, span) in enumerate(spans.items()):
            _draw_span(axes, text, span, 1.1 + (len(spans) - 1 - at), _SPAN_COLOURS[at % len(_SPAN_COLOURS)])
        axes.set_yticks([_LEVEL / 2 - at for at in range(len(labels))], labels)
        axes.set_xticks(
            [cycle + 0.5 for cycle in range(first, last + 1)], list(map(str, range(first, last + 1)))
        )
        axes.tick_params(length=0)
        axes.spines[:].set_visible(False)
        axes.grid(visible=False)
        axes.set_xlim(first, last + 1)
        axes.set_ylim(-len(signals) - 0.2, 1.2 + len(spans))
        axes.set_xlabel("Clock cycles since the bus transfer began")
        return figure


def _draw_clock(axes: Axes, first: int, last: int) -> None:
    x: list[float] = []
    y: list[float] = []
    for cycle in range(first, last + 1):
        x += [cycle, cycle, cycle + 0.5, cycle + 0.5, cycle + 1]
        y += [0, _LEVEL, _LEVEL, 0, 0]
    axes.plot(x, y, color=_INK, linewidth=0.9, gid="clock")


def _draw_level(axes: Axes, rows: pd.DataFrame, foot: float) -> None:
    x: list[float] = []
    y: list[float] = []
    for cycle, value in zip(rows["cycle"], rows["value"], strict=True):
        x += [cycle + _SLOPE, cycle + 1]
        y += [foot + _LEVEL * value] * 2
    x[0] -= _SLOPE
    axes.plot(x, y, color=_INK, linewidth=1.1, gid=str(rows["signal"].iloc[0]))
    for cycle in rows.loc[rows["value"] == 1, "cycle"]:
        axes.fill_between([cycle, cycle + 1], foot, foot + _LEVEL, color=_HIGH, linewidth=0)


def _draw_bus(axes: Axes, rows: pd.DataFrame, foot: float) -> None:
    """Hexagons with what the bus says; a line at half height where it says nothing."""
    middle = foot + _LEVEL / 2
    axes.plot(
        [rows["cycle"].min(), rows["cycle"].max() + 1], [middle, middle], color="#A0A0A0", linewidth=0.7,
        zorder=0.8, gid=str(rows["signal"].iloc[0]),
    )  # fmt: skip
    for text, start, end in _runs(rows):
        is_inside = len(text) <= _LETTERS * (end - start)
        if is_inside:
            x = [start, start + _SLOPE, end - _SLOPE, end, end - _SLOPE, start + _SLOPE, start]
            y = [middle, foot + _LEVEL, foot + _LEVEL, middle, foot, foot, middle]
            axes.fill(x, y, facecolor="white", edgecolor=_INK, linewidth=0.8, zorder=1)
        axes.text(
            (start + end) / 2, middle, text, ha="center", va="center", fontsize=SMALL_PT - 0.5, zorder=2,
            bbox=None if is_inside else {"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )  # fmt: skip


def _runs(rows: pd.DataFrame) -> list[tuple[str, int, int]]:
    """Stretches of clock cycles in which a bus shows one text: the text, the first and the end."""
    found: list[tuple[str, int, int]] = []
    for cycle, text in zip(rows["cycle"].tolist(), rows["text"].tolist(), strict=True):
        if not isinstance(text, str):
            continue
        if found and found[-1][0] == text and found[-1][2] == cycle:
            found[-1] = (text, found[-1][1], cycle + 1)
        else:
            found.append((text, cycle, cycle + 1))
    return found


def _draw_span(axes: Axes, text: str, span: tuple[int, int], height: float, colour: str) -> None:
    start, end = span[0], span[1] + 1
    middle = height + _LEVEL / 2
    axes.annotate(
        "", (end, middle), (start, middle), gid="span",
        arrowprops={"arrowstyle": "|-|,widthA=0.25,widthB=0.25", "color": colour, "linewidth": 1.1,
                    "shrinkA": 0, "shrinkB": 0},
    )  # fmt: skip
    is_inside = len(text) < 3 * (end - start)
    place = ((start + end) / 2, "center") if is_inside else (end + 0.3, "left")
    axes.text(
        place[0], middle, text, ha=place[1], va="center", color=colour, fontsize=SMALL_PT,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.0},
    )  # fmt: skip
