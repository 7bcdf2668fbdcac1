"""Trace: a corpus on an absolute clock, as the replay engines read it."""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.traces.corpus import Corpus

NEVER = np.iinfo(np.int64).max
"""Arrival time of a turn that does not come."""

MOST = 1e6
"""Largest concurrency and load factor."""

LONGEST_NS = 1 << 60
"""Longest stretch of session starts that a schedule makes [ns]."""


@dataclass(frozen=True, eq=False)
class Trace:
    """An absolute schedule of a corpus: when each turn arrives and completes.

    Attributes
    ----------
    corpus : Corpus
        The sessions replayed, all with known times.
    arrival_ns, end_ns : int64 [turns]
        Arrival of the request and completion of the turn [ns].
    left_out : int
        Sessions of the original corpus without known times, which are not in the trace.
    concurrency, load, seed
        The arguments of `schedule` that made it.
    """

    corpus: Corpus
    arrival_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    left_out: int
    concurrency: float
    load: float
    seed: int

    @cached_property
    def next_arrival_ns(self) -> NDArray[np.int64]:
        """Arrival of the session's next turn, ``NEVER`` after its last [turns]."""
        following = np.empty_like(self.arrival_ns)
        following[:-1] = self.arrival_ns[1:]
        following[self.corpus.is_last] = NEVER
        return following

    @cached_property
    def ends_session(self) -> NDArray[np.bool_]:
        """True where the turn ends in COMPLETE: the last turn of a session not known to be cut off."""
        ends: NDArray[np.bool_] = self.corpus.is_last & (self.corpus.completed[self.corpus.session] != 0)
        return ends

    @cached_property
    def events(self) -> NDArray[np.int64]:
        """Event order, ``2 * row + 1`` for a turn's REQUEST and ``2 * row`` for its end [2 * turns].

        Ordered by (time, kind: COMPLETE, GAP_START, REQUEST, session).
        """
        rows = np.arange(self.corpus.n_turns, dtype=np.int64)
        time = np.concatenate((self.end_ns, self.arrival_ns))
        kind = np.concatenate((np.where(self.ends_session, 0, 1), np.full(rows.size, 2)))
        session = np.concatenate((self.corpus.session, self.corpus.session))
        code = np.concatenate((2 * rows, 2 * rows + 1))
        return code[np.lexsort((session, kind, time))]

    @cached_property
    def live_sessions(self) -> NDArray[np.int64]:
        """Sessions between first request and last completion, after each event [2 * turns]."""
        row, is_request = self.events >> 1, self.events & 1
        starts = (is_request == 1) & (self.corpus.turn[row] == 0)
        ends = (is_request == 0) & self.corpus.is_last[row]
        return np.cumsum(starts.astype(np.int64) - ends.astype(np.int64))

    @property
    def max_live(self) -> int:
        """Largest number of sessions alive at once."""
        return int(self.live_sessions.max())

    @cached_property
    def mean_live_tokens(self) -> float:
        """Time-average of the tokens of all live sessions: the live working set [tokens].

        A session counts its length from each request to the next (the last turn to its completion).
        """
        until = np.where(self.corpus.is_last, self.end_ns, self.next_arrival_ns)
        token_ns = (self.corpus.length.astype(np.float64) * (until - self.arrival_ns)).sum()
        return float(token_ns / (self.end_ns.max() - self.arrival_ns.min()))


def schedule(
    corpus: Corpus,
    *,
    concurrency: float = 24.0,
    load: float = 1.0,
    max_live: int | None = None,
    seed: int = 0,
) -> Trace:
    """Put a corpus on an absolute clock.

    Sessions start in a seeded random order with exponential spacing whose mean is the mean session span
    divided by `concurrency`; `load` divides the spacing. A start waits while `max_live * load` sessions
    are alive. Within a session gaps and services are the corpus's own.

    Parameters
    ----------
    corpus : Corpus
        Sessions without known times are left out and counted.
    concurrency : float
        Mean number of live sessions at load 1.
    load : float
        Load factor L.
    max_live : int, optional
        Bound on live sessions at load 1; none by default.
    seed : int
        Of the order and the spacing; the same draws serve every load.

    Returns
    -------
    Trace

    Raises
    ------
    UnisonError
        If an argument is out of range or no session has known times.
    """
    for name, value in (("concurrency", concurrency), ("load", load)):
        if not 0 < value <= MOST:
            raise UnisonError(f"{name} must be finite and above 0, at most {MOST:.0e}; given {value}")
    if seed < 0:
        raise UnisonError(f"seed must be at least 0; given {seed}")
    if max_live is not None and max_live < 1:
        raise UnisonError(f"max_live must be at least 1; given {max_live}")
    timed = corpus.timed()
    span = np.add.reduceat(timed.gap_ns + timed.service_ns, timed.first_row[:-1])
    starts = _session_starts(span, concurrency, load, max_live, seed)
    within = np.cumsum(timed.gap_ns + timed.service_ns)
    before = (within - timed.gap_ns - timed.service_ns)[timed.first_row[:-1]]
    end = within - before[timed.session] + starts[timed.session]
    return Trace(
        corpus=timed,
        arrival_ns=end - timed.service_ns,
        end_ns=end,
        left_out=corpus.n_sessions - timed.n_sessions,
        concurrency=float(concurrency),
        load=float(load),
        seed=seed,
    )


def _session_starts(
    span: NDArray[np.int64], concurrency: float, load: float, max_live: int | None, seed: int
) -> NDArray[np.int64]:
    rng = np.random.default_rng(np.random.SeedSequence(seed))
    order = rng.permutation(span.size)
    spacing = rng.exponential(size=span.size) * (int(span.sum()) / span.size / concurrency / load)
    if spacing.sum() > LONGEST_NS:
        raise UnisonError(
            f"concurrency {concurrency:g} at load {load:g} spreads the session starts over more than "
            f"{LONGEST_NS / 1e9:.0g} s; give a larger concurrency or load"
        )
    wanted = np.cumsum(np.rint(spacing).astype(np.int64) // 1000 * 1000)
    wanted -= wanted[0]
    starts = np.empty_like(wanted)
    if max_live is None:
        starts[order] = wanted
        return starts
    bound = max(1, int(max_live * load))
    ends: list[int] = []
    now = 0
    for position, session in enumerate(order):
        now = max(now, int(wanted[position]))
        if len(ends) == bound:
            now = max(now, heapq.heappop(ends))
        while ends and ends[0] <= now:
            heapq.heappop(ends)
        starts[session] = now
        heapq.heappush(ends, now + int(span[session]))
    return starts
