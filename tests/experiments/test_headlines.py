"""Headlines: intervals by hand, pairing by seed, and the cells that they win, tie and lose."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unison.errors import UnisonError
from unison.experiments.headlines import (
    ALL,
    COMPLETION,
    RIVALS,
    mean_interval,
    paired_cells,
    seed_headlines,
    tab02_comparisons,
    tab02_headlines,
)

UNISON = "spear+tide"


def made_cells(gain_by_seed: dict[int, float]) -> pd.DataFrame:
    """Two corpora, two envelopes; UNISON hits `gain` more than every rival but Belady, who hits 0.1 more."""
    rows = []
    for number, corpus in enumerate(("one", "two")):
        for seed, gain in gain_by_seed.items():
            for envelope in ("small", "large"):
                # What a seed does to all is far larger than the gain: only pairing shows the gain.
                rate = 0.3 + 0.1 * number + 0.05 * seed
                for label in (UNISON, *RIVALS):
                    extra = gain if label == UNISON else gain + 0.1 if label == "belady" else 0.0
                    amat = 50.0 if label == UNISON else 100.0
                    rows.append((corpus, seed, envelope, label, 1.0, rate + extra, 0.5 * rate, amat))
    names = ["corpus", "seed", "envelope", "label", "live_share", "hit_rate", "prefill_reduction", "amat_ns"]
    return pd.DataFrame(rows, columns=names)


CELLS = made_cells({0: 0.02, 1: 0.03, 2: 0.04})


def test_interval_of_a_mean_by_hand():
    # Mean 3, standard deviation 1, three values: 3 +- 4.302653 / sqrt(3).
    low, high = mean_interval(np.asarray([2.0, 3.0, 4.0]), 0.95)
    assert (low, high) == pytest.approx((3 - 2.484138, 3 + 2.484138), abs=1e-6)


def test_one_seed_has_no_interval():
    with pytest.raises(UnisonError, match="at least two"):
        mean_interval(np.asarray([1.0]), 0.95)


def test_headlines_by_hand():
    per_seed = seed_headlines(CELLS).set_index(["corpus", "seed"])
    row = per_seed.loc[("one", 1)]
    assert row["hit_rate"] == pytest.approx(0.35 + 0.03)
    assert row["hit_gain"] == row["completion_gain"] == pytest.approx(0.03)
    assert row["amat_ratio"] == row["amat_completion_ratio"] == pytest.approx(0.5)
    assert row["oracle_ratio"] == pytest.approx(0.38 / 0.48)
    assert per_seed.loc[(ALL, 1), "hit_rate"] == pytest.approx((0.38 + 0.48) / 2)


def test_intervals_are_paired_by_seed():
    table = tab02_headlines(seed_headlines(CELLS), confidence=0.95).set_index(["corpus", "headline"])
    gain, rate = table.loc[("one", "hit_gain")], table.loc[("one", "hit_rate")]
    assert gain["mean"] == pytest.approx(0.03)
    assert (gain["low"], gain["high"]) == pytest.approx((0.03 - 0.02484138, 0.03 + 0.02484138))
    assert gain["seeds"] == 3
    assert rate["high"] - rate["low"] > 5 * (gain["high"] - gain["low"])


def test_cells_are_won_tied_and_lost_by_their_intervals():
    paired = paired_cells(CELLS, confidence=0.95)
    assert len(paired) == len(RIVALS) * 2 * 2
    lost = paired[paired["rival"] == "belady"]
    assert set(lost["hit_verdict"]) == {"loss"}
    assert lost["hit_gain"].tolist() == pytest.approx([-0.1] * 4)
    unsure = paired_cells(made_cells({0: -0.02, 1: 0.0, 2: 0.03}), confidence=0.95)
    compared = tab02_comparisons(unsure).set_index(["rival", "measure"])
    assert compared.loc[(COMPLETION, "hit rate"), ["win", "tie", "loss"]].tolist() == [0, 4, 0]
    assert compared.loc[(COMPLETION, "AMAT"), ["win", "tie", "loss"]].tolist() == [4, 0, 0]
    counts = tab02_comparisons(paired).set_index(["rival", "measure"])
    assert counts.loc[(COMPLETION, "hit rate"), ["cells", "win", "tie", "loss"]].tolist() == [4, 4, 0, 0]
