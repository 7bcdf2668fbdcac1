"""Segments: tokens that a harness discards together, the messages about them, and a run of such messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unison.errors import UnisonError


class SegmentClass(IntEnum):
    """What a harness knows about a segment when it begins."""

    REASONING = 0
    """Thinking of one user turn; stripped at the user's next message."""
    SURVIVING = 1
    """The rest of a single agent's context; until its session ends or is compacted."""
    WORKER = 2
    """A sub-agent's context; until it returns."""
    REVIEWER = 3
    """As a worker, for a short check of others' results."""
    LEAD = 4
    """The context of an agent that delegates; until its session ends."""


SHORT_LIVED = (SegmentClass.REASONING, SegmentClass.WORKER, SegmentClass.REVIEWER)
"""Classes that die before the session does."""


class Op(IntEnum):
    """Kind of a message; of those at one instant the lower comes first, so that space is freed before use."""

    BOUNDARY = 0
    SPAWN = 1
    WRITE = 2


@dataclass(frozen=True)
class SpawnRecord:
    """What the harness says about a sub-agent when it spawns it: all that a predictor may read.

    Attributes
    ----------
    role : str
        ``"worker"`` or ``"reviewer"``.
    text : str
        The task.
    tools : tuple of str
        Tools it may call.
    parent_turn : int
        Turn of the lead that spawns it, from 1.
    sibling : int
        Its place among those spawned together, from 0.
    siblings : int
        How many are spawned together.
    """

    role: str
    text: str
    tools: tuple[str, ...]
    parent_turn: int
    sibling: int
    siblings: int


class Spawn(NamedTuple):
    """The harness starts sub-agents together: their segments and records."""

    time_ns: int
    segments: tuple[int, ...]
    records: tuple[SpawnRecord, ...]


class Write(NamedTuple):
    """Tokens are added to a segment."""

    time_ns: int
    segment: int
    tokens: int


class Boundary(NamedTuple):
    """A segment is discarded."""

    time_ns: int
    segment: int


Message = Spawn | Write | Boundary


_BEFORE = -2
"""Stands for the parents of all sub-agents that were spawned before a timeline begins."""


@dataclass(frozen=True, eq=False)
class Timeline:
    """A run of messages as columns; segments in order of their first write, writes in order of time.

    Attributes
    ----------
    name : str
        What results call it.
    duration_ns : int
        Length of the run; what lives longer is discarded then.
    seg_class : int8 [segments]
        `SegmentClass`.
    session : int32 [segments]
        Session number.
    parent : int32 [segments]
        Segment of the agent that spawned it, or -1.
    record : int32 [segments]
        Index into `records`, or -1.
    spawn_ns, free_ns : int64 [segments]
        When it was announced and when it is discarded [ns].
    records : tuple of SpawnRecord
    write_ns : int64 [writes]
        When tokens are added [ns].
    segment : int32 [writes]
        To which segment.
    tokens : int64 [writes]
        How many, at least 1.
    turn : int32 [writes]
        The agent's turn, from 1: its request for a sub-agent or lead, the user's message otherwise.
    is_prompt : bool [writes]
        The write is the prefill of a request; otherwise it is decoded.
    awaits_user : bool [writes]
        The write ends the reply to the user.
    context : int64 [writes]
        Tokens of the agent's context before the write, those before the run included [tokens].
    """

    name: str
    duration_ns: int
    seg_class: NDArray[np.int8]
    session: NDArray[np.int32]
    parent: NDArray[np.int32]
    record: NDArray[np.int32]
    spawn_ns: NDArray[np.int64]
    free_ns: NDArray[np.int64]
    records: tuple[SpawnRecord, ...]
    write_ns: NDArray[np.int64]
    segment: NDArray[np.int32]
    tokens: NDArray[np.int64]
    turn: NDArray[np.int32]
    is_prompt: NDArray[np.bool_]
    awaits_user: NDArray[np.bool_]
    context: NDArray[np.int64]

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return int(self.seg_class.size)

    @property
    def n_writes(self) -> int:
        """Number of writes."""
        return int(self.write_ns.size)

    @cached_property
    def life_ns(self) -> NDArray[np.int64]:
        """Time from each write to the end of its segment [ns, writes]."""
        return self.free_ns[self.segment] - self.write_ns

    @cached_property
    def agent(self) -> NDArray[np.int32]:
        """Agent of each segment: a sub-agent has its own, the others of a session share one [segments]."""
        own = np.isin(self.seg_class, (SegmentClass.WORKER, SegmentClass.REVIEWER))
        own_number = np.arange(self.n_segments) + int(self.session.max(initial=0)) + 1
        return np.where(own, own_number, self.session).astype(np.int32)

    def blocks(self, block_tokens: int) -> NDArray[np.int64]:
        """New blocks that each write needs, the last block of its segment being filled first [writes].

        Parameters
        ----------
        block_tokens : int
            Tokens of a block.
        """
        order = np.argsort(self.segment, kind="stable")
        total = np.cumsum(self.tokens[order])
        segments = self.segment[order]
        first = np.searchsorted(segments, segments)
        before = np.where(first > 0, total[first - 1], 0)
        filled = total - before
        held = -(-filled // block_tokens)
        already = -(-(filled - self.tokens[order]) // block_tokens)
        result = np.empty(self.n_writes, dtype=np.int64)
        result[order] = held - already
        return result

    @cached_property
    def batches(self) -> list[tuple[int, tuple[int, ...]]]:
        """Sub-agents that are announced together: the instant [ns] and their segments, by time.

        Those that a lead spawns at once; those that run when the timeline begins are one batch at 0, since
        what HBM held when they were spawned lies before it.
        """
        agents = np.flatnonzero(self.record >= 0)
        keys: dict[tuple[int, int], list[int]] = {}
        for segment in agents.tolist():
            spawn = int(self.spawn_ns[segment])
            key = (spawn, int(self.parent[segment])) if spawn >= 0 else (0, _BEFORE)
            keys.setdefault(key, []).append(segment)
        return [(time, tuple(members)) for (time, _), members in sorted(keys.items())]

    @cached_property
    def events(self) -> list[tuple[int, int, int]]:
        """Every message as (time [ns], `Op`, index) in order.

        The index is of a segment, of `batches`, or of a write.
        """
        ends = [(int(t), int(Op.BOUNDARY), i) for i, t in enumerate(self.free_ns.tolist())]
        spawns = [(time, int(Op.SPAWN), i) for i, (time, _) in enumerate(self.batches)]
        writes = [(int(t), int(Op.WRITE), i) for i, t in enumerate(self.write_ns.tolist())]
        return sorted(ends + spawns + writes)

    def messages(self) -> Iterator[Message]:
        """The messages one by one, as a harness would send them."""
        for time, op, index in self.events:
            if op == Op.WRITE:
                yield Write(time, int(self.segment[index]), int(self.tokens[index]))
            elif op == Op.SPAWN:
                members = self.batches[index][1]
                yield Spawn(time, members, tuple(self.records[self.record[m]] for m in members))
            else:
                yield Boundary(time, index)

    def check(self) -> Timeline:
        """The run itself, if it is sound.

        Raises
        ------
        UnisonError
            If a write lies outside its segment's life, or nothing is written to a segment.
        """
        spawn, free = self.spawn_ns[self.segment], self.free_ns[self.segment]
        if (self.write_ns < spawn).any() or (self.write_ns >= free).any():
            place = int(np.flatnonzero((self.write_ns < spawn) | (self.write_ns >= free))[0])
            raise UnisonError(f"timeline {self.name!r}: write {place} lies outside the life of its segment")
        if (self.tokens < 1).any() or (np.diff(self.write_ns) < 0).any():
            raise UnisonError(f"timeline {self.name!r}: writes have at least one token and rising times")
        if np.unique(self.segment).size != self.n_segments:
            raise UnisonError(f"timeline {self.name!r}: a segment without a write; leave it out")
        return self


def to_frame(timeline: Timeline) -> pd.DataFrame:
    """The messages as rows ``t_ns, session, segment, class, parent, op, tokens, record`` in order of time.

    The schema of a segment trace; `record` is the task's text, or empty.
    """
    rows = []
    for message in timeline.messages():
        op = type(message).__name__.lower()
        members = message.segments if isinstance(message, Spawn) else (message.segment,)
        for segment in members:
            record = int(timeline.record[segment])
            rows.append(
                {
                    "t_ns": message.time_ns,
                    "session": int(timeline.session[segment]),
                    "segment": segment,
                    "class": SegmentClass(int(timeline.seg_class[segment])).name.lower(),
                    "parent": int(timeline.parent[segment]),
                    "op": op,
                    "tokens": message.tokens if isinstance(message, Write) else 0,
                    "record": timeline.records[record].text if isinstance(message, Spawn) else "",
                }
            )
    return pd.DataFrame(rows)
