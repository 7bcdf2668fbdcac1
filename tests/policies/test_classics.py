"""LRU and Belady against their textbook forms, where these hold.

One tier, sessions of equal length, and turns so short that no other event falls inside one: each request has
to bring its session in, and everybody else is paused. Then Belady's rule is optimal among policies that may
not bypass, and LRU has the inclusion property.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import pairwise

import numpy as np
import pytest
from support.policies import EVERY, by_name, run
from support.worlds import make_envelope, make_trace

from unison.policies.registry import PolicyEntry, get_policy
from unison.traces.trace import Trace

LENGTH = 4
SESSIONS = 12
WARM = (2, 3, 5, 8)
STRINGS = [np.random.default_rng(seed).zipf(1.3, 160) % SESSIONS for seed in range(4)]


def trace_of(string: np.ndarray) -> Trace:
    """The trace whose k-th request, at 2 k ms, is of session string[k]; each turn takes 1 ms."""
    times = {int(s): (2 * np.flatnonzero(string == s)).tolist() for s in np.unique(string)}
    sessions = []
    for requests in times.values():
        gaps = [0, *(b - a - 1 for a, b in pairwise(requests))]
        turns = [(gap, 1, LENGTH, LENGTH if i == 0 else 0, 0) for i, gap in enumerate(gaps)]
        sessions.append({"start": requests[0], "turns": turns})
    return make_trace(sessions)


def hits(name: str, string: np.ndarray, places: int, **envelope: int) -> int:
    found = run(get_policy(name), trace_of(string), make_envelope(places * LENGTH, **envelope))
    return int(found.is_hit.sum())


def textbook_lru(string: np.ndarray, places: int) -> int:
    cache: OrderedDict[int, None] = OrderedDict()
    count = 0
    for session in string.tolist():
        count += session in cache
        cache[session] = None
        cache.move_to_end(session)
        if len(cache) > places:
            cache.popitem(last=False)
    return count


def textbook_belady(string: np.ndarray, places: int) -> int:
    requests = string.tolist()
    cache: set[int] = set()
    count = 0
    for at, session in enumerate(requests):
        if session in cache:
            count += 1
            continue
        if len(cache) == places:
            rest = requests[at + 1 :]
            cache.remove(max(cache, key=lambda s: rest.index(s) if s in rest else len(requests)))
        cache.add(session)
    return count


@pytest.mark.parametrize("places", WARM)
def test_lru_and_belady_are_the_textbook_ones(places: int) -> None:
    for string in STRINGS:
        assert hits("lru", string, places) == textbook_lru(string, places)
        assert hits("belady", string, places) == textbook_belady(string, places)
        assert hits("belady_size", string, places) == textbook_belady(string, places)


def test_a_limit_on_slots_acts_as_one_on_tokens() -> None:
    for string in STRINGS:
        assert hits("lru", string, 100, slots=5) == textbook_lru(string, 5)
        assert hits("belady", string, 100, slots=5) == textbook_belady(string, 5)


@pytest.mark.parametrize("entry", EVERY, ids=by_name)
def test_belady_is_not_beaten_without_sizes_tiers_or_bypass(entry: PolicyEntry) -> None:
    for string in STRINGS:
        for places in WARM:
            found = run(entry, trace_of(string), make_envelope(places * LENGTH))
            assert found.is_hit.sum() <= textbook_belady(string, places)


def test_lru_hits_grow_with_the_capacity() -> None:
    for string in STRINGS:
        curve = [hits("lru", string, places) for places in range(1, SESSIONS + 2)]
        assert curve == sorted(curve)
        assert curve[0] < curve[-1] == string.size - np.unique(string).size


def test_completion_events_help_lru() -> None:
    better = [hits("lru_completion", s, n) - hits("lru", s, n) for s in STRINGS for n in WARM]
    assert min(better) >= 0
    assert max(better) > 0
