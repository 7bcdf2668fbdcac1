"""Table III: the gain as HBM grows, as SRAM grows, and as a fixed total is shared between them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from unison.device import Costs
from unison.experiments.contenders import BASELINE, UNISON
from unison.experiments.sweep import (
    Variant,
    beside_label,
    counted,
    default_envelope_of,
    over_points,
    over_seeds,
    sweep,
)
from unison.replay.envelope import Envelope
from unison.replay.tiering import Tiering
from unison.traces.corpus import Corpus
from unison.traces.trace import Trace

HBM, SRAM, PARTITION = "HBM", "SRAM", "partition"
RIVAL = "lru_completion"


@dataclass(frozen=True)
class CapacityAxes:
    """Capacities, as shares of the default envelope's total (EQUATIONS eq. 3).

    Attributes
    ----------
    hbm, sram : tuple of Fraction
        Of one tier, while the other keeps its default.
    partition : tuple of Fraction
        Of SRAM, while the total stays.
    """

    hbm: tuple[Fraction, ...]
    sram: tuple[Fraction, ...]
    partition: tuple[Fraction, ...]


def capacity_envelopes(trace: Trace, costs: Costs, *, axes: CapacityAxes) -> list[Envelope]:
    """An envelope for each point of each axis, named ``axis share``."""
    default = default_envelope_of(trace, costs)[0]
    sram, hbm = (tier.capacity_tokens for tier in default.tiers)
    total = default.total_tokens
    found = [_sized(default, f"{HBM} {share}", sram, int(share * total)) for share in axes.hbm]
    found += [_sized(default, f"{SRAM} {share}", int(share * total), hbm) for share in axes.sram]
    for share in axes.partition:
        upper = int(share * total)
        found.append(_sized(default, f"{PARTITION} {share}", upper, total - upper))
    return found


def _sized(envelope: Envelope, name: str, sram: int, hbm: int) -> Envelope:
    upper, lower = envelope.tiers
    tiers = (
        dataclasses.replace(upper, capacity_tokens=sram),
        dataclasses.replace(lower, capacity_tokens=hbm),
    )
    return dataclasses.replace(envelope, name=name, tiers=tiers)


def tab03_cells(corpora: Sequence[Corpus], axes: CapacityAxes, seeds: Sequence[int]) -> pd.DataFrame:
    """UNISON at every point of every axis and seed beside LRU, with the gain over LRU with completion.

    Returns
    -------
    pandas.DataFrame
        Of `beside_label`, UNISON's rows only, with ``axis``, ``share`` and ``completion_gain``.
    """
    variants = [
        Variant(BASELINE, BASELINE),
        Variant(RIVAL, RIVAL),
        Variant(UNISON, "spear", Tiering(tide=True)),
    ]
    envelopes = functools.partial(capacity_envelopes, axes=axes)
    cells = sweep(corpora, variants, seeds=seeds, envelopes=envelopes)
    ours = beside_label(cells, BASELINE)
    ours["completion_gain"] = beside_label(cells, RIVAL)["hit_gain"]
    ours[["axis", "share"]] = ours["envelope"].str.split(" ", expand=True)
    return ours[ours["label"] == UNISON].reset_index(drop=True)


def tab03_curves(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells of `tab03_cells` as means over the seeds, with ``hbm_tokens`` and ``amat_reduction``."""
    means = over_seeds(cells, ["corpus", "axis", "share"])
    means["hbm_tokens"] = means["total_tokens"] - means["sram_tokens"]
    return means.assign(amat_reduction=1 - means["amat_ratio"])


def tab03(cells: pd.DataFrame, *, confidence: float) -> pd.DataFrame:
    """Table III: means over the corpora at each capacity.

    Returns
    -------
    pandas.DataFrame
        ``axis``, ``share``, ``sram_tokens`` and ``hbm_tokens`` (means, equal for the synthetic corpora), the
        columns of `over_points` against LRU, ``completion_gain``, and ``completion_wins``,
        ``completion_ties``, ``completion_losses``.
    """
    keys = ["axis", "share"]
    rows = over_points(cells, keys, confidence=confidence)
    means = tab03_curves(cells).groupby(keys)[["sram_tokens", "hbm_tokens", "completion_gain"]].mean()
    counts = counted(cells, cells["completion_gain"], keys, confidence=confidence)
    return rows.join(means, on=keys).join(counts.add_prefix("completion_"), on=keys)
