"""Sentences say what the numbers say, and change when the numbers do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from unison.report import findings
from unison.report.captions import caption
from unison.report.findings import ablations as ablation_findings
from unison.report.findings.words import listed, percent, points, span, tallied


def test_names_are_listed_in_words():
    assert listed([]) == "none"
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"


def test_numbers_carry_their_unit_and_no_negative_zero():
    assert percent(0.1234) == "12.3 %"
    assert points(-0.00001) == "+0.0 pp"
    assert points(0.0123) == "+1.2 pp"


def test_a_range_names_the_corpora_at_its_ends():
    frame = pd.DataFrame({"corpus": ["a", "b", "c"], "x": [0.2, 0.1, np.nan]})
    assert span(frame, "x", percent) == "10.0 % (b) to 20.0 % (a)"
    assert span(frame[:1], "x", percent) == "20.0 % (a)"
    assert span(frame[2:], "x", percent) == "not known"


def test_counts_are_summed_over_rows():
    rows = pd.DataFrame({"amat_wins": [1, 2], "amat_ties": [3, 0], "amat_losses": [0, 0]})
    assert tallied(rows, "amat_") == "3 won, 3 tied, 0 lost"


def test_a_caption_carries_corpora_seed_and_profile():
    assert caption("Text.", ["a"], profile="smoke") == "Text. Corpus: a; seed 0; profile smoke."
    several = caption("Text.", ["a", "b"], profile="full", seed="0, 1")
    assert several == "Text. Corpora: a and b; seeds 0, 1; profile full."


def made_table(rates: dict[str, float]) -> pd.DataFrame:
    rows = [
        {
            "corpus": "c", "policy": policy, "info": "ORACLE" if policy == "belady" else "F1", "envelopes": 6,
            "hit_rate": rate, "amat_ratio": 1 - rate, "hit_gain": rate - rates["lru"], "oracle_ratio": 0.9,
            "wins": 3, "ties": 2, "losses": 1,
        }
        for policy, rate in rates.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_best_causal_policy_is_named_whoever_it_is():
    rates = {"lru": 0.4, "spear+tide": 0.5, "belady": 0.9}
    assert "by hit rate is Unison on c" in findings.rivals_finding(made_table(rates))
    assert "Of 6 cells (a corpus in an envelope) Unison has 3 won, 2 tied, 1 lost against LRU" in (
        findings.rivals_finding(made_table(rates))
    )
    assert "by hit rate is LRU on c" in findings.rivals_finding(made_table(rates | {"spear+tide": 0.3}))


def test_wins_ties_and_losses_are_told_apart():
    seeds = pd.DataFrame(
        {
            "corpus": ["a", "b", "c"], "rival": "lru", "seeds": 5, "gain": [0.05, 0.0, -0.02],
            "verdict": ["win", "tie", "loss"],
        }
    )  # fmt: skip
    text = findings.seeds_finding(seeds)
    assert "Over 5 seeds: Against LRU, Unison wins on a, ties on b and loses on c" in text
    assert "-2.0 pp (c) to +5.0 pp (a)" in text


def test_sizes_stand_beside_the_papers():
    text = findings.size_finding(made_table({"lru": 0.4, "spear+tide": 0.5}))
    assert "+10.0 pp (c), the paper's up to +23.1 pp" in text
    assert "AMAT falls by 50.0 % on average, the paper's by 34.8 %" in text


def made_online(late: float, offline: float) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {
                "corpus": "c", "update": update, "n_completed": n, "convergence": value, "hazard_bias": 0.02,
                "hit_rate_offline": offline, "hit_rate_lru": 0.4,
            }
            for update in ("on_complete", "risk_set")
            for n, value in ((1, 0.5), (8, late), (10, 1.0))
        ]
    )  # fmt: skip


def test_convergence_is_told_from_half_of_the_sessions_on():
    # Of 10 sessions those with 5 or more completed count: 8 and 10, not 1.
    text = findings.online_finding(made_online(0.6, 0.5))
    assert "From half of the sessions on, A(n) is at its farthest from 1 0.60 (c)." in text
    assert "half-learned" not in text
    assert "A half-learned table does better" in findings.online_finding(made_online(1.5, 0.5))


def test_a_table_that_loses_to_lru_has_no_share_of_a_gain():
    text = findings.online_finding(made_online(1.5, 0.3))
    assert "In c even the offline table does not beat LRU" in text
    assert "half-learned" not in text


def test_log_loss_against_a_constant_hazard_is_counted():
    scores = pd.DataFrame(
        {
            "corpus": ["a", "b"], "split": "fold", "log_loss": [0.9, 1.2], "base_log_loss": 1.0, "brier": 0.1,
            "base_brier": 0.1,
        }
    )  # fmt: skip
    text = findings.scores_finding(scores)
    assert "in 1 of 2 corpora (not in: b)" in text
    assert "-10.0 % (a) to +20.0 % (b)" in text


@pytest.mark.parametrize(("seconds", "is_flooded"), [(10.0, False), (600.0, True)])
def test_an_overloaded_queue_is_said_so(seconds, is_flooded):
    ttft = pd.DataFrame(
        {
            "corpus": "c", "policy": "spear+tide", "load": 4, "quantile": ["p50", "p99"],
            "ttft_ratio": [0.5, 0.8], "lru_ttft_s": seconds,
        }
    )  # fmt: skip
    text = findings.ttft_finding(ttft, load=4)
    assert "At 4× load the median TTFT of Unison is 0.50× (c)" in text
    assert f"0.80× (99th percentile, c at 4×, where LRU's is {seconds:g} s)" in text
    assert ("overloaded" in text) == is_flooded


def test_slots_at_which_corpora_are_furthest_apart_are_named():
    table = pd.DataFrame(
        {"slots": [8, 16], "ase": [0.3, 0.6], "least": [0.2, 0.3], "most": [0.4, 0.9], "paper": [None, 0.9]}
    )
    text = ablation_findings.slots_finding(table)
    assert "ASE is 0.300 at 8 and 0.600 at 16 slots." in text
    assert "furthest apart at 16, from 0.300 to 0.900." in text
    assert "The paper has 0.900 at 16." in text


def test_sessions_left_out_are_counted():
    table = pd.DataFrame(
        {"corpus": ["a"], "sessions": [10], "left_out": [3], "mean_live_tokens": [5e4], "max_live": [7]}
    )
    assert "3 of 10 sessions have no known times" in findings.live_finding(table)
    assert "All 10 sessions" in findings.live_finding(table.assign(left_out=0))


def test_the_rising_hazard_is_found():
    curves = pd.DataFrame({"corpus": "c", "turn": [1, 20], "events": [1, 9], "at_risk": [10, 10]})
    assert "higher late than early in c" in findings.hazard_finding(curves)
    assert "higher late than early in none" in findings.hazard_finding(curves.assign(events=[9, 1]))
