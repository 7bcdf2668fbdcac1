"""Hand-worked replays that hold the reference engine right; the kernel has to agree with each.

Times are in ms, turns are ``(gap, service, prompt, new, output)``, sessions A = 0, B = 1, C = 2, ...
"""

from __future__ import annotations

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

from unison.replay.outcomes import MISS, NOWHERE, Cause, Counter
from unison.replay.reference import ReferenceEngine
from unison.replay.resident import Decision
from unison.replay.tiering import Placement, Tiering

A, B, C, D = range(4)
SRAM, HBM, HOST = range(3)


# --- lookup and reuse -----------------------------------------------------------------------------------


def test_the_first_turn_misses_and_is_placed() -> None:
    trace = make_trace([session(0, turn(0, 1, 6))])
    found = run_both(trace, idle_ranking(trace), make_envelope(10))
    assert found.hit_tier.tolist() == [MISS]
    assert found.cause.tolist() == [Cause.FIRST_TURN]
    assert found.placed_tier.tolist() == [SRAM]
    assert found.lost_ns.tolist() == found.lost_by.tolist() == [-1]
    assert actions_of(found) == [("PLACE", A, NOWHERE, SRAM)]


def test_the_second_turn_hits_sram_and_reuses_what_is_not_new() -> None:
    # A holds 5 + 1 = 6 tokens; its next prompt of 8 has 2 new: 8 - 2 = 6 are reused.
    trace = make_trace([session(0, (0, 1, 5, 5, 1), (2, 1, 8, 2, 1))])
    found = run_both(trace, idle_ranking(trace), make_envelope(10))
    assert found.hit_tier.tolist() == [MISS, SRAM]
    assert found.cause.tolist() == [Cause.FIRST_TURN, Cause.HIT]
    assert found.reused_tokens.tolist() == [0, 6]


def test_a_session_too_long_for_sram_lives_in_hbm() -> None:
    trace = make_trace([session(0, turn(0, 1, 6), turn(2, 1, 7, reuse=6))])
    found = run_both(trace, idle_ranking(trace), make_envelope(5, 20))
    assert found.placed_tier.tolist() == [HBM, HBM]
    assert found.hit_tier.tolist() == [MISS, HBM]


def test_reuse_is_at_most_what_is_resident() -> None:
    # The log claims that 9 of 10 tokens are a prefix of a context that holds only 6.
    trace = make_trace([session(0, turn(0, 1, 6), turn(2, 1, 10, reuse=9))])
    found = run_both(trace, idle_ranking(trace), make_envelope(20))
    assert found.reused_tokens.tolist() == [0, 6]


def test_a_prompt_that_shares_nothing_misses_and_keeps_its_slot() -> None:
    # A's second prompt is all new though A is resident in HBM: a miss, so it is placed anew, in free SRAM.
    trace = make_trace([session(0, turn(0, 1, 6), turn(2, 1, 4), turn(2, 1, 5, reuse=4))])
    found = run_both(trace, idle_ranking(trace), make_envelope(5, 20))
    assert found.cause.tolist() == [Cause.FIRST_TURN, Cause.SHRUNK_PREFIX, Cause.HIT]
    assert found.lost_by.tolist() == [-1, -1, -1]
    expected = [("PLACE", A, NOWHERE, HBM), ("PLACE", A, HBM, SRAM), ("PLACE", A, SRAM, SRAM)]
    assert actions_of(found) == expected


# --- placement ------------------------------------------------------------------------------------------


def test_a_newcomer_leaves_sram_alone_and_evicts_from_hbm() -> None:
    # SRAM 6 holds A. B and C fill HBM 12; D needs 6 there: B, paused at 2, is idle longer than C, at 4.
    starts = (0, 1, 3, 5)
    trace = make_trace([session(start, turn(0, 1, 6)) for start in starts])
    found = run_both(trace, idle_ranking(trace), make_envelope(6, 12))
    assert found.placed_tier.tolist() == [SRAM, HBM, HBM, HBM]
    assert actions_of(found)[3:] == [("PLACE", D, NOWHERE, HBM), ("EVICT", B, HBM, NOWHERE)]
    assert found.count(Counter.EVICTIONS) == found.count(Counter.DECISIONS) == 1


def test_a_full_sram_demotes_its_argmax_which_then_competes_in_hbm() -> None:
    # Everything is tried in SRAM first. SRAM 10 holds A (6) and B (4); C (6) demotes A, idle longest, to
    # HBM 6. D (4) demotes B, idle longest of B and C, to HBM, where A and B are 10: A, idle longest, goes.
    trace = make_trace([session(2 * i, turn(0, 1, n)) for i, n in enumerate((6, 4, 6, 4))])
    tiering = Tiering(placement=Placement.SRAM_EVICT)
    found = run_both(trace, idle_ranking(trace), make_envelope(10, 6), tiering)
    assert actions_of(found)[2:] == [
        ("PLACE", C, NOWHERE, SRAM),
        ("DEMOTE", A, SRAM, HBM),
        ("PLACE", D, NOWHERE, SRAM),
        ("DEMOTE", B, SRAM, HBM),
        ("EVICT", A, HBM, NOWHERE),
    ]
    assert found.count(Counter.DEMOTIONS) == 2
    assert found.count(Counter.DECISIONS) == 3


def test_sram_is_demoted_from_when_hbm_is_full_of_running_sessions() -> None:
    # A (6) paused in SRAM 6; B (6) runs in HBM 6 from 2 to 12. C needs 6: HBM's are all pinned, so A goes
    # down to HBM, which cannot hold it beside B, and is evicted there.
    trace = make_trace([session(0, turn(0, 1, 6)), session(2, turn(0, 10, 6)), session(4, turn(0, 1, 6))])
    found = run_both(trace, idle_ranking(trace), make_envelope(6, 6))
    assert actions_of(found)[2:] == [
        ("PLACE", C, NOWHERE, SRAM),
        ("DEMOTE", A, SRAM, HBM),
        ("EVICT", A, HBM, NOWHERE),
    ]


@pytest.mark.parametrize(
    ("placement", "expected"),
    [(Placement.SRAM_IF_FREE, SRAM), (Placement.HBM_FIRST, HBM), (Placement.SRAM_EVICT, SRAM)],
)
def test_where_a_miss_goes_when_everything_is_free(placement: Placement, expected: int) -> None:
    trace = make_trace([session(0, turn(0, 1, 6))])
    found = run_both(trace, idle_ranking(trace), make_envelope(10, 10), Tiering(placement=placement))
    assert found.placed_tier.tolist() == [expected]


def test_hbm_first_uses_sram_where_nothing_else_holds_the_session() -> None:
    trace = make_trace([session(0, turn(0, 1, 9))])
    found = run_both(trace, idle_ranking(trace), make_envelope(10, 5), Tiering(placement=Placement.HBM_FIRST))
    assert found.placed_tier.tolist() == [SRAM]


def test_a_hit_stays_in_its_tier_and_pushes_others_out() -> None:
    # A (4) and B (4) fill HBM 8. A grows to 6, which fits beside what runs there (nothing): B is evicted.
    trace = make_trace([session(0, turn(0, 1, 4), turn(5, 1, 6, reuse=4)), session(2, turn(0, 1, 4))])
    found = run_both(trace, idle_ranking(trace), make_envelope(0, 8))
    assert found.hit_tier.tolist() == [MISS, HBM, MISS]
    assert actions_of(found)[2:] == [("PLACE", A, HBM, HBM), ("EVICT", B, HBM, NOWHERE)]


def test_a_hit_that_has_outgrown_its_tier_moves() -> None:
    # A (6) fills SRAM 6 and comes back with 9: hit in SRAM, held in HBM.
    trace = make_trace([session(0, turn(0, 1, 6), turn(2, 1, 9, reuse=6))])
    found = run_both(trace, idle_ranking(trace), make_envelope(6, 20))
    assert found.hit_tier.tolist() == [MISS, SRAM]
    assert actions_of(found) == [("PLACE", A, NOWHERE, SRAM), ("PLACE", A, SRAM, HBM)]


def test_the_footprint_released_counts_as_free_for_a_shrunk_prefix() -> None:
    # A (6) fills SRAM 6. Its next prompt is new, so it is placed anew, and 6 tokens are free once A lets go.
    trace = make_trace([session(0, turn(0, 1, 6), turn(2, 1, 6))])
    found = run_both(trace, idle_ranking(trace), make_envelope(6, 20))
    assert found.placed_tier.tolist() == [SRAM, SRAM]


def test_equal_scores_evict_the_lowest_slot() -> None:
    # All scores are 0. C evicts A from slot 0 and takes it; D evicts C, again in slot 0, before B in slot 1.
    trace = make_trace([session(2 * i, turn(0, 1, 5)) for i in range(4)])
    found = run_both(trace, scored(trace, [0, 0, 0, 0], sees_completion=False), make_envelope(10, slots=2))
    evicted = [action for action in actions_of(found) if action[0] == "EVICT"]
    assert evicted == [("EVICT", A, SRAM, NOWHERE), ("EVICT", C, SRAM, NOWHERE)]


def test_with_one_slot_a_paused_session_goes_and_a_running_one_stays() -> None:
    # B arrives at 2 while A (0 to 1) is paused and evicts it; C arrives at 4 while B runs (2 to 9): bypass.
    # B's pause at 9 leaves it resident, so it hits at 10.
    sessions = [
        session(0, turn(0, 1, 3)),
        session(2, turn(0, 7, 3), turn(1, 1, 4, reuse=3)),
        session(4, turn(0, 1, 3)),
    ]
    trace = make_trace(sessions)
    found = run_both(trace, idle_ranking(trace), make_envelope(100, slots=1))
    assert actions_of(found) == [
        ("PLACE", A, NOWHERE, SRAM),
        ("EVICT", A, SRAM, NOWHERE),
        ("PLACE", B, NOWHERE, SRAM),
        ("BYPASS", C, NOWHERE, NOWHERE),
        ("PLACE", B, SRAM, SRAM),
    ]
    assert found.hit_tier.tolist() == [MISS, MISS, SRAM, MISS]


def test_with_two_slots_the_overall_argmax_gives_its_slot_whatever_its_tier() -> None:
    # A (2) is in SRAM 2, B (3) in HBM; slots 2. C (1) needs a slot: A is idle longest, though it is in SRAM.
    trace = make_trace([session(2 * i, turn(0, 1, n)) for i, n in enumerate((2, 3, 1))])
    found = run_both(trace, idle_ranking(trace), make_envelope(2, 10, slots=2))
    assert actions_of(found)[2:] == [("EVICT", A, SRAM, NOWHERE), ("PLACE", C, NOWHERE, SRAM)]
    # Of HBM it would have been B.
    found = run_both(trace, scored(trace, [1, 2, 0], sees_completion=False), make_envelope(2, 10, slots=2))
    assert actions_of(found)[2:] == [("EVICT", B, HBM, NOWHERE), ("PLACE", C, NOWHERE, HBM)]


# --- bypass ---------------------------------------------------------------------------------------------


def test_a_session_larger_than_every_tier_is_bypassed_and_evicts_nobody() -> None:
    # B (4) is paused. A (5) comes back at 4 with 12 tokens, more than SRAM 6 or HBM 10: its hit counts, its
    # copy is freed, and its third turn misses for that, lost at 4 to its own row 1.
    sessions = [
        session(0, turn(0, 1, 5), turn(3, 1, 12, reuse=5), turn(1, 1, 6, reuse=5)),
        session(2, turn(0, 1, 4), turn(9, 1, 5, reuse=4)),
    ]
    trace = make_trace(sessions)
    found = run_both(trace, idle_ranking(trace), make_envelope(6, 10))
    assert found.hit_tier.tolist() == [MISS, SRAM, MISS, MISS, HBM]
    assert found.placed_tier.tolist() == [SRAM, NOWHERE, SRAM, HBM, HBM]
    assert found.reused_tokens[1] == 5
    assert found.cause[2] == Cause.BYPASSED
    assert (found.lost_ns[2], found.lost_by[2]) == (4 * MS, 1)
    assert ("BYPASS", A, SRAM, NOWHERE) in actions_of(found)
    assert found.count(Counter.BYPASSES) == 1
    assert found.count(Counter.EVICTIONS) == 0


def test_running_sessions_are_never_evicted() -> None:
    # A (6) runs from 0 to 20 in the only tier, 10. B (5) does not fit beside it: bypassed at 1 and at 3.
    trace = make_trace([session(0, turn(0, 20, 6)), session(1, turn(0, 1, 5), turn(1, 1, 5, reuse=4))])
    found = run_both(trace, idle_ranking(trace), make_envelope(10))
    assert found.placed_tier.tolist() == [SRAM, NOWHERE, NOWHERE]
    assert found.cause.tolist() == [Cause.FIRST_TURN, Cause.FIRST_TURN, Cause.BYPASSED]
    assert (found.lost_ns[2], found.lost_by[2]) == (1 * MS, 1)


def test_capacity_zero_bypasses_all_but_empty_sessions() -> None:
    trace = make_trace([session(0, turn(0, 1, 3), turn(1, 1, 4, reuse=3)), session(9, turn(0, 1, 0))])
    found = run_both(trace, idle_ranking(trace), make_envelope(0, 0))
    assert found.placed_tier.tolist() == [NOWHERE, NOWHERE, SRAM]
    assert found.hit_tier.tolist() == [MISS, MISS, MISS]


# --- order of events, completion ------------------------------------------------------------------------


def test_at_one_instant_completions_come_first_then_pauses_then_requests() -> None:
    # At 5, C completes, B pauses and A requests; each has 4 tokens and the tier 8. A may evict both: by the
    # scores it would be B (2), but C has completed.
    sessions = [
        session(5, turn(0, 1, 4)),
        session(0, turn(0, 5, 4), turn(9, 1, 4, reuse=3)),
        session(1, turn(0, 4, 4)),
    ]
    trace = make_trace(sessions)
    assert trace.events.tolist() == [3, 7, 6, 2, 1, 0, 5, 4]  # 2 * row + is_request
    found = run_both(trace, scored(trace, [0, 2, 0, 1]), make_envelope(8))
    assert actions_of(found)[2:4] == [("PLACE", A, NOWHERE, SRAM), ("EVICT", C, SRAM, NOWHERE)]


def test_a_zero_gap_lets_a_lower_session_in_between() -> None:
    # B pauses at 3 and requests at 3; A requests at 3 too, and comes first: with one slot it evicts B.
    trace = make_trace([session(3, turn(0, 1, 2)), session(0, turn(0, 3, 2), turn(0, 9, 2, reuse=1))])
    found = run_both(trace, idle_ranking(trace), make_envelope(10, slots=1))
    assert actions_of(found) == [
        ("PLACE", B, NOWHERE, SRAM),
        ("EVICT", B, SRAM, NOWHERE),
        ("PLACE", A, NOWHERE, SRAM),
        ("BYPASS", B, NOWHERE, NOWHERE),
    ]
    alone = make_trace([session(0, turn(0, 3, 2), turn(0, 9, 2, reuse=1))])
    assert run_both(alone, idle_ranking(alone), make_envelope(10)).hit_tier.tolist() == [MISS, SRAM]


@pytest.mark.parametrize(("sees_completion", "victim"), [(True, B), (False, A)])
def test_a_completed_session_goes_first_only_if_completion_is_seen(
    sees_completion: bool, victim: int
) -> None:
    # A pauses at 1, B completes at 3, C needs a place at 5: LRU would take A.
    sessions = [session(0, turn(0, 1, 5), turn(9, 1, 5, reuse=5)), session(2, turn(0, 1, 5))]
    trace = make_trace([*sessions, session(5, turn(0, 1, 5))])
    found = run_both(trace, idle_ranking(trace, sees_completion=sees_completion), make_envelope(10))
    assert ("EVICT", victim, SRAM, NOWHERE) in actions_of(found)
    assert found.hit_tier[1] == (SRAM if victim == B else MISS)


@pytest.mark.parametrize(("completed", "victim"), [(1, B), (-1, B), (0, A)])
def test_a_session_cut_off_has_not_completed(completed: int, victim: int) -> None:
    # As above: B's last turn ends at 3, as a completion if it ended (or nobody knows), not if it was cut off.
    sessions = [session(0, turn(0, 1, 5), turn(9, 1, 5)), session(2, turn(0, 1, 5), completed=completed)]
    trace = make_trace([*sessions, session(5, turn(0, 1, 5))])
    found = run_both(trace, idle_ranking(trace, sees_completion=True), make_envelope(10))
    evicted = [action for action in actions_of(found) if action[0] == "EVICT"]
    assert evicted[0] == ("EVICT", victim, SRAM, NOWHERE)


def test_of_two_completed_sessions_the_lowest_slot_goes() -> None:
    # A and B have completed, at 1 and 3, with scores 0 and 9: both count as S_max.
    trace = make_trace([session(2 * i, turn(0, 1, 5)) for i in range(3)])
    found = run_both(trace, scored(trace, [0, 9, 0]), make_envelope(10))
    assert actions_of(found)[2:] == [("PLACE", C, NOWHERE, SRAM), ("EVICT", A, SRAM, NOWHERE)]


# --- one and three tiers ----------------------------------------------------------------------------------


def test_three_tiers_demote_in_a_chain_and_the_last_evicts() -> None:
    # Tiers of 4, each for one session. A fills SRAM; B goes to HBM; C pushes B to the host; D pushes C to
    # the host, which has to evict: B (paused at 3) is idle longer than C (at 5).
    trace = make_trace([session(2 * i, turn(0, 1, 4)) for i in range(4)])
    found = run_both(trace, idle_ranking(trace), make_envelope(4, 4, 4))
    assert actions_of(found) == [
        ("PLACE", A, NOWHERE, SRAM),
        ("PLACE", B, NOWHERE, HBM),
        ("PLACE", C, NOWHERE, HBM),
        ("DEMOTE", B, HBM, HOST),
        ("PLACE", D, NOWHERE, HBM),
        ("DEMOTE", C, HBM, HOST),
        ("EVICT", B, HOST, NOWHERE),
    ]


def test_each_demoted_session_is_settled_before_the_next() -> None:
    # SRAM 6 holds A (3) and B (3); HBM 4 is empty, the host 3 too. C (6), tried in SRAM first, demotes A,
    # which fits HBM; then B, which does not fit beside A, so that A (idle longest) goes on to the host.
    trace = make_trace([session(2 * i, turn(0, 1, n)) for i, n in enumerate((3, 3, 6))])
    found = run_both(
        trace, idle_ranking(trace), make_envelope(6, 4, 3), Tiering(placement=Placement.SRAM_EVICT)
    )
    assert actions_of(found)[2:] == [
        ("PLACE", C, NOWHERE, SRAM),
        ("DEMOTE", A, SRAM, HBM),
        ("DEMOTE", B, SRAM, HBM),
        ("DEMOTE", A, HBM, HOST),
    ]


def test_one_tier_never_demotes() -> None:
    trace = make_trace([session(2 * i, turn(0, 1, 4)) for i in range(3)])
    found = run_both(trace, idle_ranking(trace), make_envelope(8), Tiering(tide=True))
    assert actions_of(found)[2:] == [("PLACE", C, NOWHERE, SRAM), ("EVICT", A, SRAM, NOWHERE)]
    assert found.count(Counter.DEMOTIONS) == found.count(Counter.PROMOTIONS) == 0


# --- integrals and snapshots ------------------------------------------------------------------------------


def test_time_integrals_of_the_tokens_resident_and_of_those_running() -> None:
    # A: 6 tokens from 0 to 5 (running to 2), then 9 from 5 to 6 (running). B: 2 tokens from 3 to 6.
    trace = make_trace([session(0, turn(0, 2, 6), turn(3, 1, 9, reuse=6)), session(3, turn(0, 1, 2))])
    found = run_both(trace, idle_ranking(trace), make_envelope(20))
    assert found.used_token_ns == (6 * 5 + 9 * 1 + 2 * 3) * MS
    assert found.running_token_ns == (6 * 2 + 9 * 1 + 2 * 1) * MS


def test_a_snapshot_shows_who_could_go_and_who_went() -> None:
    # At 5, C needs a place; A has been idle for 4 and B for 2.
    trace = make_trace([session(2 * i + (i == 2), turn(0, 1, 5)) for i in range(3)])
    seen: list[Decision] = []
    ReferenceEngine(trace, idle_ranking(trace), make_envelope(10), observe=seen.append).run()
    assert seen == [Decision(5 * MS, (0, 1), (A, B), (0, 1), (4 * MS, 2 * MS), victim=0)]
