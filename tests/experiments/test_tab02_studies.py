"""Table II's views and studies: tidy views of the cells, other costs, other seeds, other definitions."""

from __future__ import annotations

import dataclasses

import pytest
from support.sessions import make_corpus

from unison.config import load_defaults
from unison.device import costs_for
from unison.experiments.contenders import contender
from unison.experiments.fig02_hazard import CUMULATIVE, LOCAL, hazard_curves, survival_curves
from unison.experiments.runner import Evaluator, envelopes_of
from unison.experiments.tab02_definitions import DEFINITIONS, tab02_definitions
from unison.experiments.tab02_policies import tab02_cells
from unison.experiments.tab02_seeds import tab02_seeds
from unison.experiments.tab02_sensitivity import sensitivity_wide, tab02_sensitivity, with_costs
from unison.experiments.tab02_views import (
    CAUSES,
    default_envelope,
    hit_rate_curves,
    miss_causes,
    ttft_by_load,
)
from unison.traces.synthetic import base_schedule, synthesize

LABELS = ["lru", "spear+tide", "belady"]


@pytest.fixture(scope="module")
def corpus():
    return synthesize("gaia-gemma4")


@pytest.fixture(scope="module")
def cells(corpus):
    return tab02_cells([corpus], loads=[1, 4], statistics=load_defaults("smoke").statistics, labels=LABELS)


def test_misses_and_hits_of_a_policy_add_up_to_all_requests(cells):
    shares = miss_causes(cells, LABELS).groupby("policy")["share"].sum()
    at = cells[(cells["envelope"] == "edge") & (cells["load"] == 1)].set_index("policy")
    assert set(miss_causes(cells, LABELS)["cause"]) == set(CAUSES)
    for policy in LABELS:
        assert shares[policy] + at.loc[policy, "hit_rate"] == pytest.approx(1)


def test_views_keep_the_order_of_the_policies_asked_for(cells):
    for view in (hit_rate_curves(cells, LABELS[::-1]), miss_causes(cells, LABELS[::-1])):
        assert list(dict.fromkeys(view["policy"])) == LABELS[::-1]


def test_the_baseline_gains_nothing_on_itself(cells):
    curves = hit_rate_curves(cells, LABELS).set_index("policy")
    assert (curves.loc["lru", "hit_gain"] == 0).all()
    assert curves.loc["belady", "hit_gain"].max() > 0
    ttft = ttft_by_load(cells, LABELS).set_index(["policy", "load", "quantile"])["ttft_ratio"]
    assert ttft["lru"].tolist() == pytest.approx([1.0] * 4)
    at = cells[cells["load"] == 4].pivot(index="envelope", columns="policy", values="ttft_p99_s")
    expected = (at["belady"] / at["lru"]).prod() ** (1 / len(at))
    assert ttft["belady", 4, "p99"] == pytest.approx(expected)
    assert expected < 1


def test_the_default_envelope_is_found_by_place_among_shares(cells):
    assert default_envelope(cells) == "edge"
    shares = {name: f"x{i}" for i, name in enumerate(dict.fromkeys(cells["envelope"]))}
    assert default_envelope(cells.assign(envelope=cells["envelope"].map(shares))) == "x1"


def test_the_devices_own_costs_give_table_twos_amat(corpus, cells):
    table = tab02_sensitivity([corpus], ["belady"], [0.01])
    now = cells[cells["load"] == 1].pivot(index="envelope", columns="policy", values="amat_ns")
    expected = (now["belady"] / now["lru"]).prod() ** (1 / len(now))
    own = table[table["is_device"]].iloc[0]
    assert own["amat_ratio"] == pytest.approx(expected)
    assert own["read_to_prefill"] == costs_for("gemma4").read_to_prefill


def test_other_costs_price_the_replay_that_those_costs_would_give(corpus):
    ratio = 0.5
    table = tab02_sensitivity([corpus], ["spear+tide"], [ratio])
    trace, evaluate = base_schedule(corpus), Evaluator(metrics=("amat_ns",))
    own = evaluate.costs(trace)
    factor = ratio / own.read_to_prefill
    names = ("sram_ns_per_token", "hbm_ns_per_token", "host_ns_per_token")
    dear = dataclasses.replace(own, **{name: factor * getattr(own, name) for name in names})
    product = 1.0
    envelopes = [with_costs(envelope, dear) for envelope in envelopes_of(trace, own)]
    for envelope in envelopes:
        amat = {}
        for label in ("lru", "spear+tide"):
            entry = contender(label)
            amat[label] = evaluate(trace, entry.entry.name, envelope, tide=entry.tide)["amat_ns"]
        product *= amat["spear+tide"] / amat["lru"]
    swept = table[~table["is_device"]].iloc[0]
    assert swept["amat_ratio"] == pytest.approx(product ** (1 / len(envelopes)))


def test_ratios_become_columns_whatever_the_corpus(corpus):
    other = synthesize("gaia-devstral")
    wide = sensitivity_wide(tab02_sensitivity([corpus, other], ["belady"], [0.0001, 0.1]))
    assert wide.columns.tolist() == ["policy", "corpus", "device_ratio", "at_device", "at_0.0001", "at_0.1"]
    assert wide.notna().all(axis=None)
    assert wide["device_ratio"].nunique() == 2


def test_seeds_draw_a_synthetic_corpus_anew(corpus):
    row = tab02_seeds([corpus], ["belady"], seeds=[0, 1], confidence=0.95).iloc[0]
    assert row["gain_least"] < row["gain"] < row["gain_most"] <= 0.01
    # Of two values the half-width is t with one degree of freedom, 12.706, times half their distance.
    half = 12.7062 * (row["gain_most"] - row["gain_least"]) / 2
    assert row["gain_high"] - row["gain"] == pytest.approx(half, rel=1e-4)
    assert row["gain"] - row["gain_low"] == pytest.approx(half, rel=1e-4)


def test_a_contender_ties_with_itself(corpus):
    row = tab02_seeds([corpus], ["lru"], seeds=[0, 1], confidence=0.95, label="lru").iloc[0]
    assert (row["gain"], row["verdict"]) == (0.0, "tie")


def test_definitions_are_of_one_replay(corpus, cells):
    table = tab02_definitions(corpus).set_index("definition")
    at = cells[(cells["envelope"] == "edge") & (cells["load"] == 1)].set_index("policy")
    assert table.index.tolist() == list(DEFINITIONS)
    for name in DEFINITIONS:
        assert table.loc[name, "lru"] == at.loc["lru", name]
        assert table.loc[name, "unison"] == at.loc["spear+tide", name]


def test_hazard_is_shown_where_enough_sessions_are_left():
    curves = hazard_curves([make_corpus([1] * 10 + [2] * 40 + [3] * 10)], least=20)
    assert curves["turn"].tolist() == [1, 2]
    assert curves["hazard"].tolist() == pytest.approx([10 / 60, 40 / 50])
    assert (curves["low"] < curves["hazard"]).all()
    assert (curves["hazard"] < curves["high"]).all()


def test_a_small_corpus_shows_turns_that_half_of_it_reached():
    curves = hazard_curves([make_corpus([1, 2, 3, 4])], n_min=0)
    assert curves["turn"].tolist() == [1, 2, 3]


def test_the_pooled_bin_is_marked_and_left_out_of_survival():
    corpus = make_corpus([2] * 20 + [5] * 40)
    assert hazard_curves([corpus], max_turn=3)["is_pooled"].tolist() == [False, False, True]
    curves = survival_curves([corpus], max_turn=3)
    assert curves["turn"].max() == 2
    local, kept = (curves[curves["form"] == form]["survival"].tolist() for form in (LOCAL, CUMULATIVE))
    assert local == pytest.approx([1, 2 / 3])
    assert kept == pytest.approx([1, 2 / 3])
    assert ((curves["low"] <= curves["survival"]) & (curves["survival"] <= curves["high"])).all()
