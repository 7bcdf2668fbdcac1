"""Tables from a corpus at once, and from a trace as its sessions complete."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.hazard.estimator import TurnHazard
from unison.traces.corpus import Corpus
from unison.traces.trace import Trace


@dataclass(frozen=True, eq=False)
class OnlineTable:
    """The hazard table as it stood when a session had just completed.

    Attributes
    ----------
    n_completed : int
        Sessions completed so far, this one included.
    time_ns : int
        When it completed [ns].
    table : TurnHazard
        What had been learned by then; a copy that does not change.
    """

    n_completed: int
    time_ns: int
    table: TurnHazard


def fit_corpus(
    corpus: Corpus, sessions: Sequence[int] | NDArray[np.integer] | None = None, **params: Any
) -> TurnHazard:
    """The table of a corpus, or of some of its sessions.

    Parameters
    ----------
    corpus : Corpus
    sessions : sequence of int, optional
        Session numbers; all by default.
    **params
        Of `TurnHazard`.

    Returns
    -------
    TurnHazard

    Raises
    ------
    UnisonError
        If no session is given or a number is not in the corpus.
    """
    picked = np.arange(corpus.n_sessions) if sessions is None else np.asarray(sessions, dtype=np.int64)
    if picked.size == 0:
        raise UnisonError(f"corpus {corpus.name!r}: no session to fit a hazard on; give at least one")
    if picked.min() < 0 or picked.max() >= corpus.n_sessions:
        raise UnisonError(
            f"corpus {corpus.name!r}: sessions run from 0 to {corpus.n_sessions - 1}; "
            f"given {picked.min()} to {picked.max()}"
        )
    return TurnHazard(**params).fit(corpus.turns_per_session[picked], corpus.completed[picked])


def online_tables(trace: Trace, at: Sequence[int] | None = None, **params: Any) -> Iterator[OnlineTable]:
    """The tables learned online, in time order, one for each completed session or for those asked.

    With ``update="on_complete"`` a table holds the sessions completed so far; sessions known to be cut off
    never enter. With ``update="risk_set"`` it holds every turn that has ended so far, of running and cut-off
    sessions too. A turn still being served is not counted: whether it ends its session is not yet known.

    Parameters
    ----------
    trace : Trace
    at : sequence of int, optional
        Numbers of completed sessions at which to give a table, rising; every one by default.
    **params
        Of `TurnHazard`.

    Yields
    ------
    OnlineTable

    Raises
    ------
    UnisonError
        If `at` does not rise or asks for more sessions than complete.
    """
    rows = trace.events[(trace.events & 1) == 0] >> 1
    turns = trace.corpus.turn[rows].astype(np.int64) + 1
    flags = _end_flags(trace)[rows]
    completions = np.flatnonzero(flags != 0)
    wanted = _check_wanted(at, completions.size)
    learner = TurnHazard(**params)
    known = 0
    for number in wanted:
        until = int(completions[number - 1]) + 1
        fresh = np.arange(known, until)
        if learner.update == "on_complete":
            fresh = fresh[flags[fresh] != 0]
        learner.partial_fit(turns[fresh], flags[fresh])
        known = until
        yield OnlineTable(int(number), int(trace.end_ns[rows[until - 1]]), copy.deepcopy(learner))


def _end_flags(trace: Trace) -> NDArray[np.int8]:
    """1 where a turn ends its session, -1 where it is only assumed to, 0 elsewhere [turns]."""
    return np.where(trace.ends_session, trace.corpus.completed[trace.corpus.session], 0).astype(np.int8)


def _check_wanted(at: Sequence[int] | None, n_completed: int) -> NDArray[np.int64]:
    if at is None:
        return np.arange(1, n_completed + 1)
    wanted = np.asarray(at, dtype=np.int64)
    if (np.diff(wanted) <= 0).any() or (wanted < 1).any() or (wanted > n_completed).any():
        raise UnisonError(
            f"online_tables: at is {list(at)}; give rising numbers from 1 to {n_completed}, "
            "the number of sessions that complete"
        )
    return wanted
