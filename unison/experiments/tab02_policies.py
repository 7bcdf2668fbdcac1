"""Table II: every policy on every corpus and envelope, against LRU and against Belady."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from unison.config import StatisticsDefaults
from unison.errors import UnisonError
from unison.experiments.contenders import BASELINE, ORACLE, Contender, contenders
from unison.experiments.intervals import SessionBootstrap, session_bootstrap, verdict
from unison.experiments.runner import Evaluator, envelopes_of
from unison.replay.envelope import Envelope
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule
from unison.traces.trace import Trace

CELL_METRICS = (
    "hit_rate", "hit_rate_after_first", "hit_rate_per_session", "hit_rate_per_session_after_first",
    "sram_hit_rate", "token_hit_rate", "prefill_reduction", "amat_ns", "amat_suffix_ns", "ttft_p50_s",
    "ttft_p99_s", "bypass_share", "running_share", "miss_first_turn", "miss_shrunk_prefix", "miss_evicted",
    "miss_timeout", "miss_bypassed", "regret_p50_s", "prefetch_accuracy", "decisions",
)  # fmt: skip


def tab02_cells(
    corpora: Sequence[Corpus],
    *,
    loads: Sequence[float],
    statistics: StatisticsDefaults,
    labels: Sequence[str] | None = None,
    seed: int = 0,
) -> pd.DataFrame:
    """Every metric of every contender in every envelope at every load.

    A stateful policy needs the reference engine and runs in the first (tightest) envelope at load 1 only,
    as in the paper, where CacheScout is reported for Edge-Tight with an LRU of its own.

    Parameters
    ----------
    corpora : sequence of Corpus
    loads : sequence of float
        Load factors.
    statistics : StatisticsDefaults
        Resamples and confidence of the intervals over sessions.
    labels : sequence of str, optional
        Contenders, the baseline among them; all by default.
    seed : int
        Of the schedule and of the bootstrap.

    Returns
    -------
    pandas.DataFrame
        A row for each (corpus, load, envelope, contender), with ``total_tokens`` and ``live_share``, the
        envelope's total over the mean live tokens at load 1; ``gain_low`` and ``gain_high``, the interval
        over sessions of the hit rate less LRU's, and ``verdict`` by it.
    """
    evaluate = Evaluator(metrics=CELL_METRICS)
    rows: list[dict[str, object]] = []
    for corpus in corpora:
        base = base_schedule(corpus, seed=seed)
        envelopes = envelopes_of(base, evaluate.costs(base))
        bootstrap = session_bootstrap(
            base.corpus.n_sessions,
            resamples=statistics.resamples,
            confidence=statistics.confidence,
            seed=seed,
        )
        for load in loads:
            trace = base if load == 1 else base_schedule(corpus, load=load, seed=seed)
            for position, envelope in enumerate(envelopes):
                is_full = position > 0 or load != 1
                entries = [e for e in contenders(labels) if not (e.entry.is_stateful and is_full)]
                results = {e.label: evaluate(trace, e.entry.name, envelope, tide=e.tide) for e in entries}
                rows += [
                    _about(corpus, load, envelope, base, e) | _scalars(e.label, results, bootstrap)
                    for e in entries
                ]
    return pd.DataFrame(rows)


def _about(
    corpus: Corpus, load: float, envelope: Envelope, base: Trace, entry: Contender
) -> dict[str, object]:
    total = sum(tier.capacity_tokens for tier in envelope.tiers)
    return {
        "corpus": corpus.name,
        "load": load,
        "envelope": envelope.name,
        "total_tokens": total,
        "live_share": total / base.mean_live_tokens,
    } | entry.about()


def _scalars(
    label: str, results: Mapping[str, Mapping[str, Any]], bootstrap: SessionBootstrap
) -> dict[str, object]:
    low, high = bootstrap.gain_interval(results[label], results[BASELINE])
    intervals: dict[str, object] = {"gain_low": low, "gain_high": high, "verdict": verdict(low, high)}
    return {name: results[label][name] for name in CELL_METRICS} | intervals


def against_baseline(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells with the baseline's value of the same corpus, load and envelope beside each.

    Adds ``hit_gain`` (hit rate minus LRU's), ``amat_ratio``, ``amat_suffix_ratio`` and ``ttft_ratio`` (over
    LRU's) and ``oracle_ratio`` (hit rate over Belady's).
    """
    at = ["corpus", "load", "envelope"]
    wanted = ["hit_rate", "amat_ns", "amat_suffix_ns", "ttft_p50_s"]
    base = cells[cells["policy"] == BASELINE].set_index(at)[wanted].add_suffix("_base")
    best = cells[cells["policy"] == ORACLE].set_index(at)[["hit_rate"]].add_suffix("_oracle")
    joined = cells.join(base, on=at).join(best, on=at)
    joined["hit_gain"] = joined["hit_rate"] - joined["hit_rate_base"]
    joined["amat_ratio"] = joined["amat_ns"] / joined["amat_ns_base"]
    joined["amat_suffix_ratio"] = joined["amat_suffix_ns"] / joined["amat_suffix_ns_base"]
    joined["ttft_ratio"] = joined["ttft_p50_s"] / joined["ttft_p50_s_base"]
    return joined


def geometric_mean(values: pd.Series) -> float:
    """Geometric mean of positive values."""
    return float(np.exp(np.log(values.to_numpy(dtype=np.float64)).mean()))


def tab02(cells: pd.DataFrame, *, headline_load: float) -> pd.DataFrame:
    """Table II: a row for each corpus and contender, aggregated over the envelopes as the paper does.

    Hit rates and prefill reduction are arithmetic means over the envelopes, the ratios to LRU geometric
    means; the Belady ratio is a ratio of means (eq. 29). TTFT is the median at `headline_load`, the rest is
    at load 1. A contender that ran in some envelopes only is compared with LRU and Belady in those. ``wins``,
    ``ties`` and ``losses`` count them by the interval of the hit rate less LRU's.

    Raises
    ------
    UnisonError
        If there is no cell at load 1 or at `headline_load`.
    """
    for load in (1, headline_load):
        if load not in set(cells["load"]):
            found = ", ".join(f"{each:g}" for each in sorted(set(cells["load"])))
            raise UnisonError(f"Table II: no cell at load {load:g}, only at {found}; add it to load.factors")
    joined = against_baseline(cells)
    now = joined[joined["load"] == 1]
    loaded = joined[joined["load"] == headline_load]
    groups = now.groupby(["corpus", "policy"], sort=False)
    table = groups.agg(
        info=("info", "first"),
        sees_completion=("sees_completion", "first"),
        envelopes=("envelope", "nunique"),
        hit_rate=("hit_rate", "mean"),
        hit_rate_after_first=("hit_rate_after_first", "mean"),
        hit_gain=("hit_gain", "mean"),
        prefill_reduction=("prefill_reduction", "mean"),
        amat_ratio=("amat_ratio", geometric_mean),
        bypass_share=("bypass_share", "mean"),
        running_share=("running_share", "mean"),
    )
    oracle = joined[joined["load"] == 1].groupby(["corpus", "policy"], sort=False)["hit_rate_oracle"].mean()
    table.insert(6, "oracle_ratio", table["hit_rate"] / oracle.where(oracle > 0))
    for kind, column in (("win", "wins"), ("tie", "ties"), ("loss", "losses")):
        table[column] = (now["verdict"] == kind).groupby([now["corpus"], now["policy"]], sort=False).sum()
    table["ttft_ratio"] = loaded.groupby(["corpus", "policy"], sort=False)["ttft_ratio"].agg(geometric_mean)
    return table.reset_index()


def tab02_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Table II over the corpora: means, geometric means and how many cells a contender wins against LRU."""
    groups: list[tuple[str, Callable[[pd.Series], float]]] = [
        ("hit_rate", pd.Series.mean),
        ("hit_gain", pd.Series.mean),
        ("oracle_ratio", pd.Series.mean),
        ("prefill_reduction", pd.Series.mean),
        ("amat_ratio", geometric_mean),
        ("ttft_ratio", geometric_mean),
    ]
    rows = []
    for policy, group in table.groupby("policy", sort=False):
        row: dict[str, object] = {
            "policy": policy,
            "info": group["info"].iloc[0],
            "sees_completion": group["sees_completion"].iloc[0],
        }
        row |= {name: float(aggregate(group[name])) for name, aggregate in groups}
        row |= {name: int(group[name].sum()) for name in ("wins", "ties", "losses")}
        rows.append(row)
    return pd.DataFrame(rows)
