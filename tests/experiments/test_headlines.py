"""Headlines: intervals by hand, pairing by seed, and the cells that they win, tie and lose."""

from __future__ import annotations

import pandas as pd
import pytest

from unison.experiments import headlines
from unison.experiments.headlines import (
    ALL,
    COMPLETION,
    RIVALS,
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
                    # Twice LRU's TTFT where all is tight, an eighth of it elsewhere; the rest are like LRU.
                    ttft = {"small": 8.0, "large": 0.5}[envelope] if label == UNISON else 4.0
                    rows.append((corpus, seed, envelope, label, 1.0, rate + extra, 0.5 * rate, amat, ttft))
    names = ["corpus", "seed", "envelope", "label", "live_share", "hit_rate", "prefill_reduction", "amat_ns"]
    names.append("ttft_p50_s")
    return pd.DataFrame(rows, columns=names)


CELLS = made_cells({0: 0.02, 1: 0.03, 2: 0.04})


def test_headlines_by_hand():
    per_seed = seed_headlines(CELLS).set_index(["corpus", "seed"])
    row = per_seed.loc[("one", 1)]
    assert row["hit_rate"] == pytest.approx(0.35 + 0.03)
    assert row["hit_gain"] == row["completion_gain"] == pytest.approx(0.03)
    assert row["amat_ratio"] == row["amat_completion_ratio"] == pytest.approx(0.5)
    assert row["ttft_ratio"] == row["ttft_completion_ratio"] == pytest.approx((2 * 0.125) ** 0.5)
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
    assert compared.loc[(COMPLETION, "TTFT"), ["win", "tie", "loss"]].tolist() == [2, 0, 2]
    counts = tab02_comparisons(paired).set_index(["rival", "measure"])
    assert counts.loc[(COMPLETION, "hit rate"), ["cells", "win", "tie", "loss"]].tolist() == [4, 4, 0, 0]


def test_ttft_is_of_the_replay_under_load_and_all_else_of_load_one(monkeypatch: pytest.MonkeyPatch):
    asked = []

    def made_sweep(corpora, variants, *, seeds, metrics, load=1.0):
        asked.append((load, tuple(metrics)))
        keys = ["corpus", "seed", "envelope", "label"]
        # Rows in another order at load, so that they have to be joined by their keys.
        return CELLS[[*keys, *metrics]].iloc[:: -1 if load > 1 else 1]

    monkeypatch.setattr(headlines, "sweep", made_sweep)
    cells = headlines.headline_cells([], [0, 1, 2], load=4)
    assert asked == [(1.0, headlines.METRICS), (4, ("ttft_p50_s",))]
    pd.testing.assert_series_equal(cells["ttft_p50_s"], CELLS["ttft_p50_s"])
