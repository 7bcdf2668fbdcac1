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
    engine = BlockAllocator(7, 9, is_checked=True)
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
    engine = BlockAllocator(2, 2, is_checked=True)
    blocks = engine.alloc(Tier.HBM, 2)
    engine.free(blocks)
    with pytest.raises(UnisonError, match="free each block once"):
        engine.free(blocks)


def test_blocks_of_both_tiers_are_not_freed_together():
    engine = BlockAllocator(2, 2, is_checked=True)
    with pytest.raises(UnisonError, match="both tiers"):
        engine.free(engine.alloc(Tier.HBM, 1) + engine.alloc(Tier.FLASH, 1))


def test_a_negative_capacity_is_refused():
    with pytest.raises(UnisonError, match="give 0 or more"):
        BlockAllocator(-1, 3)
