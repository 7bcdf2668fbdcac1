"""Segments: blocks of each write, the order of messages, and what is refused."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from support.segments import Piece, timeline_of

from unison.errors import UnisonError
from unison.flash.segments import Boundary, SegmentClass, Spawn, Write, to_frame

LEAD, WORKER = SegmentClass.LEAD, SegmentClass.WORKER


@pytest.fixture
def two():
    """A lead of 10, 10 and 40 tokens, and a worker of 16 tokens that ends when the lead writes last."""
    return timeline_of([Piece(LEAD, 0, 50, [(1, 10), (5, 10), (30, 40)]), Piece(WORKER, 3, 30, [(4, 16)])])


def test_the_last_block_is_filled_first(two):
    # Lead: 10 tokens need 1 block; 20 need 2, one more; 60 need 4, two more. Worker: 1.
    assert two.blocks(16).tolist() == [1, 1, 1, 2]


def test_messages_come_in_order_and_space_is_freed_before_it_is_used(two):
    kinds = [type(message) for message in two.messages()]
    assert kinds == [Write, Spawn, Write, Write, Boundary, Write, Boundary]
    spawned = next(m for m in two.messages() if isinstance(m, Spawn))
    assert (spawned.time_ns, spawned.segments, spawned.records[0].role) == (3, (1,), "worker")


def test_the_frame_has_a_row_for_each_message(two):
    frame = to_frame(two)
    assert frame["op"].tolist() == ["write", "spawn", "write", "write", "boundary", "write", "boundary"]
    assert frame["tokens"].sum() == two.tokens.sum()
    assert frame.loc[1, "record"] == "locate the parser in one file"


def test_sub_agents_are_agents_of_their_own(two):
    assert two.agent[0] != two.agent[1]


def test_sub_agents_that_run_when_a_timeline_begins_are_announced_together_at_its_start():
    # Spawned at -9 and -2 by two leads, and at 3 by the first: one batch at 0, then one at 3.
    workers = [Piece(WORKER, spawn, 40, [(5, 16)]) for spawn in (-9, -2, 3)]
    run = timeline_of([Piece(LEAD, 0, 50, [(1, 10)]), *workers])
    run = dataclasses.replace(run, parent=np.array([-1, 0, 9, 0], dtype=np.int32))
    assert run.batches == [(0, (1, 2)), (3, (3,))]


@pytest.mark.parametrize(
    ("column", "values", "told"),
    [
        ("write_ns", [1, 4, 5, 50], "write 3 lies outside the life"),
        ("tokens", [10, 16, 0, 40], "at least one token"),
        ("segment", [0, 0, 0, 0], "a segment without a write"),
    ],
)
def test_a_broken_timeline_is_refused(two, column, values, told):
    broken = dataclasses.replace(two, **{column: np.array(values, dtype=getattr(two, column).dtype)})
    with pytest.raises(UnisonError, match=told):
        broken.check()
