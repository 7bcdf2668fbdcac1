"""The experiments on flash placement, at a small size."""

from __future__ import annotations

import pandas as pd
import pytest

from unison.experiments import tab12_flash_fit as fits
from unison.experiments import tab12_flash_gap as gap
from unison.experiments import tab12_flash_grid as grids
from unison.experiments import tab12_flash_policies as policies
from unison.experiments import tab12_flash_sensitivity as sensitivity
from unison.experiments import tab12_flash_wear as wear
from unison.experiments.flash_cells import (
    BASELINE,
    BOUND,
    LACHESIS,
    MAIN,
    OURS,
    Cell,
    Prepared,
    run_cell,
    run_cells,
)
from unison.experiments.tab12_flash_sensitivity import device_sensitivity, flash_facts
from unison.flash.policies.remaining_life import RemainingLife
from unison.flash.segments import SegmentClass

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


def test_the_ranking_is_better_the_more_it_is_told():
    cells = policies.reference_cells("smoke")
    rows = run_cells([cell for cell in cells if cell.regime == "mixed"], (LACHESIS, BOUND), jobs=1)
    told = gap.gap_parts(rows, "smoke", jobs=1).set_index("told")
    assert list(told.index) == list(gap.TOLD)
    assert 0 < told.loc["nothing", "closes"] < told.loc["all three", "closes"] <= 1
    assert (told.drop([gap.BY_MEAN, "nothing"])["closes"] > told.loc["nothing", "closes"]).all()
    assert (told["closes_least"] <= told["closes"]).all()


@pytest.mark.parametrize("cell", policies.reference_cells("smoke"), ids=lambda cell: cell.regime)
def test_told_all_and_counted_from_the_beginning_the_ranking_keeps_nearly_what_the_bound_keeps(cell):
    prepared = Prepared(cell)
    prepared.count_all()
    kept = prepared.run(RemainingLife(prepared.setting, known=tuple(SegmentClass))).books.kept
    most = prepared.run(prepared.build(BOUND)).books.kept
    assert 0.985 * most < kept <= most


def test_a_fit_test_that_books_less_lets_more_workers_in(monkeypatch):
    monkeypatch.setattr(fits, "reference_cells", lambda profile: [CELL])
    table = fits.flash_fit("smoke", jobs=1).set_index("fit")
    assert table.loc[fits.BASELINE_TEST, "improvement"] == 1.0
    low, high = (table[table["quantile"] == quantile].iloc[0] for quantile in (0.1, 0.9))
    assert low["booked_blocks"] < table.loc[fits.MEAN_PEAK, "booked_blocks"] < high["booked_blocks"]
    assert low["let_in"] > high["let_in"]
    assert low["hbm_used"] > high["hbm_used"]
    assert table["let_in"].isna().tolist()[:2] == [True, True]


@pytest.fixture(scope="module")
def guard() -> pd.DataFrame:
    return pd.DataFrame(wear._guarded(CELL))


def test_the_guard_has_every_placement_at_the_load_that_was_admitted(guard):
    assert guard["policy"].tolist() == list(wear.GUARDED)
    assert guard["holds"].all()
    assert (guard["high_tpot_ms"] <= guard["limit_ms"]).all()
    assert guard["flash_read_share"].between(0, 1).all()
    assert (guard["flash_read_use"] < 1).all()
    # All the KV that decoding reads comes from one of the two tiers.
    read = guard["kv_flash_gb_per_s"] + guard["kv_hbm_gb_per_s"]
    assert read.max() == pytest.approx(read.min())


def test_every_effect_shortens_the_life_and_a_hot_spot_leaves_the_improvement(guard):
    table = wear.wear_effects(guard, "smoke")
    years = table.pivot_table(index="policy", columns="effect", values="device_years")
    assert (years.drop(columns=wear.NO_EFFECT).lt(years[wear.NO_EFFECT], axis=0)).all(axis=None)
    gains = table.set_index(["effect", "policy"])["improvement"]
    assert gains["wear concentrated 10.7 times", LACHESIS] == pytest.approx(gains[wear.NO_EFFECT, LACHESIS])
    assert (gains.xs(BASELINE, level="policy") == 1).all()


def test_partial_pages_wear_by_what_is_appended(guard):
    # 2,048 bytes of K, or V, of a layer in a page of 4,096: twice as much for the share that is appended.
    row = guard.iloc[0].copy()
    row["appended_share"] = 0.5
    years = wear._years(row, "smoke")
    assert years[wear.NO_EFFECT] / years["partial pages of 4 KiB"] == pytest.approx(1.5)


def test_endurance_scales_the_years_and_leaves_the_improvement(rows):
    table = device_sensitivity(rows, "full")
    mine = table[(table["policy"] == LACHESIS) & (table["constant"] == "cycles")]
    assert mine["device_years"].iloc[2] / mine["device_years"].iloc[0] == pytest.approx(100)
    assert mine["improvement"].max() == pytest.approx(mine["improvement"].min())


def test_lru_k_is_told_for_every_k(monkeypatch):
    monkeypatch.setattr(sensitivity, "reference_cells", lambda profile, seeds: [CELL])
    table = sensitivity.lru_k_sensitivity("smoke", jobs=1).set_index("k")
    assert list(table.index) == [1, 2, 5, 10]
    # At its first access every segment is admitted to flash, and nothing stays in HBM.
    assert table.loc[1, "flash_share"] == 1.0
    assert table["flash_share"].nunique() == 4


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
