"""Random runs of the IP: events and settings with corner values, and what the model answers.

The model runs along while they are drawn, so that most events are possible ones; the rest is whatever can be
written into the registers. Everything follows from the seed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from unison.rtl.config import CAPACITY_BITS, LENGTH_BITS, RATE_FRACTION, TURN_MAX, Config
from unison.rtl.csr_types import Opcode
from unison.rtl.model import Engine, Event, Response, Settings, engine_for
from unison.rtl.model.engine import Slot
from unison.rtl.streams import EventStream, ResponseStream

SEGMENT_EVENTS = (50, 400)
SEGMENTS = 4
ANYTHING = 0.12
"""Share of events that are drawn without regard to the state."""

MOST_LENGTH = (1 << LENGTH_BITS) - 1
MOST_CAPACITY = (1 << CAPACITY_BITS) - 1
MOST_RATE = (1 << 32) - 1


@dataclass(frozen=True, eq=False)
class Segment:
    """Settings that are committed, and the events that follow.

    Attributes
    ----------
    settings : Settings
    tide, guard : bool
        CTRL.TIDE_EN and CTRL.GUARD_EN.
    events : EventStream
    expected : ResponseStream
    """

    settings: Settings
    tide: bool
    guard: bool
    events: EventStream
    expected: ResponseStream


@dataclass
class Draws:
    """Corner values from one random generator.

    Parameters
    ----------
    config : Config
    rng : numpy.random.Generator
    """

    config: Config
    rng: np.random.Generator

    def __post_init__(self) -> None:
        """Draw how long sessions are in this run, to which the capacities are fitted."""
        self.length_bits = self.pick((4, 10, 12, 14, LENGTH_BITS - 1))

    def below(self, bound: int) -> int:
        """A whole number from 0 to bound - 1; the bound can have up to 64 bits."""
        return (
            int(self.rng.integers(0, bound, dtype=np.uint64))
            if bound < 1 << 64
            else int(self.rng.bit_generator.random_raw())
        )

    def chance(self, share: float) -> bool:
        """True with that probability."""
        return bool(self.rng.random() < share)

    def pick(self, values: Sequence[int]) -> int:
        """One of the values."""
        return values[int(self.rng.integers(len(values)))]

    def spread(self, bits: int) -> int:
        """A value whose number of bits is uniform, so that small and large ones are as frequent."""
        return self.below(1 << (1 + self.below(bits)))

    def corner(self, bits: int) -> int:
        """0, 1, the largest, next to it, or any value of that width."""
        most = (1 << bits) - 1
        return self.spread(bits) if self.chance(0.7) else self.pick((0, 1, most, most - 1))

    def settings(self) -> Settings:
        """Settings with corner values in each of them."""
        contract = self.config.contract
        rate = self.pick((0, 1, 1 << RATE_FRACTION, MOST_RATE, self.spread(32), self.spread(20)))
        div = self.pick((0, 1, 1 << RATE_FRACTION, MOST_RATE, self.spread(32)))
        return Settings(
            capacity=(self.capacity(), self.capacity()),
            dma_rate=rate,
            dma_div=div if self.config.is_scan_div else 1 << RATE_FRACTION,
            penalty=0 if self.config.has_penalties else self.corner(contract.penalty_bits),
            sync_period=self.pick((0, 1, 2, 3, 8, 65535)) if self.config.is_dual else 1,
            hazard=self.table(contract.hazard_bits),
            reciprocal=self.table(contract.reciprocal_bits) if self.config.has_reciprocals else (),
            penalties=self.table(contract.penalty_term_bits) if self.config.has_penalties else (),
        )

    def capacity(self) -> int:
        """A capacity: for a part of the sessions as a rule, else none, any, or as much as there can be."""
        if self.chance(0.2):
            return self.pick((0, 1, MOST_CAPACITY, self.spread(CAPACITY_BITS)))
        part = 1 + self.below(self.config.sessions << self.length_bits >> 1)
        return min(part, MOST_CAPACITY)

    def table(self, bits: int) -> tuple[int, ...]:
        """One entry a turn: all 0, all the largest, all alike, either extreme, or any."""
        most, alike = (1 << bits) - 1, self.corner(bits)
        kinds: tuple[Callable[[], int], ...] = (
            lambda: 0,
            lambda: most,
            lambda: alike,
            lambda: self.pick((0, most)),
            lambda: self.corner(bits),
        )
        kind = kinds[self.below(len(kinds))]
        return tuple(kind() for _ in range(TURN_MAX))


@dataclass
class Habits:
    """What a run of events prefers, drawn once so that runs differ.

    Attributes
    ----------
    gap : int or None
        The one gap of all sessions, so that scores are equal; None draws each.
    length : int or None
        The one length; None draws each.
    completes : float
        Probability that a turn ends in COMPLETE.
    frees : float
        Probability that a paused session is freed instead of going on.
    """

    gap: int | None
    length: int | None
    completes: float
    frees: float

    @classmethod
    def drawn(cls, draws: Draws) -> Habits:
        """Habits of one run."""
        return cls(
            gap=draws.corner(draws.config.contract.gap_bits) if draws.chance(0.3) else None,
            length=1 + draws.below(1 << draws.length_bits) if draws.chance(0.2) else None,
            completes=draws.pick((0, 0, 1)) or draws.rng.random() * 0.4,
            frees=draws.rng.random() * 0.2,
        )


@dataclass
class EventSource:
    """Draws events that suit the state of a model, and some that do not.

    Parameters
    ----------
    draws : Draws
    habits : Habits
    """

    draws: Draws
    habits: Habits = field(init=False)

    def __post_init__(self) -> None:
        """Draw the first habits."""
        self.change()

    def change(self) -> None:
        """Draw other habits."""
        self.habits = Habits.drawn(self.draws)

    def next(self, engine: Engine) -> Event:
        """The next event for a model in its present state."""
        return self.anything() if self.draws.chance(ANYTHING) else self.possible(engine)

    def anything(self) -> Event:
        """Any bits at all, with slots and opcodes near the valid ones half of the time."""
        draws, n = self.draws, self.draws.config.sessions
        return Event(
            opcode=draws.below(16) if draws.chance(0.3) else 1 + draws.below(len(Opcode)),
            slot=draws.below(1 << 10) if draws.chance(0.2) else draws.below(n),
            data=self._gap() if draws.chance(0.5) else self._length(),
            turn=draws.below(64),
            tier=draws.below(2),
            none=draws.chance(0.2),
            bypass=draws.chance(0.2),
        )

    def possible(self, engine: Engine) -> Event:
        """An event that software could send in this state; it may still not fit."""
        draws = self.draws
        if engine.pending is not None:
            return self._answer(engine, *engine.pending)
        if engine.dma_busy and draws.chance(0.3):
            return Event(Opcode.DMA_DONE)
        slot = engine.slots[draws.below(len(engine.slots))]
        if not slot.held:
            if draws.chance(0.1):
                return self._without_slot()
            return Event(Opcode.SLOT_ALLOC, slot.index, self._gap(), turn=draws.pick((0, 1, 2, 49, 50, 63)))
        if slot.active:
            return self._end_turn(slot)
        return self._paused(slot)

    def _answer(self, engine: Engine, slot: int, length: int) -> Event:
        draws = self.draws
        if draws.chance(0.04):
            return Event(draws.pick((Opcode.SLOT_FREE, Opcode.DMA_DONE)), slot)
        capacity = engine.settings.capacity
        fitting = [tier for tier in (0, 1) if length + engine.pinned[tier] <= capacity[tier]]
        if fitting and draws.chance(0.9):
            return Event(Opcode.PLACE, slot, tier=draws.pick(fitting))
        return Event(Opcode.PLACE, slot, tier=draws.below(2), bypass=draws.chance(0.7))

    def _without_slot(self) -> Event:
        if self.draws.chance(0.5):
            return Event(Opcode.REQUEST, none=True)
        return Event(Opcode.GAP_START, data=self._gap(), none=True)

    def _end_turn(self, slot: Slot) -> Event:
        if self.draws.chance(self.habits.completes):
            return Event(Opcode.COMPLETE, slot.index)
        return Event(Opcode.GAP_START, slot.index)

    def _paused(self, slot: Slot) -> Event:
        draws = self.draws
        if slot.dead:
            return Event(Opcode.SLOT_FREE, slot.index) if draws.chance(0.1) else self._without_slot()
        if draws.chance(self.habits.frees):
            return Event(Opcode.SLOT_FREE, slot.index)
        if draws.chance(0.3):
            return Event(Opcode.GAP_END, slot.index, self._gap())
        return Event(Opcode.REQUEST, slot.index, self._length())

    def _gap(self) -> int:
        return (
            self.draws.corner(self.draws.config.contract.gap_bits)
            if self.habits.gap is None
            else self.habits.gap
        )

    def _length(self) -> int:
        if self.habits.length is not None:
            return self.habits.length
        if self.draws.chance(0.03):
            return self.draws.pick((0, 1, MOST_LENGTH))
        return 1 + self.draws.below(1 << self.draws.length_bits)


def random_segments(config: Config, seed: np.random.SeedSequence) -> list[Segment]:
    """A run of the IP from its reset: settings, events, other settings while slots are held, and so on.

    Parameters
    ----------
    config : Config
    seed : numpy.random.SeedSequence
    """
    draws = Draws(config, np.random.Generator(np.random.PCG64(seed)))
    source = EventSource(draws)
    engine = engine_for(config)
    segments = []
    for _ in range(SEGMENTS):
        settings, tide, guard = draws.settings(), draws.chance(0.8), draws.chance(0.8)
        engine.commit(settings)
        engine.tide_enabled, engine.guard_enabled = tide, guard
        source.change()
        events: list[Event] = []
        responses: list[Response] = []
        for index in range(SEGMENT_EVENTS[0] + draws.below(SEGMENT_EVENTS[1])):
            event = source.next(engine)._replace(identity=index)
            events.append(event)
            responses += engine.run(event)
        segments.append(Segment(settings, tide, guard, EventStream.of(events), ResponseStream.of(responses)))
    return segments
