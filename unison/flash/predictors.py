"""Predictors of a sub-agent's life from its spawn record alone, and how good their order is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kendalltau
from sklearn.dummy import DummyRegressor
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import RidgeCV
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline, make_union
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from unison.config import load_defaults
from unison.errors import UnisonError, unknown_name
from unison.flash.segments import SpawnRecord, Timeline

_NS_PER_S = 1e9
LEAST_RECORDS = 20
"""Records of a role from which on a predictor is fitted; with fewer the mean stands in."""

_KEPT = 8
_RIDGE_STRENGTHS = (0.1, 1.0, 10.0, 100.0)


def _texts(records: Sequence[SpawnRecord]) -> list[str]:
    return [record.text for record in records]


def _facts(records: Sequence[SpawnRecord]) -> list[dict[str, Any]]:
    """Everything in a record but its text."""
    return [
        {
            "role": record.role,
            "words": len(record.text.split()),
            "parent_turn": record.parent_turn,
            "sibling": record.sibling,
            "siblings": record.siblings,
            **{f"tool={tool}": 1 for tool in record.tools},
        }
        for record in records
    ]


def _features() -> Any:
    words = TfidfVectorizer(max_features=load_defaults().flash_policy.record_terms, ngram_range=(1, 2))
    text = make_pipeline(FunctionTransformer(_texts), words)
    return make_union(text, make_pipeline(FunctionTransformer(_facts), DictVectorizer()))


def _class_mean() -> Any:
    return make_pipeline(_features(), DummyRegressor())


def _ridge() -> Any:
    return make_pipeline(_features(), StandardScaler(with_mean=False), RidgeCV(_RIDGE_STRENGTHS))


def _neighbours() -> Any:
    words = TfidfVectorizer(max_features=load_defaults().flash_policy.record_terms)
    near = KNeighborsRegressor(load_defaults().flash_policy.neighbours, metric="cosine")
    return make_pipeline(FunctionTransformer(_texts), words, near)


def _boosting() -> Any:
    return make_pipeline(_features(), GradientBoostingRegressor(random_state=0, max_depth=3, n_estimators=60))


PREDICTORS: dict[str, Callable[[], Any]] = {
    "class_mean": _class_mean,
    "ridge": _ridge,
    "knn_tfidf": _neighbours,
    "gradient_boosting": _boosting,
}
"""Predictors of the log of the life, by name."""


@dataclass(frozen=True, eq=False)
class Predictor:
    """A fitted predictor.

    Attributes
    ----------
    name : str
        One of `PREDICTORS`.
    models : dict of str to object
        One scikit-learn pipeline for each role.
    """

    name: str
    models: dict[str, Any]

    def predict(self, records: Sequence[SpawnRecord]) -> NDArray[np.float64]:
        """Predicted lives [s, records].

        Raises
        ------
        UnisonError
            If a role was not in the traffic it was fitted on.
        """
        result = np.empty(len(records))
        for role in {record.role for record in records}:
            if role not in self.models:
                raise UnisonError(f"{unknown_name('role', role, self.models)}; fit on traffic with that role")
            mine = [i for i, record in enumerate(records) if record.role == role]
            result[mine] = np.exp(self.models[role].predict([records[i] for i in mine]))
        return result

    def predict_segments(self, timeline: Timeline) -> NDArray[np.float64]:
        """Predicted life of each sub-agent's segment [s, segments]; infinite for other segments."""
        result = np.full(timeline.n_segments, np.inf)
        agents = np.flatnonzero(timeline.record >= 0)
        if agents.size:
            result[agents] = self.predict([timeline.records[i] for i in timeline.record[agents]])
        return result


@lru_cache(maxsize=_KEPT)
def fit_predictor(name: str, history: Timeline) -> Predictor:
    """A predictor fitted on earlier traffic, a model for each role on the log of the life; kept for a while.

    Parameters
    ----------
    name : str
        One of `PREDICTORS`.
    history : Timeline
        Whole sessions.

    Raises
    ------
    UnisonError
        If the name is unknown.
    """
    if name not in PREDICTORS:
        raise unknown_name("predictor", name, PREDICTORS)
    agents = np.flatnonzero(history.record >= 0)
    records = [history.records[i] for i in history.record[agents]]
    log_life = np.log((history.free_ns - history.spawn_ns)[agents] / _NS_PER_S)
    models = {}
    for role in sorted({record.role for record in records}):
        mine = [i for i, record in enumerate(records) if record.role == role]
        make = PREDICTORS[name] if len(mine) >= LEAST_RECORDS else _class_mean
        models[role] = make().fit([records[i] for i in mine], log_life[mine])
    return Predictor(name, models)


@dataclass(frozen=True)
class OrderQuality:
    """How well predicted lives order true ones.

    Attributes
    ----------
    tau_b : float
        Kendall's tau-b; 0 for a constant prediction.
    pairwise : float
        Share of pairs in the right order, ties counting half.
    """

    tau_b: float
    pairwise: float


def order_quality(predicted: NDArray[np.float64], true: NDArray[np.float64]) -> OrderQuality:
    """Quality of an order.

    Parameters
    ----------
    predicted, true : float64 [n]
        At least two lives.

    Raises
    ------
    UnisonError
        If there are fewer than two.
    """
    if predicted.size < 2 or predicted.size != true.size:
        raise UnisonError(f"order_quality: {predicted.size} and {true.size} lives; give two or more of each")
    tau = float(kendalltau(predicted, true).statistic)
    first, second = np.triu_indices(predicted.size, 1)
    agree = np.sign(predicted[first] - predicted[second]) * np.sign(true[first] - true[second])
    return OrderQuality(0.0 if np.isnan(tau) else tau, float((1 + agree).mean() / 2))
