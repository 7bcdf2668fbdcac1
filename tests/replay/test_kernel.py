"""The compiled kernel equals the reference engine, event by event."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unison.errors import UnisonError
from unison.replay.engine import replay
from unison.replay.outcomes import Outcomes
from unison.replay.reference import ReferenceEngine
from support import worlds


def assert_same(fast: Outcomes, plain: Outcomes) -> None:
    assert plain.actions is not None
    assert fast.actions is not None
    np.testing.assert_array_equal(fast.actions, plain.actions)
    for name in ("hit_tier", "reused_tokens", "placed_tier", "cause", "lost_ns", "lost_by", "counters"):
        np.testing.assert_array_equal(getattr(fast, name), getattr(plain, name), err_msg=name)
    assert fast.used_token_ns == plain.used_token_ns
    assert fast.running_token_ns == plain.running_token_ns


@settings(max_examples=600, deadline=None)
@given(st.data())
def test_kernel_does_what_the_reference_does(data: st.DataObject) -> None:
    trace = data.draw(worlds.traces())
    ranking = data.draw(worlds.rankings(trace))
    envelope, tiering = data.draw(worlds.envelopes()), data.draw(worlds.tierings())
    plain = ReferenceEngine(trace, ranking, envelope, tiering).run()
    assert_same(replay(trace, ranking, envelope, tiering, record=True, use_heap=False), plain)
    if ranking.is_static:
        assert_same(replay(trace, ranking, envelope, tiering, record=True, use_heap=True), plain)


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_heaps_and_scans_agree_with_many_sessions(data: st.DataObject) -> None:
    trace = data.draw(worlds.traces(max_sessions=60))
    ranking = data.draw(worlds.rankings(trace).filter(lambda r: r.is_static))
    envelope = worlds.make_envelope(60, 150, slots=data.draw(st.sampled_from((20, 64))))
    tiering = data.draw(worlds.tierings())
    scan = replay(trace, ranking, envelope, tiering, record=True, use_heap=False)
    assert_same(replay(trace, ranking, envelope, tiering, record=True, use_heap=True), scan)
    assert_same(scan, ReferenceEngine(trace, ranking, envelope, tiering).run())


def test_a_ranking_of_another_trace_is_refused() -> None:
    trace = worlds.make_trace([{"start": 0, "turns": [(0, 1, 5, 5, 1)]}])
    other = worlds.make_trace([{"start": 0, "turns": [(0, 1, 5, 5, 1), (1, 1, 8, 2, 1)]}])
    with pytest.raises(UnisonError, match="make it from this trace"):
        replay(trace, worlds.idle_ranking(other), worlds.make_envelope(10))
