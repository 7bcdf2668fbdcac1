"""Figure 5: which evictor Tide helps, and how many of its promotions are of use."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unison.experiments.contenders import BASELINE
from unison.experiments.sweep import METRICS, POINT, Variant, beside_label, over_points, over_seeds, sweep
from unison.replay.tiering import Tiering
from unison.traces.corpus import Corpus

EVICTORS = ("lru", "lru_completion", "agserve_eta", "spear")
OFF, ON = "off", "on"


def evictor_variants() -> list[Variant]:
    """Every evictor without and with Tide."""
    return [
        Variant(name + suffix, name, Tiering(tide=tide == ON), axis="tide", value=tide)
        for name in EVICTORS
        for tide, suffix in ((OFF, ""), (ON, "+tide"))
    ]


def fig05_cells(corpora: Sequence[Corpus], seeds: Sequence[int]) -> pd.DataFrame:
    """Every evictor without and with Tide at every point and seed, beside LRU without Tide."""
    cells = sweep(corpora, evictor_variants(), seeds=seeds, metrics=(*METRICS, "promotions"))
    return beside_label(cells, BASELINE)


def fig05(cells: pd.DataFrame, *, confidence: float) -> pd.DataFrame:
    """Means over the points, a row for each evictor without and with Tide.

    Returns
    -------
    pandas.DataFrame
        ``policy``, ``tide``, the columns of `over_points` against LRU without Tide, ``hit_gain_least`` and
        ``hit_gain_most`` (over the points), ``promotions``, and ``prefetch_accuracy`` (promotions of use
        over all promotions of all points and seeds; missing where there are none).
    """
    named = cells.rename(columns={"value": "tide"})
    rows = over_points(named, ["policy", "tide"], confidence=confidence).drop(columns="prefetch_accuracy")
    useful = named.assign(useful=named["prefetch_accuracy"] * named["promotions"])
    groups = useful.groupby(["policy", "tide"])
    sums = groups[["useful", "promotions"]].sum()
    at_points = over_seeds(named, ["policy", "tide", *POINT]).groupby(["policy", "tide"])["hit_gain"]
    extra = pd.DataFrame(
        {
            "hit_gain_least": at_points.min(),
            "hit_gain_most": at_points.max(),
            "promotions": sums["promotions"],
            "prefetch_accuracy": sums["useful"] / sums["promotions"].where(sums["promotions"] > 0),
        }
    )
    return rows.join(extra, on=["policy", "tide"])
