"""Seeded draws in integer arithmetic, so that every machine gets the same corpus to the last bit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError

_LEVEL_STEPS = 1 << 20
_RATIO = 1_000_000


def stream(seed: int, name: str) -> np.random.Generator:
    """The random stream of that name, independent of the streams of other names.

    Parameters
    ----------
    seed : int
        At least 0.
    name : str
        What the stream is for, e.g. ``"gaia-qwen3/gaps"``.

    Returns
    -------
    numpy.random.Generator

    Raises
    ------
    UnisonError
        If the seed is negative.
    """
    if seed < 0:
        raise UnisonError(f"seed {seed}: must be a whole number of at least 0")
    sequence = np.random.SeedSequence(entropy=seed, spawn_key=tuple(name.encode()))
    return np.random.Generator(np.random.PCG64(sequence))


def uniform_ranks(rng: np.random.Generator, levels: tuple[int, ...], size: int) -> NDArray[np.int64]:
    """Integer ranks, uniform between the lowest and the highest level [size].

    The unit is the levels' own divided by 2**20.
    """
    return rng.integers(levels[0] * _LEVEL_STEPS, levels[-1] * _LEVEL_STEPS, size=size, dtype=np.int64)


def at_ranks(ranks: NDArray[np.int64], levels: tuple[int, ...], values: tuple[int, ...]) -> NDArray[np.int64]:
    """Values of a quantile function at the given ranks, interpolated linearly and rounded down.

    Parameters
    ----------
    ranks : int64 [n]
        As `uniform_ranks` gives them.
    levels, values : tuple of int
        The quantile function: strictly increasing levels and non-decreasing values, one for each.

    Returns
    -------
    int64 [n]

    Raises
    ------
    UnisonError
        If there is not one value for each level.
    """
    if len(levels) != len(values):
        raise UnisonError(
            f"data/calibration: {len(values)} quantiles for {len(levels)} levels; give one for each"
        )
    knots = np.asarray(levels, dtype=np.int64) * _LEVEL_STEPS
    heights = np.asarray(values, dtype=np.int64)
    left = np.searchsorted(knots, ranks, side="right") - 1
    rise, run = np.diff(heights)[left], np.diff(knots)[left]
    values_at: NDArray[np.int64] = heights[left] + rise * (ranks - knots[left]) // run
    return values_at


def draw(
    rng: np.random.Generator, levels: tuple[int, ...], values: tuple[int, ...], size: int
) -> NDArray[np.int64]:
    """Independent draws from a quantile function [size]; see `at_ranks`."""
    return at_ranks(uniform_ranks(rng, levels, size), levels, values)


def draw_classes(rng: np.random.Generator, shares: tuple[int, ...], size: int) -> NDArray[np.int64]:
    """Independent class numbers, each class as often as its integer share says [size]."""
    bounds = np.cumsum(np.asarray(shares, dtype=np.int64))
    return np.searchsorted(bounds, rng.integers(0, bounds[-1], size=size), side="right").astype(np.int64)


def lognormal_factors(rng: np.random.Generator, log_sd: float, size: int) -> NDArray[np.int64]:
    """Log-normal factors of median 1 as integers, in millionths [size]."""
    return np.rint(rng.lognormal(0.0, log_sd, size=size) * _RATIO).astype(np.int64)


def times_factors(values: NDArray[np.int64], factors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Values times `lognormal_factors`, rounded down."""
    return values * factors // _RATIO


def apportion(weights: NDArray[np.int64], total: int) -> NDArray[np.int64]:
    """Integers of at least 1 that add up to `total`, in proportion to the weights above 1.

    Largest remainders, ties to the lower index: ``1 + (w_i - 1) (total - n) / sum(w - 1)``.

    Parameters
    ----------
    weights : int64 [n]
        At least 1 each, not all of them 1.
    total : int
        At least n.

    Returns
    -------
    int64 [n]

    Raises
    ------
    UnisonError
        If the total is below n, or no weight exceeds 1.
    """
    above = weights - 1
    spare, mass = total - weights.size, int(above.sum())
    if spare < 0 or mass <= 0:
        raise UnisonError(f"cannot share {total} turns among {weights.size} sessions, at least one each")
    whole, remainder = np.divmod(above * spare, mass)
    left_over = spare - int(whole.sum())
    whole[np.argsort(-remainder, kind="stable")[:left_over]] += 1
    shares: NDArray[np.int64] = 1 + whole
    return shares


def scale_to_median(values: NDArray[np.int64], median: int) -> NDArray[np.int64]:
    """Values scaled so that their median is exactly `median` [n].

    With an even number of values both middle ones become the median; order is kept.

    Parameters
    ----------
    values : int64 [n]
        Positive.
    median : int
        In the values' unit.

    Returns
    -------
    int64 [n]
    """
    order = np.argsort(values, kind="stable")
    lower, upper = order[(values.size - 1) // 2], order[values.size // 2]
    scaled: NDArray[np.int64] = values * median // values[lower]
    scaled[upper] = median
    return scaled
