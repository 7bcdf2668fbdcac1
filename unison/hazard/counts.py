"""Counting who was at risk and who ended, turn by turn, with checks of what is counted."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from unison.errors import UnisonError
from unison.traces.corpus import UNKNOWN

_ADVICE = "give whole numbers from 1 on"


class Counts(NamedTuple):
    """Numbers at risk n(t) and events d(t), turn t at index t - 1, the last turn pooled (EQUATIONS eq. 5)."""

    at_risk: NDArray[np.float64]
    events: NDArray[np.float64]


def check_turns(turns: ArrayLike, name: str) -> NDArray[np.int64]:
    """Turn numbers counted from 1, as a flat array.

    Parameters
    ----------
    turns : array-like of int
        One-dimensional or a single column; whole floats are taken.
    name : str
        What errors call the argument.

    Returns
    -------
    int64 [n]

    Raises
    ------
    UnisonError
        If it is empty, is not a list of whole numbers, or holds one below 1.
    """
    given = np.asarray(turns)
    if given.ndim == 2 and given.shape[1] == 1:
        given = given[:, 0]
    if given.ndim != 1:
        raise UnisonError(f"TurnHazard: {name} has shape {given.shape}; give one number a session")
    if given.size == 0:
        raise UnisonError(f"TurnHazard: {name} is empty; give at least one session")
    return whole_turns(given, name)


def whole_turns(turns: ArrayLike, name: str) -> NDArray[np.int64]:
    """Turn numbers of any shape, checked to be whole and at least 1.

    Raises
    ------
    UnisonError
        Naming the first offending value and its place.
    """
    given = np.asarray(turns)
    if given.dtype.kind not in "iuf":
        raise UnisonError(f"TurnHazard: {name} holds values of type {given.dtype}; {_ADVICE}")
    bad = ~(given >= 1) | (given != np.floor(given)) | ~np.isfinite(given)
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
        raise UnisonError(f"TurnHazard: {name}[{place}] is {given.flat[place]}; {_ADVICE}")
    return given.astype(np.int64)


def check_flags(flags: ArrayLike | None, size: int, name: str) -> NDArray[np.int8]:
    """End flags 1, 0 or -1 (unknown), one for each turn number; None is all ones.

    Raises
    ------
    UnisonError
        If the number of flags is wrong or one has another value.
    """
    if flags is None:
        return np.ones(size, dtype=np.int8)
    given = np.asarray(flags)
    if given.shape not in ((size,), (size, 1)):
        raise UnisonError(
            f"TurnHazard: {name} has shape {given.shape}; give one flag for each of {size} entries"
        )
    given = given.reshape(size)
    bad = ~np.isin(given, (0, 1, UNKNOWN))
    if bad.any():
        place = int(np.flatnonzero(bad)[0])
        raise UnisonError(
            f"TurnHazard: {name}[{place}] is {given[place]}; allowed are 1 (ended), 0 (cut off), -1 (unknown)"
        )
    return given.astype(np.int8)


def count_sessions(
    turns: NDArray[np.int64], ended: NDArray[np.bool_], weight: NDArray[np.float64], max_turn: int
) -> Counts:
    """Counts of whole sessions: n(t) = #{T >= t}, d(t) = #{T = t, ended}.

    The last bin pools every later turn: n(max_turn) sums #{T >= t} over t >= max_turn, and d(max_turn) counts
    all ends there (EQUATIONS eq. 5).

    Parameters
    ----------
    turns : int64 [sessions]
        Turns T of each session, at least 1.
    ended : bool [sessions]
        False for a right-censored session: n counts it, d does not.
    weight : float64 [sessions]
        What each session counts for.
    max_turn : int
        The pooled last bin.

    Returns
    -------
    Counts
    """
    binned = np.minimum(turns, max_turn)
    last = _bins(binned, weight, max_turn)
    at_risk = np.cumsum(last[::-1])[::-1].copy()
    at_risk[-1] += (weight * (turns - binned)).sum()
    return Counts(at_risk, _bins(binned, weight * ended, max_turn))


def count_turn_ends(
    turns: NDArray[np.int64], ended: NDArray[np.bool_], weight: NDArray[np.float64], max_turn: int
) -> Counts:
    """Counts of single turns as each of them ends: every one adds to n, those that end their session to d.

    Parameters
    ----------
    turns : int64 [turn ends]
        Number of the turn, from 1.
    ended : bool [turn ends]
        The session ended there.
    weight : float64 [turn ends]
        What each turn counts for.
    max_turn : int
        The pooled last bin.

    Returns
    -------
    Counts
    """
    binned = np.minimum(turns, max_turn)
    at_risk = _bins(binned, weight, max_turn)
    return Counts(at_risk, _bins(binned, weight * ended, max_turn))


def _bins(turns: NDArray[np.int64], weight: NDArray[np.float64], max_turn: int) -> NDArray[np.float64]:
    return np.bincount(turns, weights=weight, minlength=max_turn + 1)[1:].astype(np.float64)
