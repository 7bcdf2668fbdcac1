"""The experiments on flash placement, at a small size."""

from __future__ import annotations

import pandas as pd
import pytest

from unison.experiments import tab12_flash_grid as grids
from unison.experiments import tab12_flash_policies as policies
from unison.experiments.flash_cells import BASELINE, BOUND, LACHESIS, MAIN, OURS, Cell, run_cell
from unison.experiments.tab12_flash_sensitivity import device_sensitivity, flash_facts

CELL = Cell("structural", "llama-4-maverick", "hbm2", "tight", profile="smoke")


@pytest.fixture(scope="module")
def rows() -> pd.DataFrame:
    return pd.DataFrame(run_cell(CELL, MAIN))


def test_every_placement_writes_the_same_volume_and_the_bound_keeps_most(rows):
    assert rows["written_blocks"].nunique() == 1
    by_policy = rows.set_index("policy")
    assert by_policy.loc[BASELINE, "improvement"] == 1.0
    assert by_policy["kept_share"].idxmax() == BOUND
    assert by_policy.loc[OURS, "flash_share"] < by_policy.loc[LACHESIS, "flash_share"]
    assert (rows["kept_share"] + rows["flash_share"]).tolist() == pytest.approx([1.0] * len(rows))


def test_the_improvement_is_the_ratio_of_the_years(rows):
    facts = flash_facts(rows).set_index("fact")["value"]
    assert facts["volume_difference"] == 0
    assert facts["identity_difference"] < 1e-12
    assert facts["lachesis_moved_share"] == 0
    assert facts["engine_calls"] == 2
    assert facts["days_at_full_rate"] == pytest.approx(12.1, abs=0.05)
    assert facts["budget_per_stack"] == pytest.approx(0.318, abs=0.0005)


def test_means_set_lachesis_to_0_and_the_bound_to_1(rows):
    means = policies.policy_means(rows).set_index("policy")["closes"]
    assert means[LACHESIS] == 0.0
    assert means[BOUND] == 1.0
    assert 0 < means[OURS] < 1


def test_endurance_scales_the_years_and_leaves_the_improvement(rows):
    table = device_sensitivity(rows, "full")
    mine = table[(table["policy"] == LACHESIS) & (table["constant"] == "cycles")]
    assert mine["device_years"].iloc[2] / mine["device_years"].iloc[0] == pytest.approx(100)
    assert mine["improvement"].max() == pytest.approx(mine["improvement"].min())


def test_the_summary_has_ranges_by_regime_and_level(rows):
    other = rows.assign(config="hbm3", improvement=rows["improvement"] + 1)
    summary = grids.grid_summary(pd.concat([rows, other], ignore_index=True)).set_index("policy")
    assert summary.loc[BASELINE, "improvement_most"] - summary.loc[BASELINE, "improvement_least"] == 1
    assert summary.loc[LACHESIS, "cells"] == 2


def test_the_grid_of_the_full_profile_has_every_configuration():
    cells = grids.grid_cells("full")
    # 4 regimes, 2 models, 5 memory configurations, 2 service levels.
    assert len(cells) == len(set(cells)) == 80
    assert len(grids.grid_cells("smoke")) == 8
