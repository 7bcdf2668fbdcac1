"""From counts to a hazard table: kernel weights, pooling of sparse bins, shrinkage.

Three stages, each of which leaves the counts alone unless it is asked for. The last bin pools all later turns
and may hold an agent's step limit, so it lends nothing to the turns below it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import betaln

from unison.hazard.counts import Counts

SMOOTHINGS = ("none", "laplace", "empirical_bayes", "kernel")

LAPLACE_STRENGTH = 2.0
"""Strength a + b of the flat prior Beta(1, 1)."""

FALLBACK_STRENGTH = 8.0
"""Strength where the counts cannot tell one."""

_LOG_STRENGTH_RANGE = (np.log(1e-2), np.log(1e6))


def estimate(
    counts: Counts, smoothing: str, *, prior_strength: float | None, bandwidth: float, n_min: float
) -> tuple[NDArray[np.float64], float]:
    """Hazard by turn and the prior strength used.

    Parameters
    ----------
    counts : Counts
        At least one session counted.
    smoothing : str
        One of `SMOOTHINGS`.
    prior_strength : float or None
        Strength m = a + b of the Beta prior [sessions]; None chooses.
    bandwidth : float
        Of the kernel [turns].
    n_min : float
        Bins with fewer at risk are pooled with their neighbours.

    Returns
    -------
    float64 [max_turn], float
        0 where nobody is at risk in any bin that may be pooled.
    """
    weighted = kernel_counts(counts, bandwidth) if smoothing == "kernel" else counts
    pooled = pool_sparse(weighted, n_min)
    if smoothing == "laplace":
        strength = LAPLACE_STRENGTH if prior_strength is None else prior_strength
        return _shrink(pooled, 0.5, strength), strength
    if smoothing == "empirical_bayes":
        below = Counts(counts.at_risk[:-1], counts.events[:-1])
        mean = _ratio(below.events.sum(), below.at_risk.sum())
        strength = fit_strength(below, float(mean)) if prior_strength is None else prior_strength
        hazard = _shrink(pooled, float(mean), strength)
        hazard[-1] = _ratio(pooled.events, pooled.at_risk)[-1]
        return hazard, strength
    return _ratio(pooled.events, pooled.at_risk), 0.0


def kernel_counts(counts: Counts, bandwidth: float) -> Counts:
    """Counts summed over nearby turns with Epanechnikov weights 1 - (lag / bandwidth)^2.

    Numerator and denominator are weighted, not their ratio. A lag of `bandwidth` or
    more counts nothing; the last bin keeps its own counts.
    """
    size = counts.at_risk.size
    lag = np.arange(size)[:, None] - np.arange(size)[None, :]
    weights = np.clip(1 - (lag / bandwidth) ** 2, 0, None)
    weights[-1, :-1] = weights[:-1, -1] = 0
    return Counts(weights @ counts.at_risk, weights @ counts.events)


def pool_sparse(counts: Counts, n_min: float) -> Counts:
    """Counts in which a bin with fewer than `n_min` at risk takes those of its nearest turns as well.

    Its window grows by one turn to either side until it holds `n_min` or everything. Windows of turns below
    the last bin do not reach into it; the last bin's own window reaches down.
    """
    below = _pool(Counts(counts.at_risk[:-1], counts.events[:-1]), n_min)
    last = _pool(counts, n_min)
    return Counts(
        np.append(below.at_risk, last.at_risk[-1]),
        np.append(below.events, last.events[-1]),
    )


def _pool(counts: Counts, n_min: float) -> Counts:
    size = counts.at_risk.size
    if size == 0:
        return counts
    turn = np.arange(size)
    reach = np.arange(size)[:, None]
    low, high = np.maximum(turn - reach, 0), np.minimum(turn + reach, size - 1) + 1
    in_window = [np.concatenate(([0.0], np.cumsum(column))) for column in counts]
    at_risk = in_window[0][high] - in_window[0][low]
    events = in_window[1][high] - in_window[1][low]
    enough = at_risk >= n_min
    chosen = np.where(enough.any(axis=0), enough.argmax(axis=0), size - 1)
    return Counts(at_risk[chosen, turn], events[chosen, turn])


def fit_strength(counts: Counts, mean: float) -> float:
    """Maximum-likelihood strength m = a + b of a Beta prior with the given mean.

    The likelihood is beta-binomial, one draw a bin. It is `FALLBACK_STRENGTH` where fewer than two bins have
    anybody at risk or the mean is 0 or 1; bins that vary no more than chance give the end of the search.
    """
    seen = counts.at_risk > 0
    if seen.sum() < 2 or not 0 < mean < 1:
        return FALLBACK_STRENGTH
    events, survivors = counts.events[seen], np.maximum(counts.at_risk - counts.events, 0)[seen]

    def loss(log_strength: float) -> float:
        a, b = np.exp(log_strength) * mean, np.exp(log_strength) * (1 - mean)
        return float(-(betaln(events + a, survivors + b) - betaln(a, b)).sum())

    found = minimize_scalar(loss, bounds=_LOG_STRENGTH_RANGE, method="bounded")
    return float(np.exp(found.x))


def _shrink(counts: Counts, mean: float, strength: float) -> NDArray[np.float64]:
    return _ratio(counts.events + strength * mean, counts.at_risk + strength)


def _ratio(events: NDArray[np.float64], at_risk: NDArray[np.float64]) -> NDArray[np.float64]:
    """Events over at risk in [0, 1]; 0 where nobody is at risk."""
    return np.clip(np.divide(events, at_risk, out=np.zeros_like(at_risk), where=at_risk > 0), 0.0, 1.0)
