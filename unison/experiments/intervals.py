"""Intervals: how far a result depends on which sessions were seen, or on which seeds were drawn.

Over the sessions of one corpus by a bootstrap, over seeds by Student's t of their mean. Either way a gain is
a tie where its interval holds 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import stats

from unison.errors import UnisonError


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

    def gain_interval(self, mine: Mapping[str, Any], base: Mapping[str, Any]) -> tuple[float, float]:
        """Interval of the hit rate of one replay less that of another, paired by session.

        Each has ``hits_by_session`` and ``requests_by_session`` (int64 [sessions]).
        """
        mine_rates, base_rates = (
            self.rates(each["hits_by_session"], each["requests_by_session"]) for each in (mine, base)
        )
        return self.interval(mine_rates - base_rates)

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


def mean_intervals(values: pd.Series, by: Sequence[pd.Series], confidence: float) -> pd.DataFrame:
    """Mean of independent values in each group, with its interval by Student's t.

    Parameters
    ----------
    values : pandas.Series of float
    by : sequence of pandas.Series
        What makes a group, aligned with the values.
    confidence : float
        Coverage, e.g. 0.95.

    Returns
    -------
    pandas.DataFrame
        ``mean``, ``low``, ``high``, a row for each group in the order of their first appearance.

    Raises
    ------
    UnisonError
        If a group has fewer than two values.
    """
    groups = values.groupby(list(by), sort=False)
    count = groups.count()
    if (count < 2).any():
        raise UnisonError("an interval over seeds needs at least two of them; set statistics.seeds")
    reach = stats.t.ppf((1 + confidence) / 2, count - 1) * groups.std(ddof=1) / np.sqrt(count)
    mean = groups.mean()
    return pd.DataFrame({"mean": mean, "low": mean - reach, "high": mean + reach})


def verdict_flags(intervals: pd.DataFrame) -> pd.DataFrame:
    """Which intervals of `mean_intervals` say ``wins``, ``ties`` and ``losses``, to be summed over groups."""
    wins, losses = intervals["low"] > 0, intervals["high"] < 0
    return pd.DataFrame({"wins": wins, "ties": ~(wins | losses), "losses": losses}).astype(int)
