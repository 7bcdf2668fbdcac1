"""A corpus: sizes, lengths, awaited tools, selection."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import assert_same_corpus, few, make_corpus, random_corpora

from unison.errors import UnisonError
from unison.traces.corpus import Corpus

TWO = [
    [(0, 5, 100, 100, 10, ""), (3, 5, 130, 20, 5, "bash")],
    [(0, 2, 50, 50, 1, ""), (4, 2, 60, 9, 1, "web"), (0, 2, 20, 20, 1, "bash")],
]


def test_sizes_rows_and_lengths():
    corpus = make_corpus(TWO)
    assert (corpus.n_sessions, corpus.n_turns) == (2, 5)
    assert corpus.first_row.tolist() == [0, 2, 5]
    assert corpus.turns_per_session.tolist() == [2, 3]
    assert corpus.is_last.tolist() == [False, True, False, False, True]
    assert corpus.length.tolist() == [110, 135, 51, 61, 21]


def test_awaited_tool_is_the_next_turns_and_the_human_at_the_end():
    corpus = make_corpus(TWO)
    awaited = [corpus.awaited_tools[code] for code in corpus.awaited_tool]
    assert awaited == ["bash", "user", "web", "bash", "user"]


def test_human_tool_is_not_added_twice():
    corpus = make_corpus([[(0, 1, 1, 1, 1, ""), (1, 1, 1, 1, 1, "user")]])
    assert corpus.awaited_tools.count("user") == 1


def test_select_renumbers_in_the_given_order():
    picked = make_corpus(TWO, [True, False]).select([1, 0], name="swapped")
    assert picked.name == "swapped"
    assert picked.session.tolist() == [0, 0, 0, 1, 1]
    assert picked.turn.tolist() == [0, 1, 2, 0, 1]
    assert picked.prompt_tokens.tolist() == [50, 60, 20, 100, 130]
    assert picked.completed.tolist() == [0, 1]


@few
@given(random_corpora(), st.data())
def test_bootstrap_holds_each_named_session_whole(corpus: Corpus, data: st.DataObject):
    picked = data.draw(st.lists(st.integers(0, corpus.n_sessions - 1), min_size=1, max_size=8))
    sample = corpus.select(picked)
    assert sample.n_sessions == len(picked)
    for position, session in enumerate(picked):
        rows, origin = sample.session == position, corpus.session == session
        for name in (
            "turn",
            "gap_ns",
            "service_ns",
            "prompt_tokens",
            "new_prompt_tokens",
            "output_tokens",
            "tool",
        ):
            np.testing.assert_array_equal(getattr(sample, name)[rows], getattr(corpus, name)[origin])
        assert sample.completed[position] == corpus.completed[session]


@few
@given(random_corpora())
def test_selecting_every_session_changes_nothing(corpus: Corpus):
    assert_same_corpus(corpus.select(range(corpus.n_sessions)), corpus)


@pytest.mark.parametrize("sessions", [[2], [-1], [True, False], [0.5]])
def test_select_refuses_what_is_no_session(sessions):
    with pytest.raises(UnisonError, match="whole numbers 0 to 1"):
        make_corpus(TWO).select(sessions)


def test_select_refuses_nothing():
    with pytest.raises(UnisonError, match="no session selected"):
        make_corpus(TWO).select([])


def test_timed_keeps_only_sessions_with_every_time():
    corpus = make_corpus([TWO[0], [(0, None, 1, 1, 1, "")], [(0, 1, 1, 1, 1, ""), (None, 1, 1, 1, 1, "web")]])
    assert corpus.is_timed.tolist() == [True, False, False]
    assert_same_corpus(corpus.timed(), corpus.select([0]))


def test_timed_refuses_a_corpus_without_any_times():
    with pytest.raises(UnisonError, match="cannot be replayed"):
        make_corpus([[(0, None, 1, 1, 1, "")]]).timed()
