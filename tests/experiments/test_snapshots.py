"""Snapshots of a replay: who was paused at each victim selection, worked by hand (times in ms)."""

from __future__ import annotations

from support.worlds import assert_same, make_envelope, make_trace, scored, session, turn

from unison.experiments.snapshots import record_snapshots
from unison.replay.engine import replay
from unison.replay.tiering import Tiering

# Sessions 0 and 1 pause at 1 and 2 with 10 tokens each, session 2 needs 10 of the 20 at 5, session 3 at 8.
TRACE = make_trace(
    [
        session(0, turn(0, 1, 10), turn(50, 1, 10, 10)),
        session(1, turn(0, 1, 10), turn(50, 1, 10, 10)),
        session(5, turn(0, 1, 10)),
        session(8, turn(0, 1, 10)),
    ]
)
RANKING = scored(TRACE, [5, 9, 0, 0, 0, 0])


def test_each_selection_shows_all_paused_residents():
    # At 5: rows 0 (slot 0) and 2 (slot 1) are paused, and row 0 goes, its score 5 above 0; the newcomer has
    # taken slot 2 by then. At 8: row 2 and session 2's row 4, which has completed.
    _, found = record_snapshots(TRACE, RANKING, make_envelope(20), Tiering(), least_residents=2)
    assert found.first.tolist()[:3] == [0, 2, 4]
    assert found.row.tolist()[:4] == [0, 2, 2, 4]
    assert found.is_dead.tolist()[:4] == [False, False, False, True]
    assert found.is_candidate.all()


def test_only_residents_of_the_last_tier_are_candidates():
    # The upper tier holds one session of 10, the lower one another: the upper demotes, the lower evicts.
    _, found = record_snapshots(TRACE, RANKING, make_envelope(10, 10), Tiering(), least_residents=2)
    assert not found.is_candidate.all()
    assert found.is_candidate.any()


def test_small_selections_are_left_out():
    _, found = record_snapshots(TRACE, RANKING, make_envelope(20), Tiering(), least_residents=3)
    assert len(found) == 0


def test_the_replay_is_that_of_the_engine():
    tiering = Tiering(tide=True)
    outcomes, _ = record_snapshots(TRACE, RANKING, make_envelope(10, 10), tiering, least_residents=2)
    assert_same(outcomes, replay(TRACE, RANKING, make_envelope(10, 10), tiering, record=True))
