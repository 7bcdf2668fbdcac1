"""Headlines: every number of Table II's summary with an interval over corpus seeds, paired by seed."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unison.experiments.contenders import BASELINE, ORACLE, UNISON
from unison.experiments.intervals import mean_intervals, verdict
from unison.experiments.sweep import AT, Variant, beside_label, sweep
from unison.experiments.tab02_policies import geometric_mean
from unison.replay.tiering import Tiering
from unison.traces.corpus import Corpus

COMPLETION = "lru_completion"
RIVALS = (BASELINE, COMPLETION, "timeout", "agserve_eta", ORACLE)
ALL = "all"
"""In place of a corpus: over all of them."""

METRICS = ("hit_rate", "prefill_reduction", "amat_ns")
TTFT = "ttft_p50_s"
"""Median time to first token, at the headline load; all else is at load 1."""

MEASURES = {"hit": "hit rate", "amat": "AMAT", "ttft": "TTFT"}
"""By what cells are won, tied and lost: the beginning of their columns, and their names."""

HEADLINES = {
    "hit_rate": "hit rate",
    "hit_gain": "hit rate less LRU's",
    "completion_gain": "hit rate less LRU + completion's",
    "amat_ratio": "AMAT over LRU's",
    "amat_completion_ratio": "AMAT over LRU + completion's",
    "ttft_ratio": "median TTFT under load over LRU's",
    "ttft_completion_ratio": "median TTFT under load over LRU + completion's",
    "prefill_reduction": "prefill reduction",
    "oracle_ratio": "hit rate over Bélády's (BR)",
}


_RATIOS = ("amat_ratio", "amat_completion_ratio", "ttft_ratio", "ttft_completion_ratio")


def headline_cells(corpora: Sequence[Corpus], seeds: Sequence[int], *, load: float) -> pd.DataFrame:
    """UNISON and its rivals at every point of every seed, with `TTFT` of the replay at that load."""
    variants = [Variant(UNISON, "spear", Tiering(tide=True)), *(Variant(name, name) for name in RIVALS)]
    cells = sweep(corpora, variants, seeds=seeds, metrics=METRICS)
    loaded = sweep(corpora, variants, seeds=seeds, metrics=(TTFT,), load=load)
    keys = [*AT, "label"]
    return cells.join(loaded.set_index(keys)[TTFT], on=keys)


def seed_headlines(cells: pd.DataFrame) -> pd.DataFrame:
    """The headlines of each seed: of each corpus over its envelopes, and their mean over the corpora.

    Rates and gains are arithmetic means, ratios of AMAT and TTFT geometric, BR a ratio of means (eq. 29).

    Returns
    -------
    pandas.DataFrame
        ``corpus`` (a name or `ALL`), ``seed`` and a column for each of `HEADLINES`.
    """
    lru = beside_label(cells, BASELINE)
    completion = beside_label(cells, COMPLETION)
    lru["completion_gain"], lru["amat_completion_ratio"] = completion["hit_gain"], completion["amat_ratio"]
    lru["ttft_completion_ratio"] = completion["ttft_ratio"]
    keys = ["corpus", "seed"]
    oracle = cells[cells["label"] == ORACLE].groupby(keys)["hit_rate"].mean()
    groups = lru[lru["label"] == UNISON].groupby(keys, sort=False)
    means = groups[["hit_rate", "hit_gain", "completion_gain", "prefill_reduction"]].mean()
    for name in _RATIOS:
        means[name] = groups[name].agg(geometric_mean)
    means["oracle_ratio"] = means["hit_rate"] / oracle.where(oracle > 0)
    per_corpus = means.reset_index()
    over = {name: geometric_mean if name in _RATIOS else "mean" for name in HEADLINES}
    whole = per_corpus.groupby("seed", sort=False).agg(over).reset_index().assign(corpus=ALL)
    return pd.concat([per_corpus, whole], ignore_index=True)[[*keys, *HEADLINES]]


def tab02_headlines(per_seed: pd.DataFrame, *, confidence: float) -> pd.DataFrame:
    """Every headline with its interval over the seeds.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``headline``, ``meaning``, ``seeds``, ``mean``, ``low``, ``high``.
    """
    rows = []
    corpora = [per_seed["corpus"]]
    found = {name: mean_intervals(per_seed[name], corpora, confidence) for name in HEADLINES}
    seeds = per_seed.groupby("corpus", sort=False)["seed"].size()
    for corpus, count in seeds.items():
        for name, meaning in HEADLINES.items():
            about = {"corpus": corpus, "headline": name, "meaning": meaning, "seeds": int(count)}
            rows.append(about | found[name].loc[corpus].to_dict())
    return pd.DataFrame(rows)


def paired_cells(cells: pd.DataFrame, *, confidence: float) -> pd.DataFrame:
    """Per corpus, envelope and rival: UNISON's difference over the seeds, with its interval.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``envelope``, ``live_share`` (mean), ``rival``, and for each of `MEASURES` (for ``hit``
        hit rate less the rival's; for ``amat`` and ``ttft`` one less the ratio to the rival's):
        ``<name>_gain``, ``_low``, ``_high`` and ``_verdict``: win, loss, or tie where the interval holds 0.
    """
    frames = []
    for rival in RIVALS:
        joined = beside_label(cells, rival)
        ours = joined[joined["label"] == UNISON]
        at = [ours["corpus"], ours["envelope"]]
        frame = ours.groupby(at, sort=False)["live_share"].mean().to_frame().assign(rival=rival)
        gains = {"hit": ours["hit_gain"], "amat": 1 - ours["amat_ratio"], "ttft": 1 - ours["ttft_ratio"]}
        for name, gain in gains.items():
            interval = mean_intervals(gain, at, confidence)
            frame[[f"{name}_gain", f"{name}_low", f"{name}_high"]] = interval
            frame[f"{name}_verdict"] = list(map(verdict, interval["low"], interval["high"]))
        frames.append(frame.reset_index())
    return pd.concat(frames, ignore_index=True)


def tab02_comparisons(paired: pd.DataFrame) -> pd.DataFrame:
    """How many cells UNISON wins, ties and loses against each rival, by each of `MEASURES`.

    Returns
    -------
    pandas.DataFrame
        ``rival``, ``measure``, ``cells``, ``win``, ``tie``, ``loss``.
    """
    rows = []
    for rival, group in paired.groupby("rival", sort=False):
        for name, measure in MEASURES.items():
            counts = group[f"{name}_verdict"].value_counts()
            found = {kind: int(counts.get(kind, 0)) for kind in ("win", "tie", "loss")}
            rows.append({"rival": rival, "measure": measure, "cells": len(group)} | found)
    return pd.DataFrame(rows)
