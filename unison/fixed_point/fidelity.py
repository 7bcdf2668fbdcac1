"""Fidelity: how far two scores of the same residents agree on who goes first and on the whole order."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unison.replay.jit import helper, kernel


@dataclass(frozen=True, eq=False)
class Snapshots:
    """The paused residents at victim selections, one selection after the other.

    Attributes
    ----------
    first : int64 [snapshots + 1]
        Where each snapshot's residents start; the last is their number.
    row : int64 [residents]
        Turn row that a resident's score belongs to; residents of a snapshot by slot.
    is_dead : bool [residents]
        Completed: goes before any that has not.
    is_candidate : bool [residents]
        In the tier from which a victim is selected; each snapshot has at least one.
    """

    first: NDArray[np.int64]
    row: NDArray[np.int64]
    is_dead: NDArray[np.bool_]
    is_candidate: NDArray[np.bool_]

    def __len__(self) -> int:
        """Number of snapshots."""
        return self.first.size - 1

    @property
    def has_dead(self) -> NDArray[np.bool_]:
        """Whether a completed session is among the residents [snapshots]."""
        return np.add.reduceat(self.is_dead, self.first[:-1]) > 0 if len(self) else np.zeros(0, np.bool_)


@dataclass(frozen=True, eq=False)
class Agreement:
    """How two scores agree on each snapshot.

    Attributes
    ----------
    same_first : bool [snapshots]
        Both rank the same resident first; equal scores go by the lowest slot.
    same_victim : bool [snapshots]
        The same among the candidates.
    tau_b : float64 [snapshots]
        Kendall's tau-b over all residents, completed ones tied at the top. Where a score ties all residents
        tau-b has no value: it counts as 1 if the other ties all too, and as 0 if not.
    """

    same_first: NDArray[np.bool_]
    same_victim: NDArray[np.bool_]
    tau_b: NDArray[np.float64]


def agreement(snapshots: Snapshots, one: NDArray[np.int64], other: NDArray[np.int64]) -> Agreement:
    """Compare two scores by turn row.

    Parameters
    ----------
    snapshots : Snapshots
    one, other : int64 [turns]
        Scores; only their order counts.

    Returns
    -------
    Agreement
    """
    size = len(snapshots)
    result = Agreement(np.zeros(size, np.bool_), np.zeros(size, np.bool_), np.zeros(size))
    _compare(
        snapshots.first, snapshots.is_dead, snapshots.is_candidate, one[snapshots.row], other[snapshots.row],
        result.same_first, result.same_victim, result.tau_b,
    )  # fmt: skip
    return result


@kernel
def _compare(first, is_dead, is_candidate, one, other, same_first, same_victim, tau_b):  # type: ignore[no-untyped-def]
    for at in range(first.size - 1):
        begin, end = first[at], first[at + 1]
        top = _top(begin, end, is_dead, is_candidate, False, one)
        same_first[at] = top == _top(begin, end, is_dead, is_candidate, False, other)
        top = _top(begin, end, is_dead, is_candidate, True, one)
        same_victim[at] = top == _top(begin, end, is_dead, is_candidate, True, other)
        tau_b[at] = _tau_b(begin, end, is_dead, one, other)


@helper
def _order(i, j, is_dead, score):  # type: ignore[no-untyped-def]
    """1 if i goes before j, -1 if after, 0 if they are tied."""
    if is_dead[i] or is_dead[j]:
        return int(is_dead[i]) - int(is_dead[j])
    return int(score[i] > score[j]) - int(score[i] < score[j])


@helper
def _top(begin, end, is_dead, is_candidate, candidates_only, score):  # type: ignore[no-untyped-def]
    """Who goes first, ties by the place, which is the slot's; -1 if nobody can."""
    best = -1
    for i in range(begin, end):
        if candidates_only and not is_candidate[i]:
            continue
        if best < 0 or _order(i, best, is_dead, score) > 0:
            best = i
    return best


@helper
def _tau_b(begin, end, is_dead, one, other):  # type: ignore[no-untyped-def]
    concordance = 0
    ordered_one = 0
    ordered_other = 0
    for i in range(begin, end):
        for j in range(begin, i):
            x = _order(i, j, is_dead, one)
            y = _order(i, j, is_dead, other)
            concordance += x * y
            ordered_one += x != 0
            ordered_other += y != 0
    if ordered_one > 0 and ordered_other > 0:
        return concordance / math.sqrt(ordered_one * ordered_other)
    return 1.0 if ordered_one == ordered_other else 0.0
