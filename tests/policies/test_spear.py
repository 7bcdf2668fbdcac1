"""Spear and its elapsed-idle forms against eq. (7) worked by hand, and AGSERVE's forecast."""

from __future__ import annotations

import numpy as np
import pytest
from support.policies import make_signals
from support.worlds import MS, make_trace

from unison.errors import UnisonError
from unison.policies.ranking import Ranking
from unison.policies.registry import build_policy
from unison.replay.resident import ranking_score

# One session: gaps 3.7 s, 1 ms, 9 s; services 1 ms. sigma(t) = 0.99 - 0.02 t: 0.97, 0.95, 0.93, 0.91.
TRACE = make_trace([{"start": 0, "turns": [(gap, 1, 5, 1, 0) for gap in (0, 3700, 1, 9000)]}])
SIGMA = (0.97, 0.95, 0.93, 0.91)
EMA_NS = (5_000_000_000, 3_700_000_000, 2_590_300_000, 4_513_210_000)
PENALTY_NS = 500_000_000_000


def made(name: str, **parameters: object) -> Ranking:
    ranking = build_policy(name, make_signals(TRACE), **parameters)
    assert isinstance(ranking, Ranking)
    return ranking


def test_spear_is_equation_seven() -> None:
    # Row 1: 3.7 s / 0.95 + 0.05 * 500 s = 3.894736842 s + 25 s.
    ranking = made("spear")
    assert ranking_score(ranking, 1, 0) == 28_894_736_842
    expected = [g / s + (1 - s) * PENALTY_NS for g, s in zip(EMA_NS, SIGMA, strict=True)]
    assert ranking.base.tolist() == [round(value) for value in expected]
    assert not ranking.slope.any()
    assert ranking.gap_estimate_ns.tolist() == list(EMA_NS)


def test_without_penalty_spear_is_the_ema_over_survival() -> None:
    assert made("spear", penalty_s=0).base[0] == round(5_000_000_000 / 0.97)


@pytest.mark.parametrize(
    ("name", "idle_s", "gap_term_ns"),
    [
        # The EMA at row 1 is 3.7 s. (a) max(ema, idle), (b) max(ema - idle, 0), over sigma; (c) + idle.
        ("spear_idle_max", 1, 3.7e9 / 0.95),
        ("spear_idle_max", 6, 6e9 / 0.95),
        ("spear_idle_remaining", 1, 2.7e9 / 0.95),
        ("spear_idle_remaining", 6, 0.0),
        ("spear_idle_additive", 6, 3.7e9 / 0.95 + 6e9),
    ],
)
def test_the_forms_of_elapsed_idle_time(name: str, idle_s: int, gap_term_ns: float) -> None:
    score = ranking_score(made(name), 1, idle_s * 1000 * MS)
    assert score == pytest.approx(gap_term_ns + 0.05 * PENALTY_NS, abs=2)  # base is rounded to a ns


@pytest.mark.parametrize("penalty_s", [-1, float("nan"), 1e9])
def test_a_penalty_out_of_range_is_refused(penalty_s: float) -> None:
    with pytest.raises(UnisonError, match="penalty_s"):
        made("spear", penalty_s=penalty_s)


def test_agserve_counts_down_to_the_mean_and_then_expects_the_mean_overrun() -> None:
    # Gaps of the tool "": 3.7 s known at the pause of row 1. After 1 s 2.7 s are left. Of the overruns none
    # is known (3.7 s was within the prior of 5 s): once overdue the prior, 5 s, is expected.
    ranking = made("agserve_eta")
    tool_is_the_same = make_signals(TRACE).tool_gap_mean_ns
    assert tool_is_the_same[1] == 3_700_000_000
    assert ranking_score(ranking, 1, 1000 * MS) == 2_700_000_000
    assert ranking_score(ranking, 1, 3700 * MS) == 0
    assert ranking_score(ranking, 1, 3701 * MS) == 5_000_000_000


@pytest.mark.parametrize("theta_s", [0, -1, 1e9])
def test_a_timeout_out_of_range_is_refused(theta_s: float) -> None:
    with pytest.raises(UnisonError, match="theta_s"):
        made("timeout", theta_s=theta_s)


def test_a_timeout_drops_after_theta() -> None:
    ranking = made("timeout", theta_s=2.5)
    assert ranking.drop_after_ns is not None
    np.testing.assert_array_equal(ranking.drop_after_ns, 2_500_000_000)
