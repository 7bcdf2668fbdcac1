"""Sweep: a cell is the direct replay, variants change what they say, and comparisons by hand."""

from __future__ import annotations

import dataclasses

import joblib
import numpy as np
import pandas as pd
import pytest
from support.sessions import SECOND, make_corpus, start_together

from unison.device import costs_for
from unison.errors import UnisonError
from unison.experiments.gap_sources import LONGEST_NS, gap_estimate_ns
from unison.experiments.runner import DEFAULT_MODEL, envelopes_of, signals_of
from unison.experiments.sweep import Variant, beside_label, drawn, hazard_of, over_points, over_seeds, sweep
from unison.metrics import Measured, measure
from unison.policies.registry import build_policy
from unison.replay.engine import replay
from unison.replay.tiering import Tiering
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule, synthesize

TIDE = Tiering(tide=True)
UNISON = Variant("spear+tide", "spear", TIDE)


def made_corpus(seed: int, name: str) -> Corpus:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(2, 9, 60)
    return make_corpus(lengths, gaps_s=rng.exponential(20, int(lengths.sum()) - 60) + 0.01, name=name)


CORPORA = (made_corpus(1, "one"), made_corpus(2, "two"))


def one(variant: Variant, **options: object) -> pd.DataFrame:
    return sweep(CORPORA[:1], [variant], jobs=1, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("position", [0, 3])
def test_cell_is_the_direct_replay(position: int):
    trace, costs = base_schedule(CORPORA[0]), costs_for(DEFAULT_MODEL)
    envelope = envelopes_of(trace, costs)[position]
    outcomes = replay(trace, build_policy("spear", signals_of(trace)), envelope, TIDE)
    row = one(UNISON).iloc[position]
    for name, value in measure(Measured(outcomes, trace, envelope, costs), ("hit_rate", "amat_ns")).items():
        assert row[name] == value
    assert (row["envelope"], row["sram_tokens"]) == (envelope.name, envelope.tiers[0].capacity_tokens)
    assert row["total_tokens"] == envelope.total_tokens


def test_rows_come_in_the_order_of_the_arguments_however_many_processes():
    variants = [UNISON, Variant("lru", "lru")]
    plain = sweep(CORPORA, variants, seeds=(1, 0), jobs=1)
    with joblib.parallel_config(backend="threading"):
        pd.testing.assert_frame_equal(plain, sweep(CORPORA, variants, seeds=(1, 0), jobs=2))
    assert list(dict.fromkeys(zip(plain["corpus"], plain["seed"], strict=True))) == [
        ("one", 1), ("one", 0), ("two", 1), ("two", 0),
    ]  # fmt: skip
    assert plain["label"].tolist()[:2] == ["spear+tide", "lru"]


def test_completion_hidden_makes_lru_with_completion_plain_lru():
    hidden = one(Variant("x", "lru_completion", hide_completion=True))
    shown = one(Variant("x", "lru_completion"))
    plain = one(Variant("x", "lru"))
    assert hidden["hit_rate"].tolist() == plain["hit_rate"].tolist()
    assert shown["hit_rate"].tolist() != plain["hit_rate"].tolist()


@pytest.mark.parametrize(
    "change",
    [
        {"alpha": 1.0},
        {"ema_init": "zero"},
        {"survival": "cumulative"},
        {"params": (("penalty_s", 1.0),)},
        {"slots": 4},
        {"tiering": Tiering()},
        {"read_factor": 4.0},
        {"prefill_factor": 4.0},
    ],
    ids=lambda change: next(iter(change)),
)
def test_each_option_changes_the_result(change: dict):
    assert not one(dataclasses.replace(UNISON, **change))["amat_ns"].equals(one(UNISON)["amat_ns"])


def test_four_times_the_dma_bandwidth_is_a_quarter_of_the_time():
    costs = costs_for(DEFAULT_MODEL)
    assert dataclasses.replace(UNISON, dma_factor=4.0).costs(costs).dma_ps_per_token == -(
        -costs.dma_ps_per_token // 4
    )


def test_slower_reads_and_faster_prefill_are_one_change_of_the_amat_ratio():
    def ratios(**factor: float) -> list[float]:
        variants = [dataclasses.replace(v, **factor) for v in (UNISON, Variant("lru", "lru"))]
        joined = beside_label(sweep(CORPORA[:1], variants, jobs=1), "lru")
        return joined[joined["label"] == "spear+tide"]["amat_ratio"].tolist()

    assert ratios(read_factor=4.0) == pytest.approx(ratios(prefill_factor=4.0))
    assert ratios(read_factor=4.0) != pytest.approx(ratios())


def test_another_seed_draws_a_synthetic_corpus_anew_and_leaves_any_other():
    named = synthesize("gaia-gemma4")
    assert not np.array_equal(drawn(named, 1).gap_ns, named.gap_ns)
    np.testing.assert_array_equal(drawn(named, 1).gap_ns, synthesize("gaia-gemma4", 1).gap_ns)
    assert drawn(CORPORA[0], 1) is CORPORA[0]


def test_policies_that_keep_state_and_unknown_gap_sources_are_refused():
    with pytest.raises(UnisonError, match="cachescout keeps state"):
        one(Variant("x", "cachescout"))
    with pytest.raises(UnisonError, match="gap source 'emu'; did you mean 'ema'"):
        one(dataclasses.replace(UNISON, gap_source="emu"))


def test_cumulative_survival_is_the_product_of_the_local_one():
    local, product = (hazard_of(CORPORA[0], kind) for kind in ("local", "cumulative"))
    turns = np.arange(1, 5)
    assert product.survival(turns) == pytest.approx(np.cumprod(local.survival(turns)))


# --- gap sources ----------------------------------------------------------------------------------------


def test_gap_sources_by_hand():
    # One session: turns of 1 s, gaps of 4, 8, 2 and 6 s. Seen at the pauses: none, 4, 4 8, 2 4 8, 2 4 6 8.
    trace = start_together(make_corpus([5], gaps_s=[4, 8, 2, 6]))
    signals = signals_of(trace)
    quartile = gap_estimate_ns("p25", signals)
    assert quartile.tolist() == [signals.prior_gap_ns, *(g * SECOND for g in (4, 4, 2, 2))]
    assert gap_estimate_ns("true_gap", signals).tolist() == [
        4 * SECOND, 8 * SECOND, 2 * SECOND, 6 * SECOND, LONGEST_NS,
    ]  # fmt: skip
    assert set(gap_estimate_ns("unbounded", signals).tolist()) == {LONGEST_NS}
    np.testing.assert_array_equal(gap_estimate_ns("ema", signals), signals.gap_ema_ns)


# --- comparisons by hand --------------------------------------------------------------------------------

HAND = pd.DataFrame(
    [
        ("c", 0, "small", "lru", 0.2, 100.0),
        ("c", 0, "small", "mine", 0.5, 25.0),
        ("c", 0, "large", "lru", 0.8, 100.0),
        ("c", 0, "large", "mine", 0.7995, 400.0),
        ("c", 1, "small", "lru", 0.2, 100.0),
        ("c", 1, "small", "mine", 0.4, 50.0),
        ("c", 1, "large", "lru", 0.8, 100.0),
        ("c", 1, "large", "mine", 0.8005, 200.0),
    ],
    columns=["corpus", "seed", "envelope", "label", "hit_rate", "amat_ns"],
)


def test_gains_are_against_the_same_point():
    joined = beside_label(HAND, "lru")
    joined = joined[joined["seed"] == 0].set_index(["label", "envelope"])
    assert joined.loc[("mine", "small"), ["hit_gain", "amat_ratio"]].tolist() == pytest.approx([0.3, 0.25])
    assert joined.loc[("mine", "large"), ["hit_gain", "amat_ratio"]].tolist() == pytest.approx([-0.0005, 4])


def test_means_over_points_by_hand():
    rows = over_points(beside_label(HAND, "lru"), ["label"], confidence=0.5).set_index("label")
    mine = rows.loc["mine"]
    assert mine["hit_gain"] == pytest.approx((0.3 - 0.0005 + 0.2 + 0.0005) / 4)
    assert mine["amat_ratio"] == pytest.approx(1)  # the geometric mean of 1/4, 4, 1/2 and 2
    # Two seeds: the half-width at 50 % is t = 1 times half their distance. The small point's gains of 0.3 and
    # 0.2 are 0.25 +- 0.05, a win; the large one's of -0.0005 and 0.0005 are 0 +- 0.0005, a tie.
    assert (mine["points"], mine["wins"], mine["ties"], mine["losses"]) == (2, 1, 1, 0)
    # By AMAT 1 - 1/4 and 1 - 1/2 are a win, 1 - 4 and 1 - 2 a loss.
    assert mine[["amat_wins", "amat_ties", "amat_losses"]].tolist() == [1, 0, 1]
    assert rows.loc["lru", ["wins", "ties", "losses"]].tolist() == [0, 2, 0]


def test_seeds_are_averaged_with_ratios_geometric():
    means = over_seeds(beside_label(HAND, "lru"), ["label", "envelope"]).set_index(["label", "envelope"])
    assert means.loc[("mine", "small"), "hit_gain"] == pytest.approx(0.25)
    assert means.loc[("mine", "small"), "amat_ratio"] == pytest.approx((0.25 * 0.5) ** 0.5)
    assert means.loc[("mine", "large"), "amat_ns"] == pytest.approx(300)


def test_a_load_moves_arrivals_and_not_the_envelopes():
    now, loaded = (one(UNISON, load=load, metrics=("hit_rate", "ttft_p50_s")) for load in (1.0, 4.0))
    same = ["envelope", "sram_tokens", "total_tokens", "live_share"]
    pd.testing.assert_frame_equal(now[same], loaded[same])
    trace = base_schedule(CORPORA[0], load=4)
    costs = costs_for(DEFAULT_MODEL)
    envelope = envelopes_of(base_schedule(CORPORA[0]), costs)[3]
    outcomes = replay(trace, build_policy("spear", signals_of(trace)), envelope, TIDE)
    expected = measure(Measured(outcomes, trace, envelope, costs), ("ttft_p50_s",))["ttft_p50_s"]
    assert loaded["ttft_p50_s"].iloc[3] == expected
    assert now["ttft_p50_s"].iloc[3] != expected


def test_a_label_with_several_cells_at_a_point_is_refused():
    with pytest.raises(UnisonError, match="several cells at one point"):
        beside_label(pd.concat([HAND, HAND]), "lru")
