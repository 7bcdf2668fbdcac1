"""The integer model of the dual design: what each of its two register files knows, worked by hand."""

from __future__ import annotations

from support.ip_model import HBM, SRAM, engine, hold, paused, run

from unison.rtl.csr_types import Opcode
from unison.rtl.model import DualEngine


def dual(period: int, capacity: tuple[int, int] = (100, 100)) -> DualEngine:
    made = engine(capacity, variant="dual", sync_period=period)
    assert isinstance(made, DualEngine)
    return made


def test_an_unseen_pause_is_no_victim_until_a_sync() -> None:
    on = dual(100)
    paused(on, 0, 50, 10, HBM)
    on.commit(on.settings)  # a commit makes the files equal
    paused(on, 1, 90, 10, HBM)
    assert run(on, Opcode.REQUEST, none=True)[0] == "VICTIM slot 0 from 1 tokens 10"
    # only slot 1 is left, and its pause is unseen: a forced sync, and a second scan
    decisions = on.decisions
    assert run(on, Opcode.REQUEST, none=True)[0] == "VICTIM slot 1 from 1 tokens 10"
    assert on.decisions == decisions + 2


def test_tide_does_not_see_whom_it_has_not_been_told_of() -> None:
    on = dual(100)
    paused(on, 0, 5, 10, HBM)
    assert run(on, Opcode.GAP_START, none=True, data=99) == ["DONE OK"]
    on.commit(on.settings)
    assert run(on, Opcode.GAP_START, none=True, data=99)[0] == "MOVE slot 0 1->0 tokens 10"


def test_a_swap_of_a_session_that_runs_again_is_lost() -> None:
    on = dual(100)
    paused(on, 0, 5, 10, HBM)
    on.commit(on.settings)
    run(on, Opcode.REQUEST, 0, data=10)
    run(on, Opcode.PLACE, 0, tier=HBM)
    assert run(on, Opcode.GAP_START, none=True, data=99) == ["DONE OK"]
    assert not on.dma_busy


def test_a_swap_of_a_slot_that_has_a_new_session_is_lost() -> None:
    on = dual(100)
    paused(on, 0, 5, 10, HBM)
    on.commit(on.settings)
    run(on, Opcode.REQUEST, none=True)
    paused(on, 0, 5, 10, HBM)
    assert run(on, Opcode.GAP_START, none=True, data=99) == ["DONE OK"]
    assert not on.dma_busy


def test_a_swap_for_which_the_store_has_no_room_is_lost() -> None:
    # Tide's file has SRAM 50 empty; in the store slot 1 runs there with 40: the 30 of slot 0 do not fit
    on = dual(100, (50, 100))
    paused(on, 0, 5, 30, HBM)
    on.commit(on.settings)
    hold(on, 1, 6, 40, SRAM)
    assert run(on, Opcode.GAP_START, none=True, data=99) == ["DONE OK"]
    assert on.used == [40, 30]


def test_a_freed_slot_leaves_both_files_at_once() -> None:
    on = dual(100)
    paused(on, 0, 5, 60, SRAM)
    paused(on, 1, 4, 70, HBM)
    on.commit(on.settings)
    # 40 are free above in Tide's file; without slot 0 all 100 are
    assert run(on, Opcode.GAP_START, none=True, data=99) == ["DONE OK"]
    run(on, Opcode.SLOT_FREE, 0)
    assert run(on, Opcode.GAP_START, none=True, data=99)[0] == "MOVE slot 1 1->0 tokens 70"


def test_the_files_are_made_equal_after_every_period() -> None:
    on = dual(3)
    paused(on, 0, 5, 10, HBM)  # PLACE and GAP_START: two turn events
    hold(on, 1, 6, 10, HBM)  # PLACE: the third, so that slot 0 is known
    assert run(on, Opcode.GAP_START, none=True, data=99)[0] == "MOVE slot 0 1->0 tokens 10"
