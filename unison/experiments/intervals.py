"""Bootstrap over sessions: how far a hit rate, or a gain in it, depends on which sessions were seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class SessionBootstrap:
    """Resamples of the sessions of one corpus, the same for every policy and envelope (paired).

    The outcomes of a session are taken from the replay of the whole corpus, so that the contention it met
    stays what it was; only the sessions averaged over are drawn anew.

    Attributes
    ----------
    counts : float64 [resamples, sessions]
        How often each session was drawn.
    confidence : float
        Of the percentile intervals.
    """

    counts: NDArray[np.float64]
    confidence: float

    def rates(self, hits: NDArray[np.int64], requests: NDArray[np.int64]) -> NDArray[np.float64]:
        """Hit rate in each resample [resamples] from hits and requests [sessions]."""
        rates: NDArray[np.float64] = (self.counts @ hits) / (self.counts @ requests)
        return rates

    def interval(self, values: NDArray[np.float64]) -> tuple[float, float]:
        """Percentile interval of the values of the resamples [resamples]."""
        tail = (1 - self.confidence) / 2
        low, high = np.quantile(values, (tail, 1 - tail))
        return float(low), float(high)


def session_bootstrap(sessions: int, *, resamples: int, confidence: float, seed: int = 0) -> SessionBootstrap:
    """Draw the resamples.

    Parameters
    ----------
    sessions : int
        Number of sessions.
    resamples : int
        Number of resamples.
    confidence : float
        Of the intervals, e.g. 0.95.
    seed : int
        Of the draws.

    Returns
    -------
    SessionBootstrap
    """
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    drawn = rng.multinomial(sessions, np.full(sessions, 1 / sessions), size=resamples)
    return SessionBootstrap(drawn.astype(np.float64), confidence)


def verdict(low: float, high: float) -> str:
    """``win``, ``loss`` or, where the interval of a gain holds 0, ``tie``."""
    if low > 0:
        return "win"
    return "loss" if high < 0 else "tie"
