"""Hazard tables from a corpus, and learned online from a trace."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from support.sessions import SECOND, make_corpus, start_together

from unison.errors import UnisonError
from unison.hazard import TurnHazard, fit_corpus, online_tables
from unison.traces.trace import schedule


def test_corpus_is_fitted_on_turns_and_flags():
    corpus = make_corpus([1, 2, 2, 3], [1, 1, 0, -1])
    table = fit_corpus(corpus, n_min=0)
    assert_array_equal(table.at_risk_[:3], [4, 3, 1])
    assert_array_equal(table.events_[:3], [1, 1, 1])
    assert table.n_unknown_ == 1


def test_only_the_named_sessions_are_fitted():
    corpus = make_corpus([1, 2, 2, 3], [1, 1, 0, 1])
    assert_array_equal(fit_corpus(corpus, [1, 3]).at_risk_, TurnHazard().fit([2, 3]).at_risk_)


@pytest.mark.parametrize(
    ("picked", "message"), [([], "no session to fit"), ([0, 4], "0 to 3"), ([-1], "given -1")]
)
def test_sessions_that_are_not_there_are_refused(picked, message):
    with pytest.raises(UnisonError, match=message):
        fit_corpus(make_corpus([1, 2, 2, 3], [1, 1, 1, 1]), picked)


def test_on_complete_learns_from_sessions_as_they_end():
    # All start at 0 and last 2 T - 1 s: they end at 1, 5 and 9 s.
    trace = start_together(make_corpus([5, 1, 3], [1, 1, 1]))
    tables = list(online_tables(trace, n_min=0))
    assert [t.n_completed for t in tables] == [1, 2, 3]
    assert [t.time_ns for t in tables] == [1 * SECOND, 5 * SECOND, 9 * SECOND]
    assert_array_equal(tables[0].table.at_risk_[:5], [1, 0, 0, 0, 0])
    assert_array_equal(tables[1].table.at_risk_[:5], [2, 1, 1, 0, 0])
    assert_array_equal(tables[2].table.at_risk_[:5], [3, 2, 2, 1, 1])


def test_risk_set_also_counts_the_turns_that_running_sessions_finished():
    trace = start_together(make_corpus([5, 1, 3], [1, 1, 1]))
    tables = list(online_tables(trace, update="risk_set", n_min=0))
    # At 1 s the completion comes first (COMPLETE before GAP_START); at 5 s session 0 has finished turns 1, 2
    # and its third at that very instant, which again comes after the completion.
    assert_array_equal(tables[0].table.at_risk_[:5], [1, 0, 0, 0, 0])
    assert_array_equal(tables[1].table.at_risk_[:5], [3, 2, 1, 0, 0])
    assert_array_equal(tables[1].table.events_[:5], [1, 0, 1, 0, 0])
    assert_array_equal(tables[2].table.at_risk_[:5], [3, 2, 2, 1, 1])


def test_cut_off_sessions_are_seen_by_the_risk_set_form_alone():
    trace = start_together(make_corpus([2, 4], [0, 1]))
    (paper,) = online_tables(trace, n_min=0)
    (risk_set,) = online_tables(trace, update="risk_set", n_min=0)
    assert_array_equal(paper.table.at_risk_[:4], [1, 1, 1, 1])
    assert_array_equal(risk_set.table.at_risk_[:4], [2, 2, 1, 1])


def test_unknown_completions_are_told():
    (only,) = online_tables(start_together(make_corpus([2], [-1])))
    assert only.table.n_unknown_ == 1


@pytest.mark.parametrize("update", ["on_complete", "risk_set"])
def test_last_table_is_the_offline_one_if_all_sessions_complete(update):
    lengths = np.random.default_rng(1).integers(1, 60, 40)
    trace = schedule(make_corpus(lengths, np.ones(40)), seed=2)
    *_, last = online_tables(trace, update=update)
    assert_array_equal(last.table.hazard_, fit_corpus(trace.corpus).hazard_)


@pytest.mark.parametrize("update", ["on_complete", "risk_set"])
def test_asking_for_some_tables_gives_the_same_ones(update):
    trace = schedule(make_corpus(np.arange(1, 21), np.ones(20)), seed=2)
    every = list(online_tables(trace, update=update, forgetting=0.9))
    some = list(online_tables(trace, at=[3, 4, 20], update=update, forgetting=0.9))
    assert [t.n_completed for t in some] == [3, 4, 20]
    for table in some:
        twin = every[table.n_completed - 1]
        assert table.time_ns == twin.time_ns
        assert_allclose(table.table.hazard_, twin.table.hazard_)


def test_paper_rule_overstates_early_hazards_where_the_risk_set_form_does_not():
    rng = np.random.default_rng(8)
    trace = schedule(make_corpus(rng.geometric(0.05, 300), np.ones(300)), concurrency=100, seed=2)
    offline = fit_corpus(trace.corpus, n_min=0)
    early = slice(0, 10)
    errors = {}
    for update in ("on_complete", "risk_set"):
        (online,) = online_tables(trace, at=[30], update=update, n_min=0)
        errors[update] = (online.table.hazard_ - offline.hazard_)[early].mean()
    assert errors["on_complete"] > 0.02
    assert abs(errors["risk_set"]) < errors["on_complete"] / 3


@pytest.mark.parametrize("at", [[0], [2, 2], [3, 1], [4]])
def test_numbers_of_sessions_that_cannot_be_are_refused(at):
    trace = start_together(make_corpus([2, 3, 4, 5], [1, 1, 1, 0]))
    with pytest.raises(UnisonError, match="rising numbers from 1 to 3"):
        next(online_tables(trace, at=at))
