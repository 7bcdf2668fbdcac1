"""Hand-worked replays of how copies are lost: evicted, dropped, not kept; and of the pins of a policy.

Times are in ms, sessions A = 0, B = 1, C = 2, ...
"""

from __future__ import annotations

import numpy as np
import pytest
from support.worlds import (
    MS,
    actions_of,
    idle_ranking,
    make_envelope,
    make_trace,
    run_both,
    scored,
    session,
    turn,
)

from unison.policies.ranking import Ranking
from unison.replay.outcomes import NOWHERE, Cause, Counter
from unison.replay.tiering import Placement, Tiering

A, B, C = range(3)
SRAM, HBM = range(2)


def test_a_miss_names_when_and_to_which_row_the_copy_was_lost() -> None:
    # B's request at 3 (row 2) evicts A; A misses at 10.
    trace = make_trace([session(0, turn(0, 1, 5), turn(9, 1, 5, reuse=5)), session(3, turn(0, 1, 5))])
    found = run_both(trace, idle_ranking(trace), make_envelope(7))
    assert found.cause.tolist() == [Cause.FIRST_TURN, Cause.EVICTED, Cause.FIRST_TURN]
    assert found.lost_ns.tolist() == [-1, 3 * MS, -1]
    assert found.lost_by.tolist() == [-1, 2, -1]


@pytest.mark.parametrize(("gap", "is_hit"), [(4, True), (5, False)])
def test_a_copy_is_dropped_once_idle_longer_than_the_limit(gap: int, is_hit: bool) -> None:
    # A pauses at 1 with a limit of 4: it is still there at 5 exactly, and gone after, lost at 5 by its row 0.
    trace = make_trace([session(0, turn(0, 1, 5), turn(gap, 1, 5, reuse=5))])
    ranking = scored(trace, [0, 0], drop_after_ns=[4, 4])
    found = run_both(trace, ranking, make_envelope(10))
    assert found.is_hit[1] == is_hit
    if not is_hit:
        assert found.cause[1] == Cause.TIMEOUT
        assert (found.lost_ns[1], found.lost_by[1]) == (5 * MS, 0)
        assert actions_of(found)[1] == ("DROP", A, SRAM, NOWHERE)
        assert found.count(Counter.DROPS) == 1
        # Held from 0 to 5, though the next event comes at 6; then the second turn from 6 to 7.
        assert found.used_token_ns == 5 * (5 + 1) * MS


def test_several_drops_come_in_the_order_of_their_expiry() -> None:
    # A pauses at 1 (limit 7), B at 3 (limit 3), C at 5 (limit 1): at 9 they expire at 8, 6 and 6.
    trace = make_trace([session(s, turn(0, 1, 2)) for s in (0, 2, 4, 9)])
    ranking = scored(trace, [0, 0, 0, 0], drop_after_ns=[7, 3, 1, 1])
    found = run_both(trace, ranking, make_envelope(10))
    assert [action[1] for action in actions_of(found) if action[0] == "DROP"] == [B, C, A]


def test_a_copy_not_kept_is_released_when_the_turn_ends() -> None:
    trace = make_trace([session(0, turn(0, 2, 5), turn(3, 1, 6, reuse=5), turn(1, 1, 7, reuse=6))])
    ranking = Ranking(
        np.zeros(3, np.int64), np.zeros(3), np.zeros(3, np.int64), True, keep=np.asarray([False, True, True])
    )
    found = run_both(trace, ranking, make_envelope(10))
    assert found.cause.tolist() == [Cause.FIRST_TURN, Cause.BYPASSED, Cause.HIT]
    assert (found.lost_ns[1], found.lost_by[1]) == (2 * MS, 0)
    assert actions_of(found)[1] == ("RELEASE", A, SRAM, NOWHERE)


# --- pins of a policy (TTL) -------------------------------------------------------------------------------


@pytest.mark.parametrize(("pin", "victim"), [(9, B), (4, A)])
def test_a_pin_protects_a_session_until_it_runs_out(pin: int, victim: int) -> None:
    # A (score 9) pauses at 1 pinned for 9 or 4, B (score 1) at 3 unpinned; C comes at 5 (4 after the pause).
    trace = make_trace([session(0, turn(0, 1, 5)), session(2, turn(0, 1, 5)), session(5, turn(0, 1, 5))])
    ranking = scored(trace, [9, 1, 0], sees_completion=False, pin_ns=[pin, 0, 0])
    found = run_both(trace, ranking, make_envelope(10))
    assert actions_of(found)[3] == ("EVICT", victim, SRAM, NOWHERE)


def test_if_all_are_pinned_the_one_nearest_to_its_expiry_goes() -> None:
    # Pins run out at 1 + 20 for A and 3 + 10 for B; A has the larger score. B goes: no pin blocks a request.
    trace = make_trace([session(0, turn(0, 1, 5)), session(2, turn(0, 1, 5)), session(5, turn(0, 1, 5))])
    ranking = scored(trace, [9, 1, 0], sees_completion=False, pin_ns=[20, 10, 0])
    found = run_both(trace, ranking, make_envelope(10))
    assert actions_of(found)[3] == ("EVICT", B, SRAM, NOWHERE)


def test_a_completed_session_has_no_pin() -> None:
    trace = make_trace([session(0, turn(0, 1, 5)), session(2, turn(0, 1, 5)), session(5, turn(0, 1, 5))])
    trace.corpus.completed[B] = 0
    ranking = scored(trace, [0, 9, 0], pin_ns=[20, 0, 0])
    found = run_both(trace, ranking, make_envelope(10))
    assert actions_of(found)[3] == ("EVICT", A, SRAM, NOWHERE)


def test_a_pin_does_not_keep_a_session_from_being_demoted() -> None:
    # Pins are about eviction: A, pinned for 20, is demoted from SRAM 5 to make room for B.
    trace = make_trace([session(0, turn(0, 1, 5), turn(9, 1, 5, reuse=5)), session(2, turn(0, 1, 5))])
    ranking = scored(trace, [9, 0, 0], pin_ns=[20, 0, 0])
    found = run_both(trace, ranking, make_envelope(5, 9), Tiering(placement=Placement.SRAM_EVICT))
    assert actions_of(found)[2] == ("DEMOTE", A, SRAM, HBM)
    assert found.hit_tier[1] == HBM
