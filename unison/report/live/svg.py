"""SVG inside a page: shapes, words and axes as text, in the page's own ink so that any theme reads well."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape

from unison.report.style import policy_look

WIDTH = 480
"""Width of a panel in its own units; the page scales it to the room that it has."""

FONT = 12
"""Size of words, in the same units."""

INK = "currentColor"
"""Colour of words, axes and marks: that of the text around the picture."""

PAPER = "var(--jp-layout-color0, Canvas)"
"""Colour of the page behind the picture."""

_STEPS = (1.0, 2.0, 5.0, 10.0)
_SWATCH = 16


def tag(name: str, content: str = "", /, **attributes: object) -> str:
    """An element; an underscore in an attribute's name stands for a hyphen.

    Parameters
    ----------
    name : str
        As ``path``.
    content : str
        Markup inside it.
    **attributes
        Numbers are written with two digits after the point.
    """
    pairs = "".join(f' {key.replace("_", "-")}="{_value(value)}"' for key, value in attributes.items())
    return f"<{name}{pairs}>{content}</{name}>"


def words(x: float, y: float, text: str, **attributes: object) -> str:
    """Text whose middle is at a height, from `x` to the right unless ``text_anchor`` says otherwise."""
    return tag("text", escape(text), x=x, y=y, dy="0.35em", fill=INK, **attributes)


def line(d: str, **attributes: object) -> str:
    """A path that is not filled, in the page's ink unless ``stroke`` says otherwise; empty without a path."""
    return tag("path", **({"d": d, "fill": "none", "stroke": INK} | attributes)) if d else ""


def area(d: str, **attributes: object) -> str:
    """A filled path; empty without a path."""
    return tag("path", **({"d": d} | attributes)) if d else ""


def dots(points: Iterable[tuple[float, float]], size: float, colour: str) -> str:
    """Round dots of one colour as one path."""
    d = "".join(f"M{x:.1f} {y:.1f}h0" for x, y in points)
    return line(d, style=f"stroke:{colour}", stroke_width=size, stroke_linecap="round")


def picture(parts: Iterable[str], height: float, *, title: str, description: str) -> str:
    """A panel, `WIDTH` wide, with what a screen reader says of it.

    Parameters
    ----------
    parts : iterable of str
        Elements from back to front.
    height : float
        In the same units as the width.
    title, description : str
        What it is; what it shows.
    """
    told = tag("title", escape(title)) + tag("desc", escape(description))
    return tag(
        "svg",
        told + "".join(parts),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height:.0f}",
        role="img",
        font_size=FONT,
        font_family="sans-serif",
        style=f"flex:1 1 400px;min-width:0;max-width:{1.5 * WIDTH:.0f}px;height:auto;overflow:visible",
    )


def heading(policy: str, told: str) -> str:
    """The first two lines of a panel: the policy's colour and name, here and in commands; what is counted."""
    look = policy_look(policy)
    chip = tag("rect", x=1, y=6, width=12, height=12, fill=look.color, stroke=INK, stroke_width=0.7)
    full = look.label if look.label.lower() == policy else f"{look.label} ({policy})"
    name = tag("tspan", escape(full), font_weight="bold", font_size=FONT + 2)
    return chip + tag("text", name, x=20, y=12, dy="0.35em", fill=INK) + words(20, 30, told)


def beside(panels: Sequence[str], keys: Sequence[tuple[str, str]] = ()) -> str:
    """Panels beside one another, one below the other where the page is narrow, with a legend above.

    Parameters
    ----------
    panels : sequence of str
        Of `picture`.
    keys : sequence of (str, str)
        Elements within 16 x 16 units, and what they stand for.
    """
    row = "display:flex;flex-wrap:wrap;line-height:1.4"
    legend = "".join(
        tag("span", _swatch(mark) + escape(text), style="white-space:nowrap") for mark, text in keys
    )
    return tag("div", legend, style=f"{row};gap:2px 16px") + tag(
        "div", "".join(panels), style=f"{row};gap:8px 20px"
    )


def ticks(low: float, high: float, most: int = 8) -> list[float]:
    """Round numbers from `low` to `high`, a step of 1, 2 or 5 times a power of ten apart; at most `most`."""
    if not high > low:
        return [low]
    rough = (high - low) / most
    scale = 10.0 ** math.floor(math.log10(rough))
    step = next(scale * step for step in _STEPS if scale * step >= rough)
    return [n * step for n in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _swatch(mark: str) -> str:
    return tag(
        "svg",
        mark,
        viewBox=f"0 0 {_SWATCH} {_SWATCH}",
        width=_SWATCH,
        height=_SWATCH,
        aria_hidden="true",
        style="vertical-align:-3px;margin-right:5px",
    )


def _value(value: object) -> str:
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else escape(str(value))
