"""The IP as blocks: boxes with their state, lines where one drives what another reads."""

from __future__ import annotations

from typing import Any, NamedTuple

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from unison.experiments.fig11_blocks import BLOCK, LINK, SOFTWARE
from unison.report.plots.panels import SMALL_PT
from unison.report.style import FONT_SIZE_PT, OKABE_ITO, PAPER_WIDTH_IN, figure_style, new_figure

_HEIGHT_IN = 3.5
_WIDTH, _HEIGHT = 100.0, 49.0
_TINY_PT = FONT_SIZE_PT - 2
_LETTERS = 24
"""That fit into an inner box at that size."""


class Box(NamedTuple):
    """A rectangle of the drawing: left, bottom, width, height."""

    left: float
    bottom: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.left + self.width

    @property
    def top(self) -> float:
        """Its upper edge."""
        return self.bottom + self.height

    @property
    def centre(self) -> tuple[float, float]:
        """Its middle."""
        return self.left + self.width / 2, self.bottom + self.height / 2


_PLACES = {
    SOFTWARE: Box(0, 6, 8.5, 42),
    "u_apb": Box(12, 6, 9, 37),
    "u_csr": Box(24.5, 6, 11, 42),
    "u_event_fifo": Box(39, 34, 11, 14),
    "u_response_fifo": Box(39, 6, 11, 14),
    "u_control": Box(53.5, 6, 11, 42),
    "u_table": Box(68, 37, 18.5, 11),
    "u_spear": Box(68, 17, 18.5, 17),
    "u_tide": Box(68, 6, 18.5, 8),
    "u_divider": Box(89.5, 21.5, 10.5, 9),
    "u_multiplier": Box(89.5, 6, 10.5, 13),
    "u_file": Box(89.5, 39.8, 10.5, 8.2),
    "u_file_scan": Box(89.5, 32, 10.5, 6.5),
    "u_sync": Box(80, 34.4, 8.5, 2.2),
}
"""Where blocks that variants have stand; any other one goes into the margin above."""

_NAMES = {
    SOFTWARE: "software", "u_apb": "APB", "u_csr": "registers", "u_event_fifo": "event FIFO",
    "u_response_fifo": "response FIFO", "u_control": "control", "u_table": "session table",
    "u_spear": "Spear",
    "u_tide": "Tide", "u_divider": "divider", "u_multiplier": "multiplier", "u_file": "Tide's file",
    "u_file_scan": "its scan", "u_sync": "sync", "u_rank": "rank", "u_select": "selection",
    "u_argmax": "argmax", "u_gap_term": "gap term", "u_penalty_term": "hazard term",
}  # fmt: skip
_COLOURS = {
    "u_table": OKABE_ITO["orange"], "u_file": OKABE_ITO["orange"], "u_spear": OKABE_ITO["vermillion"],
    "u_file_scan": OKABE_ITO["vermillion"], "u_tide": OKABE_ITO["blue"], "u_sync": OKABE_ITO["purple"],
    "u_control": OKABE_ITO["green"],
}  # fmt: skip
_OTHER_COLOUR = "#808080"
_SETTINGS = "u_csr"
"""Drives what is on the other side of the control: its lines run below the boxes."""
_LANE, _BUS, _INTERRUPT = 3.0, 66.2, 45.5
"""Height of that lane, where it rises behind the control, and the height of the interrupt's line."""
_TALL, _LOW = 8.0, 3.0
"""Heights of boxes from which a word takes a line of its own, and from which a name does."""


def plot_ip_blocks(data: pd.DataFrame, title: str) -> Figure:
    """Blocks from the bus on the left to the arithmetic on the right; boxes in a box are instances in it.

    Parameters
    ----------
    data : pandas.DataFrame
        Of `unison.experiments.fig11_blocks.ip_blocks`.
    title : str

    Returns
    -------
    matplotlib.figure.Figure
    """
    blocks = data[data["kind"] == BLOCK]
    links = data[data["kind"] == LINK]
    tops = [name for name in blocks["instance"] if "." not in name]
    places = _placed([SOFTWARE, *tops])
    pairs = sorted({(min(pair), max(pair)) for pair in zip(links["instance"], links["target"], strict=True)})
    with figure_style():
        figure, axes = new_figure(2, _HEIGHT_IN / PAPER_WIDTH_IN[2])
        for pair in pairs:
            _draw_link(axes, places, *pair)
        for name, box in places.items():
            inside = blocks[blocks["instance"].str.startswith(f"{name}.")]
            own = blocks[blocks["instance"] == name]
            _draw_box(axes, name, box, own, inside)
        axes.set_xlim(-1, _WIDTH + 1)
        axes.set_ylim(0, max(_HEIGHT, *(box.top + 1 for box in places.values())))
        axes.set_axis_off()
        axes.set_title(title)
        return figure


def _placed(names: list[str]) -> dict[str, Box]:
    """A box for each block; those without a place of their own stand in a row above all."""
    found = {name: _PLACES[name] for name in names if name in _PLACES}
    for at, name in enumerate(each for each in names if each not in _PLACES):
        found[name] = Box(16.0 * at, _HEIGHT + 1, 15, 6)
    return found


def _draw_box(axes: Axes, name: str, box: Box, own: pd.DataFrame, inside: pd.DataFrame) -> None:
    colour = _COLOURS.get(name, _OTHER_COLOUR)
    is_outside = name == SOFTWARE
    axes.add_patch(
        FancyBboxPatch(
            (box.left, box.bottom), box.width, box.height, boxstyle="round,pad=0,rounding_size=0.6",
            facecolor="white" if is_outside else _pale(colour), edgecolor=colour, linewidth=0.9,
            linestyle="--" if is_outside else "-", zorder=2, gid=name,
        )
    )  # fmt: skip
    label = _NAMES.get(name, name.removeprefix("u_"))
    if not inside.empty:
        axes.text(box.centre[0], box.top - 1.4, label, **_centred(SMALL_PT))
        _draw_inside(axes, box, inside, colour)
        return
    state = [] if own.empty else _state(own.iloc[0])
    if box.height >= _TALL:
        text = "\n".join([*label.split(), *state])
    else:
        text = ("\n" if box.height > _LOW else " ").join([label, " ".join(state)])
    axes.text(*box.centre, text, **_centred(SMALL_PT if box.height >= _TALL else _TINY_PT))


def _draw_inside(axes: Axes, box: Box, inside: pd.DataFrame, colour: str) -> None:
    """One row an instance, indented by its depth."""
    height = (box.height - 3.2) / len(inside)
    for at, row in enumerate(inside.to_dict("records")):
        path = str(row["instance"])
        indent = 0.9 * path.count(".")
        bottom = box.top - 2.6 - (at + 1) * height
        axes.add_patch(
            Rectangle(
                (box.left + indent, bottom + 0.15), box.width - indent - 0.6, height - 0.3, gid=path,
                facecolor="white", edgecolor=colour, linewidth=0.5, zorder=3,
            )
        )  # fmt: skip
        label = _NAMES.get(path.rpartition(".")[2], path.rpartition(".")[2].removeprefix("u_"))
        text = " ".join([label, *_state(row)])
        place = (box.left + indent + (box.width - indent - 0.6) / 2, bottom + height / 2)
        axes.text(*place, text, **_centred(_TINY_PT * min(1.0, _LETTERS / len(text))))


def _state(row: pd.Series | dict[str, object]) -> list[str]:
    """The bits of a block in registers and in memories, as far as it has some."""
    sizes = {"reg": int(str(row["register_bits"])), "mem": int(str(row["memory_bits"]))}
    return [f"{size:,} {kind}" for kind, size in sizes.items() if size]


def _draw_link(axes: Axes, places: dict[str, Box], first: str, second: str) -> None:
    left, right = sorted((places[first], places[second]), key=lambda box: (box.left, box.bottom))
    low, high = max(left.bottom, right.bottom), min(left.top, right.top)
    near, far = max(left.left, right.left), min(left.right, right.right)
    is_beside = high - low > 0.5 and right.left > left.right
    x: list[float]
    if {first, second} == {SOFTWARE, _SETTINGS}:
        x, y = [left.right, right.left], [_INTERRUPT] * 2
    elif _SETTINGS in (first, second) and right.left > _PLACES["u_control"].right:
        x = [left.centre[0], left.centre[0], _BUS, _BUS, right.left]
        y = [left.bottom, _LANE, _LANE, right.bottom + 1, right.bottom + 1]
    elif is_beside:
        x, y = [left.right, right.left], [(low + high) / 2] * 2
    elif far > near:
        x = [(near + far) / 2] * 2
        y = [min(left.top, right.top), max(left.bottom, right.bottom)]
    else:
        middle = (left.right + right.left) / 2
        x = [left.right, middle, middle, right.left]
        y = [left.centre[1]] * 2 + [right.centre[1]] * 2
    axes.plot(x, y, color="#404040", linewidth=0.9, zorder=1, gid=f"{first}-{second}")


def _pale(colour: str) -> str:
    parts = (int(colour[at : at + 2], 16) for at in (1, 3, 5))
    return "#" + "".join(f"{255 - (255 - part) // 6:02X}" for part in parts)


def _centred(size: float) -> dict[str, Any]:
    return {"ha": "center", "va": "center", "fontsize": size, "zorder": 4, "linespacing": 1.25}
