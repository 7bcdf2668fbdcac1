"""The surface: its summary by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from unison.experiments.fig08_surface import grid_summary, surface_grid, verdicts

# Two seeds at two spreads: against LRU (0.2) the gains are 0.10 and 0.12, then 0.05 and -0.05; LRU with
# completion has the same hit rate as LRU in every replay.
RATES = pd.DataFrame(
    [
        ("c", spread, 0.0, 1.0, policy, seed, 0.2 + (gain if policy == "spear+tide" else 0.0), 0.5)
        for spread, gains in ((0.5, (0.10, 0.12)), (2.0, (0.05, -0.05)))
        for seed, gain in enumerate(gains)
        for policy in ("lru", "lru_completion", "spear+tide")
    ],
    columns=["corpus", "dispersion", "session_share", "capacity_share", "policy", "seed", "hit_rate",
             "token_hit_rate"],
)  # fmt: skip
GRID = surface_grid(RATES, confidence=0.5)


def test_points_are_won_beyond_their_interval_and_tied_within_it():
    # At 50 % and two seeds the half-width is half the distance: 0.11 +- 0.01 is a win, 0 +- 0.05 a tie.
    rows = grid_summary(GRID).set_index("policy")
    row = rows.loc["spear+tide"]
    assert (row["points"], row["gain_wins"], row["gain_ties"], row["gain_losses"]) == (2, 1, 1, 0)
    assert row["gain"] == row["gain_completion"] == pytest.approx(0.055)
    assert (row["hit_rate_least"], row["hit_rate_most"]) == pytest.approx((0.2, 0.31))
    assert rows.loc["lru", ["gain_wins", "gain_ties", "gain_losses"]].tolist() == [0, 2, 0]


def test_verdicts_count_each_spread_apart():
    table = verdicts(GRID).set_index(["rival", "dispersion"])
    assert table.loc[("lru", 0.5), ["points", "wins", "ties", "losses"]].tolist() == [1, 1, 0, 0]
    assert table.loc[("lru", 2.0), ["points", "wins", "ties", "losses"]].tolist() == [1, 0, 1, 0]
