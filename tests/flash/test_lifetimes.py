"""Expected remaining life from what earlier traffic and the harness tell."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from support.segments import Piece, timeline_of

from unison.flash.lifetimes import TurnLife, class_mean_life, progress_of, user_delays
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


def test_less_is_left_at_every_turn(leads):
    life = TurnLife(leads)(leads)
    by_turn = [float(life[leads.turn == turn].mean()) for turn in range(1, 7)]
    assert by_turn == sorted(by_turn, reverse=True)
    # At the first turn 60 s are left; the hazard is smoothed over turns, so about as much.
    assert 30 * S < by_turn[0] < 70 * S


def test_a_slow_agent_has_more_left(leads):
    slow = dataclasses.replace(leads, write_ns=leads.write_ns * 3, free_ns=leads.free_ns * 3)
    table = TurnLife(leads)
    at = (leads.turn == 3) & (leads.session[leads.segment] == 0)
    assert table(slow)[at][0] > 1.5 * table(leads)[at][0]


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
    assert table(long_first)[first].mean() < table(run)[first].mean()


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
