"""The one look of every figure: fonts, sizes, and a colour and marker for each policy.

A notebook or plotting function draws inside `figure_style`::

    with figure_style():
        figure, axes = new_figure(columns=1)
        axes.plot(x, y, **policy_line("lru"))
        direct_labels(axes)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

PAPER_WIDTH_IN = {1: 3.5, 2: 7.2}
"""Figure width [inch] by the number of text columns it spans."""

FONT_SIZE_PT = 8.0

OKABE_ITO = {
    "orange": "#E69F00",
    "sky": "#56B4E9",
    "green": "#009E73",
    "blue": "#0072B2",
    "vermillion": "#D55E00",
    "purple": "#CC79A7",
}
"""Colours told apart with any common colour vision (Okabe and Ito 2008); yellow is too pale for lines."""

_SPARE_COLOURS = ("#332288", "#117733", "#882255", "#999933", "#88CCEE", "#CC6677", "#44AA99")
_SPARE_MARKERS = ("p", "h", "8", "d", "<", ">", "*")

_RC: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "mathtext.fontset": "dejavusans",
    "font.size": FONT_SIZE_PT,
    "axes.titlesize": FONT_SIZE_PT,
    "axes.labelsize": FONT_SIZE_PT,
    "xtick.labelsize": FONT_SIZE_PT - 1,
    "ytick.labelsize": FONT_SIZE_PT - 1,
    "legend.fontsize": FONT_SIZE_PT - 1,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "axes.axisbelow": True,
    "axes.grid": True,
    "axes.grid.axis": "y",
    "axes.unicode_minus": True,
    "grid.color": "#DDDDDD",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.3,
    "lines.markersize": 4.0,
    "patch.linewidth": 0.0,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "figure.dpi": 150,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "white",
    "savefig.dpi": 200,
    "savefig.facecolor": "white",
    "savefig.bbox": None,
    "path.simplify": False,
    "svg.fonttype": "path",
    "svg.hashsalt": "unison",
    "axes.prop_cycle": cycler(color=list(OKABE_ITO.values())),
}


@dataclass(frozen=True)
class PolicyLook:
    """How one policy looks in every figure.

    Attributes
    ----------
    label : str
        Name in legends and tables, as in the paper.
    color, marker, linestyle : str
        matplotlib values.
    """

    label: str
    color: str
    marker: str
    linestyle: str


_LOOKS = {
    "lru": PolicyLook("LRU", "#707070", "o", "-"),
    "lru_completion": PolicyLook("LRU + completion", OKABE_ITO["green"], "s", "-"),
    "timeout": PolicyLook("Timeout", OKABE_ITO["orange"], "v", "-"),
    "agserve_eta": PolicyLook("AGSERVE ETA", OKABE_ITO["sky"], "^", "-"),
    "cachescout": PolicyLook("CacheScout", OKABE_ITO["purple"], "P", "-"),
    "spear": PolicyLook("Spear", OKABE_ITO["blue"], "D", "-"),
    "spear+tide": PolicyLook("Unison", OKABE_ITO["vermillion"], "X", "-"),
    "spear_idle_max": PolicyLook("Spear, idle (a)", "#003F5C", "p", "-."),
    "spear_idle_remaining": PolicyLook("Spear, idle (b)", "#2F6DB5", "h", "-."),
    "spear_idle_additive": PolicyLook("Spear, idle (c)", "#7A9FD0", "8", "-."),
    "cachescout_tools": PolicyLook("CacheScout (tools)", "#8A4A73", "*", "-."),
    "belady": PolicyLook("Bélády", "#000000", "1", "--"),
    "belady_size": PolicyLook("Bélády (size)", "#404040", "2", ":"),
}


@contextmanager
def figure_style() -> Iterator[None]:
    """The style, from matplotlib's own defaults, for the length of a ``with`` block.

    What the user has set in a matplotlibrc or earlier in the session neither leaks in nor is lost.
    """
    with mpl.rc_context():
        mpl.rcdefaults()
        settings: Any = mpl.rcParams
        settings.update(_RC)
        yield


def policy_look(name: str) -> PolicyLook:
    """The look of a policy, the same in every figure.

    Parameters
    ----------
    name : str
        A name of `unison.policies.registry`, or one with Tide, as ``"spear+tide"``.

    Returns
    -------
    PolicyLook
        For a name without a look of its own, one that depends on that name alone, so that adding a policy
        changes no other's.
    """
    if name in _LOOKS:
        return _LOOKS[name]
    digest = hashlib.sha256(name.encode()).digest()
    color = _SPARE_COLOURS[digest[0] % len(_SPARE_COLOURS)]
    marker = _SPARE_MARKERS[digest[1] % len(_SPARE_MARKERS)]
    return PolicyLook(name, color, marker, "-.")


def policy_line(name: str) -> dict[str, Any]:
    """The keyword arguments of ``Axes.plot`` for a policy: label, color, marker, linestyle."""
    look = policy_look(name)
    return {"label": look.label, "color": look.color, "marker": look.marker, "linestyle": look.linestyle}


def new_figure(
    columns: int = 1, aspect: float = 0.65, *, rows: int = 1, cols: int = 1, **options: Any
) -> tuple[Figure, Any]:
    """A figure outside pyplot's list, so that nothing shows it or has to close it.

    Parameters
    ----------
    columns : int
        Text columns it spans, 1 or 2 (`PAPER_WIDTH_IN`).
    aspect : float
        Height over width.
    rows, cols : int
        Grid of axes.
    **options
        Passed to ``Figure.subplots`` (``sharey`` and the like).

    Returns
    -------
    figure : matplotlib.figure.Figure
    axes : Axes, or an array of them
    """
    width = PAPER_WIDTH_IN[columns]
    figure = Figure(figsize=(width, width * aspect))
    return figure, figure.subplots(rows, cols, **options)


def direct_labels(axes: Axes, *, gap_pt: float = 4.0) -> None:
    """Write each labelled line's label beside its last point, in its colour, in place of a legend.

    Labels that would overlap are pushed apart. Call it last: limits are fixed from here on.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        Its lines whose label does not start with an underscore are named.
    gap_pt : float
        Distance from the last point [pt].
    """
    figure = axes.get_figure(root=True)
    assert figure is not None
    figure.draw_without_rendering()
    axes.set_autoscale_on(False)
    points_per_pixel = 72.0 / figure.dpi
    ends = []
    for line in axes.get_lines():
        xy = np.column_stack([np.asarray(c, dtype=float) for c in line.get_data(orig=False)])
        xy = xy[np.isfinite(xy).all(axis=1)]
        if len(xy) and not str(line.get_label()).startswith("_"):
            height_pt = float(axes.transData.transform(xy[-1])[1]) * points_per_pixel
            ends.append((height_pt, line, xy[-1]))
    ends.sort(key=lambda end: end[0])
    spread = _spread([end[0] for end in ends], FONT_SIZE_PT * 1.1)
    for (height_pt, line, point), wanted_pt in zip(ends, spread, strict=True):
        axes.annotate(
            str(line.get_label()),
            (float(point[0]), float(point[1])),
            xytext=(gap_pt, wanted_pt - height_pt),
            textcoords="offset points",
            color=line.get_color(),
            fontsize=FONT_SIZE_PT - 1,
            va="center",
            annotation_clip=False,
        )


def _spread(heights: list[float], least: float) -> list[float]:
    """Ascending heights moved as little as need be so that neighbours are at least `least` apart.

    Labels that touch form a block, centred on the mean of its own wishes.
    """
    blocks: list[list[float]] = []
    for height in heights:
        blocks.append([height])
        while len(blocks) > 1 and _top(blocks[-2], least) + least > _bottom(blocks[-1], least):
            last = blocks.pop()
            blocks[-1].extend(last)
    return [_bottom(block, least) + k * least for block in blocks for k in range(len(block))]


def _bottom(block: list[float], least: float) -> float:
    return sum(block) / len(block) - (len(block) - 1) * least / 2


def _top(block: list[float], least: float) -> float:
    return sum(block) / len(block) + (len(block) - 1) * least / 2
