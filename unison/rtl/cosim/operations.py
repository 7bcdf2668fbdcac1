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
ALL_BITS = WORD_MASK


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
    mask : int
        The bits of what is read that the model defines.
    """

    code: Code
    address: int = 0
    data: int = 0
    mask: int = ALL_BITS

    @classmethod
    def read(cls, address: int, mask: int = ALL_BITS) -> Op:
        """A read transfer."""
        return cls(Code.READ, address, 0, mask)

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
    """Operations as columns: op uint8, address, data and mask uint32 [operations]."""

    op: NDArray[np.uint8]
    address: NDArray[np.uint32]
    data: NDArray[np.uint32]
    mask: NDArray[np.uint32]

    def __len__(self) -> int:
        return int(self.op.size)

    @classmethod
    def of(cls, operations: Sequence[Op]) -> Operations:
        """The columns of some operations."""
        table = np.asarray(operations, dtype=np.int64).reshape(-1, 4)
        return cls(
            np.ascontiguousarray(table[:, 0], dtype=np.uint8),
            *(np.ascontiguousarray(table[:, column], dtype=np.uint32) for column in (1, 2, 3)),
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


def answer(model: IpModel, operations: Iterable[Op]) -> tuple[NDArray[np.uint32], NDArray[np.bool_]]:
    """What the model answers: data (0 if nothing is read) and PSLVERR of each operation."""
    data: list[int] = []
    errors: list[bool] = []
    for op in operations:
        value, error = 0, False
        if op.code == Code.READ:
            value, error = model.read(op.address)
        elif op.code == Code.WRITE:
            error = model.write(op.address, op.data).error
        elif op.code == Code.RESET:
            model.reset()
        elif op.code == Code.PIN:
            value = int(model.irq)
        data.append(value)
        errors.append(error)
    return np.asarray(data, dtype=np.uint32), np.asarray(errors, dtype=np.bool_)
