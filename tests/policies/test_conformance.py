"""What every registered policy has to do; a new one is tested without an edit here."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support import worlds
from support.policies import (
    CAUSAL,
    COLUMNAR,
    EVERY,
    STATEFUL,
    assert_same_columns,
    build,
    by_name,
    columns_of,
    run,
)

from unison.policies.ranking import Ranking
from unison.policies.registry import InfoClass, PolicyEntry
from unison.policies.stateful import StatefulPolicy
from unison.replay.envelope import Envelope
from unison.replay.outcomes import Cause
from unison.replay.reference import ReferenceEngine
from unison.replay.tiering import Tiering
from unison.traces.synthetic import synthesize
from unison.traces.trace import Trace, schedule

KNOWS = [InfoClass.F0, InfoClass.F1, InfoClass.F2, InfoClass.F3]
WORLDS = [worlds.seeded_world(seed, 10) for seed in range(20_000, 20_012)]

every = pytest.mark.parametrize("entry", EVERY, ids=by_name)
causal = pytest.mark.parametrize("entry", CAUSAL, ids=by_name)
columnar = pytest.mark.parametrize("entry", COLUMNAR, ids=by_name)
stateful = pytest.mark.parametrize("entry", STATEFUL, ids=by_name)


@every
def test_builds_on_random_traces_as_it_is_registered(entry: PolicyEntry) -> None:
    for world in WORLDS:
        built = build(entry, world.trace)
        assert isinstance(built, StatefulPolicy if entry.is_stateful else Ranking)
        assert built.sees_completion == entry.sees_completion
        assert built.gap_estimate_ns.shape == (world.trace.corpus.n_turns,)
        assert (built.gap_estimate_ns >= 0).all()


@every
def test_builds_on_a_trace_of_one_turn(entry: PolicyEntry) -> None:
    trace = worlds.make_trace([{"start": 0, "turns": [(0, 1, 5, 5, 1)]}])
    assert run(entry, trace, worlds.make_envelope(10)).cause.tolist() == [Cause.FIRST_TURN]


@every
def test_says_what_it_evicts_and_where_it_is_published(entry: PolicyEntry) -> None:
    assert entry.title.strip()
    assert entry.citation.strip()
    assert entry.build.__doc__


@columnar
def test_columns_are_finite_and_of_the_declared_types(entry: PolicyEntry) -> None:
    for world in WORLDS:
        ranking = build(entry, world.trace)
        assert isinstance(ranking, Ranking)
        rows = np.arange(world.trace.corpus.n_turns)
        for name, column in columns_of(ranking, rows).items():
            kind = {"slope": "f", "weight": "f", "table": "f", "keep": "b"}.get(name, "i")
            assert column.dtype.kind == kind, name
            assert kind != "f" or np.isfinite(column).all(), name


@every
def test_the_same_trace_gives_the_same_replay(entry: PolicyEntry) -> None:
    world = WORLDS[0]
    envelope, tiering = worlds.make_envelope(15, 25, slots=5), Tiering(tide=True)
    first = run(entry, world.trace, envelope, tiering)
    worlds.assert_same(run(entry, world.trace, envelope, tiering), first)


@stateful
def test_a_second_replay_of_one_object_forgets_the_first(entry: PolicyEntry) -> None:
    trace, envelope = WORLDS[0].trace, worlds.make_envelope(15, 25, slots=5)
    built = build(entry, trace)
    first = ReferenceEngine(trace, built, envelope).run()
    worlds.assert_same(ReferenceEngine(trace, built, envelope).run(), first)


@every
def test_with_room_for_all_only_what_no_cache_can_avoid_misses(entry: PolicyEntry) -> None:
    for world in WORLDS:
        built = build(entry, world.trace)
        allowed = {Cause.HIT, Cause.FIRST_TURN, Cause.SHRUNK_PREFIX}
        if isinstance(built, Ranking):
            allowed |= {Cause.TIMEOUT} if built.drop_after_ns is not None else set()
            allowed |= {Cause.BYPASSED} if built.keep is not None else set()
        found = run(entry, world.trace, worlds.make_envelope(10**9, 10**9, slots=10**6), Tiering(tide=True))
        assert set(found.cause.tolist()) <= allowed


# --- what it may know -----------------------------------------------------------------------------------


def _hide(trace: Trace, names: tuple[str, ...]) -> Trace:
    """The trace with other values of some columns of its corpus."""
    corpus = trace.corpus
    rng = np.random.default_rng(7)
    changed = {name: rng.permutation(getattr(corpus, name)) for name in names}
    return replace(trace, corpus=replace(corpus, **changed))


@causal
def test_a_policy_does_not_read_what_its_class_does_not_know(entry: PolicyEntry) -> None:
    unknown: tuple[str, ...] = ()
    level = KNOWS.index(entry.info)
    if level < KNOWS.index(InfoClass.F3):
        unknown += ("role",)
    if level < KNOWS.index(InfoClass.F2):
        unknown += ("tool",)
    if level < KNOWS.index(InfoClass.F1) and not entry.is_stateful:
        unknown += ("output_tokens",)
    for world in WORLDS:
        other = _hide(world.trace, unknown)
        rows = np.arange(world.trace.corpus.n_turns)
        mine, theirs = build(entry, world.trace), build(entry, other)
        if isinstance(mine, Ranking) and isinstance(theirs, Ranking):
            assert_same_columns(columns_of(theirs, rows), columns_of(mine, rows))
        else:
            envelope = worlds.make_envelope(15, 25, slots=5)
            worlds.assert_same(run(entry, other, envelope), run(entry, world.trace, envelope))


@columnar
def test_a_policy_of_class_f0_does_not_read_idle_time(entry: PolicyEntry) -> None:
    ranking = build(entry, WORLDS[0].trace)
    assert isinstance(ranking, Ranking)
    timed = (ranking.lo, ranking.hi, ranking.late, ranking.table, ranking.pin_ns, ranking.drop_after_ns)
    uses_idle_time = bool(ranking.slope.any()) or any(column is not None for column in timed)
    assert entry.info != InfoClass.F0 or not uses_idle_time


# --- the two engines on real sizes ----------------------------------------------------------------------


def _slice(name: str) -> tuple[Trace, Envelope]:
    trace = schedule(synthesize(name).select(range(12)), concurrency=8)
    half = int(trace.mean_live_tokens // 2)
    return trace, worlds.make_envelope(half // 5, half - half // 5, slots=6)


SLICES = {name: _slice(name) for name in ("swe-qwen3", "gaia-gemma4")}


@columnar
@pytest.mark.parametrize("name", SLICES)
def test_kernel_and_reference_agree_on_a_synthetic_corpus(entry: PolicyEntry, name: str) -> None:
    trace, envelope = SLICES[name]
    ranking = build(entry, trace)
    assert isinstance(ranking, Ranking)
    found = worlds.run_both(trace, ranking, envelope, Tiering(tide=True))
    assert found.is_hit.any()
    assert (found.cause == Cause.EVICTED).any()
