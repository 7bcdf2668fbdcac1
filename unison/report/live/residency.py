"""Residency, live: a line a session, coloured by the tier it sat in, with losses, misses and hits marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unison.report.live.svg import INK, PAPER, WIDTH, area, beside, dots, heading, line, picture, ticks, words
from unison.report.plots.residency import LOSSES, LOST_COLOUR, PLACE_COLOURS, session_order

_Number = TypeVar("_Number", float, NDArray[np.float64])

MOST_MARKS = 300
"""Marks of one kind in a panel; where there are more, they would hide the places and are only counted."""

OVER_STYLE = {"fill": INK, "fill_opacity": 0.55}
"""How places held by sessions that are over look, in any theme."""

TALL = {"sram": 0.84, "hbm": 0.5, "host": 0.25}
"""Height of a tier's boxes as a share of a line, so that tiers are told apart without colours."""

_LEFT, _RIGHT, _TOP, _BOTTOM = 46.0, 10.0, 66.0, 40.0
_LEAST_ROW, _MOST_ROW, _WANTED = 4.0, 14.0, 460.0
_NAME_ROW = 12.5
_AWAY = {"stroke_opacity": 0.4, "stroke_width": 1.5}
_NOW = {"stroke_width": 1.5, "stroke_dasharray": "3 3"}


def live_residency(data: pd.DataFrame, *, policies: Sequence[str], at_s: float) -> str:
    """Where each session sat, a panel a policy; sessions from top to bottom as they started.

    Parameters
    ----------
    data : pandas.DataFrame
        Of `unison.experiments.residency.residency`, the policies one below the other.
    policies : sequence of str
        The panels from left to right.
    at_s : float
        Instant that is marked, from which the time axis counts [s].

    Returns
    -------
    str
        HTML: the legend, and an SVG a policy.
    """
    if data.empty:
        return "<p>No session is there in this window: choose another instant or a longer window.</p>"
    scale = _Scale.of(data, at_s)
    panels = [_panel(data[data["policy"] == policy], policy, scale) for policy in policies]
    return beside(panels, _keys([place for place in PLACE_COLOURS if place in set(data["place"])]))


@dataclass(frozen=True)
class _Scale:
    """Where a session and a time are in a panel; the same in all panels of a picture."""

    sessions: list[int]
    at_s: float
    from_s: float
    until_s: float

    @staticmethod
    def of(data: pd.DataFrame, at_s: float) -> _Scale:
        return _Scale(session_order(data), at_s, data["start_s"].min() - at_s, data["end_s"].max() - at_s)

    @property
    def row(self) -> float:
        """Height of a session's line."""
        return min(_MOST_ROW, max(_LEAST_ROW, _WANTED / len(self.sessions)))

    @property
    def bottom(self) -> float:
        return _TOP + self.row * len(self.sessions)

    @property
    def mark(self) -> float:
        """Half the size of a mark."""
        return min(3.5, 0.4 * self.row)

    def x(self, time_s: _Number) -> _Number:
        """Of times from the instant [s]."""
        share = (time_s - self.from_s) / (self.until_s - self.from_s)
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * share

    def y(self, position: _Number) -> _Number:
        """Middle of the lines of sessions, by their place in `sessions`."""
        return _TOP + self.row * (position + 0.5)


def _panel(rows: pd.DataFrame, policy: str, scale: _Scale) -> str:
    place = {session: float(position) for position, session in enumerate(scale.sessions)}
    y = scale.y(rows["session"].map(place).to_numpy(dtype=np.float64))
    left, right = (
        scale.x(rows[name].to_numpy(dtype=np.float64) - scale.at_s) for name in ("start_s", "end_s")
    )
    tier, event, over = rows["place"].to_numpy(), rows["event"].to_numpy(), rows["is_over"].to_numpy()
    stays = np.stack((left, right, y), axis=1)
    away = "".join(f"M{a:.1f} {h:.1f}H{b:.1f}" for a, b, h in stays[tier == "away"].tolist())
    parts = [*_axes(scale), line(away, **_AWAY)]
    for name, colour in PLACE_COLOURS.items():
        for chosen, look in (((tier == name) & ~over, {"fill": colour}), ((tier == name) & over, OVER_STYLE)):
            parts.append(area(_boxes(stays[chosen].tolist(), TALL[name] * scale.row), **look))
    kinds = {"evicted": np.isin(event, LOSSES), "misses": event == "miss", "hits": event == "hit"}
    where = {kind: stays[chosen][:, (0, 2)].tolist() for kind, chosen in kinds.items()}
    parts += _marks(where, scale.mark)
    counts = _counts(where)
    title = f"Which of {len(scale.sessions)} sessions sat where, and when it lost its place"
    return picture([heading(policy, counts), *parts], scale.bottom + _BOTTOM,
                   title=title, description=f"{policy}: {counts}.")  # fmt: skip


def _counts(where: dict[str, list[tuple[float, float]]]) -> str:
    """How many of each kind are in view; those with a star are not marked."""
    counts = [f"{len(points):,} {kind}{'*' * (len(points) > MOST_MARKS)}" for kind, points in where.items()]
    starred = " (*too many to mark)" if any(count.endswith("*") for count in counts) else ""
    return f"{', '.join(counts)} in view{starred}"


def _boxes(stays: Iterable[tuple[float, float, float]], height: float) -> str:
    """All boxes of one look as one path: from, to and middle of each."""
    return "".join(
        f"M{left:.1f} {y - height / 2:.1f}h{right - left:.1f}v{height:.1f}h{left - right:.1f}z"
        for left, right, y in stays
    )


def _marks(where: dict[str, list[tuple[float, float]]], half: float) -> list[str]:
    """A dot for a hit, a cross for a lost place, a ring for a miss."""
    lost, misses, hits = (points if len(points) <= MOST_MARKS else [] for points in where.values())
    return [
        dots(hits, 1.1 * half, INK),
        line("".join(_cross(x, y, half) for x, y in lost), stroke=LOST_COLOUR, stroke_width=2),
        dots(misses, 2 * half + 1, LOST_COLOUR),
        dots(misses, 2 * half - 2, PAPER),
    ]


def _cross(x: float, y: float, half: float) -> str:
    wide = 2 * half
    return f"M{x - half:.1f} {y - half:.1f}l{wide:.1f} {wide:.1f}m0 {-wide:.1f}l{-wide:.1f} {wide:.1f}"


def _axes(scale: _Scale) -> list[str]:
    """Session numbers, of many sessions every other or fewer; the time below; the instant."""
    step = int(-(-_NAME_ROW // scale.row))
    parts = [words(0, _TOP - 12, "Session")]
    for position in range(0, len(scale.sessions), step):
        height = scale.y(float(position))
        parts.append(words(_LEFT - 6, height, str(scale.sessions[position]), text_anchor="end"))
    below = scale.bottom
    parts.append(line(f"M{_LEFT} {below:.1f}H{WIDTH - _RIGHT}"))
    for time_s in ticks(scale.from_s, scale.until_s):
        x = scale.x(time_s)
        parts.append(line(f"M{x:.1f} {below:.1f}v4"))
        parts.append(
            words(min(x, WIDTH - 14), below + 12, f"{time_s:g}".replace("-", "−"), text_anchor="middle")
        )
    middle = (_LEFT + WIDTH - _RIGHT) / 2
    parts.append(words(middle, below + 30, "Time from the instant [s]", text_anchor="middle"))
    now = scale.x(0.0)
    parts.append(line(f"M{now:.1f} {_TOP - 4}V{below:.1f}", **_NOW))
    anchor = "start" if now < WIDTH / 4 else "end" if now > 3 * WIDTH / 4 else "middle"
    parts.append(
        words(now + 8 * (anchor == "start"), _TOP - 12, f"instant, {scale.at_s:,.1f} s", text_anchor=anchor)
    )
    return parts


def _keys(tiers: Sequence[str]) -> list[tuple[str, str]]:
    """The legend."""
    middle, box = [(8.0, 8.0)], [(0.0, 16.0, 8.0)]
    keys = [(area(_boxes(box, 14 * TALL[tier]), fill=PLACE_COLOURS[tier]), tier.upper()) for tier in tiers]
    over = area(_boxes(box, 8.0), **OVER_STYLE)
    return [
        *keys,
        (over, "over, not yet freed"),
        (line("M0 8H16", **_AWAY), "not resident"),
        (line(_cross(8, 8, 4), stroke=LOST_COLOUR, stroke_width=2), "evicted"),
        (dots(middle, 9, LOST_COLOUR) + dots(middle, 6, PAPER), "came back: miss"),
        (dots(middle, 4.4, INK), "came back: hit"),
        (line("M8 0V16", **_NOW), "instant of the ranking"),
    ]
