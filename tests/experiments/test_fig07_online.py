"""Figure 7: convergence of the online table, with a made-up replay."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose
from support.sessions import make_corpus
from support.worlds import make_envelope

from unison.errors import UnisonError
from unison.experiments.fig07_online import fig07, fig07_mean, hazard_bias
from unison.hazard import TurnHazard, fit_corpus, online_tables
from unison.traces.trace import schedule


@pytest.fixture
def trace():
    return schedule(make_corpus(np.random.default_rng(3).geometric(0.1, 50)), concurrency=12, seed=4)


def made_up_replay(trace, policy_name, envelope, *, tide=False, hazard=None, **params):
    """LRU hits one in five; Spear's gain is the envelope's, less the mean error of its table."""
    if policy_name == "lru":
        assert not tide
        return {"hit_rate": 0.2}
    error = np.abs(hazard.hazard_ - fit_corpus(trace.corpus).hazard_).mean()
    return {"hit_rate": 0.2 + envelope.total_tokens / 100 * (1 - error)}


def test_convergence_is_the_share_of_the_offline_gain(trace):
    table = fig07([trace], [make_envelope(10), make_envelope(10, 20)], made_up_replay)
    for row in table.itertuples():
        (online,) = online_tables(trace, [row.n_completed], update=row.update)
        error = np.abs(online.table.hazard_ - fit_corpus(trace.corpus).hazard_).mean()
        assert row.convergence == pytest.approx(1 - error)
        assert row.time_s == online.time_ns / 1e9
    assert table["convergence"].min() < 0.95


def test_all_sessions_learned_reach_one_in_both_forms(trace):
    table = fig07([trace], [make_envelope(10)], made_up_replay)
    last = table[table["n_completed"] == 50]
    assert last["update"].tolist() == ["on_complete", "risk_set"]
    assert_allclose(last["convergence"], 1)
    assert_allclose(last["hazard_bias"], 0, atol=1e-12)


def test_numbers_are_powers_of_two_and_the_total(trace):
    table = fig07([trace], [make_envelope(10)], made_up_replay)
    assert sorted(set(table["n_completed"])) == [1, 2, 4, 8, 16, 32, 50]


def test_numbers_that_a_trace_does_not_reach_are_left_out(trace):
    table = fig07([trace], [make_envelope(10)], made_up_replay, counts=[5, 128])
    assert sorted(set(table["n_completed"])) == [5, 50]


def test_a_tie_with_lru_has_no_convergence(trace):
    table = fig07([trace], [make_envelope(0)], made_up_replay, counts=[])
    assert table["convergence"].isna().all()


def test_mean_over_envelopes_is_of_hit_rates(trace):
    # The gains are 0.1 and 0.3, so the larger envelope counts three times as much.
    table = fig07([trace], [make_envelope(10), make_envelope(10, 20)], made_up_replay, counts=[3])
    mean = fig07_mean(table)
    assert len(mean) == 4
    for row in mean.itertuples():
        cells = table[(table["update"] == row.update) & (table["n_completed"] == row.n_completed)]
        assert row.hit_rate == pytest.approx(cells["hit_rate"].mean())
        assert row.convergence == pytest.approx((cells["hit_rate"].mean() - 0.2) / 0.2)


def test_bias_is_weighed_by_the_turns_of_the_trace():
    # Hazards 2/3, 1, 0 at turns 1, 2, 3 against 1/3, 0, 0.
    table, offline = TurnHazard(n_min=0).fit([1, 1, 2]), TurnHazard(n_min=0).fit([1, 3, 3], [1, 0, 0])
    # Offline: at risk 3, 2, 2 and one end at turn 1.
    expected = (3 * (2 / 3 - 1 / 3) + 2 * (1 - 0) + 2 * (0 - 0)) / 7
    assert hazard_bias(table, offline) == pytest.approx(expected)


def test_paper_rule_is_biased_upwards_while_few_have_completed(trace):
    table = fig07([trace], [make_envelope(10)], made_up_replay, counts=[8], n_min=0).set_index("update")
    early = table[table["n_completed"] == 8]
    assert early.loc["on_complete", "hazard_bias"] > abs(early.loc["risk_set", "hazard_bias"])


def test_hazard_parameters_reach_every_table(trace):
    def check(trace, policy_name, envelope, *, tide=False, hazard=None):
        assert hazard is None or hazard.smoothing == "laplace"
        return {"hit_rate": 0.5}

    assert len(fig07([trace], [make_envelope(10)], check, counts=[4], smoothing="laplace")) == 4


def test_a_trace_in_which_nothing_completes_is_refused():
    trace = schedule(make_corpus([2, 3], [0, 0]))
    with pytest.raises(UnisonError, match="no session completes"):
        fig07([trace], [make_envelope(10)], made_up_replay)
