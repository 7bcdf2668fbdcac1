"""Cycles of decisions and events: the counters of the simulated IP, and what is told where there is none."""

from __future__ import annotations

import dataclasses

import pandas as pd
import pytest

from unison.experiments import fig11_cycles as cycles
from unison.experiments.fig11_cycles import DECIDING, DECISION, EVENT, decision_cycles, paper_latencies
from unison.rtl.cosim.toolchain import SKIPPED, Skipped, find_toolchain
from unison.traces.library import load_corpus

N = 16


@pytest.fixture(scope="module")
def measured() -> pd.DataFrame:
    tools = find_toolchain()
    if isinstance(tools, Skipped):
        pytest.skip(str(tools))
    corpus = load_corpus("gaia-gemma4")
    return decision_cycles(corpus, "edge-tight", [N], ["scan_div", "score_tree"], jobs=1)


def row(frame: pd.DataFrame, variant: str, what: str) -> pd.Series:
    (found,) = [each for _, each in frame[frame["variant"] == variant].iterrows() if each["what"] == what]
    return found


def test_a_decision_of_the_papers_family_is_a_scan_and_an_event_is_longer(measured):
    decision, event = (row(measured, "scan_div", what) for what in (DECISION, EVENT))
    # N + 5 cycles at 150 MHz
    assert (decision["mean_cycles"], decision["worst_cycles"]) == (N + 5, N + 5)
    assert decision["mean_us"] == pytest.approx((N + 5) / 150)
    assert event["worst_cycles"] > N + 5
    assert row(measured, "score_tree", DECISION)["worst_cycles"] < N


def test_events_that_decide_are_some_of_the_events_and_need_more_cycles(measured):
    for variant in ("scan_div", "score_tree"):
        event, deciding, decision = (row(measured, variant, what) for what in (EVENT, DECIDING, DECISION))
        assert 1000 < deciding["count"] < event["count"]
        assert deciding["count"] <= decision["count"]
        assert deciding["worst_cycles"] <= event["worst_cycles"]
        # an event that decides takes at least as long as its selection
        assert deciding["mean_cycles"] > decision["mean_cycles"]
    assert (measured["result"] == cycles.PASSED).all()
    assert measured["skipped"].isna().all()


def test_a_wrong_response_is_a_failure(measured, monkeypatch):
    monkeypatch.setattr(cycles, "count_differences", lambda *_: 1)
    found = decision_cycles(load_corpus("gaia-gemma4"), "edge-tight", [N], ["scan_div"], jobs=1)
    assert (found["result"] == cycles.FAILED).all()


def test_without_a_compiler_every_row_says_why_and_has_no_number(monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "")
    found = decision_cycles(load_corpus("gaia-gemma4"), "edge-tight", [N, 64])
    assert len(found) == 6 * 2 * 3
    assert (found["result"] == SKIPPED).all()
    assert found["skipped"].str.contains(r"no C\+\+ compiler").all()
    assert found[["count", "mean_us", "worst_cycles", "mismatches"]].isna().all(axis=None)


def test_a_corpus_that_the_ip_cannot_hold_is_skipped_with_the_reason():
    corpus = load_corpus("gaia-gemma4")
    huge = dataclasses.replace(corpus, output_tokens=corpus.output_tokens + (1 << 20))
    found = decision_cycles(huge, "edge-tight", [N], ["scan_div"])
    assert found["skipped"].str.contains("the IP holds 1 to 1048575").all()


def test_the_papers_latencies_are_those_of_the_ledger():
    found = paper_latencies()
    assert {(row.statistic, row.sessions): row.us for row in found.itertuples()} == {
        ("mean", 16): 0.3, ("mean", 64): 2.0, ("mean", 256): 3.95, ("worst", 64): 3.14,
    }  # fmt: skip
