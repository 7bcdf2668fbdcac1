"""The closed form of the steady state, alone and against an event simulation."""

from __future__ import annotations

import numpy as np
import pytest
from support.segments import BLOCK_TOKENS, PLENTY

from unison.errors import UnisonError
from unison.flash.policies import PlacementPolicy
from unison.flash.policies.simple import HbmFirst
from unison.flash.replay import replay_placement
from unison.flash.segments import SegmentClass, Timeline
from unison.flash.steady_state import Flow, fluid_improvement, hbm_first_share, lifetime_aware_share

SHORT, LONG = Flow(rate=3.0, life_s=20.0), Flow(rate=1.0, life_s=240.0)
FLOWS = (SHORT, LONG)
"""Demand 3 * 20 + 1 * 240 = 300 blocks on average."""

_S = 1_000_000_000


def test_shares_by_hand():
    # C = 120 of a demand of 300: HBM-first keeps 0.4 of all. By class: all of the short ones (3 of 4 blocks a
    # second, 60 blocks), then 60 of the long ones' 240 blocks, a quarter of them: (3 + 0.25) / 4 = 0.8125.
    assert hbm_first_share(FLOWS, 120) == pytest.approx(0.4)
    assert lifetime_aware_share(FLOWS, 120) == pytest.approx(0.8125)
    assert fluid_improvement(FLOWS, 120) == pytest.approx(0.6 / 0.1875)


def test_with_room_for_all_nothing_goes_to_flash():
    assert hbm_first_share(FLOWS, 300) == lifetime_aware_share(FLOWS, 300) == 1.0
    assert fluid_improvement(FLOWS, 300) == float("inf")


def test_a_class_without_a_rate_is_refused():
    with pytest.raises(UnisonError, match="are positive"):
        hbm_first_share([Flow(0.0, 1.0)], 10)


def exponential_run(seed: int, hours: float) -> Timeline:
    """Segments of one block each, Poisson arrivals, exponential lives."""
    rng = np.random.default_rng(seed)
    parts = []
    for kind, flow in ((SegmentClass.REASONING, SHORT), (SegmentClass.SURVIVING, LONG)):
        count = rng.poisson(flow.rate * hours * 3600)
        start = rng.integers(0, int(hours * 3600 * _S), size=count)
        life = np.maximum(rng.exponential(flow.life_s * _S, size=count), 1).astype(np.int64)
        parts.append(np.column_stack([start, start + life, np.full(count, int(kind))]))
    rows = np.concatenate(parts)
    rows = rows[np.argsort(rows[:, 0], kind="stable")]
    count, end = len(rows), int(hours * 3600 * _S)
    numbers = np.arange(count, dtype=np.int32)
    none = np.full(count, -1, dtype=np.int32)
    return Timeline(
        name="exponential",
        duration_ns=end,
        seg_class=rows[:, 2].astype(np.int8),
        session=numbers,
        parent=none,
        record=none,
        spawn_ns=rows[:, 0],
        free_ns=np.maximum(np.minimum(rows[:, 1], end), rows[:, 0] + 1),
        records=(),
        write_ns=rows[:, 0],
        segment=numbers,
        tokens=np.full(count, BLOCK_TOKENS, dtype=np.int64),
        turn=np.ones(count, dtype=np.int32),
        is_prompt=np.ones(count, dtype=np.bool_),
        awaits_user=np.zeros(count, dtype=np.bool_),
        context=np.zeros(count, dtype=np.int64),
    ).check()


class ShortFirst(PlacementPolicy):
    """The short class to HBM, the long one while a reserve is free."""

    def __init__(self, timeline: Timeline, reserve: int) -> None:
        self._kind, self._reserve = timeline.seg_class.tolist(), reserve

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        return self._kind[segment] == SegmentClass.REASONING or self.residents.free_hbm > self._reserve


def kept_share(timeline: Timeline, policy: PlacementPolicy, capacity: int) -> float:
    placed = replay_placement(
        timeline,
        policy,
        hbm_blocks=capacity,
        flash_blocks=PLENTY,
        block_tokens=BLOCK_TOKENS,
        warm_ns=timeline.duration_ns // 4,
    )
    return 1 - placed.flash_share


@pytest.mark.parametrize("capacity", [60, 120, 240])
def test_hbm_first_keeps_what_the_closed_form_says(capacity):
    # 1.5 points: noise of some 20,000 writes, and the blocking of an Erlang system just below its fluid limit
    # (at 240 of 300 the loss formula itself lies 1 point below it).
    run = exponential_run(seed=1, hours=1.5)
    expected = hbm_first_share(FLOWS, capacity)
    assert kept_share(run, HbmFirst(None), capacity) == pytest.approx(expected, abs=0.025)  # type: ignore[arg-type]


@pytest.mark.parametrize("capacity", [90, 120, 240])
def test_shortest_first_comes_within_ten_points_below_its_closed_form(capacity):
    # Blocking costs up to ten points against the fluid optimum, most where HBM is small.
    run = exponential_run(seed=2, hours=1.5)
    expected = lifetime_aware_share(FLOWS, capacity)
    found = kept_share(run, ShortFirst(run, reserve=15), capacity)
    assert expected - 0.10 <= found <= expected + 0.015
    assert found > kept_share(run, HbmFirst(None), capacity) + 0.1  # type: ignore[arg-type]
