"""The sentences about flash placement say what the tables hold."""

from __future__ import annotations

import pandas as pd

from unison.report import findings


def means(closes: float) -> pd.DataFrame:
    rows = [
        ("mixed", "remaining_life", 0.6, 0.35, closes),
        ("mixed", "remaining_life_placed", 0.7, 0.0, 0.1),
    ]
    return pd.DataFrame(rows, columns=["regime", "policy", "flash_share", "moved_share", "closes"])


def test_the_gap_sentence_has_the_share_and_whether_it_is_half():
    assert "closes 54 % of the gap" in findings.flash_gap_finding(means(0.54))
    assert "(at least half)" in findings.flash_gap_finding(means(0.54))
    assert "(less than half)" in findings.flash_gap_finding(means(0.49))
    assert (
        "moves 35 % of the KV from HBM to flash and writes 25 % there at once"
        in findings.flash_gap_finding(means(0.5))
    )


def test_the_grid_sentence_counts_who_lasts():
    rows = [
        ("hbm_first", 1.0, False),
        ("lachesis", 1.2, True),
        ("lachesis", 1.4, False),
        ("remaining_life", 1.5, True),
        ("write_on_evict_oracle", 2.0, True),
    ]
    text = findings.flash_grid_finding(
        pd.DataFrame(rows, columns=["policy", "improvement", "meets_warranty"])
    )
    assert "Lachesis 1.20 to 1.40 (median 1.30)" in text
    assert "HBM-first in 0 of 1 cells, Lachesis in 1 of 2 cells" in text


def test_the_input_sentence_leaves_the_chain_out():
    loads = pd.DataFrame({"config": ["hbm1", "hbm4", "chain"], "hbm_over_live": [0.05, 0.2, 0.6]})
    inputs = pd.DataFrame({"statistic": ["worker_spread", "worker_spread"], "value": [3.8, 9.5]})
    text = findings.flash_inputs_finding(inputs, loads)
    assert "5 % to 20 % of the live KV" in text
    assert "3.8 to 9.5 times" in text


def test_the_path_sentence_tells_with_and_without_a_reviewer():
    path = pd.DataFrame(
        {"has_reviewer": [True, True, False], "deterministic": [1.1, 1.3, 1.0], "predictive": [1.0, 1.2, 0.9]}
    )
    text = findings.flash_path_finding(path)
    assert (
        "with a reviewer the deterministic path gives 1.10 to 1.30 and prediction a further 1.00 to 1.20"
        in text
    )


def test_the_pareto_sentence_compares_the_ends():
    points = pd.DataFrame(
        {
            "series": ["remaining_life", "remaining_life", "lachesis"],
            "margin": [1.0, 4.0, None],
            "moved_gb_per_s": [0.2, 0.1, 0.0],
            "flash_gb_per_s": [0.4, 0.42, 0.5],
        }
    )
    text = findings.flash_pareto_finding(points)
    assert "A margin of 4 instead of 1 moves 50 % less and writes 5 % more" in text


def test_the_predictor_sentence_leaves_the_true_order_out():
    quality = pd.DataFrame(
        {
            "predictor": ["true_order", "ridge", "class_mean"],
            "record_share": [0.3, 0.3, 0.3],
            "tau_b": [1.0, 0.31, 0.0],
            "regret": [0.0, 0.02, 0.5],
        }
    )
    text = findings.flash_predictors_finding(quality)
    assert "0.31 where records tell 30 %" in text
    assert "at most 2.0 % more" in text
