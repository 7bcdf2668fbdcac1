"""What holds in every replay, checked on the kernel's record of actions by a ledger that knows no rules."""

from __future__ import annotations

from collections import Counter as Tally

import numpy as np
import pytest
from support import worlds

from unison.replay.engine import replay
from unison.replay.outcomes import MISS, NOWHERE, Action, Cause, Counter, Outcomes
from unison.traces.trace import Trace

SEEDS = range(10_000, 10_250)
COUNTED = {
    Counter.EVICTIONS: Action.EVICT,
    Counter.DEMOTIONS: Action.DEMOTE,
    Counter.DROPS: Action.DROP,
    Counter.BYPASSES: Action.BYPASS,
    Counter.PROMOTIONS: Action.PROMOTE,
    Counter.TRUNCATIONS: Action.TRUNCATE,
}


@pytest.fixture(scope="module")
def replays() -> list[tuple[int, worlds.World, Outcomes]]:
    made = [(seed, worlds.seeded_world(seed, 12)) for seed in SEEDS]
    return [(s, w, replay(w.trace, w.ranking, w.envelope, w.tiering, record=True)) for s, w in made]


class Ledger:
    """Where each session is, from the actions alone."""

    def __init__(self, trace: Trace, capacity: list[int]) -> None:
        self.trace = trace
        self.capacity = capacity
        self.tier: dict[int, int] = {}
        self.length: dict[int, int] = {}
        self.running: set[int] = set()

    def apply(self, row: int, is_request: bool, actions: list[list[int]]) -> None:
        own = int(self.trace.corpus.session[row])
        if not is_request:
            self.running.discard(own)
        for _, action, session, before, after in actions:
            assert self.tier.get(session, NOWHERE) == before, "an action starts where the session is"
            assert session not in self.running, "running sessions do not move"
            if after == NOWHERE:
                self.tier.pop(session, None)
            else:
                self.tier[session] = after
            if action == Action.PLACE:
                assert session == own, "only the session that requests is placed"
                self.length[session] = int(self.trace.corpus.length[row])
            if action == Action.TRUNCATE:
                self.length[session] -= self.used(before) - self.capacity[before]
                assert self.length[session] > 0, "a truncated session keeps a part"
        if is_request:
            self.running.add(own)

    def used(self, tier: int) -> int:
        return sum(self.length[session] for session, held in self.tier.items() if held == tier)


def test_capacities_and_slots_hold_after_every_event_and_running_sessions_stay(
    replays: list[tuple[int, worlds.World, Outcomes]],
) -> None:
    for seed, world, outcomes in replays:
        ledger = Ledger(world.trace, [tier.capacity_tokens for tier in world.envelope.tiers])
        assert outcomes.actions is not None
        actions = outcomes.actions.tolist()
        for index, code in enumerate(world.trace.events.tolist()):
            ledger.apply(code >> 1, bool(code & 1), [a for a in actions if a[0] == index])
            for number, tier in enumerate(world.envelope.tiers):
                assert ledger.used(number) <= tier.capacity_tokens, f"seed {seed}, event {index}"
            assert len(ledger.tier) <= world.envelope.slots, f"seed {seed}, event {index}"


def test_every_turn_has_one_outcome_that_agrees_with_its_cause(
    replays: list[tuple[int, worlds.World, Outcomes]],
) -> None:
    for seed, world, found in replays:
        corpus = world.trace.corpus
        reusable = corpus.prompt_tokens - corpus.new_prompt_tokens
        lost = np.isin(found.cause, (Cause.EVICTED, Cause.TIMEOUT, Cause.BYPASSED))
        assert ((found.cause == Cause.HIT) == (found.hit_tier != MISS)).all(), seed
        assert ((found.cause == Cause.FIRST_TURN) == (corpus.turn == 0)).all(), seed
        assert (found.reused_tokens[~found.is_hit] == 0).all(), seed
        assert (reusable[found.is_hit] > 0).all(), seed
        assert (found.reused_tokens <= reusable).all(), seed
        assert (reusable[found.cause == Cause.SHRUNK_PREFIX] == 0).all(), seed
        assert ((found.lost_ns >= 0) == lost).all(), seed
        assert ((found.lost_by >= 0) == lost).all(), seed
        assert (found.lost_ns[lost] <= world.trace.arrival_ns[lost]).all(), seed
        assert (found.lost_ns[lost] >= world.trace.arrival_ns[np.flatnonzero(lost) - 1]).all(), seed


def test_the_counters_count_the_actions(replays: list[tuple[int, worlds.World, Outcomes]]) -> None:
    for seed, world, found in replays:
        assert found.actions is not None
        tally = Tally(found.actions[:, 1].tolist())
        for counter, action in COUNTED.items():
            assert found.count(counter) == tally[action], f"seed {seed}, {counter.name}"
        placed = int((found.placed_tier != NOWHERE).sum())
        assert placed == tally[Action.PLACE], seed
        assert placed + found.count(Counter.BYPASSES) == world.trace.corpus.n_turns, seed
        assert found.count(Counter.USEFUL_PROMOTIONS) <= found.count(Counter.PROMOTIONS), seed
        assert 0 <= found.running_token_ns <= found.used_token_ns, seed


def test_the_worlds_reach_every_action_and_every_cause(
    replays: list[tuple[int, worlds.World, Outcomes]],
) -> None:
    actions = {int(a) for *_, found in replays if found.actions is not None for a in found.actions[:, 1]}
    causes = {int(cause) for *_, found in replays for cause in found.cause}
    assert actions == set(map(int, Action))
    assert causes == set(map(int, Cause))
