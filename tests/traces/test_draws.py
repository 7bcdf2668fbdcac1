"""Seeded integer draws: quantile functions, shares, sums and medians that are exact."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import few

from unison.errors import UnisonError
from unison.traces.draws import (
    apportion,
    at_ranks,
    draw,
    draw_classes,
    scale_to_median,
    stream,
    times_factors,
)

LEVELS = (0, 500, 1000)
STEP = 2**20


def test_quantiles_are_met_at_the_levels_and_halfway_between():
    ranks = np.array([0, 250, 500, 750]) * STEP
    assert at_ranks(ranks, LEVELS, (0, 10, 110)).tolist() == [0, 5, 10, 60]


def test_draws_follow_the_quantile_function():
    values = draw(stream(0, "test"), LEVELS, (0, 10, 110), 100_000)
    # 100,000 draws: the standard error of the share below the median is 0.16 %.
    assert (values < 10).mean() == pytest.approx(0.5, abs=0.01)
    assert values.min() == 0
    assert values.max() in (108, 109)


def test_one_value_for_each_level_is_required():
    with pytest.raises(UnisonError, match="2 quantiles for 3 levels"):
        at_ranks(np.array([0]), LEVELS, (1, 2))


def test_streams_of_other_names_and_seeds_differ_and_the_same_repeat():
    first = stream(1, "a").integers(0, 2**62, 4).tolist()
    assert first == stream(1, "a").integers(0, 2**62, 4).tolist()
    assert first != stream(1, "b").integers(0, 2**62, 4).tolist()
    assert first != stream(2, "a").integers(0, 2**62, 4).tolist()


def test_a_negative_seed_is_refused():
    with pytest.raises(UnisonError, match="seed -1"):
        stream(-1, "a")


def test_classes_come_as_often_as_their_shares_and_never_with_none():
    counts = np.bincount(draw_classes(stream(0, "test"), (3, 0, 1), 100_000), minlength=3)
    assert counts[1] == 0
    assert counts[0] / counts.sum() == pytest.approx(0.75, abs=0.01)


def test_factors_are_in_millionths():
    assert times_factors(np.array([10, 7]), np.array([1_500_000, 999_999])).tolist() == [15, 6]


def test_apportion_by_largest_remainder_worked_by_hand():
    # Spare 5 over weights above one (1, 2, 4): 5/7, 10/7, 20/7 = 0, 1, 2 and remainders 5, 3, 6 sevenths.
    assert apportion(np.array([2, 3, 5]), 8).tolist() == [2, 2, 4]


@few
@given(st.lists(st.integers(1, 200), min_size=1, max_size=40), st.integers(0, 3000))
def test_apportion_adds_up_and_keeps_order(weights: list[int], spare: int):
    given_weights = np.array([*weights, 2])
    shares = apportion(given_weights, given_weights.size + spare)
    assert shares.sum() == given_weights.size + spare
    assert shares.min() >= 1
    ordered = shares[np.argsort(given_weights, kind="stable")]
    assert (np.diff(ordered) >= -1).all()


@pytest.mark.parametrize(("weights", "total"), [([2, 3], 1), ([1, 1], 5)])
def test_apportion_refuses_what_cannot_be_shared(weights, total):
    with pytest.raises(UnisonError, match="cannot share"):
        apportion(np.array(weights), total)


@few
@given(st.lists(st.integers(1, 10**8), min_size=1, max_size=40), st.integers(1, 10**7))
def test_median_is_exact_and_order_is_kept(values: list[int], median: int):
    given_values = np.array(values)
    scaled = scale_to_median(given_values, median)
    assert np.median(scaled) == median
    assert (np.diff(scaled[np.argsort(given_values, kind="stable")]) >= 0).all()
