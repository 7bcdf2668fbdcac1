"""Ranking: what a policy is, as columns over turns that both replay engines and the hardware read."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.traces.trace import Trace

DEAD_SCORE = np.iinfo(np.int64).max
"""Score of a completed session: evicted before any other (EQUATIONS eq. 7, S_max)."""

FOREVER = np.iinfo(np.int64).max
"""A bound on idle time that is never reached."""

IDLE_BUCKETS = 64
"""Number of log2 buckets of idle time; bucket b holds idle times of bit length b [ns]."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """The order in which paused sessions give up their place; the larger score goes first.

    At time t, for a session whose current turn is row i and that has been idle for ``idle`` ns::

        score = (base[i] + slope[i] * clip(idle, lo[i], hi[i])) * weight[i]
        score = late[i] * weight[i]                       where idle > hi[i], if `late` is given
        score = table[table_class[i], bit_length(idle)] * weight[i]      if `table` is given

    Attributes
    ----------
    base : int64 [turns]
        Score at idle 0 [ns].
    slope : float64 [turns]
        Growth of the score per ns of idle time.
    lo, hi : int64 [turns] or None
        Bounds of the idle time that counts [ns]; None is 0 and no bound.
    late : int64 [turns] or None
        Score once idle exceeds `hi`.
    weight : float64 [turns] or None
        Factor of the score, e.g. ``length ** exponent``; None is 1.
    table : float64 [classes, IDLE_BUCKETS] or None
        Score by class and log2 bucket of idle time; replaces base, slope, lo, hi and late.
    table_class : int16 [turns] or None
        Class of each turn, an index into `table`.
    pin_ns : int64 [turns] or None
        While idle < pin_ns the session is evicted only when no other session can be; then the one
        nearest to its expiry goes first.
    drop_after_ns : int64 [turns] or None
        The copy is dropped once idle > drop_after_ns.
    keep : bool [turns] or None
        False: the copy is given up when the turn ends.
    gap_estimate_ns : int64 [turns]
        Estimated gap after the turn, Tide's budget (EQUATIONS eq. 8) [ns].
    sees_completion : bool
        False: COMPLETE is delivered as GAP_START, so a dead session keeps its score.
    """

    base: NDArray[np.int64]
    slope: NDArray[np.float64]
    gap_estimate_ns: NDArray[np.int64]
    sees_completion: bool
    lo: NDArray[np.int64] | None = None
    hi: NDArray[np.int64] | None = None
    late: NDArray[np.int64] | None = None
    weight: NDArray[np.float64] | None = None
    table: NDArray[np.float64] | None = None
    table_class: NDArray[np.int16] | None = None
    pin_ns: NDArray[np.int64] | None = None
    drop_after_ns: NDArray[np.int64] | None = None
    keep: NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        """Refuse columns of unequal length or half a table."""
        for name in ("slope", "gap_estimate_ns", "lo", "hi", "late", "weight", "table_class", "pin_ns",
                     "drop_after_ns", "keep"):  # fmt: skip
            column = getattr(self, name)
            if column is not None and column.shape != self.base.shape:
                raise UnisonError(
                    f"Ranking.{name}: shape {column.shape}, expected {self.base.shape} (one per turn)"
                )
        if (self.table is None) != (self.table_class is None):
            raise UnisonError("Ranking: give table and table_class together, or neither")
        if self.late is not None and self.hi is None:
            raise UnisonError("Ranking: late needs hi, the idle time after which it holds")

    @cached_property
    def is_static(self) -> bool:
        """True if no two paused sessions ever change places: one slope, unclipped, unweighted, no table."""
        shaped = (self.lo, self.hi, self.weight, self.table, self.pin_ns)
        if any(column is not None for column in shaped) or self.slope.size == 0:
            return False
        first = self.slope[0]
        return bool(first == np.rint(first) and (self.slope == first).all())

    def static_key(self, trace: Trace) -> NDArray[np.int64]:
        """Integer key that orders as the score does at every instant, ``base - slope * pause`` [turns].

        Raises
        ------
        UnisonError
            If the ranking is not static or the key does not fit in 63 bits.
        """
        if not self.is_static:
            raise UnisonError("static_key: the order of this ranking changes with time; use the scores")
        slope = int(self.slope[0])
        key = self.base - slope * trace.end_ns
        wide = self.base.astype(np.float64) - slope * trace.end_ns.astype(np.float64)
        if (np.abs(wide) > 2.0**62).any():
            raise UnisonError("static_key: base exceeds 2**62 ns; scale the policy's scores down")
        return key
