"""Figure 4, the policy's side: how many session slots are worth having."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from unison.claims import paper_claim
from unison.experiments.contenders import UNISON
from unison.experiments.sweep import Variant, sweep
from unison.replay.tiering import Tiering
from unison.traces.corpus import Corpus

HIGHER_IS_BETTER = ("hit_rate", "prefill_reduction")
LOWER_IS_BETTER = ("amat_ns",)

ASE_CLAIMS = {n: f"hw.ase.n{n}" for n in (16, 32, 64)}
"""Claims with the paper's ASE, by the number of slots."""


def fig04_cells(corpora: Sequence[Corpus], slots: Sequence[int], seeds: Sequence[int]) -> pd.DataFrame:
    """UNISON with each number of slots: means over envelopes and seeds, beside those at the most slots.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``slots``, ``hit_rate``, ``prefill_reduction``, ``amat_ns`` (means),
        and for each ``<name>_norm``: x / x_max, for AMAT amat_max / amat, with the value at the most slots
        (EQUATIONS eq. 26).
    """
    variants = [
        Variant(UNISON, "spear", Tiering(tide=True), axis="slots", value=str(n), slots=n)
        for n in sorted(slots)
    ]
    names = [*HIGHER_IS_BETTER, *LOWER_IS_BETTER]
    cells = sweep(corpora, variants, seeds=seeds)
    means = cells.groupby(["corpus", "value"], sort=False)[names].mean().reset_index()
    means.insert(1, "slots", means.pop("value").astype(int))
    most = means[means["slots"] == max(slots)].set_index("corpus")
    for name in names:
        at_most = means["corpus"].map(most[name])
        worse, better = (means[name], at_most) if name in HIGHER_IS_BETTER else (at_most, means[name])
        means[f"{name}_norm"] = worse / better.where(better > 0)
    return means


def fig04_slots(cells: pd.DataFrame) -> pd.DataFrame:
    """ASE by slots: the geometric mean over corpora of that over the three normalised metrics (eq. 26)."""
    normed = [f"{name}_norm" for name in (*HIGHER_IS_BETTER, *LOWER_IS_BETTER)]
    logs = np.log(cells[normed])
    per_corpus = np.exp(logs.mean(axis=1)).rename("efficiency")
    ase = np.exp(np.log(per_corpus).groupby(cells["slots"]).mean()).rename("ase")
    ends = per_corpus.groupby(cells["slots"]).agg(least="min", most="max")
    return pd.concat([ase, ends], axis=1).reset_index()


def paper_ase(slots: Sequence[int]) -> list[float | None]:
    """The paper's ASE at each number of slots; None where it prints none."""
    return [paper_claim(ASE_CLAIMS[n]).number if n in ASE_CLAIMS else None for n in slots]
