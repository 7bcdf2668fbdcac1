"""The bound: the most blocks that any placement could keep in HBM from their write to their end."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import coo_array, csr_array, hstack, identity

from unison.errors import UnisonError


def packing_bound(
    start_ns: NDArray[np.int64], end_ns: NDArray[np.int64], blocks: NDArray[np.int64], capacity: int
) -> float:
    """Most blocks that never cost a flash write, by linear programming.

    Parameters
    ----------
    start_ns, end_ns : int64 [writes]
        When blocks are written and when they end [ns], starts in rising order.
    blocks : int64 [writes]
        How many.
    capacity : int
        HBM [blocks].

    Returns
    -------
    float
        ``max sum x_i`` subject to ``0 <= x_i <= blocks_i`` and, at every start, the sum of the x_i that live
        then being at most the capacity. A block counts only if it is in HBM for its whole life, so that the
        bound holds for placements that move blocks as for those that do not. Each x_i covers neighbouring
        rows, so the optimum is whole (the matrix is totally unimodular).

    Raises
    ------
    UnisonError
        If the solver does not reach the optimum.

    Notes
    -----
    HiGHS, with the occupancy after each start as a variable: what began there less what ended since.
    """
    count = start_ns.size
    ended_at = np.searchsorted(start_ns, end_ns, side="left")
    rows = np.arange(count)
    ends = np.flatnonzero(ended_at < count)
    change = coo_array(
        (
            np.concatenate((-np.ones(count), np.ones(ends.size))),
            (np.concatenate((rows, ended_at[ends])), np.concatenate((rows, ends))),
        ),
        shape=(count, count),
    )
    step = identity(count, format="csr") - csr_array(
        (np.ones(max(count - 1, 0)), (rows[1:], rows[:-1])), shape=(count, count)
    )
    solved = linprog(
        np.concatenate((-np.ones(count), np.zeros(count))),
        A_eq=hstack([change, step]).tocsr(),
        b_eq=np.zeros(count),
        bounds=[(0, float(n)) for n in blocks] + [(0, float(capacity))] * count,
        method="highs",
    )
    if solved.status != 0:
        raise UnisonError(f"packing_bound: the solver stopped with {solved.message!r}; give fewer writes")
    return -float(solved.fun)
