"""Signals with a fixed hazard, and the registered policies, for the tests of policies."""

from __future__ import annotations

from typing import Any

import unison.policies
from unison.checks.cases import FixedHazard
from unison.checks.causality import check_same_columns, ranking_columns
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


def by_name(entry: PolicyEntry) -> str:
    """The id of a test of a policy."""
    return entry.name


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


columns_of = ranking_columns
assert_same_columns = check_same_columns
