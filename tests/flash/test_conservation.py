"""What every placement keeps to, on random timelines."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.segments import BLOCK_TOKENS, built, place, timelines

from unison.flash.bound import packing_bound
from unison.flash.policies import all_placements, get_placement
from unison.flash.policies.base import Knows

EVERY = all_placements()
CAUSAL = [entry for entry in EVERY if entry.knows != Knows.ORACLE]
BOUND = get_placement("bound")


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


def with_another_future(run, after_ns):
    """The same run until an instant; what lives on then lives longer by a shuffled time, and writes more."""
    later = np.random.default_rng(0).permutation(run.n_segments) * 10**10
    return dataclasses.replace(
        run,
        duration_ns=int(run.duration_ns + later.max()),
        free_ns=np.where(run.free_ns > after_ns, run.free_ns + later, run.free_ns),
        tokens=np.where(run.write_ns > after_ns, run.tokens + 37, run.tokens),
    ).check()


def decisions(entry, setting, timeline, count):
    """What a placement decides at each of the first writes, with the room then."""
    notes: list = []
    other = dataclasses.replace(setting, timeline=timeline)
    place(timeline, _Noted(entry.build(other), notes), setting.capacity)
    return notes[:count]


@pytest.mark.parametrize("entry", CAUSAL, ids=by_name)
def test_a_causal_placement_does_not_see_the_future(entry, small_cell):
    run = small_cell.timeline
    half = run.n_writes // 2
    future = with_another_future(run, int(run.write_ns[half]))
    assert decisions(entry, small_cell, run, half) == decisions(entry, small_cell, future, half)


def test_one_that_sees_the_future_is_found_out(small_cell):
    oracle = get_placement("oracle_lifetime")
    run = small_cell.timeline
    half = run.n_writes // 2
    future = with_another_future(run, int(run.write_ns[half]))
    assert decisions(oracle, small_cell, run, half) != decisions(oracle, small_cell, future, half)


@pytest.mark.parametrize("entry", EVERY, ids=by_name)
def test_a_placement_moves_only_if_it_is_registered_to(entry, small_cell):
    assert entry.build(small_cell).migrates == entry.migrates
