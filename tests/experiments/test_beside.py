"""Numbers beside the paper's: verdicts follow the numbers, and what cannot be told is no verdict."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from support.sessions import make_corpus, start_together

from unison.experiments.beside import FAILS, HOLDS, NOT_APPLICABLE, beside, counted
from unison.experiments.tab01_corpora import tab01, tab01_facts
from unison.experiments.tab02_paper import best_corpora, tab02_paper
from unison.experiments.tab04_paper import converged, tab04_paper
from unison.traces.synthetic import CORPORA, base_schedule, synthesize


@pytest.fixture(scope="module")
def series():
    corpora = [synthesize(name) for name in CORPORA]
    return corpora, [base_schedule(corpus) for corpus in corpora]


@pytest.mark.parametrize(
    ("ours", "is_met", "verdict"),
    [(1.0, True, HOLDS), (1.0, False, FAILS), (None, None, NOT_APPLICABLE), (math.nan, True, NOT_APPLICABLE)],
)
def test_a_verdict_needs_a_number(ours, is_met, verdict):
    row = beside("tab02.oracle_ratio", "claim", "rule", ours, is_met)
    assert row["verdict"] == verdict
    assert row["paper"] == 0.93
    assert math.isnan(row["ours"]) == (verdict == NOT_APPLICABLE)


def test_published_facts_hold_for_the_series_except_the_odd_number_of_events(series):
    facts = tab01_facts(*series)
    assert counted(facts) == {HOLDS: len(facts) - 1, FAILS: 1, NOT_APPLICABLE: 0}
    assert facts[facts["verdict"] == FAILS]["ours"].tolist() == [1936.0]


def test_totals_are_not_applicable_to_some_of_the_series(series):
    corpora, traces = series
    facts = tab01_facts(corpora[4:], traces[4:]).set_index("claim")
    assert facts.loc["sessions in all", "verdict"] == NOT_APPLICABLE
    assert facts.loc["median gap, gaia-gemma4", "verdict"] == HOLDS
    assert facts.loc["median gap, gaia-qwen3", "verdict"] == NOT_APPLICABLE


def test_no_published_fact_applies_to_another_corpus():
    corpus = make_corpus([3, 2])
    facts = tab01_facts([corpus], [start_together(corpus)])
    assert set(facts["verdict"]) == {NOT_APPLICABLE}


def test_table_one_tells_what_a_schedule_leaves_out():
    corpus = make_corpus([2, 2], gaps_s=[1.0, -1.0])
    row = tab01([corpus], [base_schedule(corpus)]).iloc[0]
    assert (row["sessions"], row["left_out"], row["max_live"]) == (2, 1, 1)


def made_table(unison: float, lru: float = 0.4, rival_amat: float = 0.9) -> pd.DataFrame:
    """Table II with one hit rate for each of four policies on every corpus."""
    rows = []
    for corpus in CORPORA:
        for policy, info, hits, amat in (
            ("lru", "F1", lru, 1.0),
            ("lru_completion", "F1", lru, rival_amat),
            ("spear+tide", "F0", unison, 0.8),
            ("belady", "ORACLE", 0.6, 0.7),
        ):
            rows.append(
                {
                    "corpus": corpus,
                    "policy": policy,
                    "info": info,
                    "envelopes": 6,
                    "hit_rate": hits,
                    "hit_gain": hits - lru,
                    "oracle_ratio": hits / 0.6,
                    "amat_ratio": amat,
                    "ttft_ratio": amat,
                }
            )
    return pd.DataFrame(rows)


def made_cells(table: pd.DataFrame) -> pd.DataFrame:
    """One cell for each row of the table."""
    return table.assign(
        load=1, envelope="edge", amat_ns=table["amat_ratio"], amat_suffix_ns=1.0, ttft_p50_s=1.0
    )


def test_statements_on_table_two_follow_the_table():
    good, bad = made_table(0.5), made_table(0.3)
    verdict = {
        kind: tab02_paper(table, made_cells(table), tie=0.001).set_index("claim")["verdict"]
        for kind, table in (("good", good), ("bad", bad))
    }
    claim = "least hit-rate gain over LRU"
    assert (verdict["good"][claim], verdict["bad"][claim]) == (HOLDS, FAILS)
    claim = "best non-oracle on hit rate and AMAT"
    assert (verdict["good"][claim], verdict["bad"][claim]) == (HOLDS, FAILS)
    assert verdict["good"]["hit rate, swe-qwen3, CacheScout"] == NOT_APPLICABLE


def test_statements_on_table_two_do_not_apply_to_another_corpus():
    table = made_table(0.5)
    table = table[table["corpus"] == CORPORA[0]].assign(corpus="mine")
    assert set(tab02_paper(table, made_cells(table), tie=0.001)["verdict"]) == {NOT_APPLICABLE}


def test_a_rival_with_a_lower_amat_is_not_beaten():
    assert best_corpora(made_table(0.5), 0.001) == list(CORPORA)
    assert best_corpora(made_table(0.5, rival_amat=0.7), 0.001) == []
    assert best_corpora(made_table(0.4 - 0.0005), 0.001) == list(CORPORA)
    assert best_corpora(made_table(0.4 - 0.002), 0.001) == []


def made_online(late: float) -> pd.DataFrame:
    rows = [
        {"corpus": name, "update": update, "n_completed": n, "convergence": value}
        for name in CORPORA
        for update in ("on_complete", "risk_set")
        for n, value in ((1, 0.0), (4, late if name == CORPORA[0] else 1.0), (8, 1.0))
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize(("late", "count"), [(1.05, 6), (0.8, 5), (1.2, 5)])
def test_convergence_looks_at_the_second_half_of_the_sessions(late, count):
    online = made_online(late)
    assert len(converged(online)) == count
    summary = pd.DataFrame({"corpus": ["swe-qwen3"], "split": ["fold"], "max_pp": [0.8], "mean_pp": [0.2]})
    assert tab04_paper(summary, online)["verdict"].tolist() == [HOLDS, FAILS, HOLDS if count == 6 else FAILS]


def test_table_four_does_not_apply_to_another_corpus():
    summary = pd.DataFrame({"corpus": ["mine"], "split": ["fold"], "max_pp": [0.8], "mean_pp": [0.2]})
    rows = tab04_paper(summary, made_online(1.0).assign(corpus="mine"))
    assert set(rows["verdict"]) == {NOT_APPLICABLE}
    assert np.isnan(rows["ours"]).all()
