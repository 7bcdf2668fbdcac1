"""Least recently used, with and without completion events, and with a time limit."""

from __future__ import annotations

import numpy as np

from unison.errors import UnisonError
from unison.policies.ranking import Ranking
from unison.policies.registry import InfoClass, policy
from unison.signals import Signals

NS_PER_S = 1_000_000_000


def _recency(signals: Signals, *, sees_completion: bool, drop_after_s: float | None = None) -> Ranking:
    turns = signals.turn.size
    drop = None
    if drop_after_s is not None:
        if not 0 < drop_after_s < 1e9:
            raise UnisonError(f"timeout: theta_s must be above 0 and below 1e9 s; given {drop_after_s}")
        drop = np.full(turns, int(drop_after_s * NS_PER_S), dtype=np.int64)
    return Ranking(
        base=np.zeros(turns, dtype=np.int64),
        slope=np.ones(turns),
        gap_estimate_ns=signals.gap_ema_ns,
        sees_completion=sees_completion,
        drop_after_ns=drop,
    )


@policy(
    "lru",
    title="the session idle for longest, completion not seen",
    citation="Kwon et al., PagedAttention (SOSP 2023), block recency reduced to whole sessions",
    info=InfoClass.F1,
    sees_completion=False,
)
def lru(signals: Signals) -> Ranking:
    """Least recently used: score = idle time; a finished session ages like any other."""
    return _recency(signals, sees_completion=False)


@policy(
    "lru_completion",
    title="completed sessions, then the session idle for longest",
    citation="LRU with the completion signal of UNISON section III",
    info=InfoClass.F1,
    sees_completion=True,
)
def lru_completion(signals: Signals) -> Ranking:
    """LRU that evicts completed sessions first, so that the value of that one signal is visible."""
    return _recency(signals, sees_completion=True)


@policy(
    "timeout",
    title="drops a session idle for more than theta, otherwise the session idle for longest",
    citation="UNISON section V baseline; theta is not published",
    info=InfoClass.F1,
    sees_completion=False,
    theta_s="timeout.theta_s",
)
def timeout(signals: Signals, *, theta_s: float) -> Ranking:
    """LRU whose copies are dropped once idle exceeds `theta_s`."""
    return _recency(signals, sees_completion=False, drop_after_s=theta_s)
