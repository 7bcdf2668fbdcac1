"""Table II: its cells against direct replays, its aggregates by hand, and new policies that join it."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from support.sessions import make_corpus

from unison.config import load_defaults
from unison.device import costs_for
from unison.errors import UnisonError
from unison.experiments.contenders import UNISON, contender, contenders
from unison.experiments.runner import DEFAULT_MODEL, envelopes_of, signals_of
from unison.experiments.tab02_policies import (
    CELL_METRICS,
    against_baseline,
    geometric_mean,
    tab02,
    tab02_cells,
    tab02_summary,
)
from unison.metrics import Measured, measure
from unison.policies import registry
from unison.policies.ranking import Ranking
from unison.policies.registry import InfoClass, all_policies, build_policy
from unison.replay.engine import replay
from unison.replay.tiering import Tiering
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule

LOADS = (1, 4)
STATISTICS = load_defaults("smoke").statistics


def made_corpus(seed: int, name: str) -> Corpus:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(2, 9, 60)
    return make_corpus(lengths, gaps_s=rng.exponential(20, int(lengths.sum()) - 60) + 0.01, name=name)


CORPORA = (made_corpus(1, "one"), made_corpus(2, "two"))


@pytest.fixture(scope="module")
def cells() -> pd.DataFrame:
    return tab02_cells(CORPORA, loads=LOADS, statistics=STATISTICS)


def test_every_contender_has_a_cell_for_each_corpus_load_and_envelope(cells):
    stateful = [entry.name for entry in all_policies() if entry.is_stateful]
    labels = [entry.label for entry in contenders() if not entry.entry.is_stateful]
    counts = cells.groupby(["policy", "corpus", "load"]).size()
    assert {name for name, _, _ in counts.index} == {*labels, *stateful}
    for label in labels:
        assert counts[label].to_dict() == {(c, load): 6 for c in ("one", "two") for load in LOADS}
    for label in stateful:
        assert counts[label].to_dict() == {("one", 1): 1, ("two", 1): 1}
    assert not cells.duplicated(["corpus", "load", "envelope", "policy"]).any()


def test_stateful_contenders_run_in_the_tightest_envelope(cells):
    stateful = [entry.name for entry in all_policies() if entry.is_stateful]
    rows = cells[cells["policy"].isin(stateful)]
    smallest = cells.groupby("corpus")["total_tokens"].min()
    assert (rows["total_tokens"] == rows["corpus"].map(smallest)).all()


@pytest.mark.parametrize(
    ("corpus", "load", "position", "label"),
    [(0, 1, 3, "lru"), (1, 4, 4, UNISON), (0, 4, 5, "belady"), (1, 1, 0, "cachescout"), (1, 1, 3, "timeout")],
)
def test_cell_is_the_direct_replay(cells, corpus: int, load: int, position: int, label: str):
    base = base_schedule(CORPORA[corpus])
    trace = base_schedule(CORPORA[corpus], load=load)
    costs = costs_for(DEFAULT_MODEL)
    envelope = envelopes_of(base, costs)[position]
    entry = contender(label)
    policy = build_policy(entry.entry.name, signals_of(trace))
    outcomes = replay(trace, policy, envelope, Tiering(tide=entry.tide))
    expected = measure(Measured(outcomes, trace, envelope, costs), CELL_METRICS)
    at = (cells["corpus"] == CORPORA[corpus].name) & (cells["load"] == load) & (cells["policy"] == label)
    row = cells[at & (cells["envelope"] == envelope.name)].iloc[0]
    assert row[list(CELL_METRICS)].to_dict() == expected
    assert row["total_tokens"] == envelope.total_tokens
    assert row["live_share"] == pytest.approx(envelope.total_tokens / base.mean_live_tokens)
    assert (row["info"], row["sees_completion"]) == (str(entry.entry.info), entry.entry.sees_completion)


def test_given_labels_are_the_only_contenders():
    few = tab02_cells(CORPORA[:1], loads=(1,), statistics=STATISTICS, labels=["belady", "lru"])
    assert list(dict.fromkeys(few["policy"])) == ["lru", "belady"]


def test_every_contender_is_set_against_lru_and_belady_of_its_own_cell(cells):
    joined = against_baseline(cells)
    assert len(joined) == len(cells)
    for row in joined.sample(40, random_state=0).itertuples():
        at = cells[
            (cells["corpus"] == row.corpus)
            & (cells["load"] == row.load)
            & (cells["envelope"] == row.envelope)
        ].set_index("policy")
        assert row.hit_gain == at.loc[row.policy, "hit_rate"] - at.loc["lru", "hit_rate"]
        assert row.amat_ratio == at.loc[row.policy, "amat_ns"] / at.loc["lru", "amat_ns"]
        assert row.hit_rate_oracle == at.loc["belady", "hit_rate"]


def test_table_aggregates_the_cells_as_the_paper_does(cells):
    table = tab02(cells, headline_load=4).set_index(["corpus", "policy"])
    joined = against_baseline(cells)
    for (corpus, policy), row in table.iterrows():
        mine = joined[(joined["corpus"] == corpus) & (joined["policy"] == policy)]
        now, loaded = mine[mine["load"] == 1], mine[mine["load"] == 4]
        assert row["envelopes"] == len(now)
        assert row["hit_rate"] == pytest.approx(now["hit_rate"].mean())
        assert row["oracle_ratio"] == pytest.approx(now["hit_rate"].mean() / now["hit_rate_oracle"].mean())
        assert row["amat_ratio"] == pytest.approx(math.prod(now["amat_ratio"]) ** (1 / len(now)))
        if len(loaded):
            expected = math.prod(loaded["ttft_ratio"]) ** (1 / len(loaded))
            assert row["ttft_ratio"] == pytest.approx(expected)
        else:
            assert math.isnan(row["ttft_ratio"])


# --- by hand --------------------------------------------------------------------------------------------


def made_cells(rows: list[tuple[str, int, str, float, float, float, float]]) -> pd.DataFrame:
    """Cells of one corpus from (policy, load, envelope, hit rate, amat, amat with suffix, ttft)."""
    names = ["policy", "load", "envelope", "hit_rate", "amat_ns", "amat_suffix_ns", "ttft_p50_s"]
    cells = pd.DataFrame(rows, columns=names)
    cells["corpus"], cells["info"], cells["sees_completion"] = "made", "F1", False
    cells["hit_rate_after_first"] = cells["hit_rate"]
    cells["prefill_reduction"] = cells["hit_rate"] / 2
    cells["verdict"] = cells["policy"].map({"mine": "win", "belady": "win", "state": "loss"}).fillna("tie")
    cells.loc[(cells["policy"] == "mine") & (cells["envelope"] == "large"), "verdict"] = "loss"
    cells["bypass_share"] = cells["running_share"] = 0.25
    return cells


HAND = made_cells(
    [
        ("lru", 1, "small", 0.2, 100, 100, 1),
        ("lru", 1, "large", 0.6, 100, 100, 1),
        ("lru", 4, "small", 0.2, 100, 100, 8),
        ("lru", 4, "large", 0.6, 100, 100, 2),
        ("belady", 1, "small", 0.4, 80, 80, 1),
        ("belady", 1, "large", 0.8, 80, 80, 1),
        ("belady", 4, "small", 0.4, 80, 80, 4),
        ("belady", 4, "large", 0.8, 80, 80, 2),
        ("mine", 1, "small", 0.4, 25, 50, 1),
        ("mine", 1, "large", 0.5, 400, 200, 1),
        ("mine", 4, "small", 0.9, 1, 1, 2),
        ("mine", 4, "large", 0.9, 1, 1, 2),
        ("state", 1, "small", 0.3, 50, 50, 1),
    ]
)


def hand_row(policy: str) -> pd.Series:
    return tab02(HAND, headline_load=4).set_index("policy").loc[policy]


def test_means_and_ratios_by_hand():
    row = hand_row("mine")
    assert row["hit_rate"] == pytest.approx((0.4 + 0.5) / 2)
    assert row["hit_gain"] == pytest.approx((0.2 - 0.1) / 2)
    assert row["prefill_reduction"] == pytest.approx((0.2 + 0.25) / 2)
    # Ratio of means (0.9 / 1.2); the mean of the ratios 1 and 5/8 would be 0.8125.
    assert row["oracle_ratio"] == pytest.approx(0.75)
    # AMAT over LRU's is 1/4 and 4: geometric mean 1.
    assert row["amat_ratio"] == pytest.approx(1)
    # At load 4 only: 2/8 and 2/2.
    assert row["ttft_ratio"] == pytest.approx(math.sqrt(0.25 * 1))
    # Envelopes at load 1 only.
    assert row[["wins", "ties", "losses"]].tolist() == [1, 0, 1]
    assert hand_row("lru")[["wins", "ties", "losses"]].tolist() == [0, 2, 0]


@pytest.mark.parametrize(("headline", "loads"), [(2, (1, 4)), (4, (4,))])
def test_a_load_without_cells_is_an_error(headline: int, loads: tuple[int, ...]):
    cells = HAND[HAND["load"].isin(loads)]
    missing = headline if headline not in loads else 1
    with pytest.raises(UnisonError, match=f"no cell at load {missing}, only at .*4; add it to load.factors"):
        tab02(cells, headline_load=headline)


def test_stateful_contender_is_compared_in_its_own_envelope_by_hand():
    row = hand_row("state")
    assert row["envelopes"] == 1
    assert row["hit_gain"] == pytest.approx(0.3 - 0.2)  # over all envelopes LRU has 0.4
    assert row["oracle_ratio"] == pytest.approx(0.3 / 0.4)
    assert row["amat_ratio"] == pytest.approx(50 / 100)


def test_ratio_to_an_oracle_that_never_hits_is_missing():
    cells = HAND.copy()
    cells.loc[cells["policy"] == "belady", "hit_rate"] = 0.0
    assert tab02(cells, headline_load=4)["oracle_ratio"].isna().all()


def test_suffix_ratio_is_against_lru_s_suffix():
    joined = against_baseline(HAND)
    ratios = joined.loc[(joined["policy"] == "mine") & (joined["load"] == 1), "amat_suffix_ratio"]
    assert ratios.tolist() == [0.5, 2.0]


def test_summary_adds_up_the_cells_of_the_corpora_by_hand():
    gains = {"better": [0.02, 0.0011, 0.0009], "lru": [0.0, 0.0, 0.0]}
    table = pd.DataFrame(
        [
            {
                "corpus": f"c{at}",
                "policy": policy,
                "info": "F1",
                "sees_completion": True,
                "hit_rate": 0.5 + gain,
            }
            | {"hit_gain": gain, "oracle_ratio": 0.9, "prefill_reduction": 0.1 * at}
            | {"amat_ratio": 2.0**at, "ttft_ratio": 1.0, "wins": at, "ties": 6 - at, "losses": 0}
            for policy, values in gains.items()
            for at, gain in enumerate(values)
        ]
    )
    summary = tab02_summary(table).set_index("policy")
    assert summary.loc["better", ["wins", "ties", "losses"]].tolist() == [3, 15, 0]
    assert summary.loc["better", "hit_rate"] == pytest.approx(0.5 + 0.022 / 3)
    assert summary.loc["better", "prefill_reduction"] == pytest.approx(0.1)
    assert summary.loc["better", "amat_ratio"] == pytest.approx(2)  # the cube root of 1 * 2 * 4


def test_a_cell_is_won_or_lost_beyond_the_interval_over_sessions(cells):
    gain = against_baseline(cells)["hit_gain"]
    assert (cells["gain_low"] <= gain + 1e-12).mean() > 0.95
    assert (gain - 1e-12 <= cells["gain_high"]).mean() > 0.95
    assert (cells["verdict"] == "win").equals(cells["gain_low"] > 0)
    assert (cells["verdict"] == "loss").equals(cells["gain_high"] < 0)
    assert {"win", "tie"} <= set(cells["verdict"])
    assert set(cells[cells["policy"] == "lru"]["verdict"]) == {"tie"}


def test_geometric_mean_by_hand():
    assert geometric_mean(pd.Series([1, 4, 16])) == pytest.approx(4)
    assert math.isnan(geometric_mean(pd.Series([1.0, math.nan])))


# --- a new policy ---------------------------------------------------------------------------------------


@pytest.fixture
def newest_first(monkeypatch: pytest.MonkeyPatch) -> str:
    """A policy that evicts the session idle for shortest, registered for one test."""
    monkeypatch.setattr(registry, "_POLICIES", dict(registry._POLICIES))

    @registry.policy(
        "newest_first", title="the session idle for shortest", citation="none", info=InfoClass.F1,
        sees_completion=False,
    )  # fmt: skip
    def newest_first(signals) -> Ranking:
        turns = signals.turn.size
        return Ranking(np.zeros(turns, np.int64), np.full(turns, -1.0), signals.gap_ema_ns, False)

    return "newest_first"


def test_new_policy_appears_in_the_table_by_itself(newest_first: str):
    cells = tab02_cells(CORPORA[:1], loads=(1,), statistics=STATISTICS)
    table = tab02(cells, headline_load=1).set_index("policy")
    assert table.loc[newest_first, "envelopes"] == 6
    assert table.loc[newest_first, "hit_gain"] != 0
    assert newest_first in set(tab02_summary(table.reset_index())["policy"])


def test_policy_registered_for_one_test_is_gone_after_it():
    assert "newest_first" not in {entry.name for entry in all_policies()}
