"""Reads of decoding by tier, on a few segments by hand."""

from __future__ import annotations

import numpy as np
from support.segments import BLOCK_TOKENS, Piece, setting_of, timeline_of

from unison.flash.policies import get_placement
from unison.flash.reads import ReadTally
from unison.flash.replay import replay_placement
from unison.flash.segments import SegmentClass

REASONING, SURVIVING, WORKER, REVIEWER, LEAD = SegmentClass


def tally_of(run, hbm: int, *, warm_ns: int = 0, name: str = "hbm_first") -> ReadTally:
    tally = ReadTally(run)
    replay_placement(
        run,
        get_placement(name).build(setting_of(run, hbm)),
        hbm_blocks=hbm,
        flash_blocks=100,
        block_tokens=BLOCK_TOKENS,
        warm_ns=warm_ns,
        tally=tally,
    )
    return tally


def test_a_decoded_token_reads_what_its_agent_has_written():
    # 5 blocks of prefill, 3 in HBM and 2 in flash; then 16 and 16 tokens are decoded, a block each, to flash.
    run = timeline_of([Piece(SURVIVING, 0, 90, [(0, 80), (1, 16), (2, 16)])])
    tally = tally_of(run, 3)
    assert tally.hbm_reads == 16 * 3 + 16 * 3
    assert tally.flash_reads == 16 * 2 + 16 * 3
    assert tally.appended == 2


def test_the_context_of_an_agent_is_all_of_its_segments_and_no_other_agents():
    run = timeline_of(
        [
            Piece(SURVIVING, 0, 90, [(0, 32), (3, 16)]),
            Piece(REASONING, 0, 90, [(1, 48)]),
            Piece(SURVIVING, 0, 90, [(2, 64)], session=1),
        ]
    )
    # At 3 session 0 holds 2 + 3 blocks; every first write is a prefill here.
    assert tally_of(run, 100).hbm_reads == 16 * 5


def test_what_has_ended_is_not_read():
    run = timeline_of([Piece(SURVIVING, 0, 90, [(0, 32), (9, 16)]), Piece(REASONING, 0, 5, [(1, 48)])])
    assert tally_of(run, 100).hbm_reads == 16 * 2


def test_only_what_comes_after_the_warm_part_counts():
    run = timeline_of([Piece(SURVIVING, 0, 90, [(0, 80), (1, 16), (50, 16)])])
    assert tally_of(run, 0, warm_ns=30).flash_reads == 16 * 6
    assert tally_of(run, 0, warm_ns=30).appended == 1


def test_a_prefill_reads_nothing_here():
    run = timeline_of([Piece(SURVIVING, 0, 90, [(0, 80), (1, 16)])])
    run.is_prompt[:] = True
    tally = tally_of(run, 3)
    assert (tally.hbm_reads, tally.flash_reads, tally.flash_share) == (0, 0, 0.0)


def test_hbm_is_told_by_class():
    run = timeline_of([Piece(SURVIVING, 0, 90, [(0, 32)]), Piece(REASONING, 0, 60, [(1, 48)])])
    policy = get_placement("hbm_first").build(setting_of(run, 9))
    placed = replay_placement(run, policy, hbm_blocks=9, flash_blocks=9, block_tokens=BLOCK_TOKENS, samples=3)
    # At 30 both live, at 60 the thinking has ended: its boundary is at that instant, after the sample.
    assert placed.hbm_by_class[:2, [REASONING, SURVIVING]].tolist() == [[3, 2], [3, 2]]
    assert placed.hbm_by_class[2, [REASONING, SURVIVING]].tolist() == [0, 2]
    np.testing.assert_array_equal(placed.hbm_used, [5, 5, 2])
