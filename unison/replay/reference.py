"""The reference engine: the replay semantics in plain Python, the specification of the fast kernel.

Rules (two tiers are SRAM and HBM; one and three follow from the same rules):

1. REQUEST. The lookup sees the session's tier, or the tier it is leaving while Tide still moves it. A
   resident session none of whose context is a prefix of the prompt misses (shrunk prefix). The session is
   pinned until its turn ends and its length becomes prompt + output.
2. Placement. If no tier could hold the length beside its pinned sessions, or every slot is held by a
   running session, the turn is bypassed: served without residency, nobody evicted, an old copy freed.
   Otherwise a newcomer takes the lowest free slot (the overall argmax is evicted first when none is free),
   the old footprint is released and a target chosen: on a hit the own tier if the length fits beside what
   is pinned there, else by `Placement`. The target then overflows downwards: a tier above its capacity
   demotes its argmax to the next and settles that one before its own next demotion; the last evicts.
3. GAP_START. The session is unpinned (given up where the policy does not keep it); then Tide, if the DMA
   engine is free, swaps the argmin below with the argmax above while order, budget and capacities allow.
4. COMPLETE. The session's score becomes larger than any other.

Ties go to the lowest slot. After every event used <= capacity in each tier and slots <= N.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from unison.policies.ranking import Ranking
from unison.policies.stateful import StatefulPolicy
from unison.replay.envelope import Envelope
from unison.replay.outcomes import MISS, NOWHERE, Action, Cause, Counter, Outcomes
from unison.replay.resident import Decision, Loss, Resident, ranking_score
from unison.replay.tiering import Placement, Tiering
from unison.traces.trace import Trace

MAX_GAP_NS = 9 * 10**15
"""Gap estimates count as at most this long in Tide's budget [ns]."""


@dataclass
class ReferenceEngine:
    """One replay in plain Python.

    Parameters
    ----------
    trace : Trace
    policy : Ranking or StatefulPolicy
        Gives the scores.
    envelope : Envelope
    tiering : Tiering
    observe : callable, optional
        Called with a `Decision` at each selection of an eviction victim.
    """

    trace: Trace
    policy: Ranking | StatefulPolicy
    envelope: Envelope
    tiering: Tiering = field(default_factory=Tiering)
    observe: Callable[[Decision], None] | None = None

    def run(self) -> Outcomes:
        """Replay the whole trace and return what happened."""
        self._start()
        for index, code in enumerate(self.trace.events.tolist()):
            row = code >> 1
            is_request = bool(code & 1)
            now = int((self.trace.arrival_ns if is_request else self.trace.end_ns)[row])
            self._advance(index, now)
            if is_request:
                self._request(row)
            else:
                self._end_turn(row)
            self._finish_event()
        return Outcomes(
            hit_tier=self._hit_tier,
            reused_tokens=self._reused,
            placed_tier=self._placed,
            cause=self._cause,
            lost_ns=self._lost_ns,
            lost_by=self._lost_by,
            counters=self._counters,
            used_token_ns=self._used_token_ns,
            running_token_ns=self._running_token_ns,
            actions=np.asarray(self._actions, dtype=np.int64).reshape(-1, 5),
        )

    # --- state ------------------------------------------------------------------------------------------

    def _start(self) -> None:
        corpus = self.trace.corpus
        turns = corpus.n_turns
        self._capacity = [tier.capacity_tokens for tier in self.envelope.tiers]
        self._n_tiers = len(self._capacity)
        self._length = corpus.length.tolist()
        self._reusable = (corpus.prompt_tokens - corpus.new_prompt_tokens).tolist()
        self._session_of = corpus.session.tolist()
        self._residents: dict[int, Resident] = {}
        self._losses = [Loss() for _ in range(corpus.n_sessions)]
        self._dma_free_ns = 0
        self._now = int(self.trace.arrival_ns.min()) if turns else 0
        self._index = 0
        self._row = -1
        self._used_token_ns = self._running_token_ns = 0.0
        self._used_tokens = self._running_tokens = 0
        self._hit_tier = np.full(turns, MISS, dtype=np.int8)
        self._placed = np.full(turns, NOWHERE, dtype=np.int8)
        self._cause = np.zeros(turns, dtype=np.int8)
        self._reused = np.zeros(turns, dtype=np.int64)
        self._lost_ns = np.full(turns, -1, dtype=np.int64)
        self._lost_by = np.full(turns, -1, dtype=np.int64)
        self._counters = np.zeros(len(Counter), dtype=np.int64)
        self._actions: list[tuple[int, int, int, int, int]] = []
        if isinstance(self.policy, StatefulPolicy):
            self.policy.start(self.trace)

    def _used(self, tier: int, *, pinned_only: bool = False) -> int:
        return sum(
            r.length for r in self._residents.values() if r.tier == tier and (r.is_pinned or not pinned_only)
        )

    def _free_slot(self) -> int | None:
        taken = {r.slot for r in self._residents.values()}
        return next((slot for slot in range(self.envelope.slots) if slot not in taken), None)

    def _log(self, action: Action, session: int, before: int, after: int) -> None:
        self._actions.append((self._index, int(action), session, before, after))

    def _advance(self, index: int, now: int) -> None:
        elapsed = float(now - self._now)
        self._used_token_ns += float(self._used_tokens) * elapsed
        self._running_token_ns += float(self._running_tokens) * elapsed
        self._index, self._now = index, now
        if isinstance(self.policy, StatefulPolicy) or self.policy.drop_after_ns is None:
            return
        drop_after = self.policy.drop_after_ns
        due = [(r.pause_ns + int(drop_after[r.row]), r.slot, r) for r in self._paused()]
        for expiry, _, resident in sorted(entry for entry in due if entry[0] < now):
            self._used_token_ns -= float(resident.length) * float(now - expiry)
            self._lose(resident, Action.DROP, Cause.TIMEOUT, expiry, resident.row)
            self._counters[Counter.DROPS] += 1

    def _lose(self, resident: Resident, action: Action, cause: Cause, time_ns: int, row: int) -> None:
        del self._residents[resident.session]
        self._losses[resident.session] = Loss(cause, time_ns, row)
        self._log(action, resident.session, resident.tier, NOWHERE)

    # --- order ------------------------------------------------------------------------------------------

    def _score(self, resident: Resident) -> float:
        if resident.is_dead:
            return math.inf
        return self._score_of(resident.row, self._now - resident.pause_ns)

    def _score_of(self, row: int, idle_ns: int) -> float:
        if isinstance(self.policy, StatefulPolicy):
            return self.policy.score(row, idle_ns)
        return ranking_score(self.policy, row, idle_ns)

    def _argmax(self, candidates: list[Resident]) -> Resident:
        return min(candidates, key=lambda r: (-self._score(r), r.slot))

    def _first(self, candidates: list[Resident]) -> Resident:
        """The argmax of those whose pin has run out, else the one whose pin runs out first."""
        free = [r for r in candidates if self._pin_left(r) <= 0]
        return self._argmax(free) if free else min(candidates, key=lambda r: (self._pin_left(r), r.slot))

    def _victim(self, candidates: list[Resident]) -> Resident:
        self._counters[Counter.DECISIONS] += 1
        victim = self._first(candidates)
        if self.observe is not None:
            ordered = sorted(candidates, key=lambda r: r.slot)
            self.observe(
                Decision(
                    self._now,
                    tuple(r.slot for r in ordered),
                    tuple(r.session for r in ordered),
                    tuple(r.row for r in ordered),
                    tuple(self._score(r) for r in ordered),
                    victim.slot,
                )
            )
        return victim

    def _pin_left(self, resident: Resident) -> int:
        if isinstance(self.policy, StatefulPolicy) or self.policy.pin_ns is None or resident.is_dead:
            return 0
        return resident.pause_ns + int(self.policy.pin_ns[resident.row]) - self._now

    def _paused(self, tier: int | None = None) -> list[Resident]:
        return [r for r in self._residents.values() if not r.is_pinned and tier in (None, r.tier)]

    def _candidates(self, tier: int | None = None) -> list[Resident]:
        """The paused sessions among which the eviction engine selects."""
        return self._paused(tier)

    def _seen_by_tide(self) -> list[Resident]:
        """The residents as Tide sees them."""
        return list(self._residents.values())

    # --- events -----------------------------------------------------------------------------------------

    def _request(self, row: int) -> None:
        self._row = row
        session = self._session_of[row]
        if isinstance(self.policy, StatefulPolicy):
            self.policy.on_request(row, self._now)
        old = self._residents.get(session)
        hit = self._look_up(row, old)
        target = self._settle(row, old, hit)
        if target is None:
            self._bypass(row, old)
            return
        length = self._length[row]
        if old is None:
            slot = self._free_slot()
            assert slot is not None
            old = Resident(session, slot, row, target, length)
            self._residents[session] = old
            before = NOWHERE
        else:
            before = old.tier
            self._residents[session] = Resident(session, old.slot, row, target, length)
        self._placed[row] = target
        self._log(Action.PLACE, session, before, target)
        self._overflow(target)

    def _look_up(self, row: int, old: Resident | None) -> bool:
        """Record hit or miss with its cause; a miss of a resident session is a shrunk prefix."""
        session = self._session_of[row]
        if old is not None and self._reusable[row] > 0:
            seen = old.seen_tier if self._now < old.seen_until_ns else old.tier
            self._hit_tier[row] = seen
            self._reused[row] = min(self._reusable[row], old.length)
            if old.was_promoted and seen == old.tier:
                self._counters[Counter.USEFUL_PROMOTIONS] += 1
            return True
        loss = self._losses[session]
        if self.trace.corpus.turn[row] == 0:
            self._cause[row] = Cause.FIRST_TURN
        elif self._reusable[row] == 0:
            self._cause[row] = Cause.SHRUNK_PREFIX
        else:
            self._cause[row] = loss.cause
            self._lost_ns[row], self._lost_by[row] = loss.time_ns, loss.row
        return False

    def _settle(self, row: int, old: Resident | None, hit: bool) -> int | None:
        """Free a slot if one is needed and choose the target tier; None is a bypass."""
        length = self._length[row]
        fits = [length + self._used(u, pinned_only=True) <= self._capacity[u] for u in range(self._n_tiers)]
        needs_slot = old is None and self._free_slot() is None
        if not any(fits) or (needs_slot and not self._paused()):
            return None
        if self.tiering.admission and old is None and self._is_outranked(row, needs_slot):
            return None
        if needs_slot:
            self._evict(self._victim(self._candidates()))
        if hit and old is not None and fits[old.tier]:
            return old.tier
        released = old.length if old is not None and old.tier == 0 else 0
        free = length + self._used(0) - released <= self._capacity[0]
        lower = [u for u in range(1, self._n_tiers) if fits[u]]
        if self.tiering.placement == Placement.HBM_FIRST:
            order = [*lower, 0]
        elif self.tiering.placement == Placement.SRAM_EVICT:
            order = [0, *lower] if fits[0] else lower
        else:
            order = [0, *lower] if free else [*lower, 0]
        return order[0]

    def _is_outranked(self, row: int, needs_slot: bool) -> bool:
        """Admission: the newcomer needs an eviction and ranks, at idle time 0, no lower than the victim."""
        used = sum(self._used(u) for u in range(self._n_tiers))
        paused = self._paused()
        if not paused or (not needs_slot and used + self._length[row] <= sum(self._capacity)):
            return False
        return self._score_of(row, 0) >= self._score(self._first(paused))

    def _bypass(self, row: int, old: Resident | None) -> None:
        session = self._session_of[row]
        self._counters[Counter.BYPASSES] += 1
        if old is not None:
            del self._residents[session]
        self._losses[session] = Loss(Cause.BYPASSED, self._now, row)
        self._log(Action.BYPASS, session, NOWHERE if old is None else old.tier, NOWHERE)

    def _evict(self, victim: Resident) -> None:
        self._counters[Counter.EVICTIONS] += 1
        self._lose(victim, Action.EVICT, Cause.EVICTED, self._now, self._row)

    def _make_room(self, victim: Resident, excess: int) -> None:
        """Evict the victim, or with partial eviction only as much of its tail as the tier is over."""
        if not self.tiering.partial or victim.length <= excess:
            self._evict(victim)
            return
        victim.length -= excess
        self._counters[Counter.TRUNCATIONS] += 1
        self._log(Action.TRUNCATE, victim.session, victim.tier, victim.tier)

    def _overflow(self, tier: int) -> None:
        while self._used(tier) > self._capacity[tier]:
            if tier == self._n_tiers - 1:
                self._make_room(self._victim(self._candidates(tier)), self._used(tier) - self._capacity[tier])
                continue
            self._counters[Counter.DECISIONS] += 1
            self._counters[Counter.DEMOTIONS] += 1
            moved = self._argmax(self._candidates(tier))
            moved.tier, moved.seen_until_ns, moved.was_promoted = tier + 1, 0, False
            self._log(Action.DEMOTE, moved.session, tier, tier + 1)
            self._overflow(tier + 1)

    def _end_turn(self, row: int) -> None:
        self._row = row
        completes = bool(self.trace.ends_session[row]) and self.policy.sees_completion
        resident = self._residents.get(self._session_of[row])
        if resident is not None:
            resident.is_pinned, resident.is_dead, resident.pause_ns = False, completes, self._now
        if isinstance(self.policy, StatefulPolicy):
            self.policy.on_end(row, self._now, completes)
        elif resident is not None and self.policy.keep is not None and not self.policy.keep[row]:
            self._lose(resident, Action.RELEASE, Cause.BYPASSED, self._now, row)
        if self.tiering.tide and not completes and self._now >= self._dma_free_ns:
            self._tide(row)

    # --- Tide -------------------------------------------------------------------------------------------

    def _tide(self, row: int) -> None:
        gap = min(int(self.policy.gap_estimate_ns[row]), MAX_GAP_NS)
        budget = gap * 1000 // self.envelope.dma_ps_per_token
        moved = swaps = 0
        for upper in range(self._n_tiers - 1):
            while swaps < self.tiering.max_swaps:
                tokens = self._swap(upper, budget - moved, moved)
                if tokens == 0:
                    break
                moved += tokens
                swaps += 1
        if moved:
            self._dma_free_ns = self._arrives(moved)
            self._counters[Counter.MOVED_TOKENS] += moved

    def _arrives(self, moved: int) -> int:
        return self._now - (-moved * self.envelope.dma_ps_per_token // 1000)

    def _swap(self, upper: int, budget: int, moved: int) -> int:
        """One swap between `upper` and the tier below it; the tokens moved, 0 if it is not feasible."""
        chosen = self._select_swap(upper, budget, self._seen_by_tide())
        return 0 if chosen is None else self._do_swap(*chosen, upper=upper, budget=budget, moved=moved)

    def _select_swap(
        self, upper: int, budget: int, seen: list[Resident]
    ) -> tuple[Resident, Resident | None] | None:
        """Whom to promote and whom to demote for it, among the residents seen; None if it is not feasible."""
        below = [r for r in seen if r.tier == upper + 1 and not r.is_pinned and not r.is_dead]
        if not below:
            return None
        self._counters[Counter.DECISIONS] += 1
        rise = min(below, key=lambda r: (self._score(r), r.slot))
        free, below_free = (
            self._capacity[u] - sum(r.length for r in seen if r.tier == u) for u in (upper, upper + 1)
        )
        if rise.length <= free:
            return (rise, None) if 0 < rise.length <= budget else None
        above = [r for r in seen if r.tier == upper and not r.is_pinned]
        if not above:
            return None
        sink = self._argmax(above)
        if self.tiering.guard and not self._score(rise) < self._score(sink):
            return None
        if rise.length > free + sink.length or sink.length > below_free + rise.length:
            return None
        return (rise, sink) if 0 < rise.length + sink.length <= budget else None

    def _do_swap(self, rise: Resident, sink: Resident | None, *, upper: int, budget: int, moved: int) -> int:
        """Carry out a swap that fits; the tokens moved."""
        tokens = rise.length + (0 if sink is None else sink.length)
        arrives = self._arrives(moved + tokens)
        self._move(rise, upper, arrives, Action.PROMOTE)
        self._counters[Counter.PROMOTIONS] += 1
        if sink is not None:
            self._move(sink, upper + 1, arrives, Action.SWAP_OUT)
        return tokens

    def _move(self, resident: Resident, tier: int, arrives: int, action: Action) -> None:
        self._log(action, resident.session, resident.tier, tier)
        if self._now >= resident.seen_until_ns:
            resident.seen_tier = resident.tier
        resident.seen_until_ns = arrives
        resident.was_promoted = action == Action.PROMOTE
        resident.tier = tier

    def _finish_event(self) -> None:
        """Check the capacities, and note the tokens held from this event to the next."""
        used = [0] * self._n_tiers
        self._running_tokens = 0
        for resident in self._residents.values():
            used[resident.tier] += resident.length
            self._running_tokens += resident.length * resident.is_pinned
        self._used_tokens = sum(used)
        for tier, capacity in enumerate(self._capacity):
            assert used[tier] <= capacity, f"event {self._index}: tier {tier} holds {used[tier]}"
        assert len(self._residents) <= self.envelope.slots, f"event {self._index}: too many slots held"
