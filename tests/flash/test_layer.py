"""The layer by hand: what it refuses, and that a refused message changes nothing."""

from __future__ import annotations

import copy
import dataclasses

import pytest
from support.segments import BLOCK_TOKENS, RECORD, Piece, place, timeline_of

from unison.errors import UnisonError
from unison.flash.allocator import BlockAllocator
from unison.flash.api import Tier
from unison.flash.layer import Books, PlacementLayer
from unison.flash.policies import Knows, PlacementPolicy, get_placement, placement
from unison.flash.policies.base import _PLACEMENTS
from unison.flash.replay import replay_placement
from unison.flash.segments import SegmentClass

SURVIVING = SegmentClass.SURVIVING


class ToHbm(PlacementPolicy):
    """Prefers HBM always, in part if need be."""

    splits = True

    def prefers_hbm(self, now, segment, need, write):
        return True


class ToFlash(ToHbm):
    def prefers_hbm(self, now, segment, need, write):
        return False


class Whole(ToHbm):
    splits = False


class Moving(ToHbm):
    """Moves the segment that it is told to."""

    migrates = True

    def __init__(self, victim=0):
        self._victim = victim

    def victim(self, now, newcomer):
        return self._victim


class NamesAnother(Moving):
    """Names a segment that may have nothing in HBM."""


def layer_of(policy=None, hbm: int = 4, flash: int = 4, block_tokens: int = BLOCK_TOKENS):
    return PlacementLayer(BlockAllocator(hbm, flash), (hbm, flash), policy or ToHbm(), block_tokens)


def state_of(layer):
    free = tuple(layer._engine.n_free(tier) for tier in Tier)
    held = {segment: tuple(map(len, tiers)) for segment, tiers in layer._held.items()}
    return copy.copy(layer.books), layer.free_hbm, free, held, dict(layer._tokens), layer._writes


def assert_refused(layer, told, call):
    before = state_of(layer)
    with pytest.raises(UnisonError, match=told):
        call()
    assert state_of(layer) == before


class TwoCalls:
    """An engine of one's own with the two calls and nothing else."""

    def __init__(self):
        self.lent, self.next = {}, 0

    def alloc(self, tier, n_blocks):
        blocks = list(range(self.next, self.next + n_blocks))
        self.next += n_blocks
        self.lent |= dict.fromkeys(blocks, tier)
        return blocks

    def free(self, block_ids):
        for block in block_ids:
            del self.lent[block]


def test_an_engine_needs_the_two_calls_only():
    engine = TwoCalls()
    layer = PlacementLayer(engine, (2, 4), ToHbm(), BLOCK_TOKENS)
    layer.write(0, 0, 3 * BLOCK_TOKENS)
    assert sorted(engine.lent.values()) == [Tier.HBM, Tier.HBM, Tier.FLASH]
    layer.boundary(1, 0)
    assert not engine.lent
    assert (layer.books.written, layer.books.flash, layer.free_hbm) == (3, 1, 2)


def test_a_segment_ends_once():
    layer = layer_of()
    layer.write(0, 7, 16)
    layer.boundary(1, 7)
    assert_refused(layer, "segment 7 was discarded before", lambda: layer.boundary(2, 7))


def test_a_segment_that_nothing_was_written_to_has_no_end():
    assert_refused(layer := layer_of(), "segment 3 has no tokens", lambda: layer.boundary(0, 3))


def test_a_segment_that_has_ended_is_not_revived():
    layer = layer_of()
    layer.write(0, 7, 16)
    layer.boundary(1, 7)
    assert_refused(layer, "segment 7 was discarded before", lambda: layer.write(2, 7, 16))
    assert_refused(layer, "segment 7 was discarded before", lambda: layer.spawn(2, [7], [RECORD]))


@pytest.mark.parametrize("tokens", [0, -5, 1.5, True])
def test_a_write_has_at_least_one_token(tokens):
    layer = layer_of()
    assert_refused(layer, "give a whole number of at least 1", lambda: layer.write(0, 0, tokens))


def test_times_never_fall():
    layer = layer_of()
    layer.write(5, 0, 16)
    layer.write(5, 0, 16)
    told = "at 4 ns, after a message at 5 ns; times never fall"
    assert_refused(layer, told, lambda: layer.write(4, 0, 16))
    assert_refused(layer, told, lambda: layer.boundary(4, 0))
    assert_refused(layer, told, lambda: layer.spawn(4, [1], [RECORD]))
    layer.spawn(6, [1], [RECORD])
    assert_refused(layer, "after a message at 6 ns", lambda: layer.write(5, 1, 16))
    layer.boundary(7, 0)
    assert_refused(layer, "after a message at 7 ns", lambda: layer.write(6, 1, 16))


def test_each_sub_agent_has_a_record():
    assert_refused(layer := layer_of(), "1 records for 2 segments", lambda: layer.spawn(0, [1, 2], [RECORD]))


@pytest.mark.parametrize("size", [0, -16, 1.5])
def test_a_block_has_at_least_one_token(size):
    with pytest.raises(UnisonError, match="give a whole number of at least 1"):
        layer_of(block_tokens=size)


@pytest.mark.parametrize(
    ("policy", "blocks"),
    [
        (ToHbm(), 3),  # 1 to HBM and 2 to flash.
        (Whole(), 2),  # Does not fit into HBM whole.
        (ToFlash(), 2),  # Would fit into both tiers together.
        (Moving(), 3),  # 2 would have to be moved.
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_write_that_flash_has_no_room_for_changes_nothing(policy, blocks):
    # Segment 0 takes one of the 2 blocks of HBM, or of flash, whose other one is filled by segment 1.
    layer = layer_of(policy, hbm=2, flash=2)
    layer.write(0, 0, 16)
    while layer._engine.n_free(Tier.FLASH) > 1:
        layer._held.setdefault(1, ([], []))[1].extend(layer._engine.alloc(Tier.FLASH, 1))
        layer._free_flash -= 1
    assert_refused(layer, "where 1 are free; give more flash", lambda: layer.write(1, 2, 16 * blocks))


def test_a_write_that_just_fits_is_taken():
    layer = layer_of(Moving(), hbm=2, flash=2)
    layer.write(0, 0, 32)
    layer.write(1, 1, 32)
    assert layer.books == Books(written=4, flash=2, moved=2, spilled=0)


@pytest.mark.parametrize("victim", [0, 5])
def test_a_victim_without_blocks_in_hbm_is_told(victim):
    # Segment 0 ends up in flash; 5 was never written.
    layer = layer_of(NamesAnother(), hbm=1)
    layer.write(0, 0, 16)
    layer.write(1, 1, 16)
    layer._policy._victim = victim
    told = rf"NamesAnother.victim: segment {victim} has no block in HBM"
    assert_refused(layer, told, lambda: layer.write(2, 2, 16))


@pytest.mark.parametrize(("policy", "migrates"), [(Moving, False), (ToHbm, True)])
def test_a_placement_that_moves_or_not_is_registered_so(monkeypatch, policy, migrates):
    monkeypatch.setattr("unison.flash.policies.base._PLACEMENTS", dict(_PLACEMENTS))
    register = placement("sneaky", title="S", rule="", citation="", knows=Knows.NOTHING, migrates=migrates)
    register(lambda setting: policy())
    with pytest.raises(
        UnisonError, match=f"'sneaky' is registered with migrates={migrates}, {policy.__name__}"
    ):
        get_placement("sneaky").build(None)


def test_a_run_without_writes_is_nothing_to_place():
    run = timeline_of([Piece(SURVIVING, 0, 90, [(1, 16)])])
    empty = dataclasses.replace(
        run, write_ns=run.write_ns[:0], segment=run.segment[:0], tokens=run.tokens[:0]
    )
    with pytest.raises(UnisonError, match="nothing to place"):
        place(empty, ToHbm(), 1)


def test_what_is_counted_after_the_last_write_has_no_share():
    run = timeline_of([Piece(SURVIVING, 0, 90, [(1, 16)])])
    options = {"hbm_blocks": 1, "flash_blocks": 1, "block_tokens": BLOCK_TOKENS}
    with pytest.raises(UnisonError, match="nothing to place"):
        assert replay_placement(run, ToHbm(), warm_ns=50, **options).flash_share
    with pytest.raises(UnisonError, match="below 90 ns"):
        replay_placement(run, ToHbm(), warm_ns=90, **options)
