"""Table II on one real corpus: its cells, its intervals, and what is said of the input."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose
from support.sessions import make_corpus

from unison.config import Defaults, load_defaults
from unison.errors import UnisonError
from unison.experiments.contenders import contenders
from unison.experiments.fig08_surface import coordinates
from unison.experiments.intervals import session_bootstrap, verdict
from unison.experiments.real import METRICS, describe_input, real_cells, real_table
from unison.experiments.runner import Evaluator, envelopes_of
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule

DEFAULTS: Defaults = load_defaults("smoke")


def made_corpus() -> Corpus:
    rng = np.random.default_rng(5)
    lengths = rng.integers(2, 9, 60)
    return make_corpus(lengths, gaps_s=rng.exponential(20, int(lengths.sum()) - 60) + 0.01, name="logs")


@pytest.fixture(scope="module")
def cells() -> pd.DataFrame:
    return real_cells(made_corpus(), DEFAULTS)


def test_every_contender_runs_in_every_share_and_stateful_ones_in_the_tightest(cells):
    shares = [f"x{share}" for share in DEFAULTS.envelope.live_shares]
    assert list(dict.fromkeys(cells["envelope"])) == shares
    for position, (_, rows) in enumerate(cells.groupby("envelope", sort=False)):
        expected = [e.label for e in contenders() if position == 0 or not e.entry.is_stateful]
        assert rows["policy"].tolist() == expected
    assert_allclose(
        cells.drop_duplicates("envelope")["live_share"],
        [float(s) for s in DEFAULTS.envelope.live_shares],
        rtol=1e-3,
    )


def test_cell_is_the_replay_with_its_paired_interval(cells):
    trace = base_schedule(made_corpus())
    evaluate = Evaluator(metrics=METRICS)
    envelope = envelopes_of(trace, evaluate.costs(trace))[3]
    ours, base = (
        evaluate(trace, name, envelope, tide=tide) for name, tide in (("spear", True), ("lru", False))
    )
    bootstrap = session_bootstrap(
        trace.corpus.n_sessions,
        resamples=DEFAULTS.statistics.resamples,
        confidence=DEFAULTS.statistics.confidence,
    )
    rates, base_rates = (
        bootstrap.rates(r["hits_by_session"], r["requests_by_session"]) for r in (ours, base)
    )
    row = cells[(cells["envelope"] == envelope.name) & (cells["policy"] == "spear+tide")].iloc[0]
    assert {name: row[name] for name in METRICS} == {name: ours[name] for name in METRICS}
    assert row["hit_gain"] == ours["hit_rate"] - base["hit_rate"]
    assert (row["hit_low"], row["hit_high"]) == bootstrap.interval(rates)
    assert (row["gain_low"], row["gain_high"]) == bootstrap.interval(rates - base_rates)
    assert row["verdict"] == verdict(row["gain_low"], row["gain_high"])
    assert row["amat_ratio"] == ours["amat_ns"] / base["amat_ns"]


def test_baseline_has_no_gain_and_no_verdict(cells):
    base = cells[cells["policy"] == "lru"]
    assert (base[["hit_gain", "gain_low", "gain_high"]] == 0).all(axis=None)
    assert set(base["verdict"]) == {"baseline"}
    assert set(cells.loc[cells["policy"] != "lru", "verdict"]) <= {"win", "tie", "loss"}


def test_intervals_hold_the_rate_they_are_of(cells):
    assert (cells["hit_low"] <= cells["hit_rate"]).all()
    assert (cells["hit_rate"] <= cells["hit_high"]).all()
    assert cells["hit_rate"].nunique() > 10


def test_two_runs_give_the_same(cells):
    pd.testing.assert_frame_equal(real_cells(made_corpus(), DEFAULTS), cells)


def test_sessions_without_times_are_left_out():
    corpus = make_corpus([3, 3, 3], gaps_s=[1, 1, -1, 1, 1, 1])
    assert set(real_cells(corpus, DEFAULTS)["sessions"]) == {2}


def test_corpus_without_times_cannot_be_replayed():
    corpus = make_corpus([2, 2], services_s=-1)
    with pytest.raises(UnisonError, match="corpus 'made': no session has both gaps and service times"):
        real_cells(corpus, DEFAULTS)


def test_corpus_without_prompts_has_no_ratios_and_no_warnings():
    corpus = made_corpus()
    nothing = np.zeros_like(corpus.prompt_tokens)
    cells = real_cells(replace(corpus, prompt_tokens=nothing, new_prompt_tokens=nothing), DEFAULTS)
    assert cells["amat_ratio"].isna().all()
    assert real_table(cells)["amat_ratio"].isna().all()


# --- the table ------------------------------------------------------------------------------------------


def test_table_by_hand():
    def row(policy: str, envelope: str, hit: float, gain: float, amat: float, told: str) -> dict[str, object]:
        same = {"corpus": "made", "sessions": 7, "info": "F1", "sees_completion": False, "oracle_ratio": 9.0}
        shares = {"prefill_reduction": hit / 2, "bypass_share": 0.1, "running_share": 0.2}
        return same | shares | {
            "policy": policy, "envelope": envelope, "hit_rate": hit, "hit_gain": gain, "amat_ratio": amat,
            "verdict": told,
        }  # fmt: skip

    cells = pd.DataFrame(
        [
            row("lru", "x1/8", 0.2, 0.0, 1, "baseline"),
            row("lru", "x1", 0.6, 0.0, 1, "baseline"),
            row("belady", "x1/8", 0.4, 0.2, 1, "win"),
            row("belady", "x1", 0.8, 0.2, 1, "win"),
            row("mine", "x1/8", 0.4, 0.2, 0.5, "win"),
            row("mine", "x1", 0.5, -0.1, 2, "loss"),
            row("state", "x1/8", 0.3, 0.1, 0.5, "tie"),
        ]
    )
    table = real_table(cells).set_index("policy")
    assert set(table["sessions"]) == {7}
    assert table.loc["mine", "hit_rate"] == pytest.approx(0.45)
    assert table.loc["mine", "hit_gain"] == pytest.approx(0.05)
    assert table.loc["mine", "oracle_ratio"] == pytest.approx(0.9 / 1.2)  # the ratio of the means
    assert table.loc["mine", "amat_ratio"] == pytest.approx(1)  # the geometric mean of 1/2 and 2
    assert table.loc["mine", ["win", "tie", "loss"]].tolist() == [1, 0, 1]
    assert table.loc["lru", ["win", "tie", "loss"]].tolist() == [0, 0, 0]
    # A policy that ran in one envelope is set against Belady there, not against its mean of 0.6.
    assert table.loc["state", "oracle_ratio"] == pytest.approx(0.3 / 0.4)
    assert table.loc["state", ["envelopes", "win", "tie", "loss"]].tolist() == [1, 0, 1, 0]


def test_ratio_to_an_oracle_that_never_hits_is_missing():
    columns = ["hit_gain", "prefill_reduction", "bypass_share", "running_share"]
    cells = pd.DataFrame(
        [
            {"corpus": "made", "sessions": 7, "policy": policy, "envelope": "x1", "info": "F1"}
            | {"sees_completion": False}
            | dict.fromkeys(columns, 0.0)
            | {"hit_rate": 0.0, "amat_ratio": 1.0, "verdict": "tie"}
            for policy in ("lru", "belady")
        ]
    )
    assert real_table(cells)["oracle_ratio"].isna().all()


# --- the input ------------------------------------------------------------------------------------------


def test_input_is_described():
    corpus = make_corpus([3, 2, 2], [1, 0, -1], gaps_s=[1, 1, -1, 1])
    corpus = replace(corpus, tokens_estimated=np.asarray([True, *[False] * 6]))
    about = describe_input(corpus)
    counted = {name: about[name] for name in about if name not in {"dispersion", "session_share"}}
    assert counted == {
        "corpus": "made",
        "sessions": 3,
        "turns": 7,
        "sessions_replayed": 2,
        "turns_replayed": 5,
        "completion_unknown": 1,
        "censored": 1,
        "tokens_estimated": pytest.approx(1 / 7),
        "timing_estimated": 0.0,
    }


def test_input_is_placed_by_the_gaps_of_what_is_replayed():
    # The session with an unknown gap does not count, whatever its other gaps are.
    corpus = make_corpus([4, 3, 3], gaps_s=[1, 2, 4, 8, 16, 500, -1], name="logs")
    about = describe_input(corpus)
    expected = coordinates([corpus.select([0, 1])]).iloc[0]
    assert (about["dispersion"], about["session_share"]) == (
        expected["dispersion"], expected["session_share"],
    )  # fmt: skip
    assert about["dispersion"] == pytest.approx(np.log([1, 2, 4, 8, 16]).std(ddof=1))


def test_input_without_times_replays_nothing_and_has_no_place():
    about = describe_input(make_corpus([2, 2], services_s=-1))
    assert (about["sessions_replayed"], about["turns_replayed"]) == (0, 0)
    assert math.isnan(about["dispersion"])
    assert math.isnan(about["session_share"])


@pytest.mark.parametrize("lengths", [[1], [1, 1], [2]])
def test_input_with_too_few_gaps_has_no_place(lengths: list[int]):
    about = describe_input(make_corpus(lengths))
    assert about["sessions_replayed"] == len(lengths)
    assert math.isnan(about["dispersion"])
