"""Clairvoyant orders: Belady's, and Belady's with size."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unison.policies.ranking import Ranking
from unison.policies.registry import InfoClass, policy
from unison.signals import Signals

NEVER_NS = 1 << 61
"""Next request of a session that does not come back [ns]; it fits the integer keys."""


def _until_next(signals: Signals) -> NDArray[np.int64]:
    return np.minimum(signals.trace.next_arrival_ns, NEVER_NS) - signals.pause_ns


@policy(
    "belady",
    title="the session whose next request is farthest away",
    citation="Belady (IBM Systems Journal 1966)",
    info=InfoClass.ORACLE,
    sees_completion=True,
)
def belady(signals: Signals) -> Ranking:
    """Belady: score = time to the next request; not optimal with sizes, costs or two tiers."""
    return Ranking(
        base=_until_next(signals),
        slope=np.full(signals.turn.size, -1.0),
        gap_estimate_ns=signals.gap_ema_ns,
        sees_completion=True,
    )


@policy(
    "belady_size",
    title="the session whose time to the next request times its length is largest",
    citation="size-aware Belady (Belady-Size)",
    info=InfoClass.ORACLE,
    sees_completion=True,
)
def belady_size(signals: Signals) -> Ranking:
    """Belady-Size: score = (next request - now) * length."""
    return Ranking(
        base=_until_next(signals),
        slope=np.full(signals.turn.size, -1.0),
        weight=signals.length.astype(np.float64),
        gap_estimate_ns=signals.gap_ema_ns,
        sees_completion=True,
    )
