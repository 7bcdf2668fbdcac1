"""Residents of the reference engine, how they lose their place, and the score that orders them."""

from __future__ import annotations

from dataclasses import dataclass

from unison.policies.ranking import Ranking
from unison.replay.outcomes import NOWHERE, Cause


@dataclass
class Resident:
    """A session that holds a slot."""

    session: int
    slot: int
    row: int
    tier: int
    length: int
    is_pinned: bool = True
    is_dead: bool = False
    pause_ns: int = 0
    seen_tier: int = NOWHERE
    seen_until_ns: int = 0
    was_promoted: bool = False


@dataclass(frozen=True)
class Decision:
    """A snapshot of one victim selection: who could go, with which score, and who went."""

    time_ns: int
    slots: tuple[int, ...]
    sessions: tuple[int, ...]
    rows: tuple[int, ...]
    scores: tuple[float, ...]
    victim: int


@dataclass
class Loss:
    """How a session lost its copy, when, and to which row."""

    cause: Cause = Cause.FIRST_TURN
    time_ns: int = -1
    row: int = -1


def ranking_score(ranking: Ranking, row: int, idle_ns: int) -> float:
    """The score of a paused session: an exact integer where the ranking has only base and slope.

    Parameters
    ----------
    ranking : Ranking
    row : int
        The session's current turn.
    idle_ns : int
        Time since the turn ended [ns].

    Returns
    -------
    int or float
    """
    if ranking.is_static:
        return int(ranking.base[row]) + int(ranking.slope[row]) * idle_ns
    weight = 1.0 if ranking.weight is None else float(ranking.weight[row])
    if ranking.table is not None and ranking.table_class is not None:
        return float(ranking.table[ranking.table_class[row], idle_ns.bit_length()]) * weight
    low = 0 if ranking.lo is None else int(ranking.lo[row])
    high = None if ranking.hi is None else int(ranking.hi[row])
    if ranking.late is not None and high is not None and idle_ns > high:
        return float(ranking.late[row]) * weight
    counted = max(idle_ns, low)
    counted = counted if high is None else min(counted, high)
    return (float(ranking.base[row]) + float(ranking.slope[row]) * float(counted)) * weight
