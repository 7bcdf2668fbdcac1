"""DualEngine: the event semantics with two register files, after `unison.replay.dual`.

The eviction engine reads the store, but takes a session whose pause it has not seen for running. Tide reads
a file of its own: residency, tier, length and score as of the last sync, and its own events and swaps since.
The files are made equal after every m-th turn event (PLACE, GAP_START, COMPLETE that end in OK), and at once
when no session that an eviction may choose is seen. Records are per slot: `unison.replay.dual` knows one
again that has left and come back between two syncs, the hardware does not.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from unison.rtl.csr_types import Opcode, Status
from unison.rtl.model.engine import HBM, SRAM, Engine, Slot, TideView
from unison.rtl.model.events import Event
from unison.rtl.model.settings import Settings

COUNTED = (Opcode.PLACE, Opcode.GAP_START, Opcode.COMPLETE)
"""Events after which the files may be made equal."""


@dataclass
class DualEngine(Engine):
    """The engine of the dual design; see the module."""

    def __post_init__(self) -> None:
        """Start with both files empty."""
        n = self.config.sessions
        self._unseen = [False] * n
        self._file = [Slot(index) for index in range(n)]
        self._is_same = [False] * n
        self._file_used = [0, 0]
        self._since_sync = 0
        self._touched = set(range(n))
        super().__post_init__()

    def commit(self, settings: Settings) -> bool:
        """Take over settings, compute every score again and make the files equal; see `Engine.commit`."""
        is_taken = super().commit(settings)
        self._since_sync = 0
        self._touched = set(range(len(self.slots)))
        self._synchronize()
        return is_taken

    def _synchronize(self) -> None:
        """Make both files equal to the store, slot by slot where anything happened since the last time."""
        for index in self._touched:
            slot = self.slots[index]
            self._unseen[index] = False
            self._file[index] = dataclasses.replace(slot)
            self._is_same[index] = slot.placed
        self._file_used = list(self.used)
        self._touched.clear()

    def _dispatch(self, event: Event) -> Status:
        if event.slot < len(self.slots):
            self._touched.add(event.slot)
        status = super()._dispatch(event)
        if status == Status.OK and event.opcode in COUNTED:
            self._since_sync += 1
            if self._since_sync >= max(1, self.settings.sync_period):
                self._since_sync = 0
                self._synchronize()
        return status

    # --- what each file is told ---------------------------------------------------------------------------

    def _request(self, event: Event, slot: Slot) -> Status:
        status = super()._request(event, slot)
        if status == Status.OK:
            self._unseen[slot.index] = False
        return status

    def _gap_start(self, event: Event, slot: Slot) -> Status:
        if self._is_running(slot):
            self._tell_tide(slot, is_dead=False)
        return super()._gap_start(event, slot)

    def _complete(self, event: Event, slot: Slot) -> Status:
        status = super()._complete(event, slot)
        if status == Status.OK:
            self._tell_tide(slot, is_dead=True)
        return status

    def _tell_tide(self, slot: Slot, *, is_dead: bool) -> None:
        self._unseen[slot.index] = True
        seen = self._file[slot.index]
        if seen.placed and self._is_same[slot.index]:
            seen.active, seen.dead, seen.score = False, is_dead, slot.score

    def _slot_free(self, event: Event, slot: Slot) -> Status:
        seen = self._file[slot.index]
        if seen.placed and self._is_same[slot.index]:
            seen.held = seen.placed = False
            self._file_used[seen.tier] -= seen.length
        return super()._slot_free(event, slot)

    def _free(self, slot: Slot) -> None:
        super()._free(slot)
        self._touched.add(slot.index)
        self._unseen[slot.index] = self._is_same[slot.index] = False

    def _move(self, slot: Slot, tier: int) -> None:
        super()._move(slot, tier)
        self._touched.add(slot.index)

    # --- what each engine chooses from --------------------------------------------------------------------

    def _candidates(self, tier: int | None) -> list[Slot]:
        seen = self._seen_candidates(tier)
        if not seen:
            self._synchronize()
            seen = self._seen_candidates(tier)
        return seen

    def _seen_candidates(self, tier: int | None) -> list[Slot]:
        return [slot for slot in super()._candidates(tier) if not self._unseen[slot.index]]

    def _tide_view(self) -> TideView:
        resident = [slot for slot in self._file if slot.is_candidate]
        return TideView(
            below=[slot for slot in resident if slot.tier == HBM and not slot.dead],
            above=[slot for slot in resident if slot.tier == SRAM],
            free=self._capacity[SRAM] - self._file_used[SRAM],
            below_free=self._capacity[HBM] - self._file_used[HBM],
        )

    def _swap(self, rise: Slot, sink: Slot | None, budget: int | None) -> None:
        """Carry out in the store what was chosen in Tide's file; a swap that does not fit is lost."""
        chosen = [rise] if sink is None else [rise, sink]
        if not all(self._is_as_seen(slot) for slot in chosen):
            return
        risen, sunk = self.slots[rise.index].length, 0 if sink is None else self.slots[sink.index].length
        fits_above = self.used[SRAM] + risen - sunk <= self._capacity[SRAM]
        fits_below = self.used[HBM] - risen + sunk <= self._capacity[HBM]
        if not (fits_above and fits_below) or (budget is not None and risen + sunk > budget):
            return
        super()._swap(self.slots[rise.index], None if sink is None else self.slots[sink.index], budget)
        for slot in chosen:
            self._file_used[slot.tier] -= slot.length
            slot.tier = SRAM if slot is rise else HBM
            self._file_used[slot.tier] += slot.length

    def _is_as_seen(self, seen: Slot) -> bool:
        real = self.slots[seen.index]
        return self._is_same[seen.index] and real.is_candidate and real.tier == seen.tier
