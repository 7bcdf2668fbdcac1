"""Dual register files: equal to one file at every event, and by hand what a stale file does."""

from __future__ import annotations

import numpy as np
import pytest
from support.worlds import MS, actions_of, assert_same, make_envelope, make_trace, seeded_world

from unison.errors import UnisonError
from unison.policies.ranking import Ranking
from unison.replay.dual import EVENTS, REQUESTS, DualEngine, Sync
from unison.replay.outcomes import NOWHERE, Counter
from unison.replay.reference import ReferenceEngine
from unison.replay.tiering import Tiering
from unison.traces.trace import Trace

A, B, C, D = range(4)
SRAM, HBM = range(2)


def session(start: int, *turns: tuple[int, int, int]) -> dict:
    """Turns ``(gap, service, length)`` in ms and tokens, each reusing all it can."""
    return {"start": start, "turns": [(gap, service, length, 0, 0) for gap, service, length in turns]}


def scored(trace: Trace, scores: list[int]) -> Ranking:
    """The given score of each turn's pause, with all the time in the world for Tide."""
    turns = len(scores)
    return Ranking(np.asarray(scores, np.int64), np.zeros(turns), np.full(turns, 10**6 * MS), True)


def run_dual(
    trace: Trace, scores: list[int], capacities: tuple[int, ...], sync: Sync, *, tide: bool = False
) -> tuple[DualEngine, list[tuple[str, int, int, int]]]:
    engine = DualEngine(
        trace, scored(trace, scores), make_envelope(*capacities), Tiering(tide=tide), sync=sync
    )
    return engine, actions_of(engine.run())


@pytest.mark.parametrize("seed", range(150))
def test_a_sync_after_every_event_is_one_file(seed: int):
    world = seeded_world(seed)
    one = ReferenceEngine(world.trace, world.ranking, world.envelope, world.tiering).run()
    engine = DualEngine(world.trace, world.ranking, world.envelope, world.tiering, sync=Sync(1, EVENTS))
    assert_same(engine.run(), one)
    assert (engine.counts.stale_victims, engine.counts.forced_syncs, engine.counts.lost_swaps) == (0, 0, 0)


@pytest.mark.parametrize("sync", [Sync(2), Sync(5), Sync(1, REQUESTS), Sync(3, REQUESTS)])
def test_stale_files_keep_the_store_s_rules(sync: Sync):
    # The engine itself asserts capacities and slots after every event.
    different = 0
    for seed in range(150):
        world = seeded_world(seed)
        one = ReferenceEngine(world.trace, world.ranking, world.envelope, world.tiering).run()
        dual = DualEngine(world.trace, world.ranking, world.envelope, world.tiering, sync=sync).run()
        different += not np.array_equal(one.actions, dual.actions)
    assert different > 0


# A pauses at 1, B at 3; C needs room at 4. Scores: B (20) goes before A (10).
# Events: A requests 0, A pauses 1, B requests 2, B pauses 3, C requests 4.
VICTIM = [session(0, (0, 1, 5), (20, 1, 5)), session(2, (0, 1, 5), (20, 1, 5)), session(4, (0, 1, 5))]
VICTIM_SCORES = [10, 0, 20, 0, 0]


def evicted(actions: list[tuple[str, int, int, int]]) -> list[int]:
    return [who for name, who, _, _ in actions if name == "EVICT"]


def test_a_pause_not_yet_seen_is_no_victim():
    # A sync after the 3rd event: A's pause is seen, B's is not, so that A goes though B ranks higher.
    engine, actions = run_dual(make_trace(VICTIM), VICTIM_SCORES, (10,), Sync(3))
    assert evicted(actions)[0] == A
    assert (engine.counts.victims, engine.counts.stale_victims) == (len(evicted(actions)), 1)
    assert engine.counts.forced_syncs == 0


def test_a_request_that_sees_no_candidate_waits_for_a_sync_and_then_chooses_right():
    engine, actions = run_dual(make_trace(VICTIM[:3]), VICTIM_SCORES, (10,), Sync(100))
    assert evicted(actions)[0] == B
    assert engine.counts.forced_syncs >= 1
    assert engine.counts.stale_victims == 0


def test_syncs_by_requests_count_requests_only():
    # After the 2nd request (B's, at 2) A's pause is seen; B's own comes later: A goes.
    # (By events a sync after the 2nd and the 4th would show both, and B would go.)
    engine, actions = run_dual(make_trace(VICTIM), VICTIM_SCORES, (10,), Sync(2, REQUESTS))
    assert evicted(actions)[0] == A
    assert engine.counts.stale_victims == 1
    _, by_events = run_dual(make_trace(VICTIM), VICTIM_SCORES, (10,), Sync(2, EVENTS))
    assert evicted(by_events)[0] == B


def test_a_session_that_requests_again_is_running_to_the_eviction_engine_at_once():
    # A pauses at 1, seen at the sync after event 2, and requests again at 2; at 4 it cannot be C's victim.
    again = [session(0, (0, 1, 5), (1, 9, 5)), session(1, (0, 1, 5)), session(4, (0, 1, 5))]
    _, actions = run_dual(make_trace(again), [50, 0, 10, 0], (10,), Sync(2))
    assert A not in evicted(actions)


# SRAM 5, HBM 10. A (score 30) is in SRAM, B (10) in HBM; both pause; at B's pause Tide would swap them.
SWAP = [session(0, (0, 1, 5), (30, 1, 5)), session(2, (0, 1, 5), (30, 1, 5))]
SWAP_SCORES = [30, 0, 10, 0]


def test_tide_swaps_what_its_file_shows():
    engine, actions = run_dual(make_trace(SWAP), SWAP_SCORES, (5, 10), Sync(1), tide=True)
    assert actions[:4] == [
        ("PLACE", A, NOWHERE, SRAM),
        ("PLACE", B, NOWHERE, HBM),
        ("PROMOTE", B, HBM, SRAM),
        ("SWAP_OUT", A, SRAM, HBM),
    ]
    assert engine.counts.lost_swaps == 0


def test_tide_does_not_know_a_session_placed_since_the_last_sync():
    _, actions = run_dual(make_trace(SWAP), SWAP_SCORES, (5, 10), Sync(100), tide=True)
    assert not [entry for entry in actions if entry[0] == "PROMOTE"]


def test_a_swap_of_a_session_that_runs_again_is_lost():
    # SRAM 5, HBM 10. Events: 1 A requests, 2 B requests, 3 A pauses, 4 B pauses, then the sync of every 4th.
    # No swap yet: at B's pause Tide has not seen B, nor A. B (score 10, HBM) requests again at 5 and runs;
    # C requests at 6, into HBM; at C's pause, 7, Tide still sees B paused and would swap it with A (30).
    trace = make_trace(
        [
            session(0, (0, 2, 5), (40, 1, 5)),
            session(1, (0, 2, 5), (2, 30, 5)),
            session(6, (0, 1, 4), (40, 1, 4)),
        ]
    )
    engine, actions = run_dual(trace, [30, 0, 10, 0, 50, 0], (5, 10), Sync(4), tide=True)
    assert engine.counts.swaps == engine.counts.lost_swaps == 1
    assert not [entry for entry in actions if entry[0] == "PROMOTE"]


def test_counts_are_of_the_last_run():
    engine, _ = run_dual(make_trace(VICTIM), VICTIM_SCORES, (10,), Sync(3))
    before = vars(engine.counts).copy()
    again = engine.run()
    assert vars(engine.counts) == before
    assert again.count(Counter.EVICTIONS) == before["victims"]


@pytest.mark.parametrize(("every", "unit"), [(0, EVENTS), (1, "victims")])
def test_a_sync_that_cannot_be_is_refused(every: int, unit: str):
    with pytest.raises(UnisonError, match="give 1 or more events or requests"):
        Sync(every, unit)
