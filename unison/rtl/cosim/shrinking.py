"""Shrinking: from a run that fails to the shortest part of it that still does."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

Item = TypeVar("Item")

MOST_TRIALS = 600
"""Runs that shrinking may take; what is found by then is still a failing run."""


def shrink(
    items: Sequence[Item], fails: Callable[[list[Item]], bool], trials: int = MOST_TRIALS
) -> list[Item]:
    """A short part of a failing run that still fails, in the same order.

    First a short failing prefix by bisection, then chunks are left out, ever smaller ones, down to single
    items (delta debugging). A longer prefix need not fail where a shorter one does; the result always fails.

    Parameters
    ----------
    items : sequence
        A run for which `fails` is true.
    fails : callable
        Tries a run from the start.
    trials : int
        Calls of `fails` at most.
    """
    left = trials
    kept = list(items)
    low, high = 0, len(kept)
    while high - low > 1 and left > 0:
        middle = (low + high) // 2
        left -= 1
        if fails(kept[:middle]):
            high = middle
        else:
            low = middle
    kept = kept[:high]
    size = max(1, len(kept) // 2)
    while left > 0:
        kept, left, is_shorter = _without_chunks(kept, size, fails, left)
        if size == 1 and not is_shorter:
            break
        size = max(1, size // 2)
    return kept


def _without_chunks(
    kept: list[Item], size: int, fails: Callable[[list[Item]], bool], left: int
) -> tuple[list[Item], int, bool]:
    """One pass that leaves out each chunk if the rest still fails, from the end on."""
    is_shorter = False
    end = len(kept)
    while end > 0 and left > 0:
        start = max(0, end - size)
        rest = kept[:start] + kept[end:]
        left -= 1
        if rest and fails(rest):
            kept, is_shorter = rest, True
        end = start
    return kept, left, is_shorter
