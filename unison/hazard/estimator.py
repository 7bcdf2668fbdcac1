"""TurnHazard: the table h(t) of EQUATIONS eq. (5), as a scikit-learn estimator."""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from unison.errors import UnisonError, unknown_name
from unison.hazard.counts import (
    Counts,
    check_flags,
    check_turns,
    count_sessions,
    count_turn_ends,
    whole_turns,
)
from unison.hazard.smoothing import SMOOTHINGS, estimate
from unison.traces.corpus import UNKNOWN

SURVIVALS = ("local", "cumulative")
UPDATES = ("on_complete", "risk_set")


class TurnHazard(BaseEstimator):  # type: ignore[misc]  # scikit-learn ships no types
    """Hazard that a session ends at the turn it has reached, from right-censored turn counts.

    h(t) = d(t) / n(t), with d(t) sessions that ended at turn t and n(t) that reached it, t = 1 .. max_turn;
    the last bin pools all later turns. sigma(t) = max(epsilon, 1 - h(min(t, max_turn))).

    Parameters
    ----------
    max_turn : int
        Last bin; later turns are read from it.
    epsilon : float
        Lower bound of sigma, in (0, 1).
    smoothing : {"none", "laplace", "empirical_bayes", "kernel"}
        ``laplace``: (d + a) / (n + a + b) with mean 1/2. ``empirical_bayes``: the prior mean is the hazard
        over all turns below the last bin, which itself is not shrunk. ``kernel``: d and n summed with
        Epanechnikov weights before the ratio is taken.
    prior_strength : float, optional
        a + b of the prior [sessions]. By default 2 for ``laplace``; for ``empirical_bayes`` the maximum of
        the beta-binomial likelihood.
    bandwidth : float
        Of the kernel [turns].
    n_min : int
        A bin with fewer at risk takes the counts of its nearest turns as well until there are as many. With 0
        nothing is pooled, the table is eq. (5) to the letter, and h is 0 at turns that nobody reached.
    surv : {"local", "cumulative"}
        What sigma is made from: 1 - h(t), or the product-limit estimate (an ablation).
    update : {"on_complete", "risk_set"}
        What an element of `partial_fit` is: a whole session, or one turn that has just ended.
    forgetting : float
        In (0, 1]; `partial_fit` multiplies all counts by it when a session ends, before counting that end.

    Attributes
    ----------
    at_risk_, events_ : int64 [max_turn]
        n(t) and d(t), turn t at index t - 1; float64 once anything was forgotten.
    hazard_ : float64 [max_turn]
        h(t), smoothed as asked.
    sigma_ : float64 [max_turn]
        Survival complement, EQUATIONS eq. (6).
    product_limit_ : float64 [max_turn]
        Product of 1 - h(u) over u <= t.
    variance_ : float64 [max_turn]
        Greenwood's h (1 - h) / n of the unsmoothed hazard; NaN where nobody is at risk.
    product_limit_variance_ : float64 [max_turn]
        Greenwood's variance of the unsmoothed product-limit estimate.
    prior_strength_ : float
        Strength used; 0 without a prior.
    n_completed_, n_censored_, n_unknown_ : int
        Sessions counted as ended, sessions counted as cut off (whole sessions only), and how many of the
        ended had an unknown flag.

    Notes
    -----
    UNISON eq. (5), with censoring. The estimate at t is Kaplan-Meier's and Nelson-Aalen's common increment.
    Errors in parameters or data are `UnisonError`; use before `fit` is scikit-learn's ``NotFittedError``.
    """

    def __init__(
        self,
        max_turn: int = 50,
        epsilon: float = 0.01,
        smoothing: str = "none",
        prior_strength: float | None = None,
        bandwidth: float = 3.0,
        n_min: int = 20,
        surv: str = "local",
        update: str = "on_complete",
        forgetting: float = 1.0,
    ) -> None:
        self.max_turn = max_turn
        self.epsilon = epsilon
        self.smoothing = smoothing
        self.prior_strength = prior_strength
        self.bandwidth = bandwidth
        self.n_min = n_min
        self.surv = surv
        self.update = update
        self.forgetting = forgetting

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Count whole sessions, forgetting whatever was counted before.

        Parameters
        ----------
        X : array-like of int [sessions] or [sessions, 1]
            Turns of each session, at least 1.
        y : array-like [sessions], optional
            1 ended, 0 right-censored, -1 unknown (counted as ended). All ended by default.

        Returns
        -------
        TurnHazard
            Itself.

        Raises
        ------
        UnisonError
            If a parameter is out of range, X is empty or holds a number below 1, or y does not fit X.
        """
        self._check_parameters()
        turns = check_turns(X, "X")
        flags = check_flags(y, turns.size, "y")
        self._forget_all()
        self._add(count_sessions(turns, flags != 0, np.ones(turns.size), self.max_turn), flags, 1.0)
        self.n_censored_ = int((flags == 0).sum())
        return self._tabulate()

    def partial_fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Count more, in the order given; starts from nothing if not fitted.

        With ``update="on_complete"`` (the paper's rule) an element is a whole session when it is over, as in
        `fit`. Sessions still running are not counted, so early tables overstate the hazard of early turns.
        With ``update="risk_set"`` an element is one turn that has just ended: y is 1 if the session ended
        with it, 0 if the session paused and goes on. Running sessions count for every turn they finished.
        Without forgetting, all turns of some sessions in any order give the table that `fit` gives for them.

        Parameters
        ----------
        X : array-like of int [elements] or [elements, 1]
            Turns of each session, or the number of each turn, from 1.
        y : array-like [elements], optional
            1, 0 or -1 as above. All 1 by default.

        Returns
        -------
        TurnHazard
            Itself.

        Raises
        ------
        UnisonError
            As `fit`; also if `max_turn` was changed since the counts were begun.
        """
        self._check_parameters()
        turns = check_turns(X, "X")
        flags = check_flags(y, turns.size, "y")
        if not hasattr(self, "at_risk_"):
            self._forget_all()
        if self.at_risk_.size != self.max_turn:
            raise UnisonError(
                f"TurnHazard: {self.at_risk_.size} bins were counted, max_turn is {self.max_turn}; call fit"
            )
        ends = np.cumsum(flags != 0)
        weight = np.power(float(self.forgetting), ends[-1] - ends)
        count = count_sessions if self.update == "on_complete" else count_turn_ends
        added = count(turns, flags != 0, weight, self.max_turn)
        self._add(added, flags, float(self.forgetting) ** int(ends[-1]))
        if self.update == "on_complete":
            self.n_censored_ += int((flags == 0).sum())
        return self._tabulate()

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Hazard at each turn of X, clamped to the last bin [as long as X].

        Raises
        ------
        UnisonError
            If X is empty or holds a number below 1.
        """
        check_is_fitted(self)
        return self.hazard(check_turns(X, "X"))

    def hazard(self, turn: ArrayLike) -> NDArray[np.float64]:
        """h(min(t, max_turn)) for turns counted from 1, in the shape of `turn`.

        Raises
        ------
        UnisonError
            If a turn is below 1 or not whole.
        """
        check_is_fitted(self)
        return _look_up(self.hazard_, turn)

    def survival(self, turn: ArrayLike) -> NDArray[np.float64]:
        """sigma(t) of EQUATIONS eq. (6) for turns counted from 1, in the shape of `turn`.

        Raises
        ------
        UnisonError
            If a turn is below 1 or not whole.
        """
        check_is_fitted(self)
        return _look_up(self.sigma_, turn)

    def interval(self, level: float = 0.95) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Wilson score interval of the unsmoothed hazard.

        Unlike h +- z sqrt(variance) it has a width where no end was seen.

        Parameters
        ----------
        level : float
            Coverage, in (0, 1).

        Returns
        -------
        float64 [max_turn], float64 [max_turn]
            Lower and upper bound; NaN where nobody is at risk.

        Raises
        ------
        UnisonError
            If `level` is out of range.
        """
        check_is_fitted(self)
        if not 0 < level < 1:
            raise UnisonError(f"TurnHazard: level is {level}; it must lie between 0 and 1")
        n = np.where(self.at_risk_ > 0, self.at_risk_, np.nan)
        share = self.events_ / n
        square = float(ndtri((1 + level) / 2)) ** 2
        middle = (share + square / (2 * n)) / (1 + square / n)
        half = np.sqrt(square * (share * (1 - share) + square / (4 * n)) / n) / (1 + square / n)
        return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)

    def _check_parameters(self) -> None:
        if self.smoothing not in SMOOTHINGS:
            raise unknown_name("smoothing", self.smoothing, SMOOTHINGS)
        if self.surv not in SURVIVALS:
            raise unknown_name("surv", self.surv, SURVIVALS)
        if self.update not in UPDATES:
            raise unknown_name("update", self.update, UPDATES)
        strength = 1.0 if self.prior_strength is None else self.prior_strength
        allowed = {
            "max_turn": (self.max_turn, self.max_turn >= 1, "at least 1"),
            "epsilon": (self.epsilon, 0 < self.epsilon < 1, "between 0 and 1"),
            "prior_strength": (strength, 0 < strength < math.inf, "above 0, or None"),
            "bandwidth": (self.bandwidth, 0 < self.bandwidth < math.inf, "above 0"),
            "n_min": (self.n_min, self.n_min >= 0, "0 or more"),
            "forgetting": (self.forgetting, 0 < self.forgetting <= 1, "in (0, 1]"),
        }
        for name, (value, holds, range_) in allowed.items():
            if not holds:
                raise UnisonError(f"TurnHazard: {name} is {value}; it must be {range_}")

    def _forget_all(self) -> None:
        self.at_risk_: NDArray[Any] = np.zeros(self.max_turn, dtype=np.int64)
        self.events_: NDArray[Any] = np.zeros(self.max_turn, dtype=np.int64)
        self.n_completed_ = self.n_censored_ = self.n_unknown_ = 0

    def _add(self, added: Counts, flags: NDArray[np.int8], kept: float) -> None:
        at_risk = kept * self.at_risk_ + added.at_risk
        events = kept * self.events_ + added.events
        is_whole = self.forgetting == 1 and self.at_risk_.dtype.kind == "i"
        self.at_risk_ = at_risk.astype(np.int64) if is_whole else at_risk
        self.events_ = events.astype(np.int64) if is_whole else events
        self.n_completed_ += int((flags != 0).sum())
        self.n_unknown_ += int((flags == UNKNOWN).sum())

    def _tabulate(self) -> Self:
        n, d = self.at_risk_.astype(np.float64), self.events_.astype(np.float64)
        self.hazard_, self.prior_strength_ = estimate(
            Counts(n, d),
            self.smoothing,
            prior_strength=self.prior_strength,
            bandwidth=self.bandwidth,
            n_min=self.n_min,
        )
        self.product_limit_ = np.cumprod(1 - self.hazard_)
        kept = 1 - self.hazard_ if self.surv == "local" else self.product_limit_
        self.sigma_ = np.maximum(self.epsilon, kept)
        raw = np.divide(d, n, out=np.zeros_like(n), where=n > 0)
        self.variance_ = np.where(n > 0, raw * (1 - raw) / np.where(n > 0, n, 1.0), np.nan)
        stays = n > d
        increment = np.divide(d, n * (n - d), out=np.zeros_like(n), where=stays)
        self.product_limit_variance_ = np.cumprod(1 - raw) ** 2 * np.cumsum(increment)
        return self


def _look_up(table: NDArray[np.float64], turn: ArrayLike) -> NDArray[np.float64]:
    rows = np.minimum(whole_turns(turn, "turn"), table.size) - 1
    return np.asarray(table[rows], dtype=np.float64)
