"""A schedule: times kept, order of events, the bound of live sessions, load, seeds."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import MS, assert_same_corpus, few, make_corpus, random_corpora

from unison.errors import UnisonError
from unison.traces.corpus import Corpus
from unison.traces.synthetic import synthesize
from unison.traces.trace import NEVER, Trace, schedule

timed_corpora = random_corpora(timed=True)
loads = st.sampled_from([0.5, 1.0, 2.0, 8.0])
seeds = st.integers(0, 2**32)


def spans(corpus: Corpus) -> np.ndarray:
    return np.add.reduceat(corpus.gap_ns + corpus.service_ns, corpus.first_row[:-1])


def starts(trace: Trace) -> np.ndarray:
    return trace.arrival_ns[trace.corpus.first_row[:-1]]


@few
@given(timed_corpora, loads, seeds)
def test_gaps_and_services_are_the_corpus_own(corpus: Corpus, load: float, seed: int):
    trace = schedule(corpus, load=load, seed=seed)
    np.testing.assert_array_equal(trace.end_ns - trace.arrival_ns, corpus.service_ns)
    later = np.flatnonzero(corpus.turn > 0)
    np.testing.assert_array_equal(trace.arrival_ns[later] - trace.end_ns[later - 1], corpus.gap_ns[later])
    assert trace.arrival_ns.min() == 0


@few
@given(timed_corpora, seeds)
def test_events_come_by_time_then_complete_pause_request_then_session(corpus: Corpus, seed: int):
    trace = schedule(corpus, seed=seed)
    keys = []
    for code in trace.events.tolist():
        row, is_request = code >> 1, code & 1
        kind = 2 if is_request else (0 if trace.ends_session[row] else 1)
        time = trace.arrival_ns[row] if is_request else trace.end_ns[row]
        keys.append((int(time), kind, int(corpus.session[row])))
    assert keys == sorted(keys)
    assert sorted(trace.events.tolist()) == list(range(2 * corpus.n_turns))


def test_events_at_one_instant_in_full():
    # Session 0 completes at 4 ms; session 1 pauses at 4 ms and returns at once (gap 0); 2 is cut off at 4 ms.
    corpus = make_corpus(
        [
            [(0, 4, 1, 1, 1, "")],
            [(0, 4, 1, 1, 1, ""), (0, 3, 1, 1, 1, "bash")],
            [(0, 4, 1, 1, 1, "")],
        ],
        [True, True, False],
    )
    arrival = np.array([0, 0, 4, 0]) * MS
    trace = Trace(corpus, arrival, arrival + corpus.service_ns, 0, 1.0, 1.0, 0)
    # Rows: 0 | 1, 2 | 3. Requests at 0 by session; at 4 ms: COMPLETE 0, GAP_START 1, GAP_START 2, REQUEST 1.
    requests = [2 * row + 1 for row in (0, 1, 3)]
    assert trace.events.tolist() == [*requests, 2 * 0, 2 * 1, 2 * 3, 2 * 2 + 1, 2 * 2]
    assert trace.live_sessions.tolist() == [1, 2, 3, 2, 2, 1, 1, 0]
    assert trace.max_live == 3


def test_a_session_not_known_to_be_cut_off_ends_in_complete():
    one = [(0, 1, 1, 1, 1, "")]
    trace = schedule(make_corpus([one, one, one], [True, False, None]))
    assert trace.ends_session.tolist() == [True, False, True]


@few
@given(timed_corpora, st.integers(1, 6), loads, seeds)
def test_live_sessions_never_exceed_the_bound(corpus: Corpus, bound: int, load: float, seed: int):
    trace = schedule(corpus, concurrency=1000.0, load=load, max_live=bound, seed=seed)
    assert trace.max_live <= max(1, int(bound * load))
    assert trace.live_sessions[-1] == 0


@few
@given(timed_corpora, seeds)
def test_a_bound_that_never_binds_changes_nothing(corpus: Corpus, seed: int):
    free = schedule(corpus, seed=seed)
    bounded = schedule(corpus, max_live=corpus.n_sessions, seed=seed)
    np.testing.assert_array_equal(free.arrival_ns, bounded.arrival_ns)


@few
@given(timed_corpora, st.sampled_from([2.0, 4.0, 8.0]), seeds)
def test_load_divides_the_spacing_of_starts(corpus: Corpus, load: float, seed: int):
    base = np.sort(starts(schedule(corpus, load=1.0, seed=seed)))
    heavy = np.sort(starts(schedule(corpus, load=load, seed=seed)))
    # Each spacing is cut to whole microseconds, so each start is off by at most 1 us a predecessor.
    slack = 1000 * np.arange(1, corpus.n_sessions + 1)
    assert (np.abs(heavy - base / load) <= slack).all()


@few
@given(timed_corpora, seeds)
def test_the_same_seed_gives_the_same_schedule(corpus: Corpus, seed: int):
    first, second = schedule(corpus, seed=seed), schedule(corpus, seed=seed)
    np.testing.assert_array_equal(first.arrival_ns, second.arrival_ns)
    np.testing.assert_array_equal(first.events, second.events)


def test_another_seed_gives_another_schedule():
    corpus = make_corpus([[(0, 5, 1, 1, 1, "")]] * 6)
    assert starts(schedule(corpus, seed=1)).tolist() != starts(schedule(corpus, seed=2)).tolist()


def test_concurrency_is_the_mean_of_live_sessions_while_sessions_keep_starting():
    corpus = make_corpus([[(0, 10, 1, 1, 1, ""), (10, 10, 1, 1, 1, "bash")]] * 4000)
    trace = schedule(corpus, concurrency=24.0)
    busy = int(starts(trace).max())
    # Little's law over the window of starts; 4,000 exponential spacings have a relative error of 1.6 %.
    assert spans(corpus).sum() / busy == pytest.approx(24.0, rel=0.05)


def test_next_arrival_is_never_after_the_last_turn():
    trace = schedule(make_corpus([[(0, 1, 1, 1, 1, ""), (2, 1, 1, 1, 1, "a")]] * 2))
    assert (trace.next_arrival_ns == NEVER).tolist() == [False, True, False, True]
    assert trace.next_arrival_ns[0] == trace.arrival_ns[1]


def test_mean_live_tokens_of_a_hand_worked_trace():
    # One session: 100 + 10 tokens for 5 + 3 ms, then 130 + 5 tokens for 2 ms: (110 * 8 + 135 * 2) / 10.
    trace = schedule(make_corpus([[(0, 5, 100, 100, 10, ""), (3, 2, 130, 20, 5, "bash")]]))
    assert trace.mean_live_tokens == pytest.approx(115.0, rel=1e-12)


def test_sessions_without_times_are_left_out_and_counted():
    one = [(0, 1, 1, 1, 1, "")]
    corpus = make_corpus([one, [(0, None, 1, 1, 1, "")], one])
    trace = schedule(corpus)
    assert trace.left_out == 1
    assert_same_corpus(trace.corpus, corpus.select([0, 2]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"concurrency": 0.0}, "finite and above 0"),
        ({"concurrency": float("nan")}, "finite and above 0"),
        ({"load": -1.0}, "finite and above 0"),
        ({"load": float("inf")}, "finite and above 0"),
        ({"load": 1e308}, "load must be finite and above 0, at most 1e"),
        ({"max_live": 0}, "at least 1"),
        ({"seed": -1}, "at least 0"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments, message):
    with pytest.raises(UnisonError, match=message):
        schedule(make_corpus([[(0, 1, 1, 1, 1, "")]]), **arguments)


def test_starts_that_no_clock_holds_are_refused() -> None:
    with pytest.raises(UnisonError, match="give a larger concurrency or load"):
        schedule(synthesize("gaia-gemma4"), load=1e-12)
