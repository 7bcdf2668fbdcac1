"""Table IV: splits by session, and the comparison on held-out sessions, with a made-up replay."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from support.sessions import make_corpus
from support.worlds import make_envelope

from unison.config import StatisticsDefaults, load_defaults
from unison.errors import UnisonError
from unison.experiments.tab04_cross_validation import (
    splits,
    tab04,
    tab04_calibration,
    tab04_scores,
    tab04_summary,
)
from unison.hazard import TurnHazard, fit_corpus, score_hazard
from unison.hazard.scoring import expand_turns
from unison.traces.trace import schedule


def with_folds(folds: int) -> StatisticsDefaults:
    return dataclasses.replace(load_defaults("smoke").statistics, folds=folds)


@pytest.fixture
def trace():
    return schedule(make_corpus(np.random.default_rng(3).integers(2, 30, 23)), seed=4)


class MadeUpReplay:
    """A session hits in no more turns than 1 / (0.05 + the hazard of turn 5)."""

    def __init__(self):
        self.calls = []

    def __call__(self, trace, policy_name, envelope, *, tide=False, hazard=None, **params):
        self.calls.append((policy_name, envelope.name, tide, hazard, params))
        requests = trace.corpus.turns_per_session
        hits = np.minimum(requests, np.floor(1 / (hazard.hazard(5) + 0.05))).astype(np.int64)
        return {
            "hit_rate": hits.sum() / requests.sum(),
            "hits_by_session": hits,
            "requests_by_session": requests,
        }


def test_folds_part_the_sessions_evenly(trace):
    folds = [part for part in splits(trace, 5) if part.kind == "fold"]
    assert [part.number for part in folds] == [1, 2, 3, 4, 5]
    assert sorted(part.held_out.size for part in folds) == [4, 4, 5, 5, 5]
    assert_array_equal(np.sort(np.concatenate([part.held_out for part in folds])), np.arange(23))
    for part in folds:
        assert_array_equal(np.union1d(part.train, part.held_out), np.arange(23))
        assert np.intersect1d(part.train, part.held_out).size == 0


def test_folds_depend_on_the_seed_alone(trace):
    def held_out(seed):
        return [part.held_out.tolist() for part in splits(trace, 5, seed)]

    assert held_out(7) == held_out(7)
    assert held_out(7) != held_out(8)


def test_split_in_time_trains_on_the_sessions_that_start_first(trace):
    *_, part = splits(trace)
    starts = trace.arrival_ns[trace.corpus.first_row[:-1]]
    assert (part.kind, part.train.size, part.held_out.size) == ("time", 11, 12)
    assert starts[part.train].max() <= starts[part.held_out].min()


@pytest.mark.parametrize("folds", [1, 24])
def test_folds_that_cannot_be_are_refused(trace, folds):
    with pytest.raises(UnisonError, match=f"{folds} folds of 23 sessions"):
        splits(trace, folds)


def test_a_row_compares_the_held_out_sessions_under_two_tables(trace):
    replay, envelope = MadeUpReplay(), make_envelope(10, 20)
    table = tab04([trace], [envelope], replay, statistics=with_folds(4), seed=1, n_min=0)
    for (_, row), part in zip(table.iterrows(), splits(trace, 4, 1), strict=True):
        others = replay(trace, "spear", envelope, hazard=fit_corpus(trace.corpus, part.train, n_min=0))
        everyone = replay(trace, "spear", envelope, hazard=fit_corpus(trace.corpus, n_min=0))
        requests = trace.corpus.turns_per_session[part.held_out].sum()
        assert (row["split"], row["fold"], row["sessions"]) == (part.kind, part.number, part.held_out.size)
        assert row["requests"] == requests
        assert row["hit_rate_held_out"] == others["hits_by_session"][part.held_out].sum() / requests
        assert row["hit_rate_all"] == everyone["hits_by_session"][part.held_out].sum() / requests
    assert_allclose(table["difference_pp"], 100 * (table["hit_rate_held_out"] - table["hit_rate_all"]))
    assert table["abs_difference_pp"].max() > 0
    assert (table["low_pp"] <= table["difference_pp"] + 1e-9).all()
    assert (table["difference_pp"] <= table["high_pp"] + 1e-9).all()


def test_replays_are_of_spear_with_the_fitted_tables(trace):
    replay = MadeUpReplay()
    tab04(
        [trace],
        [make_envelope(10), make_envelope(10, 20)],
        replay,
        statistics=with_folds(3),
        tide=False,
        max_turn=9,
    )
    assert len(replay.calls) == 2 * (1 + 3 + 1)
    for policy, _, tide, hazard, params in replay.calls:
        assert (policy, tide, params) == ("spear", False, {})
        assert isinstance(hazard, TurnHazard)
        assert hazard.max_turn == 9
    assert [call[3].n_completed_ for call in replay.calls[:5]] == [23, 15, 15, 16, 11]


def test_summary_keeps_folds_and_the_split_in_time_apart(trace):
    table = tab04(
        [trace], [make_envelope(10), make_envelope(20)], MadeUpReplay(), statistics=with_folds(5), n_min=0
    )
    summary = tab04_summary(table).set_index("split")
    folds = table[table["split"] == "fold"]["abs_difference_pp"]
    assert summary.loc["fold", "cells"] == 10
    assert summary.loc["fold", "max_pp"] == folds.max()
    assert summary.loc["fold", "mean_pp"] == pytest.approx(folds.mean())
    assert summary.loc["time", "cells"] == 2
    assert (summary[["better", "same", "worse"]].sum(axis=1) == summary["cells"]).all()
    lost = (table[table["split"] == "fold"]["high_pp"] < 0).sum()
    assert summary.loc["fold", "worse"] == lost


def test_scores_are_of_the_other_sessions_table(trace):
    frame = tab04_scores([trace], folds=4, seed=1)
    for (_, row), part in zip(frame.iterrows(), splits(trace, 4, 1), strict=True):
        lengths = trace.corpus.turns_per_session[part.held_out]
        expected = score_hazard(fit_corpus(trace.corpus, part.train), lengths)
        assert (row["log_loss"], row["brier"], row["turns"]) == (
            expected.log_loss,
            expected.brier,
            lengths.sum(),
        )


def test_calibration_holds_every_turn_once_in_rising_ranges(trace):
    frame = tab04_calibration([trace], folds=4, seed=1)
    assert frame["trials"].sum() == trace.corpus.n_turns
    assert (frame["first_turn"].to_numpy()[1:] > frame["last_turn"].to_numpy()[:-1]).all()
    trial, ended = expand_turns(trace.corpus.turns_per_session, trace.corpus.completed != 0)
    for _, row in frame.iterrows():
        inside = (trial >= row["first_turn"]) & (trial <= row["last_turn"])
        assert row["trials"] == inside.sum()
        assert row["observed"] == pytest.approx(ended[inside].mean())


def test_calibration_of_a_constant_hazard_is_close():
    lengths = np.random.default_rng(5).geometric(0.1, 2000)
    frame = tab04_calibration([schedule(make_corpus(lengths), seed=1)])
    assert frame.columns[0] == "corpus"
    assert len(frame) > 5
    assert_allclose(frame["predicted"], 0.1, atol=0.02)
    assert_allclose(frame["observed"], frame["predicted"], atol=0.02)
