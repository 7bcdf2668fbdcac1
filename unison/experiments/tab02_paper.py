"""Table II beside the paper's: each published statement with the rule it is held to, and what became of it.

The paper's traces are not public, so that numbers cannot be expected to agree: a statement is held to its
sign or its order, and both numbers are shown.
"""

from __future__ import annotations

import math

import pandas as pd

from unison.experiments.beside import beside, covers_series
from unison.experiments.contenders import BASELINE, ORACLE, UNISON
from unison.experiments.tab02_policies import against_baseline
from unison.policies.registry import InfoClass
from unison.traces.synthetic import CORPORA

SECTION = "tab02."
"""What the ids of these claims begin with in data/claims.toml."""

LONG_HORIZON = "swe-"
"""The corpora that the paper calls long-horizon: many turns a session."""


def tab02_paper(table: pd.DataFrame, cells: pd.DataFrame, *, tie: float) -> pd.DataFrame:
    """Published statements on Table II beside the same numbers of this run.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.tab02_policies.tab02`.
    cells : pandas.DataFrame
        Of `unison.experiments.tab02_policies.tab02_cells`.
    tie : float
        Difference of hit rate that counts as a tie.

    Returns
    -------
    pandas.DataFrame
        The columns of `unison.experiments.beside.beside`. Whatever speaks of all six corpora is not
        applicable to a run on others or on some.
    """
    rows = _of_all(table, cells, tie) + _of_one(table)
    return pd.DataFrame(rows)


def _of_all(table: pd.DataFrame, cells: pd.DataFrame, tie: float) -> list[dict[str, object]]:
    """Statements about all six corpora together."""
    is_series = covers_series(table["corpus"].unique().tolist())
    system = table[table["policy"] == UNISON].set_index("corpus")
    least, most = system["hit_gain"].min(), system["hit_gain"].max()
    reduction = 1 - system["amat_ratio"]
    ratios = against_baseline(cells[cells["load"] == 1])
    ratio = ratios[ratios["policy"] == UNISON]["amat_ratio"]
    ttft = 1 - system["ttft_ratio"][system.index.str.startswith(LONG_HORIZON)]
    best = best_corpora(table, tie)

    def row(name: str, claim: str, rule: str, ours: float, is_met: bool) -> dict[str, object]:
        return beside(SECTION + name, claim, rule, float(ours) if is_series else None, bool(is_met))

    better = int((ratio < 1).sum())
    return [
        row("hit_gain.least", "least hit-rate gain over LRU", "above a tie", 100 * least, least > tie),
        row("hit_gain.most", "largest hit-rate gain over LRU", "above a tie", 100 * most, most > tie),
        row("oracle_ratio", "hit rate over Bélády's, mean", "at most 1",
            system["oracle_ratio"].mean(), system["oracle_ratio"].mean() <= 1),
        row("amat_reduction.least", "least AMAT reduction", "above 0", reduction.min(), reduction.min() > 0),
        row("amat_reduction.most", "largest AMAT reduction", "above 0", reduction.max(), reduction.max() > 0),
        row("amat_reduction.mean", "mean AMAT reduction", "above 0", reduction.mean(), reduction.mean() > 0),
        row("amat_reduction.cells_better", "cells with a lower AMAT than LRU", "every cell",
            better, better == len(ratio)),
        row("ttft_reduction.least", "least TTFT reduction, SWE", "above 0", ttft.min(), ttft.min() > 0),
        row("ttft_reduction.most", "largest TTFT reduction, SWE", "above 0", ttft.max(), ttft.max() > 0),
        row("best_non_oracle.hit_rate", "best non-oracle on hit rate and AMAT", "every corpus",
            len(best), len(best) == len(system)),
    ]  # fmt: skip


def _of_one(table: pd.DataFrame) -> list[dict[str, object]]:
    """Statements about single corpora; those not in this run are not applicable."""
    values = table.set_index(["corpus", "policy"])
    corpus = "swe-qwen3"

    def ours(name: str, policy: str, column: str) -> float:
        return float(values[column].get((name, policy), math.nan))

    lru, oracle = ours(corpus, BASELINE, "hit_rate"), ours(corpus, ORACLE, "hit_rate")
    system, scout = ours(corpus, UNISON, "hit_rate"), ours(corpus, "cachescout", "hit_rate")
    scout_gain = ours(corpus, "cachescout", "hit_gain")

    def row(name: str, claim: str, rule: str, value: float, is_met: bool) -> dict[str, object]:
        return beside(SECTION + name, claim, rule, value, is_met)

    rows = [
        row("hit_rate.swe-qwen3.lru", f"hit rate, {corpus}, LRU", "below Unison's", lru, lru < system),
        row("hit_rate.swe-qwen3.unison", f"hit rate, {corpus}, Unison", "below Bélády's", system,
            system < oracle),
        row("hit_rate.swe-qwen3.belady", f"hit rate, {corpus}, Bélády", "above LRU's", oracle,
            oracle > lru),
        row("hit_rate.swe-qwen3.cachescout", f"hit rate, {corpus}, CacheScout", "below LRU's there", scout,
            scout_gain < 0),
    ]  # fmt: skip
    for name in CORPORA:
        ratio = ours(name, UNISON, "amat_ratio")
        rows.append(row(f"amat_ratio.{name}", f"AMAT over LRU's, {name}", "below 1", ratio, ratio < 1))
    return rows


def best_corpora(table: pd.DataFrame, tie: float) -> list[str]:
    """Corpora on which no other causal policy beats UNISON, beyond a tie, on hit rate or on AMAT.

    Only contenders that ran in as many envelopes are compared.
    """
    best = []
    for corpus, group in table.groupby("corpus", sort=False):
        causal = group[group["info"] != InfoClass.ORACLE]
        system = causal[causal["policy"] == UNISON].iloc[0]
        rivals = causal[(causal["policy"] != UNISON) & (causal["envelopes"] == system["envelopes"])]
        wins_hits = system["hit_rate"] >= rivals["hit_rate"].max() - tie
        if wins_hits and system["amat_ratio"] <= rivals["amat_ratio"].min():
            best.append(str(corpus))
    return best
