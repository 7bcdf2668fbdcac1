"""Partial eviction and admission, on traces worked by hand."""

from __future__ import annotations

import numpy as np
from support import worlds

from unison.policies.ranking import Ranking
from unison.replay.outcomes import Cause, Counter
from unison.replay.tiering import Tiering
from unison.traces.trace import Trace


def _two_sessions_then_back() -> Trace:
    # 0 runs 0-1 ms and holds 8 tokens; 1 arrives at 2 ms and needs 6; 0 comes back at 5 ms with 8 to reuse.
    return worlds.make_trace(
        [
            {"start": 0, "turns": [(0, 1, 8, 8, 0), (4, 1, 8, 0, 0)]},
            {"start": 2, "turns": [(0, 1, 6, 6, 0)]},
        ]
    )


def _constant(trace: Trace, scores_ms: list[int]) -> Ranking:
    turns = trace.corpus.n_turns
    base = np.asarray(scores_ms, dtype=np.int64) * worlds.MS
    return Ranking(base, np.zeros(turns), np.zeros(turns, np.int64), False)


def test_partial_eviction_takes_only_what_is_needed() -> None:
    # 10 tokens: 8 + 6 is 4 over, so session 0 keeps 4 of its 8 and reuses them at 5 ms.
    trace = _two_sessions_then_back()
    found = worlds.run_both(
        trace, worlds.idle_ranking(trace), worlds.make_envelope(10), Tiering(partial=True)
    )
    assert found.hit_tier.tolist() == [-1, 0, -1]
    assert found.reused_tokens.tolist() == [0, 4, 0]
    assert found.count(Counter.TRUNCATIONS) == 2  # session 0 at 2 ms, session 1 at 5 ms
    assert found.count(Counter.EVICTIONS) == 0


def test_whole_eviction_loses_all_of_it() -> None:
    trace = _two_sessions_then_back()
    found = worlds.run_both(trace, worlds.idle_ranking(trace), worlds.make_envelope(10))
    assert found.hit_tier.tolist() == [-1, -1, -1]
    assert found.cause[1] == Cause.EVICTED


def test_partial_eviction_evicts_a_victim_that_is_needed_whole() -> None:
    # 8 tokens: 8 + 6 is 6 over, so session 0 keeps 2 and reuses them at 5 ms.
    trace = _two_sessions_then_back()
    found = worlds.run_both(trace, worlds.idle_ranking(trace), worlds.make_envelope(8), Tiering(partial=True))
    assert found.reused_tokens.tolist() == [0, 2, 0]
    # Then its 8 tokens fill the store: 8 + 6 is 6 over, all that session 1 has, so that one goes whole.
    assert found.count(Counter.TRUNCATIONS) == 1
    assert found.count(Counter.EVICTIONS) == 1


def test_admission_bypasses_a_newcomer_that_ranks_no_lower_than_the_victim() -> None:
    trace = _two_sessions_then_back()
    # The resident's score is 3: at 3 the newcomer loses the tie. At 2 it is let in, and session 0, which
    # comes back with 3, is itself the newcomer that is outranked.
    for newcomer, placed in ((5, [0, 0, -1]), (3, [0, 0, -1]), (2, [0, -1, 0])):
        found = worlds.run_both(
            trace, _constant(trace, [3, 3, newcomer]), worlds.make_envelope(10), Tiering(admission=True)
        )
        assert found.placed_tier.tolist() == placed, newcomer
        assert found.hit_tier.tolist() == [-1, placed[1], -1], newcomer
        assert found.count(Counter.BYPASSES) == 1, newcomer


def test_admission_lets_everyone_in_while_there_is_room() -> None:
    trace = _two_sessions_then_back()
    found = worlds.run_both(
        trace, _constant(trace, [0, 0, 9]), worlds.make_envelope(14), Tiering(admission=True)
    )
    assert found.count(Counter.BYPASSES) == 0
    assert found.hit_tier.tolist() == [-1, 0, -1]


def test_admission_counts_a_missing_slot_as_missing_room() -> None:
    trace = _two_sessions_then_back()
    space = worlds.make_envelope(100, slots=1)
    found = worlds.run_both(trace, _constant(trace, [3, 3, 5]), space, Tiering(admission=True))
    assert found.count(Counter.BYPASSES) == 1
    assert found.hit_tier.tolist() == [-1, 0, -1]
