"""The point of it all, for the top of the index: what each policy gains over LRU, workload by workload."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from unison.report.readme import MIN_SESSIONS
from unison.report.style import policy_look
from unison.report.tables import read_table

POLICIES = ("belady", "spear+tide", "spear", "lru_completion")
FOCUS = "spear+tide"
SYNTHETIC = {"SWE (synthetic)": "swe-", "GAIA (synthetic)": "gaia-"}
"""Groups of synthetic corpora by the beginning of their names."""


@dataclass(frozen=True)
class Bar:
    """The gain of one policy.

    Attributes
    ----------
    label, color : str
        See `unison.report.style.PolicyLook`.
    policy : str
    points : float
        Gain in hit rate over LRU, mean over the envelopes [percentage points].
    left, width : float
        Where the bar is on the common scale [% of its track].
    """

    label: str
    color: str
    policy: str
    points: float
    left: float
    width: float

    @property
    def text(self) -> str:
        """The gain with its sign."""
        return signed(self.points)


@dataclass(frozen=True)
class Headline:
    """What the top of the index shows.

    Attributes
    ----------
    groups : dict of str to list of Bar
        By workload.
    zero : float
        Where no gain is on the common scale [% of the track].
    sentence : str
        The largest and smallest gain of Unison in words.
    files : tuple of str
        Products that it is computed from.
    """

    groups: dict[str, list[Bar]]
    zero: float
    sentence: str
    files: tuple[str, ...]


def headline(figures: Path) -> Headline | None:
    """The headline of a run; None without Table II of the synthetic corpora.

    Parameters
    ----------
    figures : pathlib.Path
        Folder of the products.
    """
    files = [name for name in ("tab02_policies.csv", "real/real_tab02.csv") if (figures / name).is_file()]
    if "tab02_policies.csv" not in files:
        return None
    gains = _synthetic(read_table("tab02_policies", out=figures))
    if len(files) > 1:
        sizes = read_table("real_tab02", out=figures / "real"), _sessions(figures)
        gains |= _real(*sizes)
    if not gains:
        return None
    values = [points for group in gains.values() for points in group.values()]
    low, high = min(0.0, *values), max(0.0, *values)
    span = (high - low) or 1.0
    groups = {
        group: [_bar(policy, points, low, span) for policy, points in found.items()]
        for group, found in gains.items()
    }
    return Headline(groups, 100 * -low / span, _sentence(gains), tuple(files))


def _synthetic(table: pd.DataFrame) -> dict[str, dict[str, float]]:
    """Mean gain by group of corpora and policy [percentage points]."""
    found = {}
    for group, prefix in SYNTHETIC.items():
        rows = table[table["corpus"].str.startswith(prefix)]
        if not rows.empty:
            found[group] = _points(rows.groupby("policy")["hit_gain"].mean())
    return found


def _sessions(figures: Path) -> pd.Series | None:
    """Sessions by real corpus, if it is known."""
    if not (figures / "real" / "real_inputs.csv").is_file():
        return None
    return read_table("real_inputs", out=figures / "real").set_index("corpus")["sessions"]


def _real(table: pd.DataFrame, sessions: pd.Series | None) -> dict[str, dict[str, float]]:
    """The same by real corpus, without those that are too small to say anything."""
    found = {}
    for corpus, rows in table.groupby("corpus", sort=False):
        if sessions is None or sessions.get(corpus, 0) >= MIN_SESSIONS:
            found[f"{str(corpus).replace('_', ' ')} (real)"] = _points(rows.set_index("policy")["hit_gain"])
    return found


def _points(gains: pd.Series) -> dict[str, float]:
    return {policy: 100 * float(gains[policy]) for policy in POLICIES if policy in gains.index}


def _bar(policy: str, points: float, low: float, span: float) -> Bar:
    look = policy_look(policy)
    left = 100 * (min(points, 0.0) - low) / span
    return Bar(look.label, look.color, policy, points, left, 100 * abs(points) / span)


def _sentence(gains: dict[str, dict[str, float]]) -> str:
    """The largest and the smallest gain of the focus."""
    points = {group: found[FOCUS] for group, found in gains.items() if FOCUS in found}
    if not points:
        return "Gain in hit rate over LRU"
    best, worst = max(points, key=points.__getitem__), min(points, key=points.__getitem__)
    text = f"{policy_look(FOCUS).label} against LRU: {signed(points[best])} points of hit rate on {best}"
    return text if best == worst else f"{text}, {signed(points[worst])} on {worst}"


def signed(points: float) -> str:
    """A difference with its sign and one decimal."""
    return f"{points:+z.1f}".replace("-", "−")
