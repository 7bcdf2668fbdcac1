"""Evaluator: what it keeps, what it measures, and what it refuses."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from support.sessions import make_corpus, start_together
from support.worlds import make_envelope

from unison.config import load_defaults
from unison.device import costs_for
from unison.errors import UnisonError
from unison.experiments.runner import DEFAULT_MODEL, Evaluator, envelopes_of, model_of, signals_of
from unison.hazard import fit_corpus
from unison.metrics import METRICS, Measured, measure
from unison.models import load_models
from unison.policies.registry import build_policy
from unison.replay.engine import replay
from unison.replay.envelope import Envelope, default_envelopes, share_envelopes
from unison.replay.tiering import Tiering
from unison.traces.synthetic import CORPORA
from unison.traces.trace import Trace, schedule

SAME = {"hits_by_session", "requests_by_session"}


def made_trace(seed: int = 0, sessions: int = 12) -> Trace:
    rng = np.random.default_rng(seed)
    lengths = rng.integers(2, 9, sessions)
    gaps = rng.exponential(20, int(lengths.sum() - sessions)) + 0.01
    return schedule(make_corpus(lengths, gaps_s=gaps), seed=seed)


def tight(trace: Trace) -> Envelope:
    return envelopes_of(trace, costs_for(DEFAULT_MODEL))[3]


@pytest.fixture
def trace() -> Trace:
    return made_trace()


def same(found: dict, expected: dict) -> None:
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert_array_equal(found[name], value, err_msg=name)


def test_result_is_the_replay_measured(trace):
    # The long way round, without the evaluator.
    envelope = make_envelope(2500, 4000)
    ranking = build_policy("spear", signals_of(trace))
    outcomes = replay(trace, ranking, envelope, Tiering(tide=True, max_swaps=load_defaults().tide.max_swaps))
    expected = measure(Measured(outcomes, trace, envelope, costs_for(DEFAULT_MODEL)))
    found = Evaluator()(trace, "spear", envelope, tide=True)
    assert {name: value for name, value in found.items() if name not in SAME} == expected
    assert found["promotions"] > 0


def test_tide_is_off_by_default(trace):
    assert Evaluator()(trace, "spear", tight(trace))["promotions"] == 0


def test_counts_by_session_sum_to_the_totals(trace):
    found = Evaluator()(trace, "lru", tight(trace))
    assert found["hits_by_session"].size == found["requests_by_session"].size == trace.corpus.n_sessions
    assert_array_equal(found["requests_by_session"], trace.corpus.turns_per_session)
    assert 0 < found["hits_by_session"].sum() / trace.corpus.n_turns == found["hit_rate"]


def test_metrics_asked_for_are_the_only_ones_measured(trace):
    found = Evaluator(metrics=("amat_ns", "hit_rate"))(trace, "lru", tight(trace))
    assert set(found) == {"amat_ns", "hit_rate"} | SAME
    assert set(Evaluator()(trace, "lru", tight(trace))) == {entry.name for entry in METRICS} | SAME


# --- what it keeps --------------------------------------------------------------------------------------


def test_policy_of_a_trace_is_built_once(trace):
    evaluate = Evaluator()
    first = evaluate.policy(trace, "spear")
    assert evaluate.policy(trace, "spear") is first
    assert evaluate.policy(trace, "lru") is not first
    assert evaluate.policy(trace, "spear", penalty_s=1.0) is not first


def test_equal_traces_have_policies_of_their_own():
    evaluate, one, other = Evaluator(), made_trace(), made_trace()
    assert evaluate.policy(one, "spear") is not evaluate.policy(other, "spear")


def test_trace_that_is_given_up_stays_alive_with_its_policy():
    evaluate, trace = Evaluator(), made_trace()
    alive = weakref.ref(trace)
    evaluate.policy(trace, "lru")
    del trace
    gc.collect()
    assert alive() is not None


def test_policy_of_another_trace_is_never_returned():
    # Traces of one shape, given up at once, so that each could take the place of the last in memory.
    evaluate = Evaluator(metrics=("hit_rate",))
    rates = set()
    for seed in range(5):
        trace = made_trace(seed)
        found = evaluate(trace, "belady", tight(trace))
        same(found, Evaluator(metrics=("hit_rate",))(trace, "belady", tight(trace)))
        rates.add(found["hit_rate"])
        del trace
        gc.collect()
    assert len(rates) > 1


def test_stateful_policy_forgets_between_replays(trace):
    evaluate = Evaluator()
    first = evaluate(trace, "cachescout", tight(trace))
    evaluate(trace, "cachescout", envelopes_of(trace, costs_for(DEFAULT_MODEL))[0])
    same(evaluate(trace, "cachescout", tight(trace)), first)


# --- the hazard -----------------------------------------------------------------------------------------


def test_hazard_is_fitted_on_the_trace_unless_one_is_given(trace):
    # Others' sessions all end after two turns, so that their hazard is another one.
    own = fit_corpus(
        trace.corpus, max_turn=load_defaults().spear.max_turn, epsilon=load_defaults().spear.epsilon
    )
    other = fit_corpus(make_corpus([2] * 30))
    evaluate = Evaluator()
    base = evaluate.policy(trace, "spear").base
    assert_array_equal(evaluate.policy(trace, "spear", own).base, base)
    assert (evaluate.policy(trace, "spear", other).base != base).any()
    assert_array_equal(
        evaluate.policy(trace, "spear", other).base,
        build_policy("spear", signals_of(trace, hazard=other)).base,
    )


def test_hazard_given_reaches_the_replay(trace):
    other = fit_corpus(make_corpus([2] * 30))
    envelope = tight(trace)
    outcomes = Evaluator().replay(trace, "spear", envelope, hazard=other)
    expected = replay(trace, build_policy("spear", signals_of(trace, hazard=other)), envelope)
    assert_array_equal(outcomes.hit_tier, expected.hit_tier)


def test_hazard_that_is_given_up_stays_alive_with_its_policy(trace):
    evaluate, hazard = Evaluator(), fit_corpus(make_corpus([2] * 30))
    alive = weakref.ref(hazard)
    evaluate.policy(trace, "spear", hazard)
    del hazard
    gc.collect()
    assert alive() is not None


# --- models and envelopes -------------------------------------------------------------------------------


def test_corpus_is_priced_by_its_own_model():
    models = {entry.name for entry in load_models().values()}
    assert {model_of(name) for name in CORPORA} <= models
    assert [model_of(name) for name in CORPORA] == [name.split("-")[1] for name in CORPORA]
    assert model_of("my-logs") == DEFAULT_MODEL
    assert DEFAULT_MODEL in models


def test_model_given_prices_every_trace(trace):
    assert Evaluator().costs(trace) == costs_for(DEFAULT_MODEL)
    assert Evaluator(model="gemma4").costs(trace) == costs_for("gemma4")
    dear, cheap = (Evaluator(model=name)(trace, "lru", tight(trace)) for name in ("devstral", "qwen3"))
    assert dear["amat_ns"] > cheap["amat_ns"]
    assert dear["hit_rate"] == cheap["hit_rate"]


def test_synthetic_corpora_have_fixed_envelopes_and_others_shares():
    costs = costs_for(DEFAULT_MODEL)
    made = made_trace()
    named = start_together(make_corpus([3, 3], name=CORPORA[0]))
    assert envelopes_of(made, costs) == share_envelopes(made.mean_live_tokens, costs)
    assert envelopes_of(named, costs) == default_envelopes(costs)


# --- what it refuses ------------------------------------------------------------------------------------


def test_unknown_policy_names_the_nearest(trace):
    with pytest.raises(UnisonError, match=r"unknown policy 'belaty'; did you mean 'belady'"):
        Evaluator()(trace, "belaty", tight(trace))


@pytest.mark.parametrize("name", ["penalty", "trace", "policy_name", "envelope"])
def test_unknown_parameter_names_those_there_are(trace, name: str):
    with pytest.raises(UnisonError, match=rf"unknown parameter of policy spear '{name}'.*penalty_s"):
        Evaluator()(trace, "spear", tight(trace), **{name: 3.0})


def test_unknown_metric_names_the_nearest(trace):
    with pytest.raises(UnisonError, match=r"unknown metric 'amat'; did you mean 'amat_ns'"):
        Evaluator(metrics=("amat",))(trace, "lru", tight(trace))


def test_unknown_model_names_those_there_are(trace):
    with pytest.raises(UnisonError, match=r"unknown model 'qwen'; did you mean 'qwen3'"):
        Evaluator(model="qwen")(trace, "lru", tight(trace))
