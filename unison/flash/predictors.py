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
_DEPTH, _TREES = 3, 60
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
    model = GradientBoostingRegressor(random_state=0, max_depth=_DEPTH, n_estimators=_TREES)
    return make_pipeline(_features(), model)


PREDICTORS: dict[str, Callable[[], Any]] = {
    "class_mean": _class_mean,
    "ridge": _ridge,
    "knn_tfidf": _neighbours,
    "gradient_boosting": _boosting,
}
"""Predictors of the log of the life, by name."""

PREDICTOR_TITLES = {
    "class_mean": "class mean",
    "ridge": "ridge",
    "knn_tfidf": "kNN, TF-IDF",
    "gradient_boosting": "gradient boosting",
}
"""What figures and tables call a predictor."""


@dataclass(frozen=True, eq=False)
class Predictor:
    """A fitted predictor.

    Attributes
    ----------
    name : str
        One of `PREDICTORS`, or a quantile.
    models : dict of str to object
        One scikit-learn pipeline for each role.
    """

    name: str
    models: dict[str, Any]

    def predict(self, records: Sequence[SpawnRecord]) -> NDArray[np.float64]:
        """Predicted lives [s, records], or what else it was fitted on.

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
    return _fitted(name, PREDICTORS[name], history, (history.free_ns - history.spawn_ns) / _NS_PER_S)


def fit_quantile(quantile: float, history: Timeline, values: NDArray[np.float64]) -> Predictor:
    """Gradient boosting of a quantile of what sub-agents do, as a newsvendor orders.

    With a cost of ``a`` for each unit booked too little and ``b`` for each too much, the quantile
    ``a / (a + b)`` costs least; it is predicted from the spawn record with the quantile loss.

    Parameters
    ----------
    quantile : float
        Above 0 and below 1.
    history : Timeline
        Whole sessions.
    values : float64 [segments]
        What is predicted, above 0 for every sub-agent; lives [s], say.

    Returns
    -------
    Predictor
        Of the unit of `values`.
    """

    def make() -> Any:
        model = GradientBoostingRegressor(
            loss="quantile", alpha=quantile, random_state=0, max_depth=_DEPTH, n_estimators=_TREES
        )
        return make_pipeline(_features(), model)

    return _fitted(f"quantile {quantile:g}", make, history, values)


def _fitted(name: str, make: Callable[[], Any], history: Timeline, values: NDArray[np.float64]) -> Predictor:
    """A model for each role on the log of the values of its sub-agents."""
    agents = np.flatnonzero(history.record >= 0)
    records = [history.records[i] for i in history.record[agents]]
    logs = np.log(values[agents])
    models = {}
    for role in sorted({record.role for record in records}):
        mine = [i for i, record in enumerate(records) if record.role == role]
        chosen = make if len(mine) >= LEAST_RECORDS else _class_mean
        models[role] = chosen().fit([records[i] for i in mine], logs[mine])
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
