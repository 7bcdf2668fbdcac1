"""Time to first token: Lindley's recursion by hand and against a plain loop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import few
from support.worlds import MS, World, drawn_worlds, make_envelope, make_trace

from unison.device import Costs
from unison.replay.engine import replay
from unison.replay.outcomes import MISS, Cause, Counter, Outcomes
from unison.replay.queueing import access_ns, time_to_first_token
from unison.traces.trace import Trace

COSTS = Costs("made", 1, 10.0, 100.0, 1000.0, float(MS), 1000)
"""A token's prefill takes 1 ms."""

ENVELOPE = make_envelope(100, 100)


def all_missed(trace: Trace) -> Outcomes:
    turns = trace.corpus.n_turns
    return Outcomes(
        hit_tier=np.full(turns, MISS, dtype=np.int8),
        reused_tokens=np.zeros(turns, dtype=np.int64),
        placed_tier=np.zeros(turns, dtype=np.int8),
        cause=np.full(turns, Cause.EVICTED, dtype=np.int8),
        lost_ns=np.full(turns, -1, dtype=np.int64),
        lost_by=np.full(turns, -1, dtype=np.int64),
        counters=np.zeros(len(Counter), dtype=np.int64),
        used_token_ns=0.0,
        running_token_ns=0.0,
    )


def ttft_ms(*requests: tuple[int, int]) -> list[float]:
    """TTFT [ms] of requests ``(arrival, prefill)`` [ms], each of its own session."""
    trace = make_trace([{"start": start, "turns": [(0, 1, work, work, 0)]} for start, work in requests])
    ttft = time_to_first_token(all_missed(trace), trace, ENVELOPE, COSTS)
    return [float(value) / MS for value in ttft]


def test_idle_engine_serves_at_once():
    assert ttft_ms((0, 3), (10, 4), (20, 5)) == [3, 4, 5]


def test_busy_engine_makes_later_requests_wait():
    # Free at 3, 6 and 9: the second waits 2, the third 4.
    assert ttft_ms((0, 3), (1, 3), (2, 3)) == [3, 2 + 3, 4 + 3]


def test_simultaneous_arrivals_are_served_in_the_order_of_sessions():
    assert ttft_ms((5, 1), (5, 2), (5, 4)) == [1, 1 + 2, 3 + 4]


def test_requests_are_served_by_arrival_not_by_session():
    # The second session arrives first and is done at 6; the first waits from 2 until then.
    assert ttft_ms((2, 1), (1, 5)) == [4 + 1, 5]


def test_queue_empties_and_forgets():
    # Free at 4, then 7; idle from 7 to 10; free at 12 when the last arrives.
    assert ttft_ms((0, 4), (1, 3), (10, 2), (12, 1)) == [4, 6, 2, 1]


def test_request_that_arrives_as_the_engine_gets_free_does_not_wait():
    assert ttft_ms((0, 3), (3, 2)) == [3, 2]


def test_waiting_does_not_move_the_session_s_own_next_arrival():
    # Turns of one session at 0 and 2 ms; the first still prefills until 5 (an open queue).
    trace = make_trace([{"start": 0, "turns": [(0, 1, 5, 5, 0), (1, 1, 1, 1, 0)]}])
    ttft = time_to_first_token(all_missed(trace), trace, ENVELOPE, COSTS)
    assert (ttft / MS).tolist() == [5, 3 + 1]


def test_twice_the_load_waits_at_least_as_long():
    # Spaced 4 ms, three requests of 3 ms never wait; spaced 2 ms they wait 0, 1 and 2 ms.
    assert ttft_ms((0, 3), (4, 3), (8, 3)) == [3, 3, 3]
    assert ttft_ms((0, 3), (2, 3), (4, 3)) == [3, 4, 5]


def test_access_reads_what_is_reused_and_prefills_the_rest():
    # 30 tokens, 20 of them reused from the second tier at 100 ns; then the same missed; then from the first.
    trace = make_trace([{"start": 0, "turns": [(9, 1, 30, 10, 0)] * 3}])
    outcomes = replace(
        all_missed(trace),
        hit_tier=np.asarray([1, MISS, 0], dtype=np.int8),
        reused_tokens=np.asarray([20, 0, 20], dtype=np.int64),
    )
    expected = [20 * 100 + 10 * MS, 30 * MS, 20 * 10 + 10 * MS]
    assert access_ns(outcomes, trace, ENVELOPE, COSTS).tolist() == expected


def test_long_trace_loses_no_digits():
    # 1.25 ns of work, thirty years into a trace: a float of that time is only good to 128 ns.
    trace = make_trace([{"start": start, "turns": [(0, 1, 1, 1, 0)]} for start in (0, 10**12, 10**12)])
    tiny = replace(COSTS, prefill_ns_per_token=1.25)
    ttft = time_to_first_token(all_missed(trace), trace, ENVELOPE, tiny)
    assert ttft.tolist() == [1.25, 1.25, 2.5]


def plain_ttft(trace: Trace, work: list[int]) -> list[int]:
    """The model in whole nanoseconds: one engine, first come first served."""
    free_at = 0
    ttft = [0] * trace.corpus.n_turns
    rows = range(trace.corpus.n_turns)
    for row in sorted(rows, key=lambda row: (trace.arrival_ns[row], trace.corpus.session[row])):
        arrival = int(trace.arrival_ns[row])
        free_at = max(free_at, arrival) + work[row]
        ttft[row] = free_at - arrival
    return ttft


prefill_costs = st.sampled_from([1000.0, MS / 10, float(MS), 5.0 * MS])


@few
@given(drawn_worlds(), prefill_costs)
def test_equals_a_plain_loop(world: World, prefill_ns: float):
    costs = replace(COSTS, prefill_ns_per_token=prefill_ns)
    outcomes = replay(world.trace, world.ranking, world.envelope, world.tiering)
    work = access_ns(outcomes, world.trace, world.envelope, costs)
    assert (work == np.rint(work)).all()
    ttft = time_to_first_token(outcomes, world.trace, world.envelope, costs)
    assert ttft.tolist() == plain_ttft(world.trace, [int(w) for w in work])


@few
@given(drawn_worlds(), prefill_costs)
def test_never_below_the_request_s_own_work(world: World, prefill_ns: float):
    costs = replace(COSTS, prefill_ns_per_token=prefill_ns)
    outcomes = replay(world.trace, world.ranking, world.envelope, world.tiering)
    ttft = time_to_first_token(outcomes, world.trace, world.envelope, costs)
    assert (ttft >= access_ns(outcomes, world.trace, world.envelope, costs)).all()


@few
@given(drawn_worlds(), prefill_costs, st.randoms(use_true_random=False))
def test_grows_when_work_grows(world: World, prefill_ns: float, chance):
    costs = replace(COSTS, prefill_ns_per_token=prefill_ns)
    outcomes = replay(world.trace, world.ranking, world.envelope, world.tiering)
    before = time_to_first_token(outcomes, world.trace, world.envelope, costs)
    dearer = replace(costs, prefill_ns_per_token=2 * prefill_ns)
    assert (time_to_first_token(outcomes, world.trace, world.envelope, dearer) >= before).all()
    # Some hits taken away: reads become prefills.
    lost = np.asarray([chance.random() < 0.5 for _ in before])
    fewer = replace(
        outcomes,
        hit_tier=np.where(lost, MISS, outcomes.hit_tier).astype(np.int8),
        reused_tokens=np.where(lost, 0, outcomes.reused_tokens),
    )
    assert (time_to_first_token(fewer, world.trace, world.envelope, costs) >= before).all()
