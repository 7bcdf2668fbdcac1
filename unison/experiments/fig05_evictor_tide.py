"""Figure 5: which evictor Tide helps, and how many of its promotions are of use."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unison.experiments.contenders import BASELINE
from unison.experiments.sweep import METRICS, Variant, beside_label, over_points, sweep
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


def fig05_cells(corpora: Sequence[Corpus]) -> pd.DataFrame:
    """Every evictor without and with Tide at every point, beside LRU without Tide."""
    return beside_label(sweep(corpora, evictor_variants(), metrics=(*METRICS, "promotions")), BASELINE)


def fig05(cells: pd.DataFrame, *, tie: float) -> pd.DataFrame:
    """Means over the points, a row for each evictor without and with Tide.

    Returns
    -------
    pandas.DataFrame
        ``policy``, ``tide``, the columns of `over_points` against LRU without Tide, ``hit_gain_least`` and
        ``hit_gain_most`` (over the points), ``promotions``, and ``prefetch_accuracy`` (promotions of use
        over all promotions of all points; missing where there are none).
    """
    named = cells.rename(columns={"value": "tide"})
    rows = over_points(named, ["policy", "tide"], tie=tie).drop(columns="prefetch_accuracy")
    useful = named.assign(useful=named["prefetch_accuracy"] * named["promotions"])
    groups = useful.groupby(["policy", "tide"])
    sums = groups[["useful", "promotions"]].sum()
    extra = pd.DataFrame(
        {
            "hit_gain_least": groups["hit_gain"].min(),
            "hit_gain_most": groups["hit_gain"].max(),
            "promotions": sums["promotions"],
            "prefetch_accuracy": sums["useful"] / sums["promotions"].where(sums["promotions"] > 0),
        }
    )
    return rows.join(extra, on=["policy", "tide"])
