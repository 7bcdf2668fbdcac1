"""The two calls: every block is out once, and only once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unison.errors import UnisonError
from unison.flash.allocator import BlockAllocator
from unison.flash.api import Engine, Tier


def test_the_interface_has_exactly_two_calls():
    assert [name for name in vars(Engine) if not name.startswith("_")] == ["alloc", "free"]


@given(st.lists(st.tuples(st.sampled_from(Tier), st.integers(0, 5), st.booleans()), max_size=40))
def test_no_block_is_out_twice_and_none_is_lost(steps):
    engine = BlockAllocator(7, 9)
    out: list[tuple[Tier, list[int]]] = []
    for tier, count, gives_back in steps:
        if gives_back and out:
            engine.free(out.pop(0)[1])
        elif count <= engine.n_free(tier):
            out.append((tier, engine.alloc(tier, count)))
        ids = [block for _, blocks in out for block in blocks]
        assert len(ids) == len(set(ids))
        for each in Tier:
            held = sum(len(blocks) for kind, blocks in out if kind == each)
            assert engine.n_free(each) == engine.capacity[each] - held
            assert all((block < 7) == (each == Tier.HBM) for k, b in out if k == each for block in b)


@pytest.mark.parametrize("tier", Tier)
def test_more_than_is_free_is_refused(tier):
    engine = BlockAllocator(2, 3)
    with pytest.raises(UnisonError, match=r"blocks of .* asked for"):
        engine.alloc(tier, 4)


def test_a_block_is_freed_once():
    engine = BlockAllocator(2, 2)
    blocks = engine.alloc(Tier.HBM, 2)
    engine.free(blocks)
    with pytest.raises(UnisonError, match="free each block once"):
        engine.free(blocks)


def test_blocks_of_both_tiers_are_not_freed_together():
    engine = BlockAllocator(2, 2)
    with pytest.raises(UnisonError, match="both tiers"):
        engine.free(engine.alloc(Tier.HBM, 1) + engine.alloc(Tier.FLASH, 1))


@pytest.mark.parametrize("blocks", [(-1, 3), (3, -1), (2.0, 3), (True, 3)])
def test_a_capacity_that_is_no_count_is_refused(blocks):
    with pytest.raises(UnisonError, match="give 0 or more"):
        BlockAllocator(*blocks)


def test_a_block_given_back_twice_goes_to_one_owner():
    engine = BlockAllocator(4, 4)
    blocks = engine.alloc(Tier.HBM, 1)
    engine.free(blocks)
    with pytest.raises(UnisonError, match="not out"):
        engine.free(blocks)
    first, second = engine.alloc(Tier.HBM, 2), engine.alloc(Tier.HBM, 2)
    assert not set(first) & set(second)


@pytest.mark.parametrize("given", [[99], [-1], [1, 1], [1.0], [True], 1, None, "1"])
def test_what_was_not_given_out_is_not_taken_back(given):
    engine = BlockAllocator(4, 4)
    engine.alloc(Tier.HBM, 4)
    with pytest.raises(UnisonError, match=r"^free: "):
        engine.free(given)
    assert (engine.n_free(Tier.HBM), engine.n_free(Tier.FLASH)) == (0, 4)


@pytest.mark.parametrize(
    ("tier", "count", "told"),
    [
        (-1, 1, "tier -1, expected Tier.HBM or Tier.FLASH"),
        ("HBM", 1, "tier 'HBM', expected Tier.HBM or Tier.FLASH"),
        (Tier.HBM, 2.0, "2.0 blocks of HBM asked for; give a whole number"),
        (Tier.HBM, True, "True blocks of HBM asked for; give a whole number"),
        (Tier.FLASH, -1, "-1 blocks of FLASH asked for; give a whole number of at least 0"),
    ],
)
def test_a_request_that_makes_no_sense_is_told(tier, count, told):
    engine = BlockAllocator(4, 4)
    with pytest.raises(UnisonError, match=told):
        engine.alloc(tier, count)
    assert (engine.n_free(Tier.HBM), engine.n_free(Tier.FLASH)) == (4, 4)


def test_the_fast_path_gives_the_same_blocks():
    checked, fast = BlockAllocator(3, 5), BlockAllocator(3, 5, is_checked=False)
    for engine in (checked, fast):
        engine.free(engine.alloc(Tier.FLASH, 2)[:1])
    assert checked.alloc(Tier.HBM, 2) == fast.alloc(Tier.HBM, 2)
    assert checked.alloc(Tier.FLASH, 3) == fast.alloc(Tier.FLASH, 3)
