"""Random APB accesses: full FIFOs, bad accesses, resets in mid-scan, refused commits, interrupts."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from unison.rtl.config import Config
from unison.rtl.cosim.operations import PIN, RESET, SETTLE, Code, Op, answer, configure, push
from unison.rtl.csr_map import registers
from unison.rtl.csr_types import ADDRESS_BITS, WORD_BYTES, Address
from unison.rtl.model import Event, IpModel
from unison.rtl.model.ip import COMMIT
from unison.rtl.random_events import Draws, EventSource

READY = 1 << 0
"""STATUS.READY."""

KEPT = 0.4
"""Share of commits that leave the capacities as they are, so that they are taken with slots held."""

SCANS, MOST_EVENT = 2, 120
"""A reset comes while an event runs: before the end of so many scans and of the arithmetic [clock cycles]."""


@dataclass
class OperationSource:
    """Draws operations, carrying each out on a model.

    Parameters
    ----------
    config : Config
    rng : numpy.random.Generator

    Attributes
    ----------
    operations : list of Op
        All that were drawn.
    """

    config: Config
    rng: np.random.Generator
    operations: list[Op] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Start after a reset, before any commit."""
        self.model = IpModel(self.config)
        self.draws = Draws(self.config, self.rng)
        self.events = EventSource(self.draws)
        self.registers = registers(self.config)
        self._has_high = any(r.address == Address.EV_DATA_HI and r.is_writable for r in self.registers)
        self._identity = 0
        self._do([RESET, SETTLE])

    def draw(self, n: int) -> None:
        """Draw until there are at least `n` operations; ends at rest, with no response left."""
        steps: tuple[tuple[float, Callable[[], None]], ...] = (
            (0.50, self._event),
            (0.18, self._read_any),
            (0.10, self._bad_access),
            (0.08, self._write_any),
            (0.04, self._commit),
            (0.03, self._fill),
            (0.04, self._interrupts),
            (0.03, self._reset),
        )
        shares = np.cumsum([share for share, _ in steps])
        while len(self.operations) < n:
            steps[int(np.searchsorted(shares, self.rng.random() * shares[-1], side="right"))][1]()
        self._drain()

    # --- steps ------------------------------------------------------------------------------------------

    def _do(self, operations: list[Op]) -> None:
        self.operations += operations
        answer(self.model, operations)

    def _push(self, event: Event) -> None:
        self._identity += 1
        self._do([*push(event._replace(identity=self._identity & 0xFFFF), high=self._has_high), SETTLE])

    def _event(self) -> None:
        self._push(self.events.next(self.model.engine))
        if self.draws.chance(0.7):
            self._drain()

    def _drain(self) -> None:
        while self.model.read(Address.RSP_INFO).data:
            self._pop()

    def _pop(self) -> None:
        reads = [Op.read(Address.RSP_INFO), Op.read(Address.RSP_DATA)]
        self._do([*reads, Op.write(Address.RSP_POP, self.draws.below(1 << 32)), SETTLE])

    def _fill(self) -> None:
        """Push without popping until both FIFOs are full and a push is refused."""
        self.events.change()
        for _ in range(self.config.response_depth + self.config.event_depth + 4):
            self._push(self.events.next(self.model.engine))
        self._do([Op.read(Address.STATUS)])
        if self.draws.chance(0.8):
            self._drain()

    def _read_any(self) -> None:
        readable = [register for register in self.registers if register.is_readable]
        register = readable[self.draws.below(len(readable))]
        word = self.draws.below(register.entries * register.words)
        self._do([Op.read(register.address + word * WORD_BYTES)])

    def _bad_access(self) -> None:
        """No such address, not a word's, the wrong direction, nothing to pop, or not yet ready."""
        wrong = [
            register for register in self.registers if not (register.is_readable and register.is_writable)
        ]
        register = wrong[self.draws.below(len(wrong))]
        address = self.draws.below(1 << ADDRESS_BITS)
        if self.draws.chance(0.5):
            address = register.address
        is_pop = address == Address.RSP_POP
        if self.draws.chance(0.5) and not (is_pop and self.model.read(Address.RSP_INFO).data):
            self._write(address)
        else:
            self._do([Op.read(address)])

    def _write_any(self) -> None:
        writable = [register for register in self.registers if register.is_writable]
        register = writable[self.draws.below(len(writable))]
        self._write(register.address + self.draws.below(register.entries * register.words) * WORD_BYTES)

    def _write(self, address: int) -> None:
        """Write any bits, and read them back; pushes and commits settle."""
        if self.model.is_waiting and address == Address.CTRL:
            return
        self._do([Op.write(address, self.draws.corner(32)), SETTLE, Op.read(address)])

    def _commit(self) -> None:
        """Commit as things are, or other settings; an event may be pushed while the commit runs."""
        if self.model.is_waiting:
            self._drain()
        draws = self.draws
        settings = draws.settings()
        if draws.chance(KEPT):
            settings = dataclasses.replace(settings, capacity=self.model.engine.settings.capacity)
        if draws.chance(0.3):
            operations = [Op.write(Address.CTRL, COMMIT | draws.below(4)), SETTLE]
        else:
            operations = configure(self.config, settings, tide=draws.chance(0.8), guard=draws.chance(0.8))
        self.events.change()
        if draws.chance(0.3) and self.model.read(Address.STATUS).data & READY:
            self._do(operations[:-1])
            self._push(self.events.next(self.model.engine))
            operations = []
        self._do([*operations, Op.read(Address.STATUS)])

    def _interrupts(self) -> None:
        writes = [
            Op.write(Address.IRQ_ENABLE, self.draws.below(8)),
            Op.write(Address.IRQ_STATUS, self.draws.below(8)),
        ]
        self._do([PIN, Op.read(Address.IRQ_STATUS), *writes, PIN, Op.read(Address.IRQ_STATUS), PIN])

    def _reset(self) -> None:
        """A reset while an event runs, accesses before the first commit or one during the start; a commit."""
        event = self.events.next(self.model.engine)
        idle = Op(Code.IDLE, data=self.draws.below(SCANS * self.config.sessions + MOST_EVENT))
        self._do([*push(event, high=self._has_high), idle, RESET])
        if self.draws.chance(0.3):
            self._do([Op.write(Address.CTRL, COMMIT | self.draws.below(4))])
        self._do([SETTLE])
        for _ in range(self.draws.below(4)):
            self._read_any()
            self._bad_access()
        if self.draws.chance(0.3):
            self._push(event)
        self._commit()


def random_operations(config: Config, seed: np.random.SeedSequence, n: int) -> list[Op]:
    """At least `n` operations, which start with a reset.

    Parameters
    ----------
    config : Config
    seed : numpy.random.SeedSequence
    n : int
    """
    source = OperationSource(config, np.random.Generator(np.random.PCG64(seed)))
    source.draw(n)
    return source.operations
