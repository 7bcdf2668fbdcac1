"""Sequences of requests, one object a session."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from unison.bench.requests import NOT_AGAIN, Requests, one_at_a_time, session_requests


def make_requests(keys: list[int], size: int = 10) -> Requests:
    return Requests(np.asarray(keys, dtype=np.int64), np.full(len(keys), size, dtype=np.int64))


keys = st.lists(st.integers(0, 6), min_size=1, max_size=40)


def test_next_use_is_the_index_of_the_next_request_of_the_same_object() -> None:
    assert make_requests([5, 2, 5, 5, 2, 7]).next_use.tolist() == [
        2, 4, 3, NOT_AGAIN, NOT_AGAIN, NOT_AGAIN,
    ]  # fmt: skip


@given(keys)
def test_next_use_skips_no_request(sequence: list[int]) -> None:
    for index, following in enumerate(make_requests(sequence).next_use.tolist()):
        rest = sequence[index + 1 :]
        expected = index + 1 + rest.index(sequence[index]) if sequence[index] in rest else NOT_AGAIN
        assert following == expected


@given(keys)
def test_one_at_a_time_keeps_the_sequence(sequence: list[int]) -> None:
    trace = one_at_a_time(make_requests(sequence))
    again = session_requests(trace)
    names = sorted(set(sequence))
    assert [names[key] for key in again.key] == sequence
    assert set(again.size.tolist()) == {10}


@given(keys)
def test_one_at_a_time_never_has_two_turns_running(sequence: list[int]) -> None:
    trace = one_at_a_time(make_requests(sequence))
    order = np.argsort(trace.arrival_ns)
    assert (trace.arrival_ns[order][1:] > trace.end_ns[order][:-1]).all()
    corpus = trace.corpus
    later = corpus.turn > 0
    waited = trace.arrival_ns[later] - trace.end_ns[np.flatnonzero(later) - 1]
    np.testing.assert_array_equal(corpus.gap_ns[later], waited)
