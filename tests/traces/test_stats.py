"""Trace statistics against hand-worked numbers and plain loops."""

from __future__ import annotations

import dataclasses
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose
from support.sessions import make_corpus

from unison.traces import stats


def table_row(frame, **where):
    for column, value in where.items():
        frame = frame[frame[column] == value]
    assert len(frame) == 1
    return frame.iloc[0]


def test_summary_counts_sessions_turns_and_what_is_not_known():
    corpus = make_corpus(
        [1, 2, 4, 3], [1, 0, -1, 1], gaps_s=[1, -1, 0, 3, 4, 5], services_s=[2, 4, -1, 6, 8, 2, 2, 2, 2, 2]
    )
    corpus = dataclasses.replace(
        corpus, tokens_estimated=np.arange(10) < 4, timing_estimated=np.arange(10) < 1
    )
    row = stats.summarize([corpus]).iloc[0]
    assert (row["corpus"], row["sessions"], row["turns"], row["turns_max"]) == ("made", 4, 10, 4)
    assert row["turns_p50"] == 2.5
    assert (row["gaps"], row["gap_zero"]) == (5, 1)
    assert row["gap_p50_s"] == 3
    assert row["gap_log_sd"] == pytest.approx(np.std(np.log([1, 3, 4, 5]), ddof=1))
    assert row["service_p50_s"] == 2
    assert row["gap_unknown_share"] == pytest.approx(1 / 6)
    assert row["service_unknown_share"] == pytest.approx(1 / 10)
    assert row["tokens_estimated_share"] == pytest.approx(0.4)
    assert row["timing_estimated_share"] == pytest.approx(0.1)
    assert row["censored_share"] == 0.25
    assert row["completion_unknown_share"] == 0.25


def test_reuse_is_the_share_of_the_prompt_held_before():
    # Prompts 1000, 1100, 1200, of which 100 are new after the first.
    corpus = make_corpus([3])
    assert_allclose(stats.reuse_ratio(corpus), [0, 10 / 11, 11 / 12])
    row = stats.summarize([corpus]).iloc[0]
    assert row["reuse_p50"] == pytest.approx((10 / 11 + 11 / 12) / 2)
    assert row["reuse_token_weighted"] == pytest.approx(2100 / 2300)
    assert row["reuse_token_weighted_all"] == pytest.approx(2100 / 3300)
    assert (row["prompt_first_tokens"], row["prompt_last_tokens"]) == (1000, 1200)


def test_empty_prompt_has_no_reuse_ratio():
    corpus = make_corpus([2])
    empty = np.zeros(2, dtype=np.int64)
    corpus = dataclasses.replace(corpus, prompt_tokens=empty, new_prompt_tokens=empty)
    assert np.isnan(stats.reuse_ratio(corpus)).all()
    assert np.isnan(stats.summarize([corpus])["reuse_token_weighted"][0])


def test_a_log_without_times_gives_unknown_not_zero():
    corpus = make_corpus([2, 3], gaps_s=-1, services_s=-1)
    row = stats.summarize([corpus]).iloc[0]
    assert row["gaps"] == 0
    assert row["gap_unknown_share"] == row["service_unknown_share"] == 1
    assert np.isnan(row[["gap_p50_s", "gap_p99_s", "gap_log_sd", "service_p95_s"]].astype(float)).all()
    assert stats.gap_quantiles_by_tool(corpus).empty
    assert stats.gap_variance_explained(corpus)["eta2"].isna().all()
    assert stats.gap_autocorrelation(corpus)["correlation"].isna().all()


def test_sessions_of_one_turn_have_no_gaps():
    row = stats.summarize([make_corpus([1, 1])]).iloc[0]
    assert row["gaps"] == 0
    assert np.isnan(row["gap_unknown_share"])


def test_hazard_is_as_counted_with_its_interval_and_only_where_reached():
    frame = stats.hazard_by_turn(make_corpus([1, 2, 2, 3], [1, 1, 0, 1]))
    assert frame["turn"].tolist() == [1, 2, 3]
    assert frame["at_risk"].tolist() == [4, 3, 1]
    assert frame["events"].tolist() == [1, 1, 1]
    assert_allclose(frame["hazard"], [1 / 4, 1 / 3, 1])
    assert ((frame["low"] <= frame["hazard"]) & (frame["hazard"] <= frame["high"])).all()


def test_gap_quantiles_are_by_the_tool_waited_for():
    tools = ["", "ls", "ls", "", "cat", "ls"]
    corpus = make_corpus([3, 3], gaps_s=[1, 3, 10, 5], tools=tools)
    frame = stats.gap_quantiles_by_tool(corpus, quantiles=(0.5, 1.0))
    assert frame[["tool", "gaps", "quantile", "gap_s"]].to_numpy().tolist() == [
        ["ls", 3, 0.5, 3.0],
        ["ls", 3, 1.0, 5.0],
        ["cat", 1, 0.5, 10.0],
        ["cat", 1, 1.0, 10.0],
    ]
    assert stats.gap_quantiles_by_tool(corpus, min_gaps=2)["tool"].unique().tolist() == ["ls"]


def test_variance_explained_matches_a_hand_worked_example():
    # Log gaps 0, 2 (tool a) and 4 (tool b): mean 2, total 8; between 2 * (1 - 2)^2 + 1 * (4 - 2)^2 = 6.
    gaps = np.exp([0.0, 2.0, 4.0])
    corpus = make_corpus([3, 2], gaps_s=gaps, tools=["", "a", "a", "", "b"])
    frame = stats.gap_variance_explained(corpus)
    tool = table_row(frame, factor="tool")
    assert tool["eta2"] == pytest.approx(6 / 8)
    assert (tool["groups"], tool["gaps"]) == (2, 3)
    assert tool["eta2_by_chance"] == 0.5
    assert table_row(frame, factor="session")["eta2"] == pytest.approx(6 / 8)


def test_gaps_without_variance_have_nothing_to_explain():
    assert stats.gap_variance_explained(make_corpus([4, 4]))["eta2"].isna().all()


def test_a_factor_without_effect_explains_what_chance_would():
    rng = np.random.default_rng(0)
    corpus = make_corpus([11] * 200, gaps_s=np.exp(rng.normal(size=2000)))
    session = table_row(stats.gap_variance_explained(corpus), factor="session")
    assert session["eta2"] == pytest.approx(session["eta2_by_chance"], rel=0.15)


def test_autocorrelation_pairs_neighbours_within_sessions_only():
    rng = np.random.default_rng(1)
    lengths, log_gap = [5, 1, 4, 6], rng.normal(size=12)
    corpus = make_corpus(lengths, gaps_s=np.exp(log_gap))
    per_session = np.split(np.log(corpus.gap_ns[corpus.turn > 0] / 1e9), [4, 4, 7])
    pairs, centred = [], []
    for values in per_session:
        for first, second in pairwise(values):
            pairs.append((first, second))
            centred.append((first - values.mean(), second - values.mean()))
    frame = stats.gap_autocorrelation(corpus)
    pooled, within = table_row(frame, form="pooled"), table_row(frame, form="within_session")
    assert pooled["pairs"] == within["pairs"] == len(pairs) == 9
    assert pooled["correlation"] == pytest.approx(np.corrcoef(np.transpose(pairs))[0, 1])
    assert within["correlation"] == pytest.approx(np.corrcoef(np.transpose(centred))[0, 1])


def test_an_unknown_or_zero_gap_breaks_the_pair():
    frame = stats.gap_autocorrelation(make_corpus([7], gaps_s=[1, 2, -1, 3, 0, 4]))
    assert frame["pairs"].tolist() == [1, 1]
