"""What every placement keeps to, on random timelines."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.segments import BLOCK_TOKENS, built, place, timelines

from unison.flash.bound import packing_bound
from unison.flash.corpora import cut
from unison.flash.policies import all_placements, get_placement
from unison.flash.policies.base import Knows

EVERY = all_placements()
CAUSAL = [entry for entry in EVERY if entry.knows != Knows.ORACLE]
BOUND = get_placement("write_on_evict_oracle")


def by_name(entry):
    return entry.name


@pytest.mark.parametrize("entry", EVERY, ids=by_name)
@settings(max_examples=6)
@given(timeline=timelines(), hbm=st.integers(0, 30))
def test_volume_is_the_same_and_every_block_is_freed_once(entry, timeline, hbm):
    # The replay is checked: a block over-committed, freed twice or left out raises.
    books = built(entry, timeline, hbm).books
    assert books.written == timeline.blocks(BLOCK_TOKENS).sum()
    assert 0 <= books.flash <= books.written
    assert books.kept + books.flash == books.written
    assert books.moved <= books.flash
    assert entry.migrates or books.moved == 0


@pytest.mark.parametrize("entry", EVERY, ids=by_name)
@settings(max_examples=2)
@given(timeline=timelines())
def test_without_hbm_everything_goes_to_flash(entry, timeline):
    assert built(entry, timeline, 0).books.kept == 0


@pytest.mark.parametrize("entry", EVERY, ids=by_name)
@settings(max_examples=4)
@given(timeline=timelines(), hbm=st.integers(0, 30))
def test_no_placement_beats_the_bound(entry, timeline, hbm):
    assert built(entry, timeline, hbm).books.kept <= built(BOUND, timeline, hbm).books.kept


@settings(max_examples=40)
@given(timeline=timelines(), hbm=st.integers(0, 30))
def test_write_on_evict_with_the_future_reaches_the_linear_programme(timeline, hbm):
    sizes = timeline.blocks(BLOCK_TOKENS)
    bound = packing_bound(timeline.write_ns, timeline.free_ns[timeline.segment], sizes, hbm)
    assert built(BOUND, timeline, hbm).books.kept == pytest.approx(bound, abs=1e-6)


class _Noted:
    """Passes everything on and notes each decision with the room at that moment."""

    def __init__(self, policy, notes):
        self._policy, self._notes = policy, notes

    def __getattr__(self, name):
        return getattr(self._policy, name)

    def __setattr__(self, name, value):
        if name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            setattr(self._policy, name, value)

    def prefers_hbm(self, now, segment, need, write):
        answer = self._policy.prefers_hbm(now, segment, need, write)
        self._notes.append((write, answer, self._policy.residents.free_hbm))
        return answer


@pytest.mark.parametrize("entry", CAUSAL, ids=by_name)
def test_a_causal_placement_does_not_see_the_future(entry, small_cell):
    setting = small_cell
    run = setting.timeline
    half = int(run.write_ns[run.n_writes // 2])
    part = cut(run, half, run.n_writes)
    notes = []
    for timeline in (run, part):
        mine: list = []
        other = setting.__class__(timeline, setting.history, setting.capacity, setting.block_tokens)
        place(timeline, _Noted(entry.build(other), mine), setting.capacity)
        notes.append(mine[: part.n_writes])
    assert notes[0] == notes[1]
