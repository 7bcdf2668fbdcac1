"""Corpus: the sessions of one trace as columns of numbers, without absolute times."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError

UNKNOWN = -1
"""Marks a time or flag that the log does not give."""

MIN_SERVICE_NS = 1_000_000
"""Lower clamp of a turn's service time (1 ms): a turn has to have a duration."""

FIRST_TOOL = ""
HUMAN_TOOL = "user"


@dataclass(frozen=True, eq=False)
class Corpus:
    """Sessions of agent turns; rows are ordered by session, then turn.

    Attributes
    ----------
    name : str
        What results call this corpus.
    session : int32 [turns]
        Dense session number, 0 .. sessions-1, non-decreasing.
    turn : int32 [turns]
        0, 1, 2, ... within each session.
    gap_ns : int64 [turns]
        Idle time between the previous turn's completion and this turn's arrival [ns]; 0 at turn 0,
        ``UNKNOWN`` where the log has none.
    service_ns : int64 [turns]
        Time from this turn's arrival to its completion [ns], at least 1 ms, or ``UNKNOWN``.
    arrival_ns : int64 [turns]
        Arrival counted from the session's first request as logged [ns], or ``UNKNOWN``. A record
        only: schedules are built from gaps and services.
    prompt_tokens, new_prompt_tokens, output_tokens : int64 [turns]
        Prompt length, the part of it that is not a prefix of the previous turn's context, and the
        reply's length [tokens].
    tool : int16 [turns]
        Index into `tools`: the tool whose wait preceded this turn (``""`` at turn 0).
    tools : tuple of str
        Tool names.
    role : int16 [turns]
        Index into `roles`.
    roles : tuple of str
        Agent roles (``""`` where the log has none).
    completed : int8 [sessions]
        1 the session ended, 0 it was cut off (right-censored), ``UNKNOWN``.
    tokens_estimated, timing_estimated : bool [turns]
        The row's tokens or times are not measured.

    Notes
    -----
    UNISON: gap is eq. (1), new_prompt_tokens the increment in eq. (2).
    """

    name: str
    session: NDArray[np.int32]
    turn: NDArray[np.int32]
    gap_ns: NDArray[np.int64]
    service_ns: NDArray[np.int64]
    arrival_ns: NDArray[np.int64]
    prompt_tokens: NDArray[np.int64]
    new_prompt_tokens: NDArray[np.int64]
    output_tokens: NDArray[np.int64]
    tool: NDArray[np.int16]
    tools: tuple[str, ...]
    role: NDArray[np.int16]
    roles: tuple[str, ...]
    completed: NDArray[np.int8]
    tokens_estimated: NDArray[np.bool_]
    timing_estimated: NDArray[np.bool_]

    @property
    def n_turns(self) -> int:
        """Number of turns (rows)."""
        return int(self.session.size)

    @property
    def n_sessions(self) -> int:
        """Number of sessions."""
        return int(self.completed.size)

    @cached_property
    def first_row(self) -> NDArray[np.int64]:
        """Row of each session's first turn, with the number of turns appended [sessions + 1]."""
        return np.searchsorted(self.session, np.arange(self.n_sessions + 1)).astype(np.int64)

    @cached_property
    def turns_per_session(self) -> NDArray[np.int64]:
        """Number of turns of each session [sessions]."""
        return np.diff(self.first_row)

    @cached_property
    def is_last(self) -> NDArray[np.bool_]:
        """True at each session's last turn [turns]."""
        last = np.zeros(self.n_turns, dtype=np.bool_)
        last[self.first_row[1:] - 1] = True
        return last

    @property
    def length(self) -> NDArray[np.int64]:
        """Resident length after each turn, prompt plus output [tokens]."""
        return self.prompt_tokens + self.output_tokens

    @cached_property
    def awaited_tool(self) -> NDArray[np.int16]:
        """Tool awaited at the pause after each turn, as an index into `awaited_tools`.

        It is the next row's tool; at a session's last turn it is the human wait (``"user"``), so that it
        never betrays the end.
        """
        human = self.awaited_tools.index(HUMAN_TOOL)
        awaited = np.empty(self.n_turns, dtype=np.int16)
        awaited[:-1] = self.tool[1:]
        awaited[self.is_last] = human
        return awaited

    @property
    def awaited_tools(self) -> tuple[str, ...]:
        """`tools`, with ``"user"`` appended if it is missing."""
        return self.tools if HUMAN_TOOL in self.tools else (*self.tools, HUMAN_TOOL)

    @cached_property
    def is_timed(self) -> NDArray[np.bool_]:
        """True for sessions whose gaps and services are all known [sessions]."""
        known = (self.gap_ns != UNKNOWN) & (self.service_ns != UNKNOWN)
        return np.logical_and.reduceat(known, self.first_row[:-1])

    def select(self, sessions: Sequence[int] | NDArray[np.integer], name: str | None = None) -> Corpus:
        """The corpus of the given sessions, renumbered in the given order.

        A session may be named more than once (a bootstrap sample).

        Parameters
        ----------
        sessions : sequence of int
            Session numbers.
        name : str, optional
            Name of the result; the same name by default.

        Returns
        -------
        Corpus

        Raises
        ------
        UnisonError
            If no session is given, or one that does not exist.
        """
        picked = np.asarray(sessions)
        if picked.size == 0:
            raise UnisonError(f"corpus {self.name!r}: no session selected; give at least one")
        if picked.dtype.kind not in "iu" or picked.min() < 0 or picked.max() >= self.n_sessions:
            raise UnisonError(
                f"corpus {self.name!r}: sessions are the whole numbers "
                f"0 to {self.n_sessions - 1}; given {sessions}"
            )
        counts = self.turns_per_session[picked]
        starts = self.first_row[picked]
        offset = np.repeat(starts - np.concatenate(([0], np.cumsum(counts)[:-1])), counts)
        rows = np.arange(int(counts.sum())) + offset
        return Corpus(
            name=self.name if name is None else name,
            session=np.repeat(np.arange(picked.size, dtype=np.int32), counts),
            turn=self.turn[rows],
            gap_ns=self.gap_ns[rows],
            service_ns=self.service_ns[rows],
            arrival_ns=self.arrival_ns[rows],
            prompt_tokens=self.prompt_tokens[rows],
            new_prompt_tokens=self.new_prompt_tokens[rows],
            output_tokens=self.output_tokens[rows],
            tool=self.tool[rows],
            tools=self.tools,
            role=self.role[rows],
            roles=self.roles,
            completed=self.completed[picked],
            tokens_estimated=self.tokens_estimated[rows],
            timing_estimated=self.timing_estimated[rows],
        )

    def timed(self) -> Corpus:
        """The sessions whose gaps and services are all known (what a timed replay can use).

        Raises
        ------
        UnisonError
            If there is none.
        """
        if self.is_timed.all():
            return self
        if not self.is_timed.any():
            raise UnisonError(
                f"corpus {self.name!r}: no session has both gaps and service times, so it cannot be "
                "replayed; import a log with timestamps of requests and replies"
            )
        return self.select(np.flatnonzero(self.is_timed))
