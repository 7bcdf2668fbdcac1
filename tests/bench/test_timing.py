"""Best and median of repeated runs, told by a clock that the test turns."""

from __future__ import annotations

import itertools

import pytest

from unison.bench import timing


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock of the thread; the test adds to its only entry."""
    now = [0.0]
    monkeypatch.setattr(timing.time, "thread_time", lambda: now[0])
    return now


def test_best_and_median_are_of_the_job_alone(clock: list[float]) -> None:
    lasting = iter((3.0, 1.0, 8.0))

    def prepare() -> float:
        clock[0] += 100.0
        return next(lasting)

    def run(seconds: float) -> None:
        clock[0] += seconds

    assert timing.time_runs(prepare, run, runs=3) == timing.Timing(best_s=1.0, median_s=3.0)


def test_every_run_gets_what_was_prepared_for_it() -> None:
    numbers, seen = itertools.count(), []
    timing.time_runs(lambda: next(numbers), seen.append, runs=4)
    assert seen == [0, 1, 2, 3]
