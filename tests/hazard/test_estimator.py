"""TurnHazard: counts, scikit-learn conventions, online forms, and lifelines as an oracle."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lifelines import KaplanMeierFitter, NelsonAalenFitter
from numpy.testing import assert_allclose, assert_array_equal
from scipy.stats import binomtest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils import estimator_checks

from unison.errors import UnisonError
from unison.hazard import TurnHazard

sessions = st.lists(st.tuples(st.integers(1, 70), st.sampled_from([0, 1, -1])), min_size=1, max_size=60)
uncapped = st.lists(st.tuples(st.integers(1, 49), st.booleans()), min_size=1, max_size=60)


def literal(**params):
    """An estimator of eq. (5) to the letter."""
    return TurnHazard(n_min=0, **params)


def columns(pairs):
    turns, flags = zip(*pairs, strict=True)
    return np.array(turns), np.array(flags, dtype=int)


def turn_ends(turns, flags):
    """Each session as its turns, one by one, all of first turns before second turns and so on."""
    ends = [(t, int(flag) if t == total else 0) for total, flag in zip(turns, flags, strict=True)
            for t in range(1, total + 1)]  # fmt: skip
    return columns(sorted(ends))


def test_counts_and_hazard_match_a_worked_example():
    # T = 1, 2, 2, 3 with the second 2 cut off: n = 4, 3, 1 and d = 1, 1, 1.
    table = literal(max_turn=4).fit([1, 2, 2, 3], [1, 1, 0, 1])
    assert_array_equal(table.at_risk_, [4, 3, 1, 0])
    assert_array_equal(table.events_, [1, 1, 1, 0])
    assert_allclose(table.hazard_, [1 / 4, 1 / 3, 1, 0])
    assert_allclose(table.sigma_, [3 / 4, 2 / 3, 0.01, 1])
    assert table.at_risk_.dtype == table.events_.dtype == np.int64


def test_last_bin_pools_all_later_turns():
    # Bin 3 sums #{T >= t} over t = 3, 4, 5: 3 + 2 + 1, and holds the ends at 3 and 5.
    table = literal(max_turn=3).fit([2, 3, 4, 5], [1, 1, 0, 1])
    assert_array_equal(table.at_risk_, [4, 4, 6])
    assert_array_equal(table.events_, [0, 1, 2])


def test_turns_past_the_last_bin_read_the_last_bin():
    table = literal().fit([10, 50, 80])
    assert table.hazard(50) == table.hazard(51) == table.hazard(10_000) == table.hazard_[-1]
    assert_array_equal(table.survival([[1, 99]]), [[table.sigma_[0], table.sigma_[-1]]])


def test_predict_is_the_hazard_of_each_turn():
    table = literal().fit([1, 2, 2, 3])
    assert_array_equal(table.predict([[1], [2], [60]]), table.hazard_[[0, 1, 49]])


def test_unknown_flags_count_as_ended_and_are_told():
    unknown, known = literal().fit([2, 3, 3], [-1, 1, 0]), literal().fit([2, 3, 3], [1, 1, 0])
    assert_array_equal(unknown.events_, known.events_)
    assert (unknown.n_unknown_, unknown.n_completed_, unknown.n_censored_) == (1, 2, 1)
    assert known.n_unknown_ == 0


@settings(max_examples=40, deadline=None, derandomize=True)
@given(uncapped)
def test_counts_agree_with_lifelines(pairs):
    turns, ended = columns(pairs)
    table = literal().fit(turns, ended)
    kaplan_meier = KaplanMeierFitter().fit(turns, ended)
    nelson_aalen = NelsonAalenFitter(nelson_aalen_smoothing=False).fit(turns, ended)
    events = kaplan_meier.event_table.drop(index=0)
    at = events.index.to_numpy(dtype=int) - 1
    assert_array_equal(table.at_risk_[at], events["at_risk"])
    assert_array_equal(table.events_[at], events["observed"])
    assert table.events_.sum() == events["observed"].sum()
    increments = nelson_aalen.cumulative_hazard_["NA_estimate"].diff().drop(index=0)
    assert_allclose(table.hazard_[at], increments, atol=1e-12)
    survival = kaplan_meier.survival_function_["KM_estimate"].drop(index=0)
    assert_allclose(table.product_limit_[at], survival, atol=1e-12)


def test_greenwood_variance_gives_the_intervals_of_lifelines():
    rng = np.random.default_rng(5)
    turns, ended = rng.integers(1, 30, 200), rng.random(200) < 0.6
    table = literal().fit(turns, ended)
    survival = table.product_limit_[:20]
    # lifelines forms log(-log) intervals: S ** exp(+-1.96 se(S) / (S log S)).
    width = 1.959964 * np.sqrt(table.product_limit_variance_[:20]) / (survival * np.log(survival))
    theirs = KaplanMeierFitter().fit(turns, ended).confidence_interval_.loc[1:20].to_numpy()
    assert_allclose(survival ** np.exp(-width), theirs[:, 0], rtol=1e-5)
    assert_allclose(survival ** np.exp(width), theirs[:, 1], rtol=1e-5)


def test_variance_is_binomial_and_unknown_where_nobody_is_at_risk():
    table = literal(max_turn=3).fit([1, 1, 2, 2])
    assert_allclose(table.variance_, [0.5 * 0.5 / 4, 0, np.nan])


def test_interval_is_wilsons():
    table = literal(max_turn=3).fit([1, 1, 2, 2, 2], [1, 0, 0, 1, 0])
    low, high = table.interval(0.9)
    for turn, (events, at_risk) in enumerate([(1, 5), (1, 3)]):
        expected = binomtest(events, at_risk).proportion_ci(0.9, method="wilson")
        assert_allclose((low[turn], high[turn]), expected)
    assert np.isnan(low[2])
    assert np.isnan(high[2])


@pytest.mark.parametrize("level", [0.0, 1.0, 95])
def test_interval_refuses_a_level_outside_zero_and_one(level):
    with pytest.raises(UnisonError, match="level"):
        literal().fit([1]).interval(level)


def test_sigma_is_local_by_default_and_product_limit_as_an_ablation():
    turns = [1, 2, 3, 4]
    local, cumulative = literal(max_turn=4).fit(turns), literal(max_turn=4, surv="cumulative").fit(turns)
    assert_allclose(local.sigma_, [3 / 4, 2 / 3, 1 / 2, 0.01])
    assert_allclose(cumulative.sigma_, [3 / 4, 1 / 2, 1 / 4, 0.01])


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    sessions,
    st.sampled_from(["none", "laplace", "empirical_bayes", "kernel"]),
    st.sampled_from([0, 5, 20]),
    st.sampled_from(["local", "cumulative"]),
)
def test_hazard_and_sigma_stay_in_range(pairs, smoothing, n_min, surv):
    table = TurnHazard(smoothing=smoothing, n_min=n_min, surv=surv).fit(*columns(pairs))
    assert ((table.hazard_ >= 0) & (table.hazard_ <= 1)).all()
    assert ((table.sigma_ >= 0.01) & (table.sigma_ <= 1)).all()
    assert (table.events_ <= table.at_risk_).all()


@settings(max_examples=40, deadline=None, derandomize=True)
@given(sessions, st.integers(0, 60))
def test_sessions_in_batches_give_the_table_of_all(pairs, cut):
    turns, flags = columns(pairs)
    whole, parts = TurnHazard().fit(turns, flags), TurnHazard()
    for part in (slice(0, cut), slice(cut, None)):
        if turns[part].size:
            parts.partial_fit(turns[part], flags[part])
    assert_array_equal(parts.at_risk_, whole.at_risk_)
    assert_array_equal(parts.events_, whole.events_)
    assert_array_equal(parts.sigma_, whole.sigma_)
    assert (parts.n_completed_, parts.n_censored_, parts.n_unknown_) == (
        whole.n_completed_,
        whole.n_censored_,
        whole.n_unknown_,
    )


@settings(max_examples=40, deadline=None, derandomize=True)
@given(sessions)
def test_turn_ends_one_by_one_give_the_table_of_whole_sessions(pairs):
    turns, flags = columns(pairs)
    whole = TurnHazard().fit(turns, flags)
    online = TurnHazard(update="risk_set").partial_fit(*turn_ends(turns, flags))
    assert_array_equal(online.at_risk_, whole.at_risk_)
    assert_array_equal(online.events_, whole.events_)
    assert online.n_completed_ == whole.n_completed_


def test_running_sessions_lower_the_hazard_only_in_the_risk_set_form():
    # Three sessions have finished turn 1 and run on; one ended there.
    online = literal(update="risk_set").partial_fit([1, 1, 1, 1], [0, 0, 0, 1])
    paper = literal(update="on_complete").partial_fit([1], [1])
    assert online.hazard(1) == 1 / 4
    assert paper.hazard(1) == 1


def test_forgetting_weighs_a_session_by_the_ends_after_it():
    table = literal(forgetting=0.5).partial_fit([1, 2, 2])
    # Weights 1/4, 1/2, 1.
    assert_allclose(table.at_risk_[:2], [1.75, 1.5])
    assert_allclose(table.events_[:2], [0.25, 1.5])


@settings(max_examples=40, deadline=None, derandomize=True)
@given(sessions, st.sampled_from(["on_complete", "risk_set"]), st.integers(1, 59))
def test_forgetting_does_not_depend_on_the_batches(pairs, update, cut):
    turns, flags = columns(pairs)
    whole = TurnHazard(update=update, forgetting=0.9).partial_fit(turns, flags)
    parts = TurnHazard(update=update, forgetting=0.9)
    for part in (slice(0, cut), slice(cut, None)):
        if turns[part].size:
            parts.partial_fit(turns[part], flags[part])
    assert_allclose(parts.at_risk_, whole.at_risk_)
    assert_allclose(parts.events_, whole.events_, atol=1e-12)
    assert (parts.events_ <= parts.at_risk_ + 1e-12).all()


def test_fit_counts_every_session_alike_whatever_the_forgetting():
    turns = [1, 2, 2, 5]
    assert_array_equal(TurnHazard(forgetting=0.5).fit(turns).at_risk_, TurnHazard().fit(turns).at_risk_)


def test_refit_forgets_the_earlier_fit():
    table = TurnHazard().fit([5] * 30, [-1] * 30).partial_fit([7])
    again = table.fit([1, 2], [0, 1])
    fresh = TurnHazard().fit([1, 2], [0, 1])
    assert again is table
    assert vars(again).keys() == vars(fresh).keys()
    for name, value in vars(fresh).items():
        assert_array_equal(getattr(again, name), value, err_msg=name)


@pytest.mark.parametrize(
    "check",
    [
        "check_estimator_cloneable",
        "check_estimator_repr",
        "check_get_params_invariance",
        "check_no_attributes_set_in_init",
        "check_parameters_default_constructible",
        "check_set_params",
    ],
)
def test_scikit_learn_checks_that_need_no_features_pass(check):
    getattr(estimator_checks, check)("TurnHazard", TurnHazard())


def test_construction_only_stores_the_arguments():
    given = {
        "max_turn": -3,
        "epsilon": "x",
        "smoothing": "??",
        "prior_strength": 2,
        "bandwidth": -1,
        "n_min": None,
        "surv": 0,
        "update": 1,
        "forgetting": 9,
    }
    table = TurnHazard(**given)
    assert table.get_params() == given
    assert vars(table) == given
    assert set(given) == set(inspect.signature(TurnHazard).parameters)


def test_clone_copies_parameters_but_not_what_was_fitted():
    table = TurnHazard(smoothing="kernel", bandwidth=2.5).fit([1, 2, 3])
    twin = clone(table)
    assert twin.get_params() == table.get_params()
    with pytest.raises(NotFittedError):
        twin.predict([1])


def test_set_params_takes_effect_at_the_next_fit():
    table = TurnHazard().fit([1, 2, 3]).set_params(max_turn=7)
    assert table.hazard_.size == 50
    assert table.fit([1, 2, 3]).hazard_.size == 7


def test_fit_does_not_change_its_arguments_or_parameters():
    turns, flags, table = np.array([3, 60]), np.array([1, -1]), TurnHazard(smoothing="laplace")
    before = table.get_params()
    table.fit(turns, flags)
    assert_array_equal(turns, [3, 60])
    assert_array_equal(flags, [1, -1])
    assert table.get_params() == before


@pytest.mark.parametrize("method", ["hazard", "survival", "predict"])
def test_use_before_fit_is_refused(method):
    with pytest.raises(NotFittedError):
        getattr(TurnHazard(), method)([1])


def test_changed_max_turn_is_refused_by_partial_fit():
    table = TurnHazard().fit([1, 2]).set_params(max_turn=60)
    with pytest.raises(UnisonError, match=r"50 bins .* max_turn is 60"):
        table.partial_fit([1])


def test_one_censored_session_gives_hazard_zero():
    table = TurnHazard().fit([3], [0])
    assert_array_equal(table.hazard_, np.zeros(50))
    assert_array_equal(table.sigma_, np.ones(50))


def test_all_censored_sessions_give_hazard_zero_without_a_prior():
    turns, flags = [3, 70, 12] * 20, [0] * 60
    for smoothing in ("none", "kernel", "empirical_bayes"):
        assert not TurnHazard(smoothing=smoothing).fit(turns, flags).hazard_.any()


@pytest.mark.parametrize(
    ("turns", "message"),
    [
        ([], "X is empty"),
        ([3, 0], r"X\[1\] is 0; give whole numbers from 1 on"),
        ([3, -1], r"X\[1\] is -1"),
        ([1.5], r"X\[0\] is 1.5"),
        ([np.nan], r"X\[0\] is nan"),
        ([np.inf], r"X\[0\] is inf"),
        (["a"], "type <U1"),
        ([True], "type bool"),
        ([[1, 2]], r"shape \(1, 2\)"),
    ],
)
def test_turns_that_are_no_turns_are_refused(turns, message):
    with pytest.raises(UnisonError, match=message):
        TurnHazard().fit(turns)
    with pytest.raises(UnisonError, match=message):
        TurnHazard().partial_fit(turns)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ([1], r"shape \(1,\); give one flag for each of 2"),
        ([1, 2], r"y\[1\] is 2; allowed"),
        ([0.5, 1], "y.0. is 0.5"),
    ],
)
def test_flags_that_do_not_fit_are_refused(flags, message):
    with pytest.raises(UnisonError, match=message):
        TurnHazard().fit([1, 2], flags)


@pytest.mark.parametrize("turn", [0, -4, 2.5])
def test_no_table_entry_below_turn_one(turn):
    with pytest.raises(UnisonError, match="whole numbers from 1"):
        TurnHazard().fit([1, 2]).hazard(turn)


@pytest.mark.parametrize(
    ("parameter", "value"),
    [
        ("max_turn", 0), ("epsilon", 0.0), ("epsilon", 1.0), ("smoothing", "gauss"), ("prior_strength", 0.0),
        ("prior_strength", np.inf), ("bandwidth", 0.0), ("n_min", -1), ("surv", "both"), ("update", "never"),
        ("forgetting", 0.0), ("forgetting", 1.1),
    ],
)  # fmt: skip
def test_parameters_out_of_range_are_refused_at_fit(parameter, value):
    with pytest.raises(UnisonError, match=parameter):
        TurnHazard(**{parameter: value}).fit([1, 2])


def test_one_bin_is_enough():
    for smoothing in ("none", "laplace", "empirical_bayes", "kernel"):
        table = TurnHazard(max_turn=1, smoothing=smoothing, n_min=0).fit([2, 4])
        assert_array_equal(table.at_risk_, [6])
        assert 0 < table.hazard_[0] < 1
