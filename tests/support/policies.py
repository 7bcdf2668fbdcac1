"""Signals with a fixed hazard, and the registered policies, for the tests of policies."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

import unison.policies
from unison.policies.ranking import Ranking
from unison.policies.registry import InfoClass, PolicyEntry, all_policies
from unison.policies.stateful import StatefulPolicy
from unison.replay.envelope import Envelope
from unison.replay.outcomes import Outcomes
from unison.replay.reference import ReferenceEngine
from unison.replay.tiering import Tiering
from unison.signals import Signals
from unison.traces.trace import Trace

assert unison.policies.__path__, "importing the package registers every policy"

EVERY: list[PolicyEntry] = all_policies()
CAUSAL = [entry for entry in EVERY if entry.info != InfoClass.ORACLE]
STATEFUL = [entry for entry in EVERY if entry.is_stateful]
COLUMNAR = [entry for entry in EVERY if not entry.is_stateful]
COLUMNS = (
    "base", "slope", "lo", "hi", "late", "weight", "pin_ns", "drop_after_ns", "keep", "gap_estimate_ns",
)  # fmt: skip


def by_name(entry: PolicyEntry) -> str:
    """The id of a test of a policy."""
    return entry.name


class FixedHazard:
    """sigma(t) = 0.99 - 0.02 t, and 0.05 at least, so that every turn has its own."""

    def survival(self, turn: ArrayLike) -> NDArray[np.float64]:
        return np.maximum(0.99 - 0.02 * np.asarray(turn, dtype=np.float64), 0.05)


def make_signals(trace: Trace, **options: Any) -> Signals:
    """Signals of a trace as the defaults would give them, with a hazard that does not depend on it."""
    given = {"alpha": 0.3, "ema_init": "prior", "prior_gap_ns": 5_000_000_000} | options
    return Signals(trace, FixedHazard(), **given)


def build(entry: PolicyEntry, trace: Trace) -> Ranking | StatefulPolicy:
    """The policy with its default parameters."""
    built: Ranking | StatefulPolicy = entry.build(make_signals(trace), **entry.defaults())
    return built


def run(entry: PolicyEntry, trace: Trace, envelope: Envelope, tiering: Tiering | None = None) -> Outcomes:
    """A replay in the reference engine."""
    return ReferenceEngine(trace, build(entry, trace), envelope, tiering or Tiering()).run()


def columns_of(ranking: Ranking, rows: NDArray[np.int64]) -> dict[str, NDArray]:
    """What a ranking says about some rows."""
    found = {name: getattr(ranking, name) for name in COLUMNS}
    columns = {name: column[rows] for name, column in found.items() if column is not None}
    if ranking.table is not None and ranking.table_class is not None:
        columns["table"] = ranking.table[ranking.table_class[rows]]
    return columns


def assert_same_columns(found: dict[str, NDArray], expected: dict[str, NDArray]) -> None:
    """Fail unless two rankings say the same."""
    assert found.keys() == expected.keys()
    for name, column in expected.items():
        np.testing.assert_array_equal(found[name], column, err_msg=name)
