"""Bootstrap over sessions: deterministic, paired, and right where the answer is known."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal
from support.corpora import few

from unison.errors import UnisonError
from unison.experiments.intervals import (
    SessionBootstrap,
    mean_intervals,
    session_bootstrap,
    verdict,
    verdict_flags,
)


def test_same_seed_draws_the_same_and_another_does_not():
    def counts(seed: int) -> np.ndarray:
        return session_bootstrap(9, resamples=50, confidence=0.9, seed=seed).counts

    assert_array_equal(counts(4), counts(4))
    assert (counts(4) != counts(5)).any()


@few
@given(st.integers(1, 40), st.integers(1, 30))
def test_resample_draws_as_many_sessions_as_there_are(sessions: int, resamples: int):
    counts = session_bootstrap(sessions, resamples=resamples, confidence=0.95).counts
    assert counts.shape == (resamples, sessions)
    assert (counts >= 0).all()
    assert (counts.sum(axis=1) == sessions).all()


def test_rate_is_hits_over_requests_of_the_sessions_drawn():
    # Session 0 hits 1 of 2 turns, session 1 hits 3 of 4: drawn once each 4 of 6; twice the second 6 of 8.
    bootstrap = SessionBootstrap(np.asarray([[1.0, 1.0], [0.0, 2.0], [2.0, 0.0]]), 0.95)
    assert bootstrap.rates(np.asarray([1, 3]), np.asarray([2, 4])).tolist() == [4 / 6, 6 / 8, 2 / 4]


def test_equal_sessions_have_an_interval_without_width():
    bootstrap = session_bootstrap(25, resamples=200, confidence=0.95)
    rates = bootstrap.rates(np.full(25, 3), np.full(25, 4))
    assert bootstrap.interval(rates) == (0.75, 0.75)


def test_one_session_has_an_interval_without_width():
    bootstrap = session_bootstrap(1, resamples=20, confidence=0.95)
    assert bootstrap.interval(bootstrap.rates(np.asarray([2]), np.asarray([5]))) == (0.4, 0.4)


def test_interval_is_the_middle_share_of_the_values():
    # 0 .. 100 in shuffled order: the middle 90 % run from 5 to 95.
    values = np.random.default_rng(1).permutation(np.arange(101.0))
    assert session_bootstrap(2, resamples=1, confidence=0.9).interval(values) == pytest.approx((5, 95))


def test_gain_is_paired():
    # One policy hits one turn more in every session: whatever is drawn, the gain is the same, although the
    # rates themselves vary from draw to draw.
    hits = np.arange(20)
    requests = np.full(20, 25)
    bootstrap = session_bootstrap(20, resamples=300, confidence=0.95)
    base, better = bootstrap.rates(hits, requests), bootstrap.rates(hits + 1, requests)
    assert base.std() > 0.01
    assert bootstrap.interval(better - base) == pytest.approx((1 / 25, 1 / 25), abs=1e-12)
    mine, other = ({"hits_by_session": h, "requests_by_session": requests} for h in (hits + 1, hits))
    assert bootstrap.gain_interval(mine, other) == bootstrap.interval(better - base)


def test_interval_covers_the_truth_about_as_often_as_it_says():
    # 200 corpora of 60 sessions with 8 turns that hit at 0.3; 90 % intervals of a mean of 60 undercover a
    # little. Binomial standard error of the coverage: sqrt(0.9 * 0.1 / 200) = 0.021.
    rng = np.random.default_rng(7)
    requests = np.full(60, 8)
    bootstrap = session_bootstrap(60, resamples=200, confidence=0.9)
    covered = 0
    for _ in range(200):
        low, high = bootstrap.interval(bootstrap.rates(rng.binomial(8, 0.3, 60), requests))
        covered += low <= 0.3 <= high
    assert covered / 200 == pytest.approx(0.9, abs=3 * 0.021)


@pytest.mark.parametrize(
    ("low", "high", "told"),
    [
        (0.1, 0.2, "win"),
        (-0.2, -0.1, "loss"),
        (-0.1, 0.1, "tie"),
        (0.0, 0.0, "tie"),
        (0.0, 0.1, "tie"),
        (-0.1, 0.0, "tie"),
    ],
)
def test_verdict_is_a_tie_where_the_interval_holds_zero(low: float, high: float, told: str):
    assert verdict(low, high) == told


def test_interval_of_a_mean_by_hand():
    # Group b: mean 3, standard deviation 1, three values: 3 +- 4.302653 / sqrt(3). Group a: all alike.
    values = pd.Series([2.0, -1.0, 3.0, -1.0, 4.0])
    found = mean_intervals(values, [pd.Series(list("babab"))], 0.95)
    assert found.index.tolist() == ["b", "a"]
    assert found.loc["b"].tolist() == pytest.approx([3, 3 - 2.484138, 3 + 2.484138], abs=1e-6)
    assert found.loc["a"].tolist() == [-1, -1, -1]
    flags = verdict_flags(found)
    assert flags.loc["b"].to_dict() == {"wins": 1, "ties": 0, "losses": 0}
    assert flags.loc["a"].to_dict() == {"wins": 0, "ties": 0, "losses": 1}
    around = pd.DataFrame({"low": [-1.0, 0.0, 0.0], "high": [1.0, 0.0, 1.0]})
    assert verdict_flags(around)["ties"].tolist() == [1, 1, 1]


def test_one_seed_has_no_interval():
    with pytest.raises(UnisonError, match="at least two"):
        mean_intervals(pd.Series([1.0, 2.0, 3.0]), [pd.Series(list("aab"))], 0.95)
