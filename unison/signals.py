"""Signals: what a causal policy may know at the pause after each turn, as columns over turns.

Arrivals come from the trace, not from the cache, so everything a policy can know at a pause is known
before the replay. A pause at time t has seen the requests before t: at equal times GAP_START comes first.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unison.errors import UnisonError, unknown_name
from unison.traces.trace import Trace

EMA_INITS = ("prior", "first", "zero")


class HazardTable(Protocol):
    """What a policy needs of a fitted `unison.hazard.TurnHazard`."""

    def survival(self, turn: ArrayLike) -> NDArray[np.float64]:
        """Local survival complement sigma(t) of EQUATIONS eq. (6), for turns counted from 1."""
        ...


@dataclass(frozen=True, eq=False)
class Signals:
    """Causal columns of a trace.

    Attributes
    ----------
    trace : Trace
    hazard : HazardTable
        Completion hazard by turn.
    alpha : float
        Weight of the latest gap in the EMA (EQUATIONS eq. 4).
    ema_init : str
        ``prior``: before its first gap a session's estimate is the running median of all sessions' first
        gaps, and the first gap replaces it; ``first``: 0 before the first gap, which sets it; ``zero``: the
        EMA starts from 0.
    prior_gap_ns : int
        The running median before any first gap was seen [ns].
    """

    trace: Trace
    hazard: HazardTable
    alpha: float
    ema_init: str
    prior_gap_ns: int

    def __post_init__(self) -> None:
        """Refuse an unknown start of the EMA and a weight outside (0, 1]."""
        if self.ema_init not in EMA_INITS:
            raise unknown_name("ema_init", self.ema_init, EMA_INITS)
        if not 0 < self.alpha <= 1:
            raise UnisonError(f"alpha must be in (0, 1]; given {self.alpha}")

    @property
    def pause_ns(self) -> NDArray[np.int64]:
        """When each turn ended (F0) [turns, ns]."""
        return self.trace.end_ns

    @property
    def turn(self) -> NDArray[np.int64]:
        """Turns completed at the pause, counted from 1 (F0) [turns]."""
        return self.trace.corpus.turn.astype(np.int64) + 1

    @property
    def length(self) -> NDArray[np.int64]:
        """Resident length at the pause (F1) [turns, tokens]."""
        return self.trace.corpus.length

    @cached_property
    def sigma(self) -> NDArray[np.float64]:
        """Local survival complement of the turn completed (F0), EQUATIONS eq. (6) [turns]."""
        return self.hazard.survival(self.turn)

    @cached_property
    def first_gap_median_ns(self) -> NDArray[np.int64]:
        """Running median of the first gaps closed before each pause (F0) [turns, ns]."""
        corpus = self.trace.corpus
        closing = np.flatnonzero(corpus.turn == 1)
        closing = closing[np.argsort(self.trace.arrival_ns[closing], kind="stable")]
        medians = _running_median(corpus.gap_ns[closing].tolist(), self.prior_gap_ns)
        seen = np.searchsorted(self.trace.arrival_ns[closing], self.pause_ns, side="left")
        return medians[seen]

    @cached_property
    def gap_ema_ns(self) -> NDArray[np.int64]:
        """EMA of the session's gaps at the pause (F0), EQUATIONS eq. (4), rounded to whole ns [turns, ns]."""
        corpus = self.trace.corpus
        ema = np.zeros(corpus.n_turns)
        first = corpus.first_row[:-1]
        if self.ema_init == "prior":
            ema[first] = self.first_gap_median_ns[first]
        for turn in range(1, int(corpus.turns_per_session.max())):
            rows = first[corpus.turns_per_session > turn] + turn
            gap = corpus.gap_ns[rows].astype(np.float64)
            if turn == 1 and self.ema_init != "zero":
                ema[rows] = gap
            else:
                ema[rows] = self.alpha * gap + (1 - self.alpha) * ema[rows - 1]
        return np.rint(ema).astype(np.int64)

    @cached_property
    def tool_gap_mean_ns(self) -> NDArray[np.int64]:
        """Running mean of the gaps of the tool awaited at each pause (F2) [turns, ns].

        Before a tool's first gap it is the running mean of all gaps, before that `prior_gap_ns`.
        """
        return self._by_tool(self._closing_gaps)

    @cached_property
    def tool_residual_mean_ns(self) -> NDArray[np.int64]:
        """Running mean, by the tool awaited, of how far gaps outran their forecast (F2) [turns, ns].

        Only gaps longer than their forecast count.
        """
        rows = self._closing_rows
        excess = np.full(rows.size, -1, dtype=np.int64)
        over = self._closing_gaps - self.tool_gap_mean_ns[rows - 1]
        excess[over > 0] = over[over > 0]
        return self._by_tool(excess)

    @cached_property
    def _closing_rows(self) -> NDArray[np.int64]:
        rows = np.flatnonzero(self.trace.corpus.turn > 0)
        return rows[np.argsort(self.trace.arrival_ns[rows], kind="stable")]

    @cached_property
    def _closing_gaps(self) -> NDArray[np.int64]:
        return self.trace.corpus.gap_ns[self._closing_rows]

    def _by_tool(self, values: NDArray[np.int64]) -> NDArray[np.int64]:
        """Running means at each pause of values known at the closing rows; negative ones do not count."""
        corpus, rows = self.trace.corpus, self._closing_rows
        closed_at = self.trace.arrival_ns[rows]
        awaited = corpus.awaited_tool
        counts = values >= 0
        mean, seen = _running_mean(values[counts], closed_at[counts], self.pause_ns)
        overall = np.where(seen > 0, mean, self.prior_gap_ns)
        result = overall.copy()
        for tool in np.unique(awaited):
            at = awaited == tool
            of_tool = counts & (awaited[rows - 1] == tool)
            mean, seen = _running_mean(values[of_tool], closed_at[of_tool], self.pause_ns[at])
            result[at] = np.where(seen > 0, mean, overall[at])
        return result


def _running_mean(
    values: NDArray[np.int64], known_at: NDArray[np.int64], at: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Mean (rounded down) and number of the values known strictly before each instant."""
    seen = np.searchsorted(known_at, at, side="left")
    total = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(values)))
    return total[seen] // np.maximum(seen, 1), seen


def _running_median(values: list[int], prior: int) -> NDArray[np.int64]:
    """Median (of two, the mean rounded down) of the first k values, k = 0 .. n; `prior` for k = 0."""
    ordered: list[int] = []
    medians = [prior]
    for value in values:
        bisect.insort(ordered, value)
        middle = len(ordered) // 2
        odd = len(ordered) % 2 == 1
        medians.append(ordered[middle] if odd else (ordered[middle - 1] + ordered[middle]) // 2)
    return np.asarray(medians, dtype=np.int64)
