"""Figure 2's tables: distributions, hazards and the live set."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from support.sessions import make_corpus, start_together

from unison.experiments.fig02_traces import (
    GAP_GRID_S,
    fig02_traces,
    gap_cdf,
    live_set,
    live_tokens,
    turn_counts,
)
from unison.traces.trace import schedule


@pytest.fixture
def timed():
    rng = np.random.default_rng(2)
    lengths = rng.integers(1, 12, 30)
    return make_corpus(lengths, gaps_s=rng.lognormal(size=lengths.sum() - 30), name="timed")


def test_gap_distribution_is_the_share_up_to_each_point():
    frame = gap_cdf(make_corpus([5], gaps_s=[0.002, 1.0, 1.0, 2e5]))
    assert_array_equal(frame["gap_s"], GAP_GRID_S)
    by_gap = frame.set_index(frame["gap_s"].round(9))["share"]
    assert by_gap[0.001] == 0
    assert by_gap[1.0] == 0.75
    assert by_gap.iloc[-1] == 0.75
    assert (frame["gaps"] == 4).all()


def test_turn_counts_add_up_to_the_sessions():
    frame = turn_counts(make_corpus([1, 2, 2, 5]))
    assert frame["turns"].tolist() == [1, 2, 5]
    assert frame["sessions"].tolist() == [1, 2, 1]
    assert_allclose(frame["share_at_least"], [1, 0.75, 0.25])


def test_live_tokens_follow_requests_and_last_completions():
    # Session 0 asks at 0 and 2 s and ends at 3 s; session 1 asks at 0 s and ends at 1 s. Lengths 1010, 1110.
    trace = start_together(make_corpus([2, 1]))
    time_ns, tokens = live_tokens(trace)
    assert (time_ns / 1e9).tolist() == [0, 0, 1, 1, 2, 3]
    assert tokens.tolist() == [1010, 2020, 1010, 1010, 1110, 0]


def test_time_average_of_live_tokens_is_the_traces_mean(timed):
    trace = schedule(timed, concurrency=5, seed=1)
    time_ns, tokens = live_tokens(trace)
    average = (tokens[:-1] * np.diff(time_ns)).sum() / (time_ns[-1] - time_ns[0])
    assert average == pytest.approx(trace.mean_live_tokens)


def test_live_set_starts_and_ends_with_the_trace(timed):
    trace = schedule(timed, concurrency=5, seed=1)
    frame = live_set(trace, points=50)
    assert len(frame) == 50
    assert frame["time_s"].iloc[0] == 0
    assert frame["time_s"].iloc[-1] == pytest.approx((trace.end_ns.max() - trace.arrival_ns.min()) / 1e9)
    assert frame["live_sessions"].iloc[-1] == frame["live_tokens"].iloc[-1] == 0
    assert frame["live_sessions"].between(0, trace.max_live).all()
    assert ((frame["live_tokens"] > 0) == (frame["live_sessions"] > 0)).all()


def test_all_corpora_are_in_all_tables_and_unknown_times_leave_no_rows(timed):
    untimed = make_corpus([2, 3], gaps_s=-1, services_s=-1, name="untimed")
    tables = fig02_traces([(timed, schedule(timed)), (untimed, None)], points=10)
    assert set(tables.turn_counts["corpus"]) == set(tables.hazard["corpus"]) == {"timed", "untimed"}
    assert set(tables.gap_cdf["corpus"]) == set(tables.live_set["corpus"]) == {"timed"}
    assert tables.hazard.columns.tolist() == ["corpus", "turn", "at_risk", "events", "hazard", "low", "high"]


def test_only_untimed_corpora_still_give_what_is_known():
    tables = fig02_traces([(make_corpus([2, 3], gaps_s=-1, services_s=-1), None)])
    assert tables.live_set.empty
    assert tables.gap_cdf.empty
    assert len(tables.turn_counts) == 2
