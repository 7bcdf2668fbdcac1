"""Hand-worked replays of Tide: swaps between neighbouring tiers at the start of a gap.

Times are in ms and, unless a test says otherwise, a token takes 1 ms to move. Sessions are A = 0, B = 1, ...
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from support.worlds import MS, NS_PER_TOKEN, actions_of, make_envelope, make_trace, run_both

from unison.errors import UnisonError
from unison.policies.ranking import Ranking
from unison.replay.envelope import Envelope
from unison.replay.outcomes import MISS, NOWHERE, Counter, Outcomes
from unison.replay.tiering import UNLIMITED_SWAPS, Placement, Tiering

A, B, C, D = range(4)
SRAM, HBM, HOST = range(3)
MS_PER_TOKEN = NS_PER_TOKEN * MS


def start(at: int, length: int, *later: tuple[int, int], service: int = 1, completed: int = 0) -> dict:
    """A session of one length: its first turn, then one for each (gap, service)."""
    turns = [(0, service, length, length, 0), *((gap, runs, length, 0, 0) for gap, runs in later)]
    return {"start": at, "turns": turns, "completed": completed}


def tide(
    sessions: list[dict],
    scores: list[int],
    envelope: Envelope,
    *,
    gaps: list[float] | float = 1000,
    sees_completion: bool = True,
    placement: Placement = Placement.HBM_FIRST,
    **options: Any,
) -> Outcomes:
    trace = make_trace(sessions)
    ranking = Ranking(
        base=np.asarray(scores, np.int64),
        slope=np.zeros(len(scores)),
        gap_estimate_ns=(np.full(len(scores), gaps) * MS).astype(np.int64),
        sees_completion=sees_completion,
    )
    return run_both(trace, ranking, envelope, Tiering(tide=True, placement=placement, **options))


def moves(outcomes: Outcomes) -> list[tuple[str, int, int, int]]:
    return [action for action in actions_of(outcomes) if action[0] in {"PROMOTE", "SWAP_OUT"}]


def envelope(*capacities: int, dma_ps: int = MS_PER_TOKEN) -> Envelope:
    return make_envelope(*capacities, dma_ps=dma_ps)


@pytest.mark.parametrize(("gap", "promoted"), [(4, True), (3.999999, False), (0, False), (-1, False)])
def test_the_move_has_to_fit_the_budget(gap: float, promoted: bool) -> None:
    # A (4) is in HBM; SRAM is free. The budget of a gap of 4 ms is 4 tokens, of 3.999999 ms 3.
    found = tide([start(0, 4)], [0], envelope(5, 20), gaps=gap)
    assert moves(found) == ([("PROMOTE", A, HBM, SRAM)] if promoted else [])
    assert found.count(Counter.MOVED_TOKENS) == (4 if promoted else 0)
    assert found.count(Counter.DECISIONS) == 1


@pytest.mark.parametrize(("gap", "seen"), [(3, HBM), (4, SRAM)])
def test_a_lookup_sees_the_source_until_the_move_has_arrived(gap: int, seen: int) -> None:
    # A (4) starts to move at 1 and arrives at 5; it comes back at 4 or at 5 and stays in SRAM.
    found = tide([start(0, 4, (gap, 1))], [0, 0], envelope(5, 20), gaps=4)
    assert found.hit_tier.tolist() == [MISS, seen]
    assert found.placed_tier.tolist() == [HBM, SRAM]
    assert found.count(Counter.USEFUL_PROMOTIONS) == (seen == SRAM)


@pytest.mark.parametrize(("dma_ps", "seen"), [(333_333_334, HBM), (333_333_333, SRAM)])
def test_the_time_of_arrival_is_rounded_up_to_a_nanosecond(dma_ps: int, seen: int) -> None:
    # 3 tokens take 1,000,000.002 ns, so they arrive 1,000,001 ns after the pause; or 999,999.999: 1,000,000.
    found = tide([start(0, 3, (1, 1))], [0, 0], envelope(5, 20, dma_ps=dma_ps))
    assert found.hit_tier.tolist() == [MISS, seen]


@pytest.mark.parametrize(
    ("scores", "guard", "swapped"),
    [([9, 1], True, True), ([1, 1], True, False), ([1, 1], False, True), ([0, 1], True, False)],
)
def test_a_swap_has_to_improve_the_order_strictly(scores: list[int], guard: bool, swapped: bool) -> None:
    # A (5) is promoted to SRAM 5 at 1, since it is free. B (4) pauses in HBM at 11: it would trade with A.
    found = tide([start(0, 5), start(10, 4)], scores, envelope(5, 20), guard=guard)
    swap = [("PROMOTE", B, HBM, SRAM), ("SWAP_OUT", A, SRAM, HBM)]
    assert moves(found) == [("PROMOTE", A, HBM, SRAM), *(swap if swapped else [])]
    assert found.count(Counter.MOVED_TOKENS) == (5 + 9 if swapped else 5)


@pytest.mark.parametrize(("gap", "swapped"), [(9, True), (8, False)])
def test_both_halves_of_a_swap_count_against_the_budget(gap: int, swapped: bool) -> None:
    found = tide([start(0, 5), start(10, 4)], [9, 1], envelope(5, 20), gaps=[5, gap])
    assert len(moves(found)) == (3 if swapped else 1)


def test_an_infeasible_argmin_ends_tide() -> None:
    # A (5) is in SRAM 5; B (2, score 1) and C (5, score 2) fill HBM 7. At C's pause B's trade with A would
    # leave HBM 5 + 5 > 7. C's would be feasible (2 + 5), but B is the argmin: C is not tried.
    sessions = [start(0, 5), start(10, 2), start(20, 5)]
    found = tide(sessions, [9, 1, 2], envelope(5, 7), gaps=[5, 0, 1000])
    assert moves(found) == [("PROMOTE", A, HBM, SRAM)]
    found = tide(sessions, [9, 3, 2], envelope(5, 7), gaps=[5, 0, 1000])
    assert moves(found)[1:] == [("PROMOTE", C, HBM, SRAM), ("SWAP_OUT", A, SRAM, HBM)]


def test_equal_scores_move_the_lowest_slot() -> None:
    # A and B (3 each) wait in HBM with equal scores until C (30, bypassed) pauses: SRAM 3 takes A.
    found = tide([start(0, 3), start(10, 3), start(20, 30)], [7, 7, 0], envelope(3, 20), gaps=[0, 0, 1000])
    assert moves(found) == [("PROMOTE", A, HBM, SRAM)]
    # A and B fill SRAM 6 with equal scores; C (3) trades with A.
    found = tide([start(0, 3), start(10, 3), start(20, 3)], [7, 7, 0], envelope(6, 20))
    assert moves(found)[2:] == [("PROMOTE", C, HBM, SRAM), ("SWAP_OUT", A, SRAM, HBM)]


def test_the_session_promoted_has_to_fit_what_the_other_leaves() -> None:
    # A (3) is in SRAM 5; B (6) can never go there, even in exchange.
    found = tide([start(0, 3), start(10, 6)], [9, 1], envelope(5, 20))
    assert moves(found) == [("PROMOTE", A, HBM, SRAM)]
    # A (3) and B (2) fill SRAM 5: in exchange for A there is room for 3, not for C (4).
    found = tide([start(0, 3), start(10, 2), start(20, 4)], [9, 5, 1], envelope(5, 20))
    assert moves(found) == [("PROMOTE", A, HBM, SRAM), ("PROMOTE", B, HBM, SRAM)]


def test_while_the_engine_is_busy_nothing_moves() -> None:
    # A (5) moves from 1 to 6. B pauses at 4: busy. C pauses at 6: free again, and B (score 1) trades with A.
    sessions = [start(0, 5), start(3, 5), start(5, 5)]
    found = tide(sessions, [9, 1, 5], envelope(5, 20))
    assert moves(found) == [
        ("PROMOTE", A, HBM, SRAM),
        ("PROMOTE", B, HBM, SRAM),
        ("SWAP_OUT", A, SRAM, HBM),
    ]
    assert found.count(Counter.DECISIONS) == 2


def test_a_completion_starts_no_move() -> None:
    # A (4) waits in HBM, with no budget at its own pause. B (2) ends at 11 with one that is large enough.
    for completed, expected in ((1, []), (0, [("PROMOTE", A, HBM, SRAM)])):
        sessions = [start(0, 4), start(10, 2, completed=completed)]
        assert moves(tide(sessions, [0, 1], envelope(5, 20), gaps=[0, 1000])) == expected


def test_a_completed_session_is_never_promoted() -> None:
    # A (4) completes at 1 in HBM. B (30) is bypassed, and at its pause A is the only one there.
    sessions = [start(0, 4, completed=1), start(10, 30)]
    assert moves(tide(sessions, [0, 1], envelope(5, 20))) == []
    hidden = tide(sessions, [0, 1], envelope(5, 20), sees_completion=False)
    assert moves(hidden) == [("PROMOTE", A, HBM, SRAM)]


def test_a_completed_session_is_the_first_to_be_demoted() -> None:
    # A (4) is promoted at 1, comes back at 11 and completes at 12. B (4, score 5) trades with it, though A's
    # own score would be 0.
    sessions = [start(0, 4, (10, 1), completed=1), start(20, 4)]
    found = tide(sessions, [0, 0, 5], envelope(5, 20))
    assert moves(found)[1:] == [("PROMOTE", B, HBM, SRAM), ("SWAP_OUT", A, SRAM, HBM)]


def test_running_sessions_do_not_move() -> None:
    # A runs in HBM from 0 to 9; B pauses at 4 and is the only candidate, though A's last score is lower.
    found = tide([start(0, 2, service=9), start(3, 2)], [0, 1], envelope(5, 20), gaps=[0, 1000])
    assert moves(found) == [("PROMOTE", B, HBM, SRAM)]


def test_the_gap_of_the_session_that_paused_gives_the_budget() -> None:
    # A (4, gap 0) stays in HBM at its own pause; B's pause (gap 4) moves A, whose score is lower.
    found = tide([start(0, 4), start(10, 4)], [0, 1], envelope(5, 20), gaps=[0, 4])
    assert moves(found) == [("PROMOTE", A, HBM, SRAM)]


@pytest.mark.parametrize(
    ("max_swaps", "promoted"), [(0, []), (1, [A]), (2, [A, B]), (UNLIMITED_SWAPS, [A, B, C])]
)
def test_at_most_max_swaps_a_gap(max_swaps: int, promoted: list[int]) -> None:
    # A, B and C (3 each) wait in HBM, with no budget until D (30) pauses: then SRAM 9 takes up to three.
    sessions = [start(0, 3), start(10, 3), start(20, 3), start(30, 30)]
    found = tide(sessions, [0, 1, 2, 3], envelope(9, 50), gaps=[0, 0, 0, 1000], max_swaps=max_swaps)
    assert [session for _, session, *_ in moves(found)] == promoted
    assert found.count(Counter.MOVED_TOKENS) == 3 * len(promoted)


@pytest.mark.parametrize(("gap", "promoted"), [(5, [A]), (6, [A, B])])
def test_all_swaps_of_a_gap_share_its_budget(gap: int, promoted: list[int]) -> None:
    sessions = [start(0, 3), start(10, 3), start(20, 30)]
    found = tide(sessions, [0, 1, 2], envelope(9, 50), gaps=[0, 0, gap], max_swaps=2)
    assert [session for _, session, *_ in moves(found)] == promoted


@pytest.mark.parametrize(("gap", "seen"), [(25, HBM), (26, SRAM)])
def test_the_second_move_of_a_gap_follows_the_first(gap: int, seen: int) -> None:
    # As above, two moves from 31: A arrives at 34, B at 37. B, paused at 11, comes back at 36 or 37.
    sessions = [start(0, 3), start(10, 3, (gap, 1)), start(30, 30)]
    found = tide(sessions, [0, 1, 1, 3], envelope(9, 50), gaps=[0, 0, 0, 1000], max_swaps=2)
    assert found.hit_tier[2] == seen


def test_a_promotion_is_useful_if_the_next_request_hits_it() -> None:
    # A is promoted at 1 and demoted again by B's pause at 11, before it comes back: of no use.
    # B stays, hits SRAM at 30: useful, and only once (at 40 it is no longer the promotion's doing).
    sessions = [start(0, 5, (50, 1)), start(10, 4, (19, 1), (9, 1))]
    found = tide(sessions, [9, 9, 1, 1, 1], envelope(5, 20))
    assert found.hit_tier.tolist() == [MISS, HBM, MISS, SRAM, SRAM]
    assert found.count(Counter.PROMOTIONS) == 2
    assert found.count(Counter.USEFUL_PROMOTIONS) == 1


def test_a_promotion_undone_by_a_demotion_is_of_no_use() -> None:
    # A (4) is promoted at 1. B (5) fits only SRAM 5 and pushes A down to HBM 4, where it hits at 21.
    found = tide([start(0, 4, (20, 1)), start(10, 5)], [0, 0, 0], envelope(5, 4))
    assert actions_of(found)[2:4] == [("PLACE", B, NOWHERE, SRAM), ("DEMOTE", A, SRAM, HBM)]
    assert found.hit_tier[1] == HBM
    assert found.count(Counter.PROMOTIONS) == 1
    assert found.count(Counter.USEFUL_PROMOTIONS) == 0


def test_a_demotion_ends_a_move_and_is_seen_at_once() -> None:
    # Tiers of 4. A is in SRAM from 5 on; B trades with it at 11, so that A is seen in SRAM until 19. C, at
    # 13, pushes A from HBM to the host: at 15 it is seen there.
    sessions = [start(0, 4, (14, 1)), start(10, 4), start(13, 4)]
    found = tide(sessions, [9, 9, 1, 5], envelope(4, 4, 4))
    assert actions_of(found)[3:7] == [
        ("PROMOTE", B, HBM, SRAM),
        ("SWAP_OUT", A, SRAM, HBM),
        ("PLACE", C, NOWHERE, HBM),
        ("DEMOTE", A, HBM, HOST),
    ]
    assert found.hit_tier[1] == HOST


def test_neighbours_of_three_tiers_trade_from_the_top_down() -> None:
    # Tiers of 4. A is promoted to SRAM at 1; C pushes B from HBM to the host. Neither has a budget. D (9) is
    # bypassed, and its pause gives the budget for two swaps: C with A, then, one pair down, B (host, score 0)
    # with A (HBM, score 9).
    sessions = [start(0, 4), start(10, 4), start(20, 4), start(30, 9)]
    found = tide(sessions, [9, 0, 1, 0], envelope(4, 4, 4), gaps=[4, 0, 0, 1000], max_swaps=2)
    assert moves(found)[1:] == [
        ("PROMOTE", C, HBM, SRAM),
        ("SWAP_OUT", A, SRAM, HBM),
        ("PROMOTE", B, HOST, HBM),
        ("SWAP_OUT", A, HBM, HOST),
    ]


def test_a_session_moved_twice_in_a_gap_is_seen_where_it_was_before() -> None:
    # As above: A leaves SRAM at 31 for HBM and then for the host, and arrives after 8 + 8 tokens at 47.
    def seen_at(gap: int) -> int:
        sessions = [start(0, 4, (gap, 1)), start(10, 4), start(20, 4), start(30, 9)]
        found = tide(sessions, [9, 9, 0, 1, 0], envelope(4, 4, 4), gaps=[4, 0, 0, 0, 1000], max_swaps=2)
        return int(found.hit_tier[1])

    assert seen_at(45) == SRAM
    assert seen_at(46) == HOST


def test_a_hit_during_the_move_keeps_the_place_that_the_move_gave_it() -> None:
    # A (4) comes back at 3, while it moves: seen in HBM, it runs in SRAM, where 1 of 5 is free. B (2) at 4
    # therefore finds no room there.
    found = tide(
        [start(0, 4, (2, 9)), start(4, 2)],
        [0, 0, 0],
        envelope(5, 20),
        gaps=4,
        placement=Placement.HBM_FIRST,
    )
    assert found.hit_tier[1] == HBM
    assert found.placed_tier.tolist() == [HBM, SRAM, HBM]


@pytest.mark.parametrize("options", [{"max_swaps": -1}, {"max_swaps": 2, "guard": False}])
def test_swaps_without_end_are_refused(options: dict) -> None:
    with pytest.raises(UnisonError, match="max_swaps"):
        Tiering(**options)
