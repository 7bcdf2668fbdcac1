"""Figure 2: what the traces look like, before any policy is run on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unison.traces.corpus import Corpus
from unison.traces.stats import NS_PER_S, gap_rows, hazard_by_turn
from unison.traces.trace import Trace

GAP_GRID_S = np.logspace(-3, 5, 161)
"""Gaps at which distributions are tabled: 1 ms to 100,000 s, twenty a decade [s]."""


@dataclass(frozen=True, eq=False)
class TraceTables:
    """The four tables of Figure 2, tidy, all corpora in each.

    Attributes
    ----------
    gap_cdf : pandas.DataFrame
        ``corpus``, ``gaps`` known, ``median_s`` of them, ``gap_s``, ``share`` of gaps up to that. A corpus
        without known gaps has no rows.
    turn_counts : pandas.DataFrame
        ``corpus``, ``turns``, ``sessions`` with exactly as many, ``share_at_least`` as many.
    hazard : pandas.DataFrame
        `unison.traces.stats.hazard_by_turn`.
    live_set : pandas.DataFrame
        ``corpus``, ``time_s``, ``live_sessions``, ``live_tokens``, and of the whole trace ``max_live`` and
        ``mean_live_tokens``. A corpus without a trace has no rows.
    """

    gap_cdf: pd.DataFrame
    turn_counts: pd.DataFrame
    hazard: pd.DataFrame
    live_set: pd.DataFrame


def fig02_traces(
    inputs: Sequence[tuple[Corpus, Trace | None]],
    *,
    max_turn: int = 50,
    level: float = 0.95,
    points: int = 200,
) -> TraceTables:
    """The tables behind Figure 2.

    Parameters
    ----------
    inputs : sequence of (Corpus, Trace or None)
        Each corpus with its schedule; None for one whose log has no times.
    max_turn : int
        Last, pooled bin of the hazard.
    level : float
        Coverage of the hazard's Wilson intervals.
    points : int
        Instants at which the live set is read, evenly over the trace.

    Returns
    -------
    TraceTables

    Raises
    ------
    UnisonError
        If `max_turn` or `level` is out of range.
    """
    corpora = [corpus for corpus, _ in inputs]
    traces = [trace for _, trace in inputs if trace is not None]
    return TraceTables(
        gap_cdf=_stack([gap_cdf(corpus) for corpus in corpora]),
        turn_counts=_stack([turn_counts(corpus) for corpus in corpora]),
        hazard=_stack([hazard_by_turn(corpus, max_turn, level) for corpus in corpora]),
        live_set=_stack([live_set(trace, points) for trace in traces]),
    )


def gap_cdf(corpus: Corpus) -> pd.DataFrame:
    """Share of known gaps up to each of `GAP_GRID_S`; columns as in `TraceTables`."""
    gap_s = np.sort(corpus.gap_ns[gap_rows(corpus)] / NS_PER_S)
    grid = GAP_GRID_S if gap_s.size else GAP_GRID_S[:0]
    share = np.searchsorted(gap_s, grid, side="right") / max(gap_s.size, 1)
    median_s = np.median(gap_s) if gap_s.size else np.nan
    return pd.DataFrame(
        {
            "corpus": corpus.name,
            "gaps": gap_s.size,
            "median_s": median_s,
            "gap_s": grid,
            "share": share,
        }
    )


def turn_counts(corpus: Corpus) -> pd.DataFrame:
    """How many sessions have how many turns; columns as in `TraceTables`."""
    turns, sessions = np.unique(corpus.turns_per_session, return_counts=True)
    at_least = np.cumsum(sessions[::-1])[::-1] / corpus.n_sessions
    return pd.DataFrame(
        {"corpus": corpus.name, "turns": turns, "sessions": sessions, "share_at_least": at_least}
    )


def live_set(trace: Trace, points: int = 200) -> pd.DataFrame:
    """Live sessions and their tokens at evenly spaced instants; columns as in `TraceTables`.

    A session is live from its first request to its last completion and holds, from each request on, the
    length it will have at that turn's end. Times count from the first request.
    """
    time_ns, tokens = live_tokens(trace)
    at = np.linspace(time_ns[0], time_ns[-1], points)
    event = np.searchsorted(time_ns, at, side="right") - 1
    return pd.DataFrame(
        {
            "corpus": trace.corpus.name,
            "time_s": (at - time_ns[0]) / NS_PER_S,
            "live_sessions": trace.live_sessions[event],
            "live_tokens": tokens[event],
            "max_live": trace.max_live,
            "mean_live_tokens": trace.mean_live_tokens,
        }
    )


def live_tokens(trace: Trace) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Instant of each event [ns], and the tokens of all live sessions after it [2 * turns]."""
    row, is_request = trace.events >> 1, (trace.events & 1) == 1
    length = trace.corpus.length
    before = np.where(trace.corpus.turn > 0, np.roll(length, 1), 0)
    freed = np.where(trace.corpus.is_last, length, 0)
    change = np.where(is_request, (length - before)[row], -freed[row])
    time_ns = np.where(is_request, trace.arrival_ns[row], trace.end_ns[row])
    return time_ns, np.cumsum(change)


def _stack(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """One frame of all rows; without any rows, an empty one."""
    filled = [frame for frame in frames if len(frame)]
    return pd.concat(filled, ignore_index=True) if filled else pd.DataFrame()
