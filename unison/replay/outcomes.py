"""Outcomes: what a replay found at each turn, and what it did."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

MISS = -1
NOWHERE = -1


class Cause(IntEnum):
    """Why a request missed; compulsory causes, which no policy can avoid, come before the policy's own."""

    HIT = 0
    FIRST_TURN = 1
    SHRUNK_PREFIX = 2  # nothing of the session's context is a prefix of the new prompt
    EVICTED = 3  # while paused
    TIMEOUT = 4  # dropped by the policy after drop_after_ns
    BYPASSED = 5  # the previous turn ran without residency, or its copy was not kept


class Action(IntEnum):
    """What an engine did, in the order in which it did it."""

    PLACE = 0
    EVICT = 1
    DEMOTE = 2
    DROP = 3
    BYPASS = 4
    RELEASE = 5
    PROMOTE = 6
    SWAP_OUT = 7  # the demotion half of a Tide swap
    TRUNCATE = 8  # the victim kept a part of its prefix


class Counter(IntEnum):
    """Totals of a replay."""

    EVICTIONS = 0
    DEMOTIONS = 1
    DROPS = 2
    BYPASSES = 3
    PROMOTIONS = 4
    USEFUL_PROMOTIONS = 5  # the promoted session's next request hit the tier it was promoted to
    MOVED_TOKENS = 6  # by Tide
    DECISIONS = 7  # victim selections, and Tide evaluations that had a candidate
    TRUNCATIONS = 8  # victims that kept a part of their prefix


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The result of a replay, one entry a turn in the trace's row order.

    Attributes
    ----------
    hit_tier : int8 [turns]
        Tier that the lookup saw, 0 the fastest, or ``MISS``.
    reused_tokens : int64 [turns]
        Prompt tokens that a hit avoided to prefill.
    placed_tier : int8 [turns]
        Tier that held the turn while it ran, or ``NOWHERE`` if it was bypassed.
    cause : int8 [turns]
        A `Cause`.
    lost_ns : int64 [turns]
        For a miss with a policy's cause, when the copy was lost [ns]; -1 elsewhere.
    lost_by : int64 [turns]
        The row whose request or pause took the place; -1 elsewhere.
    counters : int64 [len(Counter)]
        Totals.
    used_token_ns, running_token_ns : float
        Time integral of resident tokens, and of those held by running turns.
    actions : int64 [actions, 5] or None
        If recorded: event index, `Action`, session, tier before, tier after.
    """

    hit_tier: NDArray[np.int8]
    reused_tokens: NDArray[np.int64]
    placed_tier: NDArray[np.int8]
    cause: NDArray[np.int8]
    lost_ns: NDArray[np.int64]
    lost_by: NDArray[np.int64]
    counters: NDArray[np.int64]
    used_token_ns: float
    running_token_ns: float
    actions: NDArray[np.int64] | None = None

    @property
    def is_hit(self) -> NDArray[np.bool_]:
        """True where the request hit any tier [turns]."""
        return self.hit_tier >= 0

    def count(self, counter: Counter) -> int:
        """One of the totals."""
        return int(self.counters[counter])
