"""Gap sources: what Tide may take as the length of the gap that has just begun (EQUATIONS eq. 8)."""

from __future__ import annotations

import bisect
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from unison.errors import unknown_name
from unison.signals import Signals

OWN = "own"
"""The estimate that comes with the policy."""

LONGEST_NS = 1 << 61
"""The gap after a session's last turn, and a budget without bound [ns]."""

QUARTILE = 0.25


def true_gap_ns(signals: Signals) -> NDArray[np.int64]:
    """The gap itself (ORACLE) [turns, ns]; `LONGEST_NS` after the last turn."""
    trace = signals.trace
    wait: NDArray[np.int64] = np.minimum(trace.next_arrival_ns, LONGEST_NS) - trace.end_ns
    return np.where(trace.next_arrival_ns >= LONGEST_NS, LONGEST_NS, wait)


def lower_quartile_ns(signals: Signals) -> NDArray[np.int64]:
    """25th percentile, an order statistic, of all gaps closed before each pause (F0) [turns, ns].

    Before any gap it is the prior.
    """
    trace = signals.trace
    rows = np.flatnonzero(trace.corpus.turn > 0)
    rows = rows[np.argsort(trace.arrival_ns[rows], kind="stable")]
    quartiles = [signals.prior_gap_ns]
    seen: list[int] = []
    for gap in trace.corpus.gap_ns[rows].tolist():
        bisect.insort(seen, gap)
        quartiles.append(seen[int(QUARTILE * (len(seen) - 1))])
    closed = np.searchsorted(trace.arrival_ns[rows], signals.pause_ns, side="left")
    return np.asarray(quartiles, dtype=np.int64)[closed]


def unbounded_ns(signals: Signals) -> NDArray[np.int64]:
    """A gap long enough for any move: Tide without its budget [turns, ns]."""
    return np.full(signals.turn.size, LONGEST_NS, dtype=np.int64)


GAP_SOURCES: dict[str, Callable[[Signals], NDArray[np.int64]]] = {
    "ema": lambda signals: signals.gap_ema_ns,
    "tool_mean": lambda signals: signals.tool_gap_mean_ns,
    "p25": lower_quartile_ns,
    "true_gap": true_gap_ns,
    "unbounded": unbounded_ns,
}


def gap_estimate_ns(source: str, signals: Signals) -> NDArray[np.int64]:
    """The estimates of a named source [turns, ns].

    Raises
    ------
    UnisonError
        If the source is unknown.
    """
    if source not in GAP_SOURCES:
        raise unknown_name("gap source", source, (OWN, *GAP_SOURCES))
    return GAP_SOURCES[source](signals)
