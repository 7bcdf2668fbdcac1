"""Cost of a turn against the number of live sessions, with the candidates on heaps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from unison.bench.timing import time_runs
from unison.experiments.runner import Evaluator
from unison.policies.ranking import Ranking
from unison.replay.envelope import share_envelope
from unison.replay.outcomes import Counter
from unison.replay.prepared import PreparedReplay, prepare
from unison.replay.tiering import Tiering
from unison.traces.corpus import MIN_SERVICE_NS, Corpus
from unison.traces.trace import Trace, schedule

LIVE = (64, 1_000, 10_000, 100_000)
"""Numbers of live sessions."""

POLICIES = ("lru", "spear")
"""Orders with equal slopes, which a heap holds."""

_TURNS = 6
_KINDS = 32
_FEWEST_SESSIONS = 2_000
_CAPACITY_SHARE = Fraction(1, 2)


@dataclass(frozen=True)
class Cost:
    """Cost of a turn at one number of live sessions.

    Attributes
    ----------
    policy : str
    live : int
        Sessions live on average while the trace is in full swing; also the slots.
    turns : int
        Turns of the trace.
    evictions : int
        Sessions evicted: each is a choice among the candidates.
    ns_per_turn, median_ns_per_turn : float
        Of the kernel, best and median run [ns].
    ns_per_turn_per_log2 : float
        ``ns_per_turn / log2(live)``: constant if the cost grows as log N.
    """

    policy: str
    live: int
    turns: int
    evictions: int
    ns_per_turn: float
    median_ns_per_turn: float
    ns_per_turn_per_log2: float


def crowd(corpus: Corpus, live: int) -> Trace:
    """A trace on which about that many sessions are live at once, nearly all of them paused.

    The corpus's sessions of about six turns are repeated, twice as many as are to be live at once, and their
    services cut to the least, so that a store of half the live tokens always has a victim to choose.

    Parameters
    ----------
    corpus : Corpus
        Its sessions are drawn on.
    live : int
        Live sessions wanted.
    """
    kinds = np.argsort(np.abs(corpus.turns_per_session - _TURNS), kind="stable")[:_KINDS]
    many = corpus.select(np.resize(kinds, max(2 * live, _FEWEST_SESSIONS)))
    brief = replace(many, service_ns=np.full(many.n_turns, MIN_SERVICE_NS, dtype=np.int64))
    return schedule(brief, concurrency=live)


def measure_scaling(
    corpus: Corpus, live: Sequence[int] = LIVE, policies: Sequence[str] = POLICIES, *, runs: int
) -> list[dict[str, Any]]:
    """Cost of a turn under each policy at each number of live sessions.

    Parameters
    ----------
    corpus : Corpus
        See `crowd`.
    live : sequence of int
        Numbers of live sessions, each above 1.
    policies : sequence of str
        Names of policies whose order does not change with time.
    runs : int
        Runs of which best and median are taken.

    Returns
    -------
    list of dict
        A `Cost` as dict each.

    Raises
    ------
    UnisonError
        If a policy is unknown or its order changes with time.
    """
    return [asdict(_cost(*case, runs)) for count in live for case in _cases(corpus, count, policies)]


def _cases(corpus: Corpus, live: int, policies: Sequence[str]) -> list[tuple[Trace, str, Evaluator, int]]:
    trace, evaluate = crowd(corpus, live), Evaluator()
    return [(trace, policy, evaluate, live) for policy in policies]


def _cost(trace: Trace, policy: str, evaluate: Evaluator, live: int, runs: int) -> Cost:
    ranking = evaluate.policy(trace, policy)
    assert isinstance(ranking, Ranking)
    envelope = share_envelope(_CAPACITY_SHARE, trace.mean_live_tokens, evaluate.costs(trace), slots=live)
    prepared = prepare(trace, ranking, envelope, Tiering(), use_heap=True)
    evictions = _evictions(prepared)
    timing = time_runs(prepared.start, prepared.run, runs)
    turns = trace.corpus.n_turns
    return Cost(
        policy=policy,
        live=live,
        turns=turns,
        evictions=evictions,
        ns_per_turn=timing.best_s / turns * 1e9,
        median_ns_per_turn=timing.median_s / turns * 1e9,
        ns_per_turn_per_log2=timing.best_s / turns * 1e9 / math.log2(live),
    )


def _evictions(prepared: PreparedReplay) -> int:
    work = prepared.start()
    prepared.run(work)
    return int(work.state.counters[Counter.EVICTIONS])
