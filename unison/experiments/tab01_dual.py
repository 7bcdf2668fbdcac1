"""Table I: one register file against two, made equal every few events or requests."""

from __future__ import annotations

import math
from collections.abc import Sequence

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unison.config import StatisticsDefaults
from unison.device import costs_for
from unison.experiments.contenders import UNISON, contender
from unison.experiments.intervals import session_bootstrap, verdict
from unison.experiments.runner import by_session, envelopes_of, model_of, signals_of
from unison.experiments.sweep import JOBS
from unison.experiments.tab02_policies import geometric_mean
from unison.metrics import Measured, measure
from unison.policies.registry import build_policy
from unison.policies.stateful import StatefulPolicy
from unison.replay.dual import EVENTS, REQUESTS, DualEngine, Sync
from unison.replay.engine import replay
from unison.replay.envelope import Envelope
from unison.replay.outcomes import Action, Outcomes
from unison.replay.tiering import Tiering
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule
from unison.traces.trace import Trace

SCARCITY = 0.5
"""Capacity over the mean live working set at which ranking has much to decide."""

METRICS = ("hit_rate", "sram_hit_rate", "amat_ns")


def scarce_envelope(trace: Trace, envelopes: Sequence[Envelope]) -> Envelope:
    """The envelope whose total is nearest, by ratio, to `SCARCITY` times the mean live working set."""
    wanted = math.log(SCARCITY * trace.mean_live_tokens)
    return min(envelopes, key=lambda e: abs(math.log(max(e.total_tokens, 1)) - wanted))


def tab01_cells(
    corpora: Sequence[Corpus],
    *,
    every: Sequence[int],
    statistics: StatisticsDefaults,
    seed: int = 0,
    jobs: int = JOBS,
) -> pd.DataFrame:
    """Dual register files at each sync period beside the unified one, on each corpus' scarce envelope.

    The two engines run in plain Python, so that each corpus has one envelope, chosen by `scarce_envelope`
    before any result.

    Parameters
    ----------
    corpora : sequence of Corpus
    every : sequence of int
        Sync periods m, in events and in requests.
    statistics : StatisticsDefaults
        Resamples and confidence of the intervals over sessions.
    seed : int
        Of the schedule and of the bootstrap.
    jobs : int
        Processes.

    Returns
    -------
    pandas.DataFrame
        A row for each corpus and sync: ``corpus``, ``envelope``, ``unit``, ``every``, ``hit_rate``,
        ``hit_change`` and ``amat_ratio`` (against unified), ``change_low``, ``change_high`` (the interval of
        ``hit_change`` over sessions) and ``verdict`` by it, ``sram_change``, ``same_evictions`` and
        ``same_swaps`` (the same sessions at the same events), and the counts of
        `unison.replay.dual.DualCounts`.
    """
    run = joblib.delayed(_cell)
    tasks = [(corpus, Sync(m, unit)) for corpus in corpora for unit in (EVENTS, REQUESTS) for m in every]
    return pd.DataFrame(
        joblib.Parallel(n_jobs=jobs)(run(corpus, sync, statistics, seed) for corpus, sync in tasks)
    )


def _cell(corpus: Corpus, sync: Sync, statistics: StatisticsDefaults, seed: int) -> dict[str, object]:
    trace = base_schedule(corpus, seed=seed)
    costs = costs_for(model_of(corpus.name))
    envelope = scarce_envelope(trace, envelopes_of(trace, costs))
    system = contender(UNISON)
    ranking = build_policy(system.entry.name, signals_of(trace))
    assert not isinstance(ranking, StatefulPolicy)
    tiering = Tiering(tide=system.tide)
    unified = replay(trace, ranking, envelope, tiering, record=True)
    engine = DualEngine(trace, ranking, envelope, tiering, sync=sync)
    dual = engine.run()
    one, two = (Measured(outcomes, trace, envelope, costs) for outcomes in (unified, dual))
    base, ours = measure(one, METRICS), measure(two, METRICS)
    bootstrap = session_bootstrap(
        trace.corpus.n_sessions, resamples=statistics.resamples, confidence=statistics.confidence, seed=seed
    )
    low, high = bootstrap.gain_interval(by_session(two), by_session(one))
    return {
        "corpus": corpus.name,
        "envelope": envelope.name,
        "unit": sync.unit,
        "every": sync.every,
        "hit_rate": ours["hit_rate"],
        "hit_change": ours["hit_rate"] - base["hit_rate"],
        "change_low": low,
        "change_high": high,
        "verdict": verdict(low, high),
        "sram_change": ours["sram_hit_rate"] - base["sram_hit_rate"],
        "amat_ratio": ours["amat_ns"] / base["amat_ns"],
        "same_evictions": _same(unified, dual, (Action.EVICT, Action.DEMOTE)),
        "same_swaps": _same(unified, dual, (Action.PROMOTE, Action.SWAP_OUT)),
    } | vars(engine.counts)


def _same(one: Outcomes, other: Outcomes, actions: tuple[Action, ...]) -> bool:
    """Whether two replays took the same actions of some kinds, session by session and event by event."""
    return bool(np.array_equal(_of(one, actions), _of(other, actions)))


def _of(outcomes: Outcomes, actions: tuple[Action, ...]) -> NDArray[np.int64]:
    assert outcomes.actions is not None
    return outcomes.actions[np.isin(outcomes.actions[:, 1], actions)]


def tab01(cells: pd.DataFrame) -> pd.DataFrame:
    """Table I over the corpora: a row for each sync unit and period.

    Returns
    -------
    pandas.DataFrame
        ``unit``, ``every``, ``hit_change`` (mean), ``hit_change_least`` and ``hit_change_most``,
        ``better``, ``same`` and ``worse`` (corpora, by the interval of the hit rate's change),
        ``amat_ratio`` (geometric mean), ``amat_better`` and ``amat_worse`` (corpora), ``stale_share`` (of
        victims), ``lost_share`` (of Tide's swaps), ``forced_syncs``, ``same_evictions``, ``same_swaps``
        (on every corpus).
    """
    rows = []
    for (unit, every), group in cells.groupby(["unit", "every"], sort=False):
        rows.append(
            {
                "unit": unit,
                "every": every,
                "hit_change": group["hit_change"].mean(),
                "hit_change_least": group["hit_change"].min(),
                "hit_change_most": group["hit_change"].max(),
                "better": int((group["verdict"] == "win").sum()),
                "same": int((group["verdict"] == "tie").sum()),
                "worse": int((group["verdict"] == "loss").sum()),
                "amat_ratio": geometric_mean(group["amat_ratio"]),
                "amat_better": int((group["amat_ratio"] < 1).sum()),
                "amat_worse": int((group["amat_ratio"] > 1).sum()),
                "stale_share": _share(group, "stale_victims", "victims"),
                "lost_share": _share(group, "lost_swaps", "swaps"),
                "forced_syncs": int(group["forced_syncs"].sum()),
                "same_evictions": bool(group["same_evictions"].all()),
                "same_swaps": bool(group["same_swaps"].all()),
            }
        )
    return pd.DataFrame(rows)


def _share(group: pd.DataFrame, part: str, whole: str) -> float:
    total = group[whole].sum()
    return float(group[part].sum() / total) if total else 0.0
