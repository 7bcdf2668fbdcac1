"""Timing: the best and the median of several runs of one job on one core."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

_Prepared = TypeVar("_Prepared")


@dataclass(frozen=True)
class Timing:
    """Processor time of repeated runs of one job, which runs on one thread.

    Time that the thread spends waiting for a core counts for nothing, so that another program's work is not
    taken for the job's; the caches that it shares with others still are. The best tells what the code can
    do, the median what it did.

    Attributes
    ----------
    best_s, median_s : float
        Of the runs [s].
    """

    best_s: float
    median_s: float


def time_runs(prepare: Callable[[], _Prepared], run: Callable[[_Prepared], object], runs: int) -> Timing:
    """Time ``run(prepare())`` several times; only `run` counts.

    Parameters
    ----------
    prepare : callable
        Makes what one run works on and uses up.
    run : callable
        The job.
    runs : int
        At least 1.
    """
    taken = []
    for _ in range(runs):
        fresh = prepare()
        start = time.thread_time()
        run(fresh)
        taken.append(time.thread_time() - start)
        del fresh
    return Timing(min(taken), statistics.median(taken))
