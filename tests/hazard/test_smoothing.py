"""Smoothing of the hazard table: each rule against its formula."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import betabinom

from unison.hazard import TurnHazard
from unison.hazard.counts import Counts
from unison.hazard.smoothing import FALLBACK_STRENGTH, fit_strength, pool_sparse

TURNS = np.array([1, 2, 2, 3, 5, 5, 6, 9, 9, 9, 14])
ENDED = np.array([1, 1, 0, 1, 1, 1, 0, 1, 1, 0, 1])


def counts(at_risk, events):
    return Counts(np.array(at_risk, dtype=float), np.array(events, dtype=float))


def test_laplace_adds_one_end_and_one_survivor():
    table = TurnHazard(max_turn=4, smoothing="laplace", n_min=0).fit([1, 2, 2, 3], [1, 1, 0, 1])
    assert_allclose(table.hazard_, [2 / 6, 2 / 5, 2 / 3, 1 / 2])
    assert table.prior_strength_ == 2


def test_empirical_bayes_shrinks_towards_the_mean_hazard():
    table = TurnHazard(max_turn=20, smoothing="empirical_bayes", prior_strength=10, n_min=0).fit(TURNS, ENDED)
    mean = table.events_.sum() / table.at_risk_.sum()
    expected = (table.events_ + 10 * mean) / (table.at_risk_ + 10)
    assert_allclose(table.hazard_[:-1], expected[:-1])
    assert table.prior_strength_ == 10


def test_empirical_bayes_leaves_the_last_bin_as_counted():
    table = TurnHazard(max_turn=5, smoothing="empirical_bayes", n_min=0).fit([2, 4, 5, 5, 5, 5])
    assert table.hazard_[-1] == 1
    assert 0 < table.hazard_[0] < table.hazard_[1]


def test_fitted_strength_maximises_the_beta_binomial_likelihood():
    rng = np.random.default_rng(3)
    n = rng.integers(50, 200, 400)
    d = rng.binomial(n, rng.beta(4, 36, n.size))
    mean = d.sum() / n.sum()
    fitted = fit_strength(counts(n, d), mean)

    def log_likelihood(strength):
        return betabinom.logpmf(d, n, strength * mean, strength * (1 - mean)).sum()

    best = log_likelihood(fitted)
    assert all(best > log_likelihood(fitted * factor) for factor in (0.5, 0.9, 1.1, 2))
    assert fitted == pytest.approx(40, rel=0.25)


def test_equal_bins_are_pooled_almost_wholly():
    assert fit_strength(counts([100] * 10, [5] * 10), 0.05) > 1e5


@pytest.mark.parametrize(("at_risk", "events"), [([9, 4], [0, 0]), ([5, 0], [2, 0]), ([4, 4], [4, 4])])
def test_strength_falls_back_where_counts_cannot_tell(at_risk, events):
    mean = sum(events) / sum(at_risk)
    assert fit_strength(counts(at_risk, events), mean) == FALLBACK_STRENGTH


def test_kernel_weighs_numerator_and_denominator():
    table = TurnHazard(max_turn=20, smoothing="kernel", bandwidth=2.0, n_min=0).fit(TURNS, ENDED)
    n, d = table.at_risk_, table.events_
    # Weights 3/4, 1, 3/4 at lags -1, 0, 1; turn 5 is index 4.
    expected = (0.75 * d[3] + d[4] + 0.75 * d[5]) / (0.75 * n[3] + n[4] + 0.75 * n[5])
    assert table.hazard_[4] == pytest.approx(expected)


def test_kernel_of_one_turn_changes_nothing():
    plain = TurnHazard(n_min=0).fit(TURNS, ENDED)
    assert_allclose(
        TurnHazard(smoothing="kernel", bandwidth=1.0, n_min=0).fit(TURNS, ENDED).hazard_, plain.hazard_
    )


def test_step_limit_in_the_last_bin_does_not_leak_into_the_turns_below():
    turns = [5] * 5 + [10] * 95
    for params in ({"smoothing": "kernel", "bandwidth": 4.0}, {"n_min": 10_000}):
        table = TurnHazard(max_turn=10, **{"n_min": 0, **params}).fit(turns)
        assert table.hazard_[8] < 0.03


def test_sparse_bins_take_their_nearest_turns():
    # Eight are wanted: turn 3 has 5 and takes turns 2 and 4, turn 4 has 2 and takes turns 3 and 5.
    pooled = pool_sparse(counts([20, 9, 5, 2, 1, 0], [1, 4, 3, 1, 1, 0]), 8)
    assert_array_equal(pooled.at_risk[:4], [20, 9, 9 + 5 + 2, 2 + 5 + 1])
    assert_array_equal(pooled.events[:4], [1, 4, 4 + 3 + 1, 3 + 1 + 1])


def test_sparse_last_bin_reaches_down():
    pooled = pool_sparse(counts([20, 9, 5], [1, 4, 3]), 10)
    assert_array_equal(pooled.at_risk[-1], 14)
    assert_array_equal(pooled.events[-1], 7)


def test_too_few_sessions_for_any_bin_give_one_common_hazard():
    table = TurnHazard(n_min=1000).fit(TURNS, ENDED)
    assert_allclose(table.hazard_, table.events_.sum() / table.at_risk_.sum())


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.integers(0, 40), min_size=2, max_size=30), st.integers(0, 60))
def test_pooling_agrees_with_a_plain_loop(at_risk, n_min):
    n = np.array(at_risk, dtype=float)
    pooled = pool_sparse(Counts(n, n / 2), n_min)
    below = n[:-1]
    for turn in range(below.size):
        for reach in range(below.size):
            window = below[max(turn - reach, 0) : turn + reach + 1].sum()
            if window >= n_min:
                break
        assert pooled.at_risk[turn] == window
        assert pooled.events[turn] == window / 2
