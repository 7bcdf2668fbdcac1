"""The model of the IP at its registers: accesses, FIFOs, commits and interrupts, worked by hand."""

from __future__ import annotations

import pytest

from unison.rtl.config import default_config
from unison.rtl.csr_types import Address, Irq, Opcode
from unison.rtl.model import Event, IpModel
from unison.rtl.model.ip import COMMIT, GUARD_EN, REFUSED, TIDE_EN

READY, BUSY, EV_FULL, EV_EMPTY, RSP_FULL, RSP_EMPTY, DMA_BUSY, REFUSED_BIT = (1 << bit for bit in range(8))


@pytest.fixture
def ip() -> IpModel:
    """A model with 4 slots, 2 events and 4 responses deep, ready for events, with Tide on."""
    model = IpModel(default_config("score_scan", 4, event_depth=2, response_depth=4))
    model.write(Address.CAP_SRAM, 100)
    model.write(Address.CAP_HBM, 100)
    model.write(Address.DMA_RATE, 1 << 16)
    model.write(Address.CTRL, COMMIT | TIDE_EN | GUARD_EN)
    return model


def push(model: IpModel, event: Event) -> bool:
    """Push an event; whether it was accepted."""
    model.write(Address.EV_ARG, event.argument)
    model.write(Address.EV_DATA, event.data)
    return not model.write(Address.EV_PUSH, event.identity).error


def pop(model: IpModel) -> tuple[int, int]:
    """The words of the oldest response, which is popped."""
    words = model.read(Address.RSP_INFO).data, model.read(Address.RSP_DATA).data
    assert not model.write(Address.RSP_POP, 0).error
    return words


def status(model: IpModel) -> int:
    return model.read(Address.STATUS).data


def test_after_a_reset_nothing_can_be_pushed() -> None:
    model = IpModel(default_config("score_scan", 4))
    assert status(model) == EV_EMPTY | RSP_EMPTY
    assert not push(model, Event(Opcode.DMA_DONE))
    model.write(Address.CTRL, COMMIT)
    assert status(model) == READY | EV_EMPTY | RSP_EMPTY
    assert push(model, Event(Opcode.DMA_DONE))


def test_registers_read_their_reset_values() -> None:
    model = IpModel(default_config("score_tree", 8))
    assert model.read(Address.ID).data == 0x554E4953
    assert model.read(Address.CONFIG).data == 8 | 4 << 16
    assert model.read(Address.CTRL).data == GUARD_EN
    assert model.read(Address.DMA_DIV).data == 1 << 16


@pytest.mark.parametrize("address", [0x01C, 0x038, 0x101, 0x102, 0x1C8, 0x200, 0xFFC, 0x003])
def test_an_address_without_a_register_is_refused(ip: IpModel, address: int) -> None:
    assert ip.read(address) == REFUSED
    assert ip.write(address, 1) == REFUSED


def test_the_wrong_direction_is_refused(ip: IpModel) -> None:
    assert ip.write(Address.STATUS, 0) == REFUSED
    assert ip.write(Address.DMA_DIV, 1) == REFUSED
    assert ip.read(Address.EV_PUSH) == REFUSED
    assert ip.read(Address.RSP_POP) == REFUSED


def test_bits_that_do_not_exist_read_0(ip: IpModel) -> None:
    ip.write(Address.CAP_SRAM, 0xFFFFFFFF)
    ip.write(Address.HAZARD, 0xFFFFFFFF)
    ip.write(Address.HAZARD + 49 * 4, 0x1234)
    assert ip.read(Address.CAP_SRAM).data == 0xFFFFFF
    assert ip.read(Address.HAZARD).data == 0xFFF
    assert ip.read(Address.HAZARD + 49 * 4).data == 0x234


def test_a_window_of_two_words_an_entry() -> None:
    # R has 39 bits: 7 in the high word
    model = IpModel(default_config("scan_div_recip", 4))
    model.write(Address.RECIP + 8, 0xFFFFFFFF)
    model.write(Address.RECIP + 12, 0xFFFFFFFF)
    assert (model.read(Address.RECIP + 8).data, model.read(Address.RECIP + 12).data) == (0xFFFFFFFF, 0x7F)
    model.write(Address.CTRL, COMMIT)
    assert model.engine.settings.reciprocal[1] == (1 << 39) - 1


def test_settings_act_at_a_commit(ip: IpModel) -> None:
    ip.write(Address.DMA_RATE, 5)
    assert ip.engine.settings.dma_rate == 1 << 16
    ip.write(Address.CTRL, COMMIT)
    assert ip.engine.settings.dma_rate == 5
    assert not ip.engine.tide_enabled


def test_a_refused_commit_shows_until_the_next_one(ip: IpModel) -> None:
    push(ip, Event(Opcode.SLOT_ALLOC))
    ip.write(Address.CAP_SRAM, 7)
    ip.write(Address.CTRL, COMMIT)
    assert status(ip) & REFUSED_BIT
    assert ip.read(Address.IRQ_STATUS).data & 1 << Irq.COMMIT_REFUSED
    ip.write(Address.CAP_SRAM, 100)
    ip.write(Address.CTRL, COMMIT)
    assert not status(ip) & REFUSED_BIT


def test_events_are_answered_in_order(ip: IpModel) -> None:
    for identity in (7, 8):
        assert push(ip, Event(Opcode.DMA_DONE, identity=identity))
    assert pop(ip) == (3, 7)
    assert pop(ip) == (3, 8)
    assert ip.read(Address.RSP_INFO).data == 0
    assert ip.write(Address.RSP_POP, 0) == REFUSED


def test_full_fifos_push_back_and_lose_nothing(ip: IpModel) -> None:
    # 4 responses wait; the engine holds the fifth event, and 2 more are in the FIFO: the eighth is refused
    accepted = [push(ip, Event(Opcode.DMA_DONE, identity=identity)) for identity in range(8)]
    assert accepted == [True] * 7 + [False]
    assert status(ip) & (BUSY | EV_FULL | RSP_FULL) == BUSY | EV_FULL | RSP_FULL
    assert ip.is_waiting
    assert [pop(ip)[1] for _ in range(7)] == list(range(7))
    assert status(ip) == READY | EV_EMPTY | RSP_EMPTY
    assert ip.read(Address.PERF_EVENTS).data == 7
    assert ip.read(Address.PERF_FIFO_HIGH).data == 2


def test_a_commit_waits_for_the_events_before_it(ip: IpModel) -> None:
    for identity in range(6):
        push(ip, Event(Opcode.DMA_DONE, identity=identity))
    ip.write(Address.DMA_RATE, 5)
    ip.write(Address.CTRL, COMMIT | GUARD_EN)
    assert ip.engine.settings.dma_rate == 1 << 16
    while not ip.write(Address.RSP_POP, 0).error:
        pass
    assert ip.engine.settings.dma_rate == 5


def test_interrupts_follow_their_bits(ip: IpModel) -> None:
    push(ip, Event(Opcode.DMA_DONE))
    assert ip.read(Address.IRQ_STATUS).data == 1 << Irq.RESPONSE | 1 << Irq.EVENTS_EMPTY
    assert not ip.irq
    ip.write(Address.IRQ_ENABLE, 1 << Irq.RESPONSE)
    assert ip.irq
    ip.write(Address.IRQ_STATUS, 1 << Irq.RESPONSE)
    assert not ip.irq
    assert ip.read(Address.IRQ_STATUS).data == 1 << Irq.EVENTS_EMPTY


def test_tide_shows_in_the_status_until_the_transfer_is_done(ip: IpModel) -> None:
    for event in (
        Event(Opcode.SLOT_ALLOC, 0, 50),
        Event(Opcode.REQUEST, 0, 30),
        Event(Opcode.PLACE, 0, tier=1),
        Event(Opcode.GAP_START, 0),
    ):
        push(ip, event)
        info, _ = pop(ip)
    assert info & 7 == 2  # MOVE, with its DONE behind it
    pop(ip)
    assert status(ip) & DMA_BUSY
    assert (ip.read(Address.USED_SRAM).data, ip.read(Address.USED_HBM).data) == (30, 0)
    push(ip, Event(Opcode.DMA_DONE))
    assert not status(ip) & DMA_BUSY


def test_a_reset_forgets_everything(ip: IpModel) -> None:
    push(ip, Event(Opcode.SLOT_ALLOC))
    ip.reset()
    assert status(ip) == EV_EMPTY | RSP_EMPTY
    assert ip.read(Address.CAP_SRAM).data == 0
    assert not any(slot.held for slot in ip.engine.slots)
