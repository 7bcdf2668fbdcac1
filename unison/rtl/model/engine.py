"""Engine: the event semantics of the IP with one register file, one event at a time.

An event either ends in status OK, or changes nothing. Its responses come in the order in which the hardware
sends them, DONE last. Ties go to the lowest slot.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from unison.fixed_point.arithmetic import next_ema
from unison.rtl.config import LENGTH_BITS, TURN_MAX, Config
from unison.rtl.csr_types import Opcode, Status
from unison.rtl.model.events import Event, Response
from unison.rtl.model.settings import Scorer, Settings

SRAM, HBM = 0, 1
LENGTH_MASK = (1 << LENGTH_BITS) - 1


@dataclass(slots=True)
class Slot:
    """The record of one slot; what an order needs of it is its key."""

    index: int
    held: bool = False
    placed: bool = False
    active: bool = False
    dead: bool = False
    tier: int = SRAM
    turn: int = 0
    ema: int = 0
    length: int = 0
    score: int = 0

    @property
    def key(self) -> tuple[bool, int]:
        """What orders the slots: completed ones are above all others."""
        return self.dead, self.score

    @property
    def is_candidate(self) -> bool:
        """True if it could be chosen: resident, and no turn of it runs."""
        return self.held and self.placed and not self.active


class Pending(NamedTuple):
    """A request that waits for its PLACE."""

    slot: int
    length: int


@dataclass
class Engine:
    """The unified engine.

    Parameters
    ----------
    config : Config
    settings : Settings
        As after a commit.

    Attributes
    ----------
    tide_enabled, guard_enabled : bool
        CTRL.TIDE_EN and CTRL.GUARD_EN.
    slots : list of Slot
    used, pinned : list of int
        Tokens held in each tier, and those of them that belong to running turns.
    dma_busy : bool
    decisions : int
        Selections so far.
    """

    config: Config
    settings: Settings = field(default_factory=Settings)
    tide_enabled: bool = False
    guard_enabled: bool = True

    def __post_init__(self) -> None:
        """Start as after a reset and a commit of the settings."""
        self.slots = [Slot(index) for index in range(self.config.sessions)]
        self.used, self.pinned = [0, 0], [0, 0]
        self.pending: Pending | None = None
        self.dma_busy = False
        self.decisions = 0
        self._largest_gap = self.config.contract.largest_gap
        self._handlers: dict[int, Callable[[Event, Slot], Status]] = {
            Opcode.SLOT_ALLOC: self._slot_alloc,
            Opcode.SLOT_FREE: self._slot_free,
            Opcode.REQUEST: self._request,
            Opcode.PLACE: self._place,
            Opcode.GAP_START: self._gap_start,
            Opcode.GAP_END: self._gap_end,
            Opcode.COMPLETE: self._complete,
            Opcode.DMA_DONE: self._dma_done,
        }
        self._responses: list[Response] = []
        self.commit(self.settings)

    def commit(self, settings: Settings) -> bool:
        """Take over settings and compute every score again.

        Returns
        -------
        bool
            False if other capacities were refused, since a slot is held.
        """
        is_changed = settings.capacity != self.settings.capacity
        is_refused = is_changed and any(slot.held for slot in self.slots)
        if is_refused:
            settings = dataclasses.replace(settings, capacity=self.settings.capacity)
        self.settings, self._capacity = settings, settings.capacity
        self._score = Scorer(self.config, self.settings)
        for slot in self.slots:
            self._set_score(slot)
        return not is_refused

    def run(self, event: Event) -> list[Response]:
        """Carry out one event; its responses."""
        self._responses = []
        status = self._dispatch(event)
        self._responses.append(Response.done(status, event.identity))
        return self._responses

    # --- checks -----------------------------------------------------------------------------------------

    def _dispatch(self, event: Event) -> Status:
        handler = self._handlers.get(event.opcode)
        if handler is None:
            return Status.BAD_OPCODE
        if event.opcode == Opcode.DMA_DONE:
            return handler(event, self.slots[0])
        if event.none and event.opcode in (Opcode.REQUEST, Opcode.GAP_START):
            if self.pending is not None:
                return Status.BAD_STATE
            return self._evict_one() if event.opcode == Opcode.REQUEST else self._foreign_gap(event)
        if event.slot >= len(self.slots):
            return Status.BAD_SLOT
        slot = self.slots[event.slot]
        if not slot.held and event.opcode != Opcode.SLOT_ALLOC:
            return Status.BAD_SLOT
        if self.pending is not None:
            accepted = event.opcode in (Opcode.PLACE, Opcode.SLOT_FREE) and event.slot == self.pending.slot
            if not accepted:
                return Status.BAD_STATE
        return handler(event, slot)

    # --- events -----------------------------------------------------------------------------------------

    def _slot_alloc(self, event: Event, slot: Slot) -> Status:
        if slot.held and slot.dead:
            return Status.BAD_STATE
        if not slot.held:
            slot.held, slot.placed, slot.active, slot.dead = True, False, False, False
            slot.tier, slot.length = SRAM, 0
        slot.turn = min(event.turn, TURN_MAX)
        slot.ema = event.data & self._largest_gap
        self._set_score(slot)
        return Status.OK

    def _slot_free(self, event: Event, slot: Slot) -> Status:
        self._free(slot)
        return Status.OK

    def _request(self, event: Event, slot: Slot) -> Status:
        length = event.data & LENGTH_MASK
        if slot.active or slot.dead or length == 0:
            return Status.BAD_STATE
        slot.active = True
        slot.turn = min(slot.turn + 1, TURN_MAX)
        self._set_score(slot)
        self.pending = Pending(slot.index, length)
        return Status.OK

    def _place(self, event: Event, slot: Slot) -> Status:
        if self.pending is None:
            return Status.BAD_STATE
        if event.bypass:
            self._free(slot)
            return Status.OK
        tier, length = event.tier, self.pending.length
        if length + self.pinned[tier] > self._capacity[tier]:
            return Status.DOES_NOT_FIT
        self.pending = None
        if slot.placed:
            self.used[slot.tier] -= slot.length
        slot.placed, slot.tier, slot.length = True, tier, length
        self.used[tier] += length
        self.pinned[tier] += length
        self._overflow(tier)
        return Status.OK

    def _gap_start(self, event: Event, slot: Slot) -> Status:
        if not self._is_running(slot):
            return Status.BAD_STATE
        self._unpin(slot)
        self._tide(slot.ema)
        return Status.OK

    def _gap_end(self, event: Event, slot: Slot) -> Status:
        if slot.active or slot.dead:
            return Status.BAD_STATE
        slot.ema = next_ema(event.data & self._largest_gap, slot.ema, is_first=slot.turn <= 1)
        self._set_score(slot)
        return Status.OK

    def _complete(self, event: Event, slot: Slot) -> Status:
        if not self._is_running(slot):
            return Status.BAD_STATE
        self._unpin(slot)
        slot.dead = True
        self._set_score(slot)
        return Status.OK

    def _dma_done(self, event: Event, slot: Slot) -> Status:
        self.dma_busy = False
        return Status.OK

    def _evict_one(self) -> Status:
        """REQUEST without a slot: the overall argmax gives up its slot."""
        candidates = self._candidates(None)
        if not candidates:
            return Status.NO_CANDIDATE
        self._evict(largest(candidates))
        return Status.OK

    def _foreign_gap(self, event: Event) -> Status:
        """GAP_START without a slot: the session that pauses is not resident."""
        self._tide(event.data & self._largest_gap)
        return Status.OK

    # --- the store --------------------------------------------------------------------------------------

    def _set_score(self, slot: Slot) -> None:
        largest = self.config.contract.largest_score
        slot.score = largest if slot.dead else self._score(slot.turn, slot.ema)

    def _is_running(self, slot: Slot) -> bool:
        return slot.placed and slot.active and (self.pending is None or self.pending.slot != slot.index)

    def _unpin(self, slot: Slot) -> None:
        slot.active = False
        self.pinned[slot.tier] -= slot.length

    def _free(self, slot: Slot) -> None:
        is_pending = self.pending is not None and self.pending.slot == slot.index
        if slot.placed:
            self.used[slot.tier] -= slot.length
            if slot.active and not is_pending:
                self.pinned[slot.tier] -= slot.length
        if is_pending:
            self.pending = None
        slot.held = slot.placed = slot.active = slot.dead = False

    def _candidates(self, tier: int | None) -> list[Slot]:
        """Whom a selection may choose, by slot; counts the selection."""
        self.decisions += 1
        return [slot for slot in self.slots if slot.is_candidate and tier in (None, slot.tier)]

    def _evict(self, slot: Slot) -> None:
        self._responses.append(Response.victim(slot.index, slot.tier, slot.length))
        self._free(slot)

    def _move(self, slot: Slot, tier: int) -> None:
        self._responses.append(Response.move(slot.index, slot.tier, tier, slot.length))
        self.used[slot.tier] -= slot.length
        self.used[tier] += slot.length
        slot.tier = tier

    def _overflow(self, tier: int) -> None:
        if tier == SRAM:
            while self.used[SRAM] > self._capacity[SRAM]:
                self._move(largest(self._candidates(SRAM)), HBM)
                self._overflow(HBM)
        while self.used[HBM] > self._capacity[HBM]:
            self._evict(largest(self._candidates(HBM)))

    # --- Tide -------------------------------------------------------------------------------------------

    def _budget(self, gap: int) -> int | None:
        """Tokens that the DMA can move in a gap; None is no limit."""
        if self.settings.dma_div == 0:
            return None
        return gap * self.settings.dma_rate // self.settings.dma_div

    def _tide(self, gap: int) -> None:
        if not self.tide_enabled or self.dma_busy:
            return
        self.decisions += 1
        chosen = choose_swap(self._tide_view(), self._budget(gap), guard=self.guard_enabled)
        if chosen is not None:
            self._swap(*chosen, self._budget(gap))

    def _tide_view(self) -> TideView:
        resident = [slot for slot in self.slots if slot.is_candidate]
        return TideView(
            below=[slot for slot in resident if slot.tier == HBM and not slot.dead],
            above=[slot for slot in resident if slot.tier == SRAM],
            free=self._capacity[SRAM] - self.used[SRAM],
            below_free=self._capacity[HBM] - self.used[HBM],
        )

    def _swap(self, rise: Slot, sink: Slot | None, budget: int | None) -> None:
        """Carry out a swap that was chosen."""
        self._move(rise, SRAM)
        if sink is not None:
            self._move(sink, HBM)
        self.dma_busy = True


class TideView(NamedTuple):
    """What Tide chooses from."""

    below: list[Slot]
    above: list[Slot]
    free: int
    below_free: int


def largest(candidates: list[Slot]) -> Slot:
    """The argmax; of equal keys the lowest slot, since candidates come by slot."""
    return max(candidates, key=lambda slot: slot.key)


def choose_swap(view: TideView, budget: int | None, *, guard: bool) -> tuple[Slot, Slot | None] | None:
    """Whom to promote and whom to demote for it; None if Tide does nothing."""
    if not view.below:
        return None
    rise = min(view.below, key=lambda slot: slot.key)
    if rise.length <= view.free:
        return (rise, None) if budget is None or rise.length <= budget else None
    if not view.above:
        return None
    sink = largest(view.above)
    if guard and not rise.key < sink.key:
        return None
    if rise.length > view.free + sink.length or sink.length > view.below_free + rise.length:
        return None
    return (rise, sink) if budget is None or rise.length + sink.length <= budget else None
