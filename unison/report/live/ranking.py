"""Ranking, live: the paused sessions at one instant by score, with who would lose its place next."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unison.report.live.residency import OVER_STYLE
from unison.report.live.svg import area, beside, heading, line, picture, words
from unison.report.plots.ranking_bars import MOST_SHOWN
from unison.report.plots.residency import PLACE_COLOURS
from unison.report.tables import Column

_NUMBER = Column("", is_mixed=True)
_LONG = 1e6
_SESSION, _ZERO, _FULL, _BACK, _NEXT = 48.0, 58.0, 218.0, 332.0, 342.0
_TOP, _ROW, _BAR = 72.0, 20.0, 13.0


def live_ranking(
    data: pd.DataFrame, *, policies: Sequence[str], units: Sequence[str], tiers: Sequence[str]
) -> str:
    """Score of each paused session, a panel a policy, with the time until it really comes back.

    Parameters
    ----------
    data : pandas.DataFrame
        Of `unison.experiments.residency.victims`, the policies one below the other. The first `MOST_SHOWN`
        of each are drawn, and the next to go from each tier.
    policies : sequence of str
        The panels from left to right.
    units : sequence of str
        Of each policy's scores.
    tiers : sequence of str
        Names of the tiers; a full one gives to the next, the last evicts.

    Returns
    -------
    str
        HTML: the legend, and an SVG a policy.
    """
    chosen = [_next_to_go(data[data["policy"] == policy], tiers) for policy in policies]
    most = max(1, *(int(_is_shown(rows).sum()) for rows in chosen))
    panels = [
        _panel(rows, policy, unit, most, tiers[-1])
        for rows, policy, unit in zip(chosen, policies, units, strict=True)
    ]
    seen = {place for rows in chosen for place in rows["place"]}
    box = "M0 2h16v12h-16z"
    keys = [(area(box, fill=colour), name.upper()) for name, colour in PLACE_COLOURS.items() if name in seen]
    if any(rows["score"].isna().any() for rows in chosen):
        keys.append((area(box, **OVER_STYLE), "endless score: over, for who sees it"))
    return beside(panels, keys)


def _next_to_go(rows: pd.DataFrame, tiers: Sequence[str]) -> pd.DataFrame:
    """The rows with ``next``: what happens to the largest score of each tier when that has to make room."""
    told = np.full(len(rows), "", dtype=object)
    endless = rows["score"].fillna(np.inf).to_numpy(dtype=np.float64)
    for tier in tiers:
        inside = (rows["place"] == tier).to_numpy()
        if inside.any():
            first = inside & (endless == endless[inside].max())
            fate = "evicted next" if tier == tiers[-1] else "demoted next"
            told[first] = fate if first.sum() == 1 else f"{fate} (tie)"
    return rows.assign(next=told)


def _is_shown(rows: pd.DataFrame) -> NDArray[np.bool_]:
    """The first `MOST_SHOWN`, and the first that something happens to."""
    is_first = (rows["next"] != "") & ~rows["next"].duplicated()
    shown: NDArray[np.bool_] = ((rows["rank"] <= MOST_SHOWN) | is_first).to_numpy(dtype=np.bool_)
    return shown


def _panel(rows: pd.DataFrame, policy: str, unit: str, most: int, last: str) -> str:
    shown = rows[_is_shown(rows)]
    counts = f"{len(rows)} paused"
    if len(shown) < len(rows):
        counts += f", {len(shown)} shown"
    if len(rows) and last not in set(rows["place"]):
        counts += f", nobody in {last.upper()} to be evicted"
    fates = [f"session {row.session}, {row.next}" for row in shown.itertuples() if row.next]
    parts = [heading(policy, counts)]
    if shown.empty:
        parts.append(words(0, _TOP, "Nobody is paused at this instant, so that nobody can go."))
    else:
        parts += _header(unit) + _bars(shown)
    return picture(parts, _TOP + _ROW * most, title="Who would lose its place next",
                   description=f"{policy}: {counts}. {'; '.join(fates)}")  # fmt: skip


def _header(unit: str) -> list[str]:
    y = _TOP - 17
    return [
        words(_SESSION, y, "Session", text_anchor="end"),
        words(_ZERO, y, f"Score [{unit}], largest first"),
        words(_BACK, y, "back in", text_anchor="end"),
    ]


def _bars(shown: pd.DataFrame) -> list[str]:
    scores = shown["score"].to_numpy(dtype=np.float64)
    finite = scores[np.isfinite(scores)]
    low, high = min([0.0, *finite]), max([0.0, *finite])
    span = high - low if high > low else 1.0
    zero = _ZERO + (_FULL - _ZERO) * -low / span
    parts = []
    for position, row in enumerate(shown.itertuples()):
        y = _TOP + _ROW * (position + 0.5) - 6
        endless = bool(np.isnan(row.score))
        end = _FULL if endless else zero + (_FULL - _ZERO) * row.score / span
        look = OVER_STYLE if endless else {"fill": PLACE_COLOURS[row.place]}
        parts.append(area(f"M{zero:.1f} {y - _BAR / 2:.1f}H{end:.1f}v{_BAR}H{zero:.1f}z", **look))
        weight = {"font_weight": "bold"} if row.next else {}
        score = "endless" if endless else _number(row.score)
        back = "never" if np.isnan(row.back_s) else f"{_number(row.back_s)} s"
        parts.append(words(_SESSION, y, str(row.session), text_anchor="end", **weight))
        parts.append(words(max(end, zero) + 5, y, score, **weight))
        parts.append(words(_BACK, y, back, text_anchor="end", **weight))
        if row.next:
            parts.append(words(_NEXT, y, f"◀ {row.next}", **weight))
    bottom = _TOP + _ROW * len(shown) - 6
    return [*parts, line(f"M{zero:.1f} {_TOP - 8}V{bottom:.1f}")]


def _number(value: float) -> str:
    """Three digits below 1,000, whole numbers above, powers of ten where they would be long."""
    shown = f"{value:.2e}" if abs(value) >= _LONG else _NUMBER.cell(value)
    return shown.replace("-", "−")
