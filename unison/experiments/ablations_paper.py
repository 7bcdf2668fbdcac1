"""The ablations beside the paper's: each published number with the rule that ours is held to."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unison.claims import paper_claim
from unison.experiments.beside import beside, covers_series
from unison.experiments.fig05_evictor_tide import ON
from unison.experiments.tab03_capacity import SRAM
from unison.replay.dual import REQUESTS

SRAM_TOKENS = 40_000
"""The SRAM for which the paper prints its gain."""

DUAL_EVERY = 8

HARDLY = 0.1
"""A share that the words "hardly ever" still cover."""

ASE_CLAIMS = {n: f"hw.ase.n{n}" for n in (16, 32, 64)}
"""Claims with the paper's ASE, by the number of slots."""


def paper_ase(slots: Sequence[int]) -> list[float | None]:
    """The paper's ASE at each number of slots; None where it prints none."""
    return [paper_claim(ASE_CLAIMS[n]).number if n in ASE_CLAIMS else None for n in slots]


def ablations_paper(
    corpora: Sequence[str],
    *,
    dual: pd.DataFrame,
    evictors: pd.DataFrame,
    left_out: pd.DataFrame,
    capacity: pd.DataFrame,
    ancillary: pd.DataFrame,
    slots: pd.DataFrame,
) -> pd.DataFrame:
    """Published numbers of the ablations beside ours, by sign or order.

    Parameters
    ----------
    corpora : sequence of str
        Names of the corpora of the run; the statements are about all six.
    dual, evictors, left_out, capacity, ancillary, slots : pandas.DataFrame
        Of `tab01`, `fig05`, `fig06`, `tab03`, `tab05_ancillary` and `fig04_slots`.

    Returns
    -------
    pandas.DataFrame
        The columns of `unison.experiments.beside.beside`.
    """
    is_series = covers_series(list(corpora))

    def row(name: str, claim: str, rule: str, ours: float, is_met: bool) -> dict[str, object]:
        return beside(name, claim, rule, float(ours) if is_series else None, bool(is_met))

    late = dual[(dual["unit"] == REQUESTS) & (dual["every"] == DUAL_EVERY)]
    drop = -100 * late["hit_change_least"].min()
    accuracy = evictors[evictors["tide"] == ON].set_index("policy")["prefetch_accuracy"]
    impact = left_out[left_out["axis"] == "left out"].set_index("value")["impact"]
    sram = capacity[(capacity["axis"] == SRAM) & (capacity["sram_tokens"] == SRAM_TOKENS)]
    gain, reduction = sram["hit_gain"].mean(), sram["amat_reduction"].mean()
    amat = ancillary[ancillary["factor"] == "1"]["amat_gain"].mean()
    shift, most = 100 * ancillary["shift"].abs().max(), paper_claim("tab05.ancillary.spread").number
    rows = [
        row("tab01.dual.hit_drop", "two files, largest drop, every 8 requests", "above 0", drop, drop > 0),
        row("fig05.prefetch_accuracy", "prefetch accuracy of Tide with LRU", f"at most {100 * HARDLY:g} %",
            100 * accuracy["lru"], accuracy["lru"] <= HARDLY),
        row("fig06.idle", "mean size of what elapsed idle does to hit rate", "least of the signals",
            100 * impact["idle"], impact["idle"] <= min(impact["hazard"], impact["gap"])),
        row("tab03.sram_40k.hit_gain", "hit-rate gain over LRU, SRAM 40K", "above 0", 100 * gain, gain > 0),
        row("tab03.sram_40k.amat", "change of AMAT, SRAM 40K", "below 0", -100 * reduction, reduction > 0),
        row("tab05.ancillary.mean", "mean AMAT gain", "above 0", 100 * amat, amat > 0),
        row("tab05.ancillary.spread", "largest move of it by a device parameter", "at most the paper's",
            shift, shift <= most),
    ]  # fmt: skip
    return pd.DataFrame(rows + [row(*one) for one in _of_slots(slots)])


def _of_slots(slots: pd.DataFrame) -> list[tuple[str, str, str, float, bool]]:
    """ASE where the paper prints it: it rises with the slots."""
    ase = slots.set_index("slots")["ase"]
    found = []
    for n in ase.index:
        if n in ASE_CLAIMS:
            fewer = ase[ase.index < n]
            rises = fewer.empty or ase[n] > fewer.max()
            found.append(
                (ASE_CLAIMS[n], f"ASE at {n} slots", "above fewer slots'", float(ase[n]), bool(rises))
            )
    return found
