"""Dual register files: the eviction engine and Tide each keep their own, and see the other's late.

The paper compares its one shared register file with two private ones (UNISON eq. (11)-(12)) and leaves open
what a stale file does. This model is a reconstruction:

- REQUESTs are the eviction engine's own events, GAP_START and COMPLETE are Tide's. A file sees its own
  engine's events at once and the other's at a sync only, which comes right after every m-th event, or every
  m-th request. A sync takes no time.
- The eviction engine reads the store itself, but a session whose pause its file has not seen is running to
  it: it cannot be a victim, nor dead. If the sessions it may choose are not enough, the request waits for a
  sync (a forced one, counted).
- Tide sees residency, tier and length of sessions as of the last sync, and its own swaps since. It does not
  see requests since: who was evicted still stands in its file, who was placed does not, and who runs again is
  still paused. A swap chosen on such a view that the store cannot carry out is lost, and ends Tide for that
  gap.
- The event that tells of a pause carries the session's own gap estimate and score terms. A copy that is
  dropped by its timer or given up at its pause leaves both files at once.

With a sync after every event neither file is ever stale when its engine decides, so this is the unified
engine.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field

from unison.errors import UnisonError
from unison.replay.outcomes import Action, Cause, Outcomes
from unison.replay.reference import ReferenceEngine
from unison.replay.resident import Resident

EVENTS, REQUESTS = "events", "requests"


@dataclass(frozen=True)
class Sync:
    """When the two files are made equal.

    Attributes
    ----------
    every : int
        m: a sync comes right after every m-th one.
    unit : str
        ``events`` (of any kind) or ``requests``.
    """

    every: int
    unit: str = EVENTS

    def __post_init__(self) -> None:
        """Refuse a period below 1 and an unknown unit."""
        if self.every < 1 or self.unit not in (EVENTS, REQUESTS):
            raise UnisonError(f"sync every {self.every} {self.unit}; give 1 or more {EVENTS} or {REQUESTS}")


@dataclass
class DualCounts:
    """What stale files did in one replay.

    Attributes
    ----------
    victims : int
        Victim selections.
    stale_victims : int
        Those in which the unified file would have chosen another session of the same store.
    forced_syncs : int
        Requests' waits for a sync because no session that might go was seen.
    swaps : int
        Swaps that Tide chose.
    lost_swaps : int
        Those that the store could not carry out.
    """

    victims: int = 0
    stale_victims: int = 0
    forced_syncs: int = 0
    swaps: int = 0
    lost_swaps: int = 0


@dataclass
class DualEngine(ReferenceEngine):
    """A replay with two register files; see the module.

    Parameters
    ----------
    sync : Sync
        When the files are made equal.
    counts : DualCounts
        Filled in by `run`.
    """

    sync: Sync = field(default_factory=lambda: Sync(1))
    counts: DualCounts = field(default_factory=DualCounts)

    def run(self) -> Outcomes:
        """Replay the whole trace and return what happened."""
        self.counts = DualCounts()
        self._unseen_pauses: set[int] = set()
        self._tide_file: dict[int, Resident] = {}
        self._touched: set[int] = set()
        self._since_sync = self._n_synced = 0
        return super().run()

    # --- the eviction engine ----------------------------------------------------------------------------

    def _request(self, row: int) -> None:
        self._unseen_pauses.discard(self._session_of[row])
        self._touched.add(self._session_of[row])
        super()._request(row)
        self._since_sync += 1

    def _candidates(self, tier: int | None = None) -> list[Resident]:
        self._paused_now = self._paused(tier)
        seen = [r for r in self._paused_now if r.session not in self._unseen_pauses]
        if seen:
            return seen
        self.counts.forced_syncs += 1
        self._synchronize()
        return self._paused_now

    def _victim(self, candidates: list[Resident]) -> Resident:
        victim = super()._victim(candidates)
        self.counts.victims += 1
        self.counts.stale_victims += self._first(self._paused_now) is not victim
        return victim

    # --- Tide -------------------------------------------------------------------------------------------

    def _end_turn(self, row: int) -> None:
        session = self._session_of[row]
        self._unseen_pauses.add(session)
        self._touched.add(session)
        known = self._tide_file.get(session)
        if known is not None:
            known.row, known.pause_ns, known.is_pinned = row, self._now, False
            known.is_dead = bool(self.trace.ends_session[row]) and self.policy.sees_completion
        super()._end_turn(row)
        self._since_sync += self.sync.unit == EVENTS

    def _seen_by_tide(self) -> list[Resident]:
        return list(self._tide_file.values())

    def _do_swap(self, rise: Resident, sink: Resident | None, *, upper: int, budget: int, moved: int) -> int:
        """Carry out in the store what was chosen on Tide's file; 0 if the swap is lost."""
        self.counts.swaps += 1
        real_rise = self._as_chosen(rise)
        real_sink = None if sink is None else self._as_chosen(sink)
        if real_rise is None or (sink is not None and real_sink is None):
            self.counts.lost_swaps += 1
            return 0
        sunk = 0 if real_sink is None else real_sink.length
        above = self._used(upper) + real_rise.length - sunk
        below = self._used(upper + 1) - real_rise.length + sunk
        fits = above <= self._capacity[upper] and below <= self._capacity[upper + 1]
        if not fits or real_rise.length + sunk > budget:
            self.counts.lost_swaps += 1
            return 0
        rise.tier = upper
        if sink is not None:
            sink.tier = upper + 1
        return super()._do_swap(real_rise, real_sink, upper=upper, budget=budget, moved=moved)

    def _as_chosen(self, seen: Resident) -> Resident | None:
        """The session in the store, if it is still paused in the tier in which Tide saw it."""
        real = self._residents.get(seen.session)
        return real if real is not None and real.tier == seen.tier and not real.is_pinned else None

    def _lose(self, resident: Resident, action: Action, cause: Cause, time_ns: int, row: int) -> None:
        super()._lose(resident, action, cause, time_ns, row)
        if action in (Action.DROP, Action.RELEASE):
            self._tide_file.pop(resident.session, None)

    # --- syncs ------------------------------------------------------------------------------------------

    def _finish_event(self) -> None:
        super()._finish_event()
        if self._since_sync >= self.sync.every:
            self._since_sync = 0
            self._synchronize()

    def _synchronize(self) -> None:
        """Make both files equal to the store: whatever the events and actions since the last sync touched."""
        self._unseen_pauses.clear()
        for session in self._touched | {action[2] for action in self._actions[self._n_synced :]}:
            real = self._residents.get(session)
            if real is None:
                self._tide_file.pop(session, None)
            else:
                self._tide_file[session] = dataclasses.replace(real)
        self._touched.clear()
        self._n_synced = len(self._actions)
