"""The integer model of the IP for tests: sessions that are held or paused, and what events answer."""

from __future__ import annotations

from typing import Any

from unison.rtl.config import default_config
from unison.rtl.csr_types import Opcode, Status
from unison.rtl.model import Engine, Event, Settings, engine_for

SRAM, HBM = 0, 1
UNIT_RATE = 1 << 16
"""A rate of one token in a stored unit of time."""


def engine(
    capacity: tuple[int, int] = (100, 100),
    *,
    variant: str = "score_scan",
    rate: int = UNIT_RATE,
    **settings: Any,
) -> Engine:
    made = engine_for(default_config(variant, 4), Settings(capacity=capacity, dma_rate=rate, **settings))
    made.tide_enabled = True
    return made


def run(on: Engine, opcode: Opcode | int, slot: int = 0, **fields: Any) -> list[str]:
    return [str(response).removesuffix(" id 0") for response in on.run(Event(opcode, slot, **fields))]


def hold(on: Engine, slot: int, ema: int, length: int, tier: int, *, turn: int = 0) -> None:
    """A session that is held, placed and running."""
    assert run(on, Opcode.SLOT_ALLOC, slot, data=ema, turn=turn) == ["DONE OK"]
    assert run(on, Opcode.REQUEST, slot, data=length) == ["DONE OK"]
    assert run(on, Opcode.PLACE, slot, tier=tier) == ["DONE OK"]


def paused(on: Engine, slot: int, ema: int, length: int, tier: int) -> None:
    """The same, after its turn; Tide is off for the moment."""
    hold(on, slot, ema, length, tier)
    on.tide_enabled = False
    assert run(on, Opcode.GAP_START, slot) == ["DONE OK"]
    on.tide_enabled = True


def status(on: Engine, opcode: Opcode | int, slot: int = 0, **fields: Any) -> Status:
    (response,) = on.run(Event(opcode, slot, **fields))
    return response.status
