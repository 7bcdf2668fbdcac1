"""The sentences about flash placement say what the tables hold."""

from __future__ import annotations

import numpy as np
import pandas as pd

from unison.experiments.tab12_flash_gap import BY_MEAN
from unison.report import findings


def means(closes: float) -> pd.DataFrame:
    rows = [
        ("mixed", "remaining_life", 0.6, 0.35, closes),
        ("mixed", "remaining_life_placed", 0.7, 0.0, 0.1),
        ("mixed", "lachesis_deterministic", 0.7, 0.0, 0.05),
    ]
    frame = pd.DataFrame(rows, columns=["regime", "policy", "flash_share", "moved_share", "closes"])
    return frame.assign(closes_least=frame["closes"] - 0.03, closes_most=frame["closes"] + 0.04)


def test_the_gap_sentence_has_the_share_and_whether_it_is_half():
    assert "Remaining life (ours) closes 54.0 % of the gap" in findings.flash_gap_finding(means(0.54))
    assert "(at least half on every seed)" in findings.flash_gap_finding(means(0.54))
    assert "(at least half on average only)" in findings.flash_gap_finding(means(0.51))
    assert "54 % (mixed, by seed 51 % to 58 %)" in findings.flash_gap_finding(means(0.54))
    assert "deterministic path stands at 5 % there" in findings.flash_gap_finding(means(0.54))
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
        ("bound", 2.0, True),
    ]
    frame = pd.DataFrame(rows, columns=["policy", "improvement", "meets_warranty"]).assign(regime="mixed")
    text = findings.flash_grid_finding(frame)
    assert "Lachesis is below HBM-first in 0 of 2 cells. " in text
    worse = frame.assign(improvement=frame["improvement"] - 0.3, regime="inter_worker")
    assert "below HBM-first in 1 of 2 cells (inter-worker)" in findings.flash_grid_finding(worse)
    assert "Lachesis 1.20 to 1.40 (median 1.30)" in text
    assert "HBM-first in 0 of 1 cells, Lachesis in 1 of 2 cells" in text


def test_the_input_sentence_leaves_the_chain_out():
    loads = pd.DataFrame({"config": ["hbm1", "hbm4", "chain"], "hbm_over_live": [0.05, 0.2, 0.6]})
    inputs = pd.DataFrame(
        {
            "statistic": ["worker_spread", "worker_spread", "context_over_chatbot"],
            "value": [3.8, 9.5, 26.0],
            "published_least": [3.7, 3.7, 29.0],
            "is_inside": [True, True, False],
        }
    )
    text = findings.flash_inputs_finding(inputs, loads)
    assert "5 % to 20 % of the live KV" in text
    assert "3.8 to 9.5 times" in text
    assert "2 of 3 measured statistics are inside" in text
    assert "outside: peak context over a chatbot's (26.0 to 26.0, published 29)" in text


def test_the_path_sentence_tells_with_and_without_a_reviewer():
    path = pd.DataFrame(
        {"has_reviewer": [True, True, False], "deterministic": [1.1, 1.3, 1.0], "predictive": [1.0, 1.2, 0.9]}
    ).assign(regime="inter_worker", config="chain")
    text = findings.flash_path_finding(path)
    assert (
        "with a reviewer the deterministic path gives 1.10 to 1.30 and prediction a further 1.00 to 1.20"
        in text
    )
    assert "alone in 1 of 3 cells (inter-worker, chain)" in text


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
    assert "the least is written at 1." in text


def test_the_predictor_sentence_leaves_the_true_order_out():
    quality = pd.DataFrame(
        {
            "regime": "inter_worker",
            "predictor": ["true_order", "ridge", "class_mean", "ridge", "class_mean"],
            "record_share": [0.3, 0.3, 0.3, 0.0, 0.0],
            "tau_b": [1.0, 0.31, 0.0, 0.0, 0.0],
            "regret": [0.0, 0.02, 0.5, 0.015, 0.01],
        }
    )
    text = findings.flash_predictors_finding(quality)
    assert "0.31 where records tell 30 %" in text
    assert "at most 2.0 % more" in text
    assert "Where records tell nothing it costs 1.5 % to 1.5 % (inter-worker; the class mean 1.0 %)." in text


def test_the_occupancy_sentence_has_what_lasts_and_what_is_idle():
    full = pd.DataFrame(
        {"policy": "lachesis", "hbm_share": [0.8, 1.0], "surviving": [0.2, 0.1], "lead": [0.0, 0.1]}
    )
    assert "included, 20 % under Lachesis (10 % idle)" in findings.flash_occupancy_finding(full)


def test_the_told_sentence_orders_the_unknowns():
    told = pd.DataFrame(
        {"told": [BY_MEAN, "nothing", "a", "b", "all three"], "closes": [0.45, 0.5, 0.55, 0.7, 0.99]}
    )
    text = findings.flash_told_finding(told)
    assert "it closes 50.0 %; +20.0 pp if it knew b and +5.0 pp if it knew a; 99.0 % with all three" in text
    assert "1.0 pp are left to the ranking itself and to the bound's emptying HBM" in text
    assert "not by what awaiting the end costs, it would close 45.0 %." in text


def test_the_fit_sentence_sets_the_mean_beside_the_best_quantile():
    fit = pd.DataFrame(
        [
            ("inter_worker", "mean peak of the class", np.nan, 0.2, 0.8, 1.05),
            ("inter_worker", "0.5 quantile", 0.5, 0.3, 0.85, 1.06),
            ("inter_worker", "0.1 quantile", 0.1, 0.4, 0.9, 1.1),
        ],
        columns=["regime", "fit", "quantile", "let_in", "hbm_used", "improvement"],
    )
    text = findings.flash_fit_finding(fit)
    assert "Inter-worker: the mean peak lets 20 % of the workers in and leaves 20 % of HBM idle" in text
    assert "improvement 1.05; the best quantile on these seeds, 0.1, lets 40 % in, improvement 1.10" in text


def test_the_guard_sentence_counts_where_the_pace_holds():
    guard = pd.DataFrame(
        {
            "holds": [True, False],
            "high_tpot_ms": [40.0, 61.0],
            "limit_ms": 60.0,
            "flash_read_use": [0.8, 0.9],
            "flash_write_use": [0.001, 0.002],
        }
    )
    text = findings.flash_guard_finding(guard)
    assert "holds in 1 of 2 cases: 40 to 61 ms of 60" in text
    assert "80 % to 90 % busy, writes at most 0.20 %" in text


def test_the_wear_sentence_weighs_reads_against_writes():
    wear = pd.DataFrame(
        [("none", 10.0, 2.0), ("read disturb by KV", 2.0, 1.1)],
        columns=["effect", "device_years", "improvement"],
    ).assign(regime="mixed", policy="lachesis")
    guard = pd.DataFrame({"regime": ["mixed"], "policy": ["lachesis"], "weights_days": [50.0]})
    text = findings.flash_wear_finding(wear, guard, reclaim_reads=1_000_000)
    # A fifth of the years: four parts of five of the wear are reads.
    assert "by effect: none 2.00 to 2.00 and read disturb by KV 1.10 to 1.10" in text
    assert "reading KV wears the flash 4 to 4 times as much" in text
    assert "alike at 4 to 4 million reads" in text
    assert "worn out in 50 to 50 days" in text


def test_the_corpora_sentence_counts_who_loses():
    rows = [("lachesis", 0.9), ("lachesis", 1.1), ("remaining_life", 0.8), ("remaining_life", 0.95)]
    text = findings.flash_corpora_finding(pd.DataFrame(rows, columns=["policy", "improvement"]))
    assert "Lachesis 0.90 to 1.10, below 1 in 1 of 2 cases" in text
    assert "Remaining life (ours) 0.80 to 0.95, below 1 in 2 of 2 cases" in text
