"""Stays and victims of a replay agree with what the engines did, and controls find kept replays again."""

from __future__ import annotations

import numpy as np
import pytest

from unison.errors import UnisonError
from unison.experiments.residency import Setting, pair_table, replayed, residency, victims
from unison.replay.outcomes import MISS, NOWHERE
from unison.replay.reference import Decision, ReferenceEngine
from unison.report.explorer import explore

BASE = {"corpus": "gaia-gemma4", "envelope": "x1/2", "alpha": 0.3, "penalty_s": 50.0}
NS_PER_S = 1e9


def tier_at(run, session: int, at_ns: int, *, before: bool) -> int:
    """Tier of a session at an instant, or just before it."""
    stays = run.stays
    inside = (stays.start_ns < at_ns) & (at_ns <= stays.end_ns)
    if not before:
        inside = (stays.start_ns <= at_ns) & (at_ns < stays.end_ns)
    found = stays.tier[inside & (stays.session == session)]
    assert found.size <= 1
    return int(found[0]) if found.size else NOWHERE


@pytest.mark.parametrize("policy", ["lru", "timeout"])
def test_a_hit_is_found_where_the_session_sat(policy: str) -> None:
    run = replayed(Setting(policy=policy, **BASE))
    for row in range(0, run.trace.corpus.n_turns, 7):
        session, at_ns = int(run.trace.corpus.session[row]), int(run.trace.arrival_ns[row])
        if run.outcomes.hit_tier[row] != MISS:
            assert tier_at(run, session, at_ns, before=True) == run.outcomes.hit_tier[row]


def test_a_turn_runs_where_it_was_placed() -> None:
    run = replayed(Setting(policy="spear", **BASE))
    for row in range(0, run.trace.corpus.n_turns, 7):
        session, at_ns = int(run.trace.corpus.session[row]), int(run.trace.arrival_ns[row])
        assert tier_at(run, session, at_ns, before=False) == run.outcomes.placed_tier[row]


def test_stays_of_a_session_do_not_overlap() -> None:
    stays = replayed(Setting(policy="spear+tide", **BASE)).stays
    same = stays.session[1:] == stays.session[:-1]
    assert (stays.start_ns[1:] >= stays.end_ns[:-1])[same].all()
    assert (stays.end_ns > stays.start_ns).all()


@pytest.mark.parametrize("policy", ["lru", "spear", "belady"])
def test_scores_are_those_of_the_reference_engine(policy: str) -> None:
    run = replayed(Setting(policy=policy, **BASE))
    seen: list[Decision] = []
    ReferenceEngine(run.trace, run.ranking, run.envelope, observe=seen.append).run()
    compared = 0
    for decision in seen[:: max(1, len(seen) // 40)]:
        ranked = victims(run, decision.time_ns).set_index("session")
        assert (ranked["score"].fillna(np.inf).diff().dropna() <= 0).all()
        for session, score in zip(decision.sessions, decision.scores, strict=True):
            if session in ranked.index:
                mine = ranked.loc[session, "score"]
                expected = score / NS_PER_S
                assert (np.isnan(mine) and expected > 1e9) or mine == pytest.approx(expected)
                compared += 1
    assert compared > 50


def test_a_window_is_cut_at_its_ends_and_says_who_is_over() -> None:
    run = replayed(Setting(policy="lru", **BASE))
    middle = sum(run.span_ns) // 2
    rows = residency(run, middle - 100 * 10**9, middle + 100 * 10**9)
    assert rows["start_s"].min() == pytest.approx((middle - 100 * 10**9) / NS_PER_S)
    assert rows["end_s"].max() <= (middle + 100 * 10**9) / NS_PER_S
    assert rows["is_over"].any()
    assert {"evicted", "miss", "hit"} <= set(rows["event"])
    finish = run.trace.end_ns[run.trace.corpus.first_row[1:] - 1][rows["session"]] / NS_PER_S
    assert (rows["start_s"] >= finish - 1e-6)[rows["is_over"]].all()
    assert (rows["end_s"] <= finish + 1e-6)[~rows["is_over"]].all()


def test_a_setting_is_replayed_once_and_each_control_counts() -> None:
    base = replayed(Setting(policy="spear", **BASE))
    assert replayed(Setting(policy="spear", **BASE)) is base
    for change in ({"alpha": 0.9}, {"penalty_s": 5000.0}, {"log_sd": 0.0}, {"envelope": "edge"}):
        other = replayed(Setting(policy="spear", **(BASE | change)))
        assert pair_table([other])["hit_rate"][0] != pair_table([base])["hit_rate"][0], change


def test_an_explored_pair_has_both_policies_and_draws() -> None:
    seen = explore(corpus="gaia-gemma4", policy="lru", other="spear", envelope="x3/4")
    assert seen.policies == ["lru", "spear"]
    assert set(seen.residency["policy"]) == {"lru", "spear"}
    assert len(seen.residency_figure().axes) == len(seen.ranking_figure().axes) == 2


def test_an_instant_without_paused_residents_still_draws() -> None:
    seen = explore(corpus="gaia-gemma4", instant=0.0)
    assert seen.ranking.empty
    assert len(seen.ranking_figure().axes) == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"policy": "spear+tide"}, "two different"),
        ({"instant": 2.0}, "instant"),
        ({"window_s": 0.0}, "window_s"),
        ({"policy": "cachescout"}, "keeps state"),
        ({"envelope": "edje"}, "edge"),
    ],
)
def test_what_is_out_of_range_is_told(wrong: dict, message: str) -> None:
    with pytest.raises(UnisonError, match=message):
        explore(**({"corpus": "gaia-gemma4"} | wrong))
