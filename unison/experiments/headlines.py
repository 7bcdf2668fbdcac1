"""Headlines: every number of Table II's summary with an interval over corpus seeds, paired by seed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import stats

from unison.errors import UnisonError
from unison.experiments.contenders import BASELINE, ORACLE, UNISON
from unison.experiments.intervals import verdict
from unison.experiments.sweep import Variant, beside_label, sweep
from unison.experiments.tab02_policies import geometric_mean
from unison.replay.tiering import Tiering
from unison.traces.corpus import Corpus

COMPLETION = "lru_completion"
RIVALS = (BASELINE, COMPLETION, "timeout", "agserve_eta", ORACLE)
ALL = "all"
"""In place of a corpus: over all of them."""

METRICS = ("hit_rate", "prefill_reduction", "amat_ns")

HEADLINES = {
    "hit_rate": "hit rate",
    "hit_gain": "hit rate less LRU's",
    "completion_gain": "hit rate less LRU + completion's",
    "amat_ratio": "AMAT over LRU's",
    "amat_completion_ratio": "AMAT over LRU + completion's",
    "prefill_reduction": "prefill reduction",
    "oracle_ratio": "hit rate over Bélády's (BR)",
}


def headline_cells(corpora: Sequence[Corpus], seeds: Sequence[int]) -> pd.DataFrame:
    """UNISON and its rivals at every point of every seed."""
    variants = [Variant(UNISON, "spear", Tiering(tide=True)), *(Variant(name, name) for name in RIVALS)]
    return sweep(corpora, variants, seeds=seeds, metrics=METRICS)


def seed_headlines(cells: pd.DataFrame) -> pd.DataFrame:
    """The headlines of each seed: of each corpus over its envelopes, and their mean over the corpora.

    Rates and gains are arithmetic means, AMAT ratios geometric, BR a ratio of means (eq. 29).

    Returns
    -------
    pandas.DataFrame
        ``corpus`` (a name or `ALL`), ``seed`` and a column for each of `HEADLINES`.
    """
    lru = beside_label(cells, BASELINE)
    completion = beside_label(cells, COMPLETION)[["hit_gain", "amat_ratio"]]
    lru["completion_gain"], lru["amat_completion_ratio"] = completion["hit_gain"], completion["amat_ratio"]
    keys = ["corpus", "seed"]
    oracle = cells[cells["label"] == ORACLE].groupby(keys)["hit_rate"].mean()
    groups = lru[lru["label"] == UNISON].groupby(keys, sort=False)
    means = groups[["hit_rate", "hit_gain", "completion_gain", "prefill_reduction"]].mean()
    for name in ("amat_ratio", "amat_completion_ratio"):
        means[name] = groups[name].agg(geometric_mean)
    means["oracle_ratio"] = means["hit_rate"] / oracle.where(oracle > 0)
    per_corpus = means.reset_index()
    over = {name: geometric_mean if "amat" in name else "mean" for name in HEADLINES}
    whole = per_corpus.groupby("seed", sort=False).agg(over).reset_index().assign(corpus=ALL)
    return pd.concat([per_corpus, whole], ignore_index=True)[[*keys, *HEADLINES]]


def mean_interval(values: np.ndarray, confidence: float) -> tuple[float, float]:
    """Student's t interval of the mean of independent values.

    Parameters
    ----------
    values : float64 [n]
        At least two.
    confidence : float
        Coverage, e.g. 0.95.

    Raises
    ------
    UnisonError
        If there are fewer than two values.
    """
    if values.size < 2:
        raise UnisonError("an interval over seeds needs at least two of them; set statistics.seeds")
    half = stats.t.ppf((1 + confidence) / 2, values.size - 1) * values.std(ddof=1) / np.sqrt(values.size)
    mean = values.mean()
    return float(mean - half), float(mean + half)


def tab02_headlines(per_seed: pd.DataFrame, *, confidence: float) -> pd.DataFrame:
    """Every headline with its interval over the seeds.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``headline``, ``meaning``, ``seeds``, ``mean``, ``low``, ``high``.
    """
    rows = []
    for corpus, group in per_seed.groupby("corpus", sort=False):
        for name, meaning in HEADLINES.items():
            values = group[name].to_numpy(dtype=np.float64)
            low, high = mean_interval(values, confidence)
            about = {"corpus": corpus, "headline": name, "meaning": meaning, "seeds": values.size}
            rows.append(about | {"mean": float(values.mean()), "low": low, "high": high})
    return pd.DataFrame(rows)


def paired_cells(cells: pd.DataFrame, *, confidence: float) -> pd.DataFrame:
    """Per corpus, envelope and rival: UNISON's difference over the seeds, with its interval.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``envelope``, ``live_share`` (mean), ``rival``, and for ``hit`` (hit rate less the
        rival's) and ``amat`` (one less AMAT over the rival's): ``<name>_gain``, ``_low``, ``_high`` and
        ``_verdict``: win, loss, or tie where the interval holds 0.
    """
    rows = []
    for rival in RIVALS:
        joined = beside_label(cells, rival)
        ours = joined[joined["label"] == UNISON]
        for (corpus, envelope), group in ours.groupby(["corpus", "envelope"], sort=False):
            row: dict[str, object] = {"corpus": corpus, "envelope": envelope}
            row |= {"live_share": float(group["live_share"].mean()), "rival": rival}
            for name, gain in (("hit", group["hit_gain"]), ("amat", 1 - group["amat_ratio"])):
                low, high = mean_interval(gain.to_numpy(dtype=np.float64), confidence)
                row |= {f"{name}_gain": float(gain.mean()), f"{name}_low": low, f"{name}_high": high}
                row[f"{name}_verdict"] = verdict(low, high)
            rows.append(row)
    return pd.DataFrame(rows)


def tab02_comparisons(paired: pd.DataFrame) -> pd.DataFrame:
    """How many cells UNISON wins, ties and loses against each rival, by hit rate and by AMAT.

    Returns
    -------
    pandas.DataFrame
        ``rival``, ``measure`` (hit rate, AMAT), ``cells``, ``win``, ``tie``, ``loss``.
    """
    rows = []
    for rival, group in paired.groupby("rival", sort=False):
        for name, measure in (("hit", "hit rate"), ("amat", "AMAT")):
            counts = group[f"{name}_verdict"].value_counts()
            found = {kind: int(counts.get(kind, 0)) for kind in ("win", "tie", "loss")}
            rows.append({"rival": rival, "measure": measure, "cells": len(group)} | found)
    return pd.DataFrame(rows)
