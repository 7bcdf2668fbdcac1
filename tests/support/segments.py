"""Timelines of a few segments by hand, and at random for properties."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from unison.flash.policies import PlacementEntry, PlacementPolicy, Setting
from unison.flash.replay import Placed, replay_placement
from unison.flash.segments import SegmentClass, SpawnRecord, Timeline

BLOCK_TOKENS = 16
PLENTY = 1_000_000
RECORD = SpawnRecord("worker", "locate the parser in one file", ("search",), 1, 0, 1)


class Piece(NamedTuple):
    """A segment: its class, life and writes (time, tokens); sub-agents belong to segment 0."""

    kind: SegmentClass
    spawn: int
    free: int
    writes: Sequence[tuple[int, int]]
    session: int = 0


def timeline_of(pieces: Sequence[Piece], name: str = "by hand") -> Timeline:
    """A timeline from pieces; each write is a turn of its own."""
    rows = sorted(
        (time, number, tokens, turn)
        for number, piece in enumerate(pieces)
        for turn, (time, tokens) in enumerate(piece.writes, start=1)
    )
    agents = [piece.kind in (SegmentClass.WORKER, SegmentClass.REVIEWER) for piece in pieces]
    numbers = np.cumsum(agents) - 1
    columns = np.array(rows, dtype=np.int64)
    records = tuple(_record(piece) for piece, is_agent in zip(pieces, agents, strict=True) if is_agent)
    return Timeline(
        name=name,
        duration_ns=max(piece.free for piece in pieces),
        seg_class=np.array([piece.kind for piece in pieces], dtype=np.int8),
        session=np.array([piece.session for piece in pieces], dtype=np.int32),
        parent=np.where(agents, 0, -1).astype(np.int32),
        record=np.where(agents, numbers, -1).astype(np.int32),
        spawn_ns=np.array([piece.spawn for piece in pieces], dtype=np.int64),
        free_ns=np.array([piece.free for piece in pieces], dtype=np.int64),
        records=records,
        write_ns=columns[:, 0],
        segment=columns[:, 1].astype(np.int32),
        tokens=columns[:, 2],
        turn=columns[:, 3].astype(np.int32),
        is_prompt=columns[:, 3] == 1,
        awaits_user=np.zeros(len(rows), dtype=np.bool_),
        context=np.zeros(len(rows), dtype=np.int64),
    ).check()


def _record(piece: Piece) -> SpawnRecord:
    return SpawnRecord(piece.kind.name.lower(), RECORD.text, RECORD.tools, 1, 0, 1)


@st.composite
def timelines(draw: st.DrawFn, most_segments: int = 8) -> Timeline:
    """Timelines with a segment of every class and a few more, of short whole times."""
    kinds = list(SegmentClass) + draw(st.lists(st.sampled_from(SegmentClass), max_size=most_segments - 5))
    pieces = []
    for number, kind in enumerate(kinds):
        spawn = draw(st.integers(0, 40))
        life = draw(st.integers(2, 60))
        times = draw(st.lists(st.integers(spawn, spawn + life - 1), min_size=1, max_size=5))
        tokens = draw(st.lists(st.integers(1, 70), min_size=len(times), max_size=len(times)))
        writes = list(zip(sorted(times), tokens, strict=True))
        pieces.append(Piece(kind, spawn, spawn + life, writes, session=number % 3))
    return timeline_of(pieces, "random")


def place(timeline: Timeline, policy: PlacementPolicy, hbm_blocks: int) -> Placed:
    """A checked replay with plenty of flash."""
    return replay_placement(
        timeline,
        policy,
        hbm_blocks=hbm_blocks,
        flash_blocks=PLENTY,
        block_tokens=BLOCK_TOKENS,
        is_checked=True,
    )


def setting_of(timeline: Timeline, hbm_blocks: int, history: Timeline | None = None) -> Setting:
    """A setting whose earlier traffic is the timeline itself unless given."""
    return Setting(timeline, timeline if history is None else history, hbm_blocks, BLOCK_TOKENS)


def built(entry: PlacementEntry, timeline: Timeline, hbm_blocks: int) -> Placed:
    """A registered placement, replayed."""
    return place(timeline, entry.build(setting_of(timeline, hbm_blocks)), hbm_blocks)
