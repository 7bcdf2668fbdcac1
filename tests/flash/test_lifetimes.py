"""Remaining life from what earlier traffic and the harness tell."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.segments import Piece, timeline_of

from unison.config import load_defaults
from unison.flash.lifetimes import TurnLife, _Now, _Table, class_mean_life, progress_of, user_delays
from unison.flash.segments import SegmentClass

REASONING, SURVIVING, WORKER, REVIEWER, LEAD = SegmentClass
S = 1_000_000_000


@pytest.fixture
def leads():
    """Thirty leads of 6 turns of 10 s each."""
    pieces = [
        Piece(LEAD, 0, 60 * S, [(10 * S * turn + number, 100) for turn in range(6)], session=number)
        for number in range(30)
    ]
    return timeline_of(pieces)


def test_the_class_mean_weighs_tokens():
    # 100 tokens live 8, 300 tokens live 4: (100 * 8 + 300 * 4) / 400 = 5.
    run = timeline_of([Piece(LEAD, 0, 10, [(2, 100), (6, 300)])])
    assert class_mean_life(run, run).tolist() == [5.0, 5.0]


def test_a_class_never_seen_lives_for_ever(leads):
    run = timeline_of([Piece(WORKER, 0, 10, [(2, 100)])])
    assert class_mean_life(run, leads).tolist() == [np.inf]
    assert TurnLife(leads).expected(run).tolist() == TurnLife(leads).holding(run).tolist() == [np.inf]


def a_table(*hazard: float) -> _Table:
    """Turns of 1 s that end with these chances, the last of them for ever."""
    chances = np.array(hazard)
    further = np.full(chances.size + 1, (1 - chances[-1]) / chances[-1])
    for t in range(chances.size - 2, -1, -1):
        further[t] = (1 - chances[t]) * (1 + further[t + 1])
    ratios = np.ones(len(load_defaults().flash_policy.output_edges) + 1)
    return _Table(chances, further, float(S), ratios)


def at_turn(turn: int) -> _Now:
    """One write in the middle of that turn of an agent that is as fast as the others."""
    zero = np.zeros(1, dtype=np.int64)
    return _Now(zero + turn, zero, zero + round((turn - 0.5) * S))


def test_under_a_constant_hazard_awaiting_the_end_costs_its_expected_life_or_half_a_turn_sooner():
    # h = 1/4: half a turn saves 1/4 of a byte, 0.5 / 0.25 = 2 turns; to the end 0.5 + 3/4 * 4 = 3.5 turns.
    table = a_table(0.25, 0.25)
    assert table.life(at_turn(1))[0] == pytest.approx(3.5 * S)
    assert table.holding(at_turn(1))[0] == pytest.approx(2.0 * S)


def test_many_that_end_soon_are_worth_awaiting_though_a_few_live_long():
    # h = 1/100, 1/2, 1/100 for ever. At turn 1: 1 turn more is held 0.5 + 0.99, and saves
    # 0.01 + 0.99 / 2 = 0.505, so 1.49 / 0.505; the mean has 0.5 + 0.99 (1 + 1/2 * 100).
    table = a_table(0.01, 0.5, 0.01)
    assert table.holding(at_turn(1))[0] == pytest.approx(1.49 / 0.505 * S)
    assert table.life(at_turn(1))[0] == pytest.approx((0.5 + 0.99 * 51) * S)


@given(st.lists(st.floats(0.02, 0.98), min_size=1, max_size=8), st.integers(1, 10))
def test_awaiting_costs_the_least_over_how_long_one_waits(hazard, turn):
    # By enumeration: end after 1/2 + j turns with its chance; wait for each number of turns, or to the end.
    table = a_table(*hazard)
    chances = [hazard[min(turn - 1 + j, len(hazard) - 1)] for j in range(2_000)]
    alive = np.cumprod([1.0, *(1 - np.array(chances[:-1]))])
    ends, odds = 0.5 + np.arange(2_000), alive * chances
    later = np.cumsum(odds * ends) + (1 - np.cumsum(odds)) * ends
    least = min((later / np.cumsum(odds)).min(), float((odds * ends).sum()))
    assert table.holding(at_turn(turn))[0] == pytest.approx(least * S, rel=1e-6)


def test_less_is_left_at_every_turn(leads):
    life = TurnLife(leads).expected(leads)
    by_turn = [float(life[leads.turn == turn].mean()) for turn in range(1, 7)]
    assert by_turn == sorted(by_turn, reverse=True)
    # At the first turn 60 s are left; the hazard is smoothed over turns, so about as much.
    assert 30 * S < by_turn[0] < 70 * S


def test_a_slow_agent_has_more_left(leads):
    slow = dataclasses.replace(leads, write_ns=leads.write_ns * 3, free_ns=leads.free_ns * 3)
    table = TurnLife(leads)
    at = (leads.turn == 3) & (leads.session[leads.segment] == 0)
    assert table.expected(slow)[at][0] > 1.5 * table.expected(leads)[at][0]


def test_a_reply_as_long_as_only_last_ones_get_is_evidence_of_the_end():
    # Each lead has two turns; the reply of the second is long, that of the first is short.
    pieces = [
        Piece(LEAD, 0, 40 * S, [(number, 50), (10 * S + number, 3_000)], session=number)
        for number in range(40)
    ]
    run = timeline_of(pieces)
    run = dataclasses.replace(run, is_prompt=np.zeros(run.n_writes, dtype=np.bool_))
    table = TurnLife(run)
    long_first = dataclasses.replace(run, tokens=np.full(run.n_writes, 3_000))
    first = run.turn == 1
    assert table.expected(long_first)[first].mean() < table.expected(run)[first].mean()


def test_progress_counts_requests_and_what_is_decoded():
    run = timeline_of([Piece(LEAD, 0, 50, [(1, 10), (2, 20), (3, 30), (4, 40)])])
    run = dataclasses.replace(
        run, turn=np.array([1, 1, 1, 2], dtype=np.int32), is_prompt=np.array([True, False, False, True])
    )
    progress = progress_of(run)
    assert progress.decoded.tolist() == [0, 20, 50, 0]
    assert progress.turn.tolist() == [1, 1, 1, 2]


def test_delays_run_from_the_reply_to_the_next_message():
    run = timeline_of(
        [
            Piece(SURVIVING, 0, 100, [(10, 5), (70, 5)]),
            Piece(REASONING, 0, 60, [(5, 5)]),
            Piece(REASONING, 60, 100, [(65, 5)]),
        ]
    )
    ends = np.isin(run.write_ns, (10, 70))
    # The first reply waits from 10 to 60; the second is the session's last but for its end at 100.
    assert user_delays(dataclasses.replace(run, awaits_user=ends)).tolist() == [30, 50]
