"""Operations on the APB port, as columns, and what the model answers to them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unison.rtl.config import Config
from unison.rtl.csr_map import registers
from unison.rtl.csr_types import WORD_BITS, WORD_BYTES, Address
from unison.rtl.model import Event, IpModel, Settings
from unison.rtl.model.ip import COMMIT, GUARD_EN, TIDE_EN

WORD_MASK = (1 << WORD_BITS) - 1

CYCLE_COUNTERS = (Address.PERF_DECISION_CYCLES, Address.PERF_DECISION_WORST, Address.PERF_BUSY_CYCLES)
"""Registers that the model does not know, since it has no clock."""

IN_FLUX = (Address.USED_SRAM, Address.USED_HBM, Address.PERF_EVENTS, Address.PERF_DECISIONS)
"""Registers that are defined at rest only, not while the engine waits for room in the response FIFO."""

STATUS_WHILE_WAITING = 0b0011_1111
"""Bits of STATUS that are defined while the engine waits."""


class Code(IntEnum):
    """What an operation does; the order is that of shim.cpp."""

    READ = 0
    WRITE = 1
    RESET = 2
    IDLE = 3
    SETTLE = 4
    PIN = 5


class Op(NamedTuple):
    """One operation.

    Attributes
    ----------
    code : Code
    address, data : int
        Of a transfer; of IDLE, `data` clock cycles.
    """

    code: Code
    address: int = 0
    data: int = 0

    @classmethod
    def read(cls, address: int) -> Op:
        """A read transfer."""
        return cls(Code.READ, address)

    @classmethod
    def write(cls, address: int, data: int) -> Op:
        """A write transfer."""
        return cls(Code.WRITE, address, data & WORD_MASK)

    def __str__(self) -> str:
        """E.g. ``WRITE EV_PUSH 0x7``."""
        try:
            where = Address(self.address).name
        except ValueError:
            where = f"{self.address:#05x}"
        if self.code == Code.READ:
            return f"READ {where}"
        if self.code == Code.WRITE:
            return f"WRITE {where} {self.data:#x}"
        return f"IDLE {self.data}" if self.code == Code.IDLE else self.code.name


SETTLE = Op(Code.SETTLE)
RESET = Op(Code.RESET)
PIN = Op(Code.PIN)


@dataclass(frozen=True, eq=False)
class Operations:
    """Operations as columns: op uint8, address and data uint32 [operations]."""

    op: NDArray[np.uint8]
    address: NDArray[np.uint32]
    data: NDArray[np.uint32]

    def __len__(self) -> int:
        return int(self.op.size)

    @classmethod
    def of(cls, operations: Sequence[Op]) -> Operations:
        """The columns of some operations."""
        table = np.asarray(operations, dtype=np.int64).reshape(-1, 3)
        return cls(
            np.ascontiguousarray(table[:, 0], dtype=np.uint8),
            *(np.ascontiguousarray(table[:, column], dtype=np.uint32) for column in (1, 2)),
        )


def push(event: Event, *, high: bool) -> list[Op]:
    """The transfers that push an event; `high` if EV_DATA_HI can be written."""
    return [
        Op.write(Address.EV_ARG, event.argument),
        Op.write(Address.EV_DATA, event.data),
        *([Op.write(Address.EV_DATA_HI, event.data >> WORD_BITS)] if high else []),
        Op.write(Address.EV_PUSH, event.identity),
    ]


def configure(config: Config, settings: Settings, *, tide: bool, guard: bool) -> list[Op]:
    """The transfers that write settings and commit them, for an IP after its reset or at rest."""
    values: dict[int, int] = {
        Address.CAP_SRAM: settings.capacity[0],
        Address.CAP_HBM: settings.capacity[1],
        Address.DMA_RATE: settings.dma_rate,
        Address.DMA_DIV: settings.dma_div,
        Address.PENALTY_LO: settings.penalty & WORD_MASK,
        Address.PENALTY_HI: settings.penalty >> WORD_BITS,
        Address.SYNC_PERIOD: settings.sync_period,
    }
    windows = {
        Address.HAZARD: settings.hazard,
        Address.RECIP: settings.reciprocal,
        Address.PENALTY: settings.penalties,
    }
    found: list[Op] = []
    for register in registers(config):
        if register.address in windows:
            for index, entry in enumerate(windows[register.address]):
                for word in range(register.words):
                    at = register.address + (index * register.words + word) * WORD_BYTES
                    found.append(Op.write(at, entry >> (word * WORD_BITS)))
        elif register.is_writable and register.address in values:
            found.append(Op.write(register.address, values[register.address]))
    return [SETTLE, *found, Op.write(Address.CTRL, COMMIT | tide * TIDE_EN | guard * GUARD_EN), SETTLE]


@dataclass(frozen=True, eq=False)
class Answers:
    """What operations are answered.

    Attributes
    ----------
    data : uint32 [operations]
        What is read, 0 where nothing is.
    error : bool [operations]
        PSLVERR.
    mask : uint32 [operations]
        The bits of `data` that are defined.
    """

    data: NDArray[np.uint32]
    error: NDArray[np.bool_]
    mask: NDArray[np.uint32]


def answer(model: IpModel, operations: Iterable[Op]) -> Answers:
    """What the model answers, carrying out the operations."""
    data: list[int] = []
    errors: list[bool] = []
    masks: list[int] = []
    for op in operations:
        masks.append(defined_bits(model, op.address) if op.code == Code.READ else WORD_MASK)
        value, error = _answer_one(model, op)
        data.append(value)
        errors.append(error)
    return Answers(
        np.asarray(data, dtype=np.uint32),
        np.asarray(errors, dtype=np.bool_),
        np.asarray(masks, dtype=np.uint32),
    )


def defined_bits(model: IpModel, address: int) -> int:
    """The bits of a register that the model defines in its present state."""
    if address in CYCLE_COUNTERS:
        return 0
    if model.is_waiting and address == Address.STATUS:
        return STATUS_WHILE_WAITING
    return 0 if model.is_waiting and address in IN_FLUX else WORD_MASK


def _answer_one(model: IpModel, op: Op) -> tuple[int, bool]:
    if op.code == Code.READ:
        return model.read(op.address)
    if op.code == Code.WRITE:
        return model.write(op.address, op.data)
    if op.code == Code.RESET:
        model.reset()
    return (int(model.irq) if op.code == Code.PIN else 0), False
