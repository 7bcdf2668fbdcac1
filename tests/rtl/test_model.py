"""The integer model of the IP: every event, worked by hand, and every status.

Scores are chosen by the average alone: the hazard is 0, so that sigma is 1 and a score is the average.
"""

from __future__ import annotations

import dataclasses

import pytest
from support.ip_model import HBM, SRAM, UNIT_RATE, engine, hold, paused, run, status

from unison.rtl.config import Config, default_config, default_contract
from unison.rtl.csr_types import Opcode, Status
from unison.rtl.model import DualEngine, Engine, Event, Response, Settings, engine_for

# --- statuses ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("opcode", [0, 9, 15])
def test_an_opcode_that_is_none(opcode: int) -> None:
    assert status(engine(), opcode, 1000) == Status.BAD_OPCODE


@pytest.mark.parametrize("opcode", set(Opcode) - {Opcode.DMA_DONE})
def test_a_slot_beyond_the_table(opcode: Opcode) -> None:
    assert status(engine(), opcode, 4) == Status.BAD_SLOT


@pytest.mark.parametrize("opcode", set(Opcode) - {Opcode.DMA_DONE, Opcode.SLOT_ALLOC})
def test_a_slot_that_is_not_held(opcode: Opcode) -> None:
    assert status(engine(), opcode, 1) == Status.BAD_SLOT


def test_a_slot_is_not_looked_at_where_none_is_meant() -> None:
    assert status(engine(), Opcode.DMA_DONE, 1000) == Status.OK
    assert status(engine(), Opcode.GAP_START, 1000, none=True) == Status.OK
    assert status(engine(), Opcode.REQUEST, 1000, none=True) == Status.NO_CANDIDATE


def test_events_of_a_running_session_that_cannot_be() -> None:
    on = engine()
    hold(on, 0, 10, 20, SRAM)
    for opcode in (Opcode.REQUEST, Opcode.GAP_END, Opcode.PLACE):
        assert status(on, opcode, 0, data=5) == Status.BAD_STATE
    assert on.slots[0].ema == 10


def test_events_of_a_paused_session_that_cannot_be() -> None:
    on = engine()
    paused(on, 0, 10, 20, SRAM)
    for opcode in (Opcode.GAP_START, Opcode.COMPLETE, Opcode.PLACE):
        assert status(on, opcode, 0) == Status.BAD_STATE
    assert status(on, Opcode.REQUEST, 0, data=0) == Status.BAD_STATE
    assert status(on, Opcode.REQUEST, 0, data=1 << 20) == Status.BAD_STATE  # 20 bits of length: 0


def test_a_completed_session_can_only_be_freed() -> None:
    on = engine()
    hold(on, 0, 10, 20, SRAM)
    assert status(on, Opcode.COMPLETE) == Status.OK
    for opcode in set(Opcode) - {Opcode.SLOT_FREE, Opcode.DMA_DONE}:
        assert status(on, opcode, 0, data=5) == Status.BAD_STATE
    assert status(on, Opcode.SLOT_FREE) == Status.OK
    assert on.used == [0, 0]


def test_while_a_place_is_awaited_little_else_is_accepted() -> None:
    on = engine()
    paused(on, 1, 10, 20, SRAM)
    run(on, Opcode.SLOT_ALLOC, 0)
    run(on, Opcode.REQUEST, 0, data=30)
    for opcode in set(Opcode) - {Opcode.DMA_DONE}:
        assert status(on, opcode, 1, data=5) == Status.BAD_STATE
    for opcode in (Opcode.REQUEST, Opcode.GAP_START):
        assert status(on, opcode, none=True) == Status.BAD_STATE
    assert status(on, Opcode.DMA_DONE) == Status.OK
    assert status(on, Opcode.SLOT_FREE, 0) == Status.OK
    assert on.pending is None


def test_what_does_not_fit_beside_the_running_sessions_changes_nothing() -> None:
    on = engine((100, 50))
    hold(on, 0, 10, 60, SRAM)
    run(on, Opcode.SLOT_ALLOC, 1)
    run(on, Opcode.REQUEST, 1, data=41)
    assert status(on, Opcode.PLACE, 1, tier=SRAM) == Status.DOES_NOT_FIT
    assert (on.used, on.pinned, on.pending) == ([60, 0], [60, 0], (1, 41))
    assert status(on, Opcode.PLACE, 1, tier=HBM) == Status.OK
    assert (on.used, on.pinned, on.pending) == ([60, 41], [60, 41], None)


# --- slots, turns and averages -------------------------------------------------------------------------


def test_an_allocated_slot_is_held_with_its_turn_clamped() -> None:
    on = engine()
    run(on, Opcode.SLOT_ALLOC, 2, data=7, turn=63)
    assert (on.slots[2].held, on.slots[2].turn, on.slots[2].ema) == (True, 50, 7)


def test_allocating_a_held_slot_rewrites_turn_and_average_only() -> None:
    on = engine()
    hold(on, 0, 10, 20, HBM, turn=3)
    run(on, Opcode.SLOT_ALLOC, 0, data=99, turn=1)
    slot = on.slots[0]
    assert (slot.turn, slot.ema, slot.score) == (1, 99, 99)
    assert (slot.active, slot.placed, slot.tier, slot.length) == (True, True, HBM, 20)


def test_a_request_begins_a_turn_and_turns_saturate() -> None:
    on = engine()
    hold(on, 0, 10, 20, SRAM, turn=49)
    run(on, Opcode.GAP_START)
    run(on, Opcode.REQUEST, data=20)
    assert on.slots[0].turn == 50


def test_averages_of_the_worked_example() -> None:
    # By hand, UNISON eq. (20): after gaps of 3700000, 1000, 9000000 and 4000000 us
    # the averages are 3700000, 2590300, 4513210 and 4359247 us.
    on = engine((50, 50))
    found = []
    run(on, Opcode.SLOT_ALLOC, 0, data=123)
    for gap in (3700000, 1000, 9000000, 4000000):
        run(on, Opcode.REQUEST, 0, data=1)
        run(on, Opcode.PLACE, 0, tier=HBM)
        run(on, Opcode.GAP_START, 0)
        run(on, Opcode.GAP_END, 0, data=gap)
        found.append(on.slots[0].ema)
    assert found == [3700000, 2590300, 4513210, 4359247]


def test_the_score_of_the_worked_example_follows_turn_and_average() -> None:
    # By hand, UNISON eq. (14)-(19): g 3.7e9 ns at h .02 gives 13787814; h .1 gives B 50061050
    config = default_config("score_scan", 4)
    hazard = (82, 410, *[0] * 48)
    on = Engine(config, Settings(capacity=(9, 9), penalty=500_000_000, hazard=hazard))
    run(on, Opcode.SLOT_ALLOC, 0, data=3700000, turn=1)
    assert on.slots[0].score == 13787814
    run(on, Opcode.SLOT_ALLOC, 0, data=3700000, turn=0)
    assert on.slots[0].score == 13787814
    run(on, Opcode.REQUEST, 0, data=1)
    assert on.slots[0].score == 13787814
    run(on, Opcode.PLACE, 0, tier=HBM)
    run(on, Opcode.GAP_START, 0)
    run(on, Opcode.REQUEST, 0, data=1)
    assert on.slots[0].score == 3700000 * 4095 // 3685 + 50061050


def test_a_commit_computes_every_score_again() -> None:
    on = engine()
    paused(on, 0, 10, 20, SRAM)
    on.commit(Settings(capacity=(100, 100), hazard=(2048,) * 50))
    assert on.slots[0].score == 10 * 4095 // 2047


def test_a_commit_keeps_capacities_while_a_slot_is_held() -> None:
    on = engine()
    run(on, Opcode.SLOT_ALLOC, 0)
    assert not on.commit(Settings(capacity=(7, 7), dma_rate=5))
    assert (on.settings.capacity, on.settings.dma_rate) == ((100, 100), 5)
    assert on.commit(Settings(capacity=(100, 100)))
    run(on, Opcode.SLOT_FREE, 0)
    assert on.commit(Settings(capacity=(7, 7)))
    assert on.settings.capacity == (7, 7)


# --- eviction ------------------------------------------------------------------------------------------


def test_the_largest_score_gives_up_its_slot() -> None:
    on = engine()
    paused(on, 0, 10, 20, SRAM)
    paused(on, 1, 30, 21, HBM)
    hold(on, 2, 99, 22, HBM)
    assert run(on, Opcode.REQUEST, none=True) == ["VICTIM slot 1 from 1 tokens 21", "DONE OK"]
    assert not on.slots[1].held
    assert on.used == [20, 22]


def test_ties_go_to_the_lowest_slot() -> None:
    on = engine()
    for slot in (3, 1, 2):
        paused(on, slot, 5, 10, HBM)
    assert run(on, Opcode.REQUEST, none=True)[0] == "VICTIM slot 1 from 1 tokens 10"


def test_completed_sessions_go_first_even_before_a_saturated_score() -> None:
    contract = dataclasses.replace(default_contract("score_scan"), score_bits=32)
    on = Engine(Config(sessions=4, contract=contract), Settings((100, 100), hazard=(4095,) * 50))
    paused(on, 0, (1 << 32) - 1, 10, HBM)
    hold(on, 1, 0, 10, SRAM)
    run(on, Opcode.COMPLETE, 1)
    assert on.slots[0].score == on.slots[1].score == (1 << 32) - 1
    assert run(on, Opcode.REQUEST, none=True)[0] == "VICTIM slot 1 from 0 tokens 10"


def test_a_full_tier_demotes_and_the_last_evicts_before_the_next_demotion() -> None:
    # SRAM 100 holds A 40 (score 1) and B 50 (score 2), HBM 60 holds C 60 (score 3). D needs 100 in SRAM:
    # B is demoted, HBM is at 110, C goes (highest), HBM is at 50; then A is demoted, HBM is at 90: B goes.
    on = engine((100, 60))
    paused(on, 0, 1, 40, SRAM)
    paused(on, 1, 2, 50, SRAM)
    paused(on, 2, 3, 60, HBM)
    run(on, Opcode.SLOT_ALLOC, 3)
    run(on, Opcode.REQUEST, 3, data=100)
    assert run(on, Opcode.PLACE, 3, tier=SRAM) == [
        "MOVE slot 1 0->1 tokens 50",
        "VICTIM slot 2 from 1 tokens 60",
        "MOVE slot 0 0->1 tokens 40",
        "VICTIM slot 1 from 1 tokens 50",
        "DONE OK",
    ]
    assert on.used == [100, 40]


def test_placing_again_releases_the_old_footprint_first() -> None:
    on = engine((100, 100))
    paused(on, 0, 1, 90, SRAM)
    run(on, Opcode.REQUEST, 0, data=95)
    assert on.used == [90, 0]
    assert on.pinned == [0, 0]
    assert run(on, Opcode.PLACE, 0, tier=HBM) == ["DONE OK"]
    assert (on.used, on.pinned) == ([0, 95], [0, 95])


def test_a_bypass_frees_the_slot_and_the_old_footprint() -> None:
    on = engine()
    paused(on, 0, 1, 90, SRAM)
    run(on, Opcode.REQUEST, 0, data=95)
    assert run(on, Opcode.PLACE, 0, bypass=True) == ["DONE OK"]
    assert (on.used, on.pinned, on.pending, on.slots[0].held) == ([0, 0], [0, 0], None, False)


# --- Tide ----------------------------------------------------------------------------------------------


def test_tide_promotes_the_least_score_into_free_space() -> None:
    on = engine((100, 100))
    paused(on, 0, 9, 30, HBM)
    hold(on, 1, 40, 20, HBM)
    # slot 1 pauses for 40 units: a budget of 40 tokens; slot 0 has the least score
    assert run(on, Opcode.GAP_START, 1) == ["MOVE slot 0 1->0 tokens 30", "DONE OK"]
    assert on.dma_busy


@pytest.mark.parametrize(("gap", "moves"), [(30, 1), (29, 0)])
def test_the_budget_is_gap_times_rate(gap: int, moves: int) -> None:
    on = engine((100, 100), rate=UNIT_RATE)
    paused(on, 0, 9, 30, HBM)
    assert len(run(on, Opcode.GAP_START, none=True, data=gap)) == 1 + moves


@pytest.mark.parametrize(("div", "moves"), [(2, 1), (3, 0), (0, 1)])
def test_the_dividing_family_divides_by_its_register(div: int, moves: int) -> None:
    # 10 * 6 / 2 = 30 tokens, 10 * 6 / 3 = 20; by 0 there is no limit
    on = engine((100, 100), variant="scan_div", rate=6, dma_div=div)
    paused(on, 0, 9, 30, HBM)
    assert len(run(on, Opcode.GAP_START, none=True, data=10)) == 1 + moves


def test_tide_swaps_where_nothing_is_free() -> None:
    # SRAM 50 holds A 40 (score 8), HBM 60 B 30 (score 3): 10 are free above, B needs 30; both move for 70
    on = engine((50, 60))
    paused(on, 0, 8, 40, SRAM)
    paused(on, 1, 3, 30, HBM)
    assert run(on, Opcode.GAP_START, none=True, data=69) == ["DONE OK"]
    assert run(on, Opcode.GAP_START, none=True, data=70) == [
        "MOVE slot 1 1->0 tokens 30",
        "MOVE slot 0 0->1 tokens 40",
        "DONE OK",
    ]
    assert on.used == [30, 40]


def test_one_transfer_at_a_time() -> None:
    on = engine()
    paused(on, 0, 1, 10, HBM)
    paused(on, 1, 2, 10, HBM)
    assert len(run(on, Opcode.GAP_START, none=True, data=99)) == 2
    assert len(run(on, Opcode.GAP_START, none=True, data=99)) == 1
    run(on, Opcode.DMA_DONE)
    assert run(on, Opcode.GAP_START, none=True, data=99)[0] == "MOVE slot 1 1->0 tokens 10"


@pytest.mark.parametrize(
    ("above", "guard", "moves"), [(4, True, 2), (3, True, 0), (2, True, 0), (3, False, 2)]
)
def test_the_guard_wants_a_strict_improvement(above: int, guard: bool, moves: int) -> None:
    on = engine((50, 60))
    on.guard_enabled = guard
    paused(on, 0, above, 40, SRAM)
    paused(on, 1, 3, 30, HBM)
    assert len(run(on, Opcode.GAP_START, none=True, data=500)) == 1 + moves


def test_a_completed_session_can_be_demoted_but_not_promoted() -> None:
    on = engine((50, 80))
    hold(on, 0, 0, 30, HBM)
    run(on, Opcode.COMPLETE, 0)
    assert run(on, Opcode.GAP_START, none=True, data=500) == ["DONE OK"]
    hold(on, 1, 0, 40, SRAM)
    run(on, Opcode.COMPLETE, 1)
    hold(on, 2, 7, 15, HBM)
    assert run(on, Opcode.GAP_START, 2, data=0) == ["DONE OK"]  # its own average, 7, is the budget
    assert run(on, Opcode.GAP_START, none=True, data=55)[:2] == [
        "MOVE slot 2 1->0 tokens 15",
        "MOVE slot 1 0->1 tokens 40",
    ]


def test_a_swap_has_to_fit_both_tiers() -> None:
    # A 50 fills SRAM; B 20 leaves HBM (60, with 35 running) 25 free + 20: A does not fit there
    on = engine((50, 60))
    paused(on, 0, 9, 50, SRAM)
    paused(on, 1, 3, 20, HBM)
    hold(on, 2, 3, 35, HBM)
    assert run(on, Opcode.GAP_START, none=True, data=500) == ["DONE OK"]


def test_tide_can_be_off() -> None:
    on = engine()
    paused(on, 0, 9, 30, HBM)
    on.tide_enabled = False
    decisions = on.decisions
    assert run(on, Opcode.GAP_START, none=True, data=500) == ["DONE OK"]
    assert on.decisions == decisions


def test_decisions_are_counted_by_the_scan() -> None:
    on = engine((100, 60))
    run(on, Opcode.REQUEST, none=True)  # one scan that finds nobody
    assert on.decisions == 1
    paused(on, 0, 1, 40, SRAM)
    run(on, Opcode.GAP_START, none=True, data=5)  # argmin and argmax in one
    assert on.decisions == 2


# --- scores of the variants with tables ----------------------------------------------------------------


def test_a_reciprocal_table_is_used_as_written() -> None:
    config = default_config("scan_div_recip", 4)
    on = Engine(config, Settings(capacity=(9, 9), reciprocal=(3 << 32, *[1 << 32] * 49)))
    run(on, Opcode.SLOT_ALLOC, 0, data=7, turn=1)
    run(on, Opcode.SLOT_ALLOC, 1, data=7, turn=2)
    assert [slot.score for slot in on.slots[:2]] == [21, 7]


def test_a_penalty_table_is_used_as_written() -> None:
    config = default_config("scan_div_lut", 4)
    on = Engine(config, Settings(capacity=(9, 9), penalties=(1000, *[0] * 49)))
    run(on, Opcode.SLOT_ALLOC, 0, data=7, turn=1)
    run(on, Opcode.SLOT_ALLOC, 1, data=7, turn=2)
    assert [slot.score for slot in on.slots[:2]] == [1007, 7]


# --- words ---------------------------------------------------------------------------------------------


def test_events_survive_their_registers() -> None:
    event = Event(Opcode.PLACE, slot=777, data=5, turn=33, tier=1, none=True, bypass=True, identity=4321)
    assert Event.from_words(event.argument, event.data, event.identity) == event


def test_responses_tell_what_they_are() -> None:
    move = Response.move(513, 1, 0, 99)
    assert (move.kind.name, move.slot) == ("MOVE", 513)
    assert str(move) == "MOVE slot 513 1->0 tokens 99"
    assert str(Response.victim(3, 1, 7)) == "VICTIM slot 3 from 1 tokens 7"
    assert str(Response.done(Status.DOES_NOT_FIT, 9)) == "DONE DOES_NOT_FIT id 9"
    assert str(Response(0, 0)) == "info 0x0 data 0"


def test_every_kind_of_configuration_has_its_engine() -> None:
    assert isinstance(engine_for(default_config("dual", 4)), DualEngine)
    assert type(engine_for(Config(sessions=4))) is Engine
