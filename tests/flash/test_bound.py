"""The bound, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from support.segments import Piece, built, timeline_of

from unison.flash.bound import packing_bound
from unison.flash.policies import get_placement
from unison.flash.segments import SegmentClass


def bound(rows, capacity: int) -> float:
    start, end, blocks = (np.array(column, dtype=np.int64) for column in zip(*rows, strict=True))
    return packing_bound(start, end, blocks, capacity)


def test_two_short_ones_are_worth_more_than_a_long_one():
    # Room for one block: [0, 10) meets both [1, 3) and [4, 6), which do not meet. Best: the two short ones.
    assert bound([(0, 10, 1), (1, 3, 1), (4, 6, 1)], 1) == pytest.approx(2)


def test_parts_count():
    # Room for 3 blocks: 2 of [0, 5) and 4 of [1, 9) at once: 3 of the 6 fit, whichever.
    assert bound([(0, 5, 2), (1, 9, 4)], 3) == pytest.approx(3)


def test_an_end_frees_room_for_a_start_at_the_same_instant():
    assert bound([(0, 4, 3), (4, 8, 3)], 3) == pytest.approx(6)


def test_without_room_nothing_is_kept():
    assert bound([(0, 4, 3)], 0) == pytest.approx(0)


def test_hbm_first_and_the_future_on_the_same_three():
    # HBM-first lets the long one in and spills both short ones; the future keeps these two.
    long, short = SegmentClass.SURVIVING, SegmentClass.REASONING
    run = timeline_of(
        [
            Piece(long, 0, 100, [(0, 16)], session=0),
            Piece(short, 10, 30, [(10, 16)], session=1),
            Piece(short, 40, 60, [(40, 16)], session=2),
        ]
    )
    first = built(get_placement("hbm_first"), run, 1).books
    best = built(get_placement("bound"), run, 1).books
    assert (first.kept, best.kept, best.moved) == (1, 2, 1)
