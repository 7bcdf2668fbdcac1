"""The ablations: each table against the sweep or by hand, and what it is said to compare."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from support.sessions import make_corpus

from unison.config import load_defaults
from unison.device import costs_for
from unison.experiments import (
    fig04_slots,
    fig05_evictor_tide,
    fig06_leave_one_out,
    tab01_dual,
    tab03_capacity,
    tab05_ancillary,
    tab06_options,
)
from unison.experiments import sweep as sweeping
from unison.experiments.runner import DEFAULT_MODEL, envelopes_of, signals_of
from unison.policies.ranking import Ranking
from unison.policies.registry import build_policy, get_policy
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule

DEFAULTS = load_defaults("smoke")
AXES, STATISTICS = DEFAULTS.ablation, DEFAULTS.statistics
SEEDS, LEVEL = (0, 1), 0.95


def made_corpus(seed: int, name: str) -> Corpus:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(2, 9, 60)
    return make_corpus(lengths, gaps_s=rng.exponential(20, int(lengths.sum()) - 60) + 0.01, name=name)


CORPORA = (made_corpus(1, "one"), made_corpus(2, "two"))


@pytest.fixture(autouse=True)
def _in_this_process(monkeypatch: pytest.MonkeyPatch):
    """Sweep without other processes, whose start would take most of the time."""
    plain = sweeping.joblib.Parallel
    monkeypatch.setattr(sweeping.joblib, "Parallel", lambda n_jobs: plain(n_jobs=1))


def ranking(name: str) -> Ranking:
    built = build_policy(name, signals_of(base_schedule(CORPORA[0])))
    assert isinstance(built, Ranking)
    return built


# --- Table I --------------------------------------------------------------------------------------------


def test_dual_files_synchronised_at_every_event_are_one_file():
    cells = tab01_dual.tab01_cells(CORPORA, every=(1, 4), statistics=STATISTICS)
    every_event = cells[(cells["unit"] == "events") & (cells["every"] == 1)]
    assert every_event["same_evictions"].all()
    assert every_event["same_swaps"].all()
    assert (every_event["hit_change"] == 0).all()
    assert cells[cells["every"] == 4]["stale_victims"].sum() > 0
    table = tab01_dual.tab01(cells).set_index(["unit", "every"])
    late = cells[(cells["unit"] == "requests") & (cells["every"] == 4)]
    assert table.loc[("requests", 4), "hit_change"] == pytest.approx(late["hit_change"].mean())
    assert table.loc[("requests", 4), "hit_change_least"] == late["hit_change"].min()
    moves = table.loc[("requests", 4), ["better", "same", "worse"]].tolist()
    assert moves == [(late["verdict"] == kind).sum() for kind in ("win", "tie", "loss")]
    assert (late["change_low"] <= late["hit_change"]).all()
    assert (late["hit_change"] <= late["change_high"]).all()
    assert table.loc[("events", 1), "same"] == len(CORPORA)
    share = late["stale_victims"].sum() / late["victims"].sum()
    assert table.loc[("requests", 4), "stale_share"] == pytest.approx(share)


def test_scarce_envelope_is_the_one_nearest_to_half_the_live_set():
    trace = base_schedule(CORPORA[0])
    envelopes = envelopes_of(trace, costs_for(DEFAULT_MODEL))  # shares 1/8, 1/4, 1/2, 3/4, 1 and 3/2
    assert tab01_dual.scarce_envelope(trace, envelopes).name == "x1/2"


# --- Figures 5 and 6 ------------------------------------------------------------------------------------


def test_prefetch_accuracy_is_over_all_promotions_of_all_points():
    cells = fig05_evictor_tide.fig05_cells(CORPORA, SEEDS)
    table = fig05_evictor_tide.fig05(cells, confidence=LEVEL).set_index(["policy", "tide"])
    mine = cells[cells["label"] == "spear+tide"]
    useful = (mine["prefetch_accuracy"] * mine["promotions"]).sum()
    assert table.loc[("spear", "on"), "prefetch_accuracy"] == pytest.approx(useful / mine["promotions"].sum())
    assert math.isnan(table.loc[("spear", "off"), "prefetch_accuracy"])
    assert table.loc[("lru", "off"), "hit_gain"] == 0
    assert (table["points"] == len(CORPORA) * 6).all()


def test_without_hazard_the_order_is_that_of_the_gap_and_without_gap_that_of_the_hazard():
    signals = signals_of(base_schedule(CORPORA[0]))
    np.testing.assert_array_equal(ranking("spear_no_hazard").base, signals.gap_ema_ns)
    hazard = np.rint((1 - signals.sigma) * 500e9)
    np.testing.assert_array_equal(ranking("spear_no_gap").base, hazard)
    both = np.rint(signals.gap_ema_ns / signals.sigma + (1 - signals.sigma) * 500e9)
    np.testing.assert_array_equal(ranking("spear").base, both)
    assert all(get_policy(name).is_ablation for name in ("spear_no_hazard", "spear_no_gap"))


def test_leaving_out_is_measured_against_full_spear_at_the_same_point():
    cells = fig06_leave_one_out.fig06_cells(CORPORA, SEEDS)
    table = fig06_leave_one_out.fig06(cells, confidence=LEVEL).set_index("value")
    assert set(cells["value"]) == {"hazard", "gap", "idle", "completion", "idle (b)", "idle (c)"}
    assert not cells.duplicated(["corpus", "seed", "envelope", "value"]).any()
    points = fig06_leave_one_out.fig06_points(cells)
    idle = points[points["value"] == "idle"]
    assert idle["hit_gain"].mean() == pytest.approx(table.loc["idle", "hit_gain"])
    assert len(idle) == len(CORPORA) * 6
    assert table.loc["idle", "impact"] == pytest.approx(idle["hit_gain"].abs().mean())
    assert table.loc["idle", "hit_gain_least"] == idle["hit_gain"].min()
    assert table.loc["idle", ["wins", "ties", "losses"]].sum() == len(idle)


# --- Table III and the device ---------------------------------------------------------------------------


def test_capacity_axes_move_one_tier_or_the_border():
    trace, costs = base_schedule(CORPORA[0]), costs_for(DEFAULT_MODEL)
    default = envelopes_of(trace, costs)[1]
    sram, hbm = (tier.capacity_tokens for tier in default.tiers)
    total = default.total_tokens
    axes = tab03_capacity.CapacityAxes((Fraction(2),), (Fraction(1, 3),), (Fraction(2, 3),))
    found = {e.name: e for e in tab03_capacity.capacity_envelopes(trace, costs, axes=axes)}
    sizes = {name: tuple(t.capacity_tokens for t in e.tiers) for name, e in found.items()}
    assert sizes == {
        "HBM 2": (sram, 2 * total),
        "SRAM 1/3": (total // 3, hbm),
        "partition 2/3": (2 * total // 3, total - 2 * total // 3),
    }


def test_capacity_table_has_a_row_for_each_capacity():
    axes = tab03_capacity.CapacityAxes(AXES.hbm_shares, AXES.sram_shares, AXES.partition_shares)
    cells = tab03_capacity.tab03_cells(CORPORA, axes, SEEDS)
    table = tab03_capacity.tab03(cells, confidence=LEVEL)
    assert table.groupby("axis")["share"].nunique().to_dict() == {"HBM": 2, "SRAM": 2, "partition": 2}
    assert (table["points"] == len(CORPORA)).all()
    row = table.iloc[0]
    at = cells[(cells["axis"] == row["axis"]) & (cells["share"] == row["share"])]
    assert row["completion_gain"] == pytest.approx(at["completion_gain"].mean())
    assert (table[["completion_wins", "completion_ties", "completion_losses"]].sum(axis=1) == 2).all()
    curves = tab03_capacity.tab03_curves(cells)
    assert len(curves) == len(table) * len(CORPORA)
    assert (curves["hbm_tokens"] + curves["sram_tokens"] == curves["total_tokens"]).all()


def test_device_parameters_are_compared_with_factor_1():
    table = tab05_ancillary.tab05_ancillary(CORPORA, AXES.factors, seeds=SEEDS, confidence=LEVEL)
    assert len(table) == 3 * len(AXES.factors)
    assert (table[table["factor"] == "1"]["shift"] == 0).all()
    gains = table.set_index(["parameter", "factor"])["amat_gain"]
    assert gains["read latency", "4"] == pytest.approx(gains["prefill rate", "4"])
    assert gains["read latency", "4"] != pytest.approx(gains["read latency", "1"])


# --- options --------------------------------------------------------------------------------------------


def test_every_option_of_the_replay_is_given_to_every_contender():
    table = tab06_options.tab06_options(tab06_options.tab06_cells(CORPORA, AXES, SEEDS), confidence=LEVEL)
    for axis in ("placement", "admission", "partial eviction", "completion"):
        labels = table[table["axis"] == axis].groupby("value")["label"].agg(set)
        assert all(found == set(tab06_options.CONTENDERS) for found in labels)
    default = table[table["axis"] == tab06_options.DEFAULT]
    assert set(default["label"]) == set(tab06_options.CONTENDERS)
    assert (default[["change", "token_change", "amat_change"]] == 0).all(axis=None)
    at = table.set_index(["label", "axis", "value"])
    # LRU under the same option is what a gain is measured by.
    assert (at.xs("lru", level="label")["hit_gain"] == 0).all()
    assert at.loc[("lru", "partial eviction", "on"), "change"] != 0
    assert at.loc[("lru_completion", "completion", "hidden"), "hit_gain"] == 0
    assert (table["better"] + table["same"] + table["worse"] == table["points"]).all()


def test_parameters_mark_the_paper_s_setting():
    curves = tab06_options.parameter_curves(CORPORA, AXES, seeds=SEEDS, confidence=LEVEL)
    marked = curves[curves["is_default"]].groupby("parameter")["setting"].unique()
    assert marked["penalty_s"].tolist() == [500]
    assert marked["alpha"].tolist() == [0.3]
    same = curves[curves["is_default"]].groupby("corpus")["hit_rate"].nunique()
    assert (same == 1).all()
    assert (curves[["better", "same", "worse"]].sum(axis=1) == 6).all()
    assert (curves[curves["is_default"]]["same"] == 6).all()


# --- slots ----------------------------------------------------------------------------------------------


def test_ase_by_hand():
    cells = pd.DataFrame(
        {
            "corpus": ["a", "a", "b", "b"],
            "slots": [8, 64, 8, 64],
            "hit_rate_norm": [0.5, 1.0, 1.0, 1.0],
            "prefill_reduction_norm": [0.25, 1.0, 1.0, 1.0],
            "amat_ns_norm": [1.0, 1.0, 1.0, 1.0],
        }
    )
    table = fig04_slots.fig04_slots(cells).set_index("slots")
    assert table.loc[8, "ase"] == pytest.approx((0.5 * 0.25) ** (1 / 6))
    assert table.loc[8, ["least", "most"]].tolist() == pytest.approx([0.5, 1.0])
    assert table.loc[64, "ase"] == 1


def test_slots_are_normalised_at_the_most_and_amat_upside_down():
    cells = fig04_slots.fig04_cells(CORPORA, [4, 64], SEEDS).set_index(["corpus", "slots"])
    few, most = cells.loc[("one", 4)], cells.loc[("one", 64)]
    assert few["hit_rate_norm"] == pytest.approx(few["hit_rate"] / most["hit_rate"])
    assert few["amat_ns_norm"] == pytest.approx(most["amat_ns"] / few["amat_ns"])
    assert few["hit_rate_norm"] < 1
    assert most["amat_ns_norm"] == 1
