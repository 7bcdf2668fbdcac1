"""The registry of policies, and what a Ranking refuses."""

from __future__ import annotations

import numpy as np
import pytest
from support.policies import make_signals
from support.worlds import idle_ranking, make_trace

from unison.errors import UnisonError
from unison.policies.ranking import Ranking
from unison.policies.registry import InfoClass, all_policies, build_policy, get_policy, policy

TRACE = make_trace([{"start": 0, "turns": [(0, 1, 5, 5, 1), (2, 1, 8, 2, 1)]}])


def test_a_name_is_registered_once() -> None:
    before = [entry.name for entry in all_policies()]
    register = policy("lru", title="t", citation="c", info=InfoClass.F0, sees_completion=False)
    with pytest.raises(UnisonError, match="'lru' is registered twice"):
        register(lambda signals: idle_ranking(signals.trace))
    assert [entry.name for entry in all_policies()] == before


def test_an_unknown_policy_names_the_nearest() -> None:
    with pytest.raises(UnisonError, match="spear"):
        get_policy("speer")


@pytest.mark.parametrize(("name", "given"), [("timeout", "theta"), ("lru", "theta_s")])
def test_an_unknown_parameter_is_refused(name: str, given: str) -> None:
    with pytest.raises(UnisonError, match=f"parameter of policy {name}"):
        build_policy(name, make_signals(TRACE), **{given: 1})


def test_columns_have_one_entry_a_turn() -> None:
    with pytest.raises(UnisonError, match=r"Ranking.pin_ns: shape \(3,\), expected \(2,\)"):
        idle_ranking(TRACE, pin_ns=np.zeros(3, np.int64))


def test_half_a_table_and_late_without_hi_are_refused() -> None:
    with pytest.raises(UnisonError, match="table and table_class together"):
        idle_ranking(TRACE, table=np.zeros((1, 64)))
    with pytest.raises(UnisonError, match="late needs hi"):
        idle_ranking(TRACE, late=np.zeros(2, np.int64))


def test_a_static_key_orders_as_the_score_does_at_every_instant() -> None:
    ranking = Ranking(np.asarray([7, 3]), np.full(2, -2.0), np.zeros(2, np.int64), sees_completion=True)
    # base - slope * pause: 7 + 2 * 1 ms, 3 + 2 * 4 ms.
    assert ranking.static_key(TRACE).tolist() == [7 + 2_000_000, 3 + 8_000_000]


@pytest.mark.parametrize("slopes", [(1.0, 2.0), (0.5, 0.5)])
def test_unequal_or_fractional_slopes_have_no_static_key(slopes: tuple[float, float]) -> None:
    ranking = Ranking(np.zeros(2, np.int64), np.asarray(slopes), np.zeros(2, np.int64), sees_completion=True)
    assert not ranking.is_static
    with pytest.raises(UnisonError, match="changes with time"):
        ranking.static_key(TRACE)


def test_a_static_key_beyond_62_bits_is_refused() -> None:
    ranking = Ranking(np.full(2, 1 << 62), np.full(2, -1.0), np.zeros(2, np.int64), sees_completion=True)
    with pytest.raises(UnisonError, match=r"2\*\*62"):
        ranking.static_key(TRACE)
