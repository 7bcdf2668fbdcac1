"""Faults of the kernel's input and of the kernel itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unison.checks.compiled import check_compiled, small_package
from unison.checks.engines import check_engines
from unison.faults.planting import patched, rewritten
from unison.faults.registry import fault
from unison.policies.ranking import Ranking
from unison.replay import prepared
from unison.replay import state as at
from unison.replay.state import Options, RankingColumns, TraceColumns
from unison.traces.trace import Trace


@fault("a lost completion", "replay", check_engines)
def lost_completion(folder: Path) -> Iterator[None]:
    """The kernel is not told that one session, the first to complete, has ended."""
    columns_of = prepared._trace_columns

    def losing(trace: Trace) -> tuple[NDArray[np.int64], TraceColumns]:
        order, columns = columns_of(trace)
        rows = columns.rows.copy()
        ends = np.where(rows[:, at.ENDS_SESSION] == 1, rows[:, at.END_NS], np.iinfo(np.int64).max)
        rows[ends.argmin(), at.ENDS_SESSION] = 0
        return order, columns._replace(rows=rows)

    with patched(prepared, "_trace_columns", losing):
        yield


def _with_capacities(change: Any) -> Any:
    options_of = prepared._options

    def changed(*arguments: Any) -> Options:
        options = options_of(*arguments)
        return options._replace(capacity=np.ascontiguousarray(change(options.capacity)))

    return patched(prepared, "_options", changed)


@fault("an off-by-one capacity", "replay", check_engines)
def off_by_one_capacity(folder: Path) -> Iterator[None]:
    """Each tier of the kernel takes one token more than its capacity."""
    with _with_capacities(lambda capacity: capacity + 1):
        yield


@fault("a swapped tier", "replay", check_engines)
def swapped_tier(folder: Path) -> Iterator[None]:
    """The kernel gives SRAM the capacity of HBM, and HBM that of SRAM."""
    with _with_capacities(lambda capacity: capacity[::-1]):
        yield


@fault("a wrong tie-break", "replay", check_engines)
def wrong_tie_break(folder: Path) -> Iterator[None]:
    """Of two sessions with one score the kernel takes the one that arrived last, not the lowest slot."""
    columns_of = prepared._ranking_columns

    def by_arrival(ranking: Ranking, trace: Trace, order: NDArray[np.int64]) -> RankingColumns:
        columns = columns_of(ranking, trace, order)
        columns.whole[:, at.KEY] = columns.whole[:, at.KEY] * order.size + np.arange(order.size)
        return columns

    with patched(prepared, "_ranking_columns", by_arrival):
        yield


@fault(
    "a stale compiled kernel",
    "compiled kernel",
    check_compiled,
    arguments=lambda folder: (folder,),
    prepare=small_package,
)
def stale_compiled_kernel(folder: Path) -> Iterator[None]:
    """In a copy of the package the cache of compiled kernels has one folder, whatever the sources are."""
    path = folder / "unison" / "replay" / "jit.py"
    kept = path.read_bytes()
    edited = kept.replace(b" / source_hash())", b")")
    assert edited != kept, "jit.py names the cache's folder in another way; plant the fault anew"
    with rewritten(path, edited):
        yield
