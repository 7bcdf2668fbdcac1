"""Ancillary parameters: read latency, DMA bandwidth and prefill rate, one moved at a time."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from fractions import Fraction

import pandas as pd

from unison.experiments.contenders import BASELINE, UNISON
from unison.experiments.sweep import AT, Variant, beside_label, over_points, sweep
from unison.replay.tiering import Tiering
from unison.traces.corpus import Corpus

PARAMETERS: dict[str, Callable[[Variant, float], Variant]] = {
    "read latency": lambda variant, factor: dataclasses.replace(variant, read_factor=factor),
    "DMA bandwidth": lambda variant, factor: dataclasses.replace(variant, dma_factor=factor),
    "prefill rate": lambda variant, factor: dataclasses.replace(variant, prefill_factor=factor),
}


def tab05_ancillary(
    corpora: Sequence[Corpus], factors: Sequence[Fraction], *, seeds: Sequence[int], confidence: float
) -> pd.DataFrame:
    """AMAT of UNISON against LRU with one parameter of the device multiplied.

    Parameters
    ----------
    corpora : sequence of Corpus
    factors : sequence of Fraction
        1 among them.
    seeds : sequence of int
        Of corpora and schedules.
    confidence : float
        Of the intervals by which points are counted.

    Returns
    -------
    pandas.DataFrame
        ``parameter``, ``factor``, the columns of `over_points`, ``amat_gain`` (mean over the points of one
        less the AMAT ratio) and ``shift``, its difference to factor 1.
    """
    variants = [
        move(Variant(label, policy, tiering, axis=name, value=str(factor)), float(factor))
        for name, move in PARAMETERS.items()
        for factor in factors
        for label, policy, tiering in (
            (BASELINE, BASELINE, Tiering()),
            (UNISON, "spear", Tiering(tide=True)),
        )
    ]
    joined = beside_label(sweep(corpora, variants, seeds=seeds), BASELINE, on=[*AT, "axis", "value"])
    ours = joined[joined["label"] == UNISON].rename(columns={"axis": "parameter", "value": "factor"})
    keys = ["parameter", "factor"]
    gain = (1 - ours["amat_ratio"]).groupby([ours[key] for key in keys]).mean().rename("amat_gain")
    rows = over_points(ours, keys, confidence=confidence).join(gain, on=keys)
    device = rows[rows["factor"] == "1"].set_index("parameter")["amat_gain"]
    return rows.assign(shift=rows["amat_gain"] - rows["parameter"].map(device))
