"""Table II on real traces: every contender in envelopes that are shares of the live working set."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from unison.config import Defaults
from unison.experiments.contenders import BASELINE, ORACLE, Contender, contenders
from unison.experiments.fig08_surface import coordinates
from unison.experiments.intervals import SessionBootstrap, session_bootstrap, verdict
from unison.experiments.runner import Evaluator, envelopes_of
from unison.experiments.tab02_policies import geometric_mean
from unison.traces.corpus import UNKNOWN, Corpus
from unison.traces.synthetic import base_schedule

METRICS = (
    "hit_rate", "hit_rate_after_first", "token_hit_rate", "prefill_reduction", "amat_ns", "bypass_share",
    "running_share",
)  # fmt: skip


def describe_input(corpus: Corpus) -> dict[str, object]:
    """What a real corpus is, how much of it can be replayed, and where its gaps lie on the surface."""
    timed = corpus.timed() if corpus.is_timed.any() else None
    place = {"dispersion": np.nan, "session_share": np.nan}
    if timed is not None:
        place = coordinates([timed])[list(place)].iloc[0].to_dict()
    return {
        "corpus": corpus.name,
        "sessions": corpus.n_sessions,
        "turns": corpus.n_turns,
        "sessions_replayed": 0 if timed is None else timed.n_sessions,
        "turns_replayed": 0 if timed is None else timed.n_turns,
        "completion_unknown": int((corpus.completed == UNKNOWN).sum()),
        "censored": int((corpus.completed == 0).sum()),
        "tokens_estimated": float(corpus.tokens_estimated.mean()),
        "timing_estimated": float(corpus.timing_estimated.mean()),
        **place,
    }


def real_cells(corpus: Corpus, defaults: Defaults, *, seed: int = 0) -> pd.DataFrame:
    """Every contender in every envelope on one corpus, with intervals over sessions.

    A stateful policy runs in the first (tightest) envelope only.

    Parameters
    ----------
    corpus : Corpus
    defaults : Defaults
        Gives the number of resamples and the confidence.
    seed : int
        Of the schedule and of the bootstrap.

    Returns
    -------
    pandas.DataFrame
        A row for each (envelope, contender): the metrics at load 1, ``hit_gain`` against LRU, intervals
        ``hit_low``, ``hit_high``, ``gain_low``, ``gain_high``, and ``verdict`` by the gain's interval.

    Raises
    ------
    UnisonError
        If no session of the corpus has known times.
    """
    trace = base_schedule(corpus, seed=seed)
    evaluate = Evaluator(metrics=METRICS)
    statistics = defaults.statistics
    bootstrap = session_bootstrap(
        trace.corpus.n_sessions, resamples=statistics.resamples, confidence=statistics.confidence, seed=seed
    )
    rows: list[dict[str, Any]] = []
    for position, envelope in enumerate(envelopes_of(trace, evaluate.costs(trace))):
        entries = [entry for entry in contenders() if position == 0 or not entry.entry.is_stateful]
        results = {e.label: evaluate(trace, e.entry.name, envelope, tide=e.tide) for e in entries}
        total = sum(tier.capacity_tokens for tier in envelope.tiers)
        about = {
            "corpus": corpus.name,
            "sessions": trace.corpus.n_sessions,
            "envelope": envelope.name,
            "total_tokens": total,
            "live_share": total / trace.mean_live_tokens,
        }
        rows += [about | _row(entry, results, bootstrap) for entry in entries]
    return pd.DataFrame(rows)


def _row(entry: Contender, results: dict[str, dict[str, Any]], bootstrap: SessionBootstrap) -> dict[str, Any]:
    mine, base, oracle = results[entry.label], results[BASELINE], results[ORACLE]
    rates = bootstrap.rates(mine["hits_by_session"], mine["requests_by_session"])
    hit_low, hit_high = bootstrap.interval(rates)
    gain_low, gain_high = bootstrap.gain_interval(mine, base)
    return entry.about() | {
        **{name: mine[name] for name in METRICS},
        "hit_low": hit_low,
        "hit_high": hit_high,
        "hit_gain": mine["hit_rate"] - base["hit_rate"],
        "gain_low": gain_low,
        "gain_high": gain_high,
        "oracle_ratio": _ratio(mine["hit_rate"], oracle["hit_rate"]),
        "amat_ratio": _ratio(mine["amat_ns"], base["amat_ns"]),
        "verdict": "baseline" if entry.label == BASELINE else verdict(gain_low, gain_high),
    }


def _ratio(value: float, reference: float) -> float:
    return value / reference if reference else np.nan


def real_table(cells: pd.DataFrame) -> pd.DataFrame:
    """A row for each corpus and contender over the envelopes, aggregated as Table II is.

    The Belady ratio is a ratio of means (eq. 29) over the envelopes in which the contender ran. Wins, ties
    and losses count the envelopes by the interval of the gain over LRU.
    """
    at = ["corpus", "envelope"]
    best = cells[cells["policy"] == ORACLE].set_index(at)[["hit_rate"]].add_suffix("_oracle")
    groups = cells.join(best, on=at).groupby(["corpus", "policy"], sort=False)
    table = groups.agg(
        info=("info", "first"),
        sees_completion=("sees_completion", "first"),
        sessions=("sessions", "first"),
        envelopes=("envelope", "nunique"),
        hit_rate=("hit_rate", "mean"),
        hit_gain=("hit_gain", "mean"),
        oracle_ratio=("hit_rate_oracle", "mean"),
        prefill_reduction=("prefill_reduction", "mean"),
        amat_ratio=("amat_ratio", geometric_mean),
        bypass_share=("bypass_share", "mean"),
        running_share=("running_share", "mean"),
    )
    table["oracle_ratio"] = table["hit_rate"] / table["oracle_ratio"].where(table["oracle_ratio"] > 0)
    for name in ("win", "tie", "loss"):
        table[name] = groups["verdict"].agg(lambda verdicts, name=name: int((verdicts == name).sum()))
    return table.reset_index()
