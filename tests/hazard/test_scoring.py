"""Scores of a hazard table on unseen sessions, with scikit-learn as the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss

from unison.errors import UnisonError
from unison.hazard import TurnHazard, score_hazard
from unison.hazard.scoring import PROBABILITY_FLOOR, expand_turns


def test_sessions_become_trials_turn_by_turn():
    trial, ended = expand_turns(np.array([2, 1, 3]), np.array([True, True, False]))
    assert trial.tolist() == [1, 2, 1, 1, 2, 3]
    assert ended.tolist() == [False, True, True, False, False, False]


def test_scores_are_those_of_scikit_learn_on_the_trials():
    rng = np.random.default_rng(4)
    table = TurnHazard(smoothing="laplace").fit(rng.integers(1, 30, 100), rng.integers(0, 2, 100))
    turns, flags = rng.integers(1, 70, 50), rng.integers(-1, 2, 50)
    scores = score_hazard(table, turns, flags)
    trial, ended = expand_turns(turns, flags != 0)
    assert scores.turns == turns.sum()
    assert scores.log_loss == pytest.approx(log_loss(ended, table.hazard(trial)))
    assert scores.brier == pytest.approx(brier_score_loss(ended, table.hazard(trial)))
    constant = np.full(trial.size, table.events_.sum() / table.at_risk_.sum())
    assert scores.base_log_loss == pytest.approx(log_loss(ended, constant))
    assert scores.base_brier == pytest.approx(brier_score_loss(ended, constant))


def test_end_at_a_turn_of_hazard_zero_costs_a_finite_loss():
    table = TurnHazard(n_min=0).fit([5, 5])
    assert score_hazard(table, [1]).log_loss == pytest.approx(-np.log(PROBABILITY_FLOOR))


def test_perfect_foresight_costs_next_to_nothing():
    scores = score_hazard(TurnHazard(n_min=0).fit([3, 3]), [3, 3, 3])
    assert scores.log_loss < 1e-5
    assert scores.brier < 1e-10
    assert scores.base_log_loss > 0.5


def test_no_sessions_to_score_are_refused():
    with pytest.raises(UnisonError, match="turns is empty"):
        score_hazard(TurnHazard().fit([1]), [])
