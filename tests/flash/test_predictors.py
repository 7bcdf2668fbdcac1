"""Predictors read the spawn record only; their order is scored."""

from __future__ import annotations

import numpy as np
import pytest

from unison.errors import UnisonError
from unison.flash.corpora import Scenario
from unison.flash.load import get_config
from unison.flash.plans import Variant
from unison.flash.predictors import (
    PREDICTOR_TITLES,
    PREDICTORS,
    fit_predictor,
    fit_quantile,
    order_quality,
)
from unison.flash.segments import SegmentClass


@pytest.fixture(scope="module")
def telling():
    """Earlier traffic whose records tell nearly all."""
    scenario = Scenario(
        "inter_worker", get_config("hbm2", "llama-4-maverick"), "tight", variant=Variant(record_share=0.9)
    )
    return scenario.history()


def test_quality_by_hand():
    # Pairs of 1, 3, 2 against 1, 2, 3: two in order, one not: tau 1/3, pairwise 2/3.
    quality = order_quality(np.array([1.0, 3.0, 2.0]), np.array([1.0, 2.0, 3.0]))
    assert (quality.tau_b, quality.pairwise) == (pytest.approx(1 / 3), pytest.approx(2 / 3))


def test_a_constant_orders_nothing():
    quality = order_quality(np.ones(4), np.arange(4.0))
    assert (quality.tau_b, quality.pairwise) == (0.0, 0.5)


def test_one_life_has_no_order():
    with pytest.raises(UnisonError, match="two or more"):
        order_quality(np.ones(1), np.ones(1))


@pytest.mark.parametrize("name", [name for name in PREDICTORS if name != "class_mean"])
def test_a_telling_record_is_learned(name, telling):
    predicted = fit_predictor(name, telling).predict_segments(telling)
    workers = telling.seg_class == SegmentClass.WORKER
    true = (telling.free_ns - telling.spawn_ns)[workers].astype(np.float64)
    assert order_quality(predicted[workers], true).tau_b > 0.4


def test_the_class_mean_is_one_number_a_role(telling):
    predicted = fit_predictor("class_mean", telling).predict_segments(telling)
    assert np.unique(predicted[telling.seg_class == SegmentClass.WORKER].round(6)).size == 1
    assert np.isinf(predicted[telling.seg_class == SegmentClass.LEAD]).all()


def test_a_quantile_is_above_so_many_of_what_it_was_fitted_on(telling):
    lives = (telling.free_ns - telling.spawn_ns) / 1e9
    workers = telling.seg_class == SegmentClass.WORKER
    for quantile in (0.25, 0.75):
        predicted = fit_quantile(quantile, telling, lives).predict_segments(telling)
        assert (lives <= predicted)[workers].mean() == pytest.approx(quantile, abs=0.08)


def test_every_predictor_has_a_title():
    assert set(PREDICTOR_TITLES) == set(PREDICTORS)


def test_a_prediction_depends_on_the_record_alone(telling):
    predictor = fit_predictor("ridge", telling)
    records = list(telling.records[:6])
    together = predictor.predict(records)
    assert together.tolist() == pytest.approx([predictor.predict([record])[0] for record in records])


def test_an_unknown_predictor_names_the_nearest(telling):
    with pytest.raises(UnisonError, match="did you mean 'ridge'"):
        fit_predictor("rigde", telling)
