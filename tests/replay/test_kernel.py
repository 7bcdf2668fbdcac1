"""The compiled kernel equals the reference engine, event by event."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from support import worlds

from unison.errors import UnisonError
from unison.replay.engine import replay

SMALL_WORLDS = 2500
LARGE_WORLDS = 60


def _check(seed: int, max_sessions: int, *, is_static: bool | None = None) -> None:
    world = worlds.seeded_world(seed, max_sessions, is_static=is_static)
    try:
        worlds.run_both(world.trace, world.ranking, world.envelope, world.tiering)
    except AssertionError as error:
        raise AssertionError(
            f"seeded_world({seed}, {max_sessions}, is_static={is_static}): {error}"
        ) from error


def test_kernel_does_what_the_reference_does_in_thousands_of_worlds() -> None:
    for seed in range(SMALL_WORLDS):
        _check(seed, max_sessions=8)


def test_heaps_and_scans_do_what_the_reference_does_with_many_sessions() -> None:
    for seed in range(LARGE_WORLDS):
        _check(seed, max_sessions=64, is_static=True)


@settings(max_examples=150)
@given(worlds.drawn_worlds(max_sessions=5))
def test_kernel_does_what_the_reference_does_in_worlds_that_shrink(world: worlds.World) -> None:
    worlds.run_both(world.trace, world.ranking, world.envelope, world.tiering)


def test_a_ranking_of_another_trace_is_refused() -> None:
    trace = worlds.make_trace([{"start": 0, "turns": [(0, 1, 5, 5, 1)]}])
    other = worlds.make_trace([{"start": 0, "turns": [(0, 1, 5, 5, 1), (1, 1, 8, 2, 1)]}])
    with pytest.raises(UnisonError, match="make it from this trace"):
        replay(trace, worlds.idle_ranking(other), worlds.make_envelope(10))


def test_a_heap_for_an_order_that_changes_with_time_is_refused() -> None:
    world = next(w for w in map(worlds.seeded_world, range(100)) if not w.ranking.is_static)
    with pytest.raises(UnisonError, match="changes with time"):
        replay(world.trace, world.ranking, world.envelope, use_heap=True)
