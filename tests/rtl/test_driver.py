"""The driver: events of small replays worked by hand, and the two witnesses on real cells."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import numpy as np
import pytest
from support.worlds import make_trace, seeded_world

from unison.errors import UnisonError
from unison.experiments.runner import signals_of
from unison.fixed_point import integer_signals
from unison.replay.envelope import Envelope, Tier
from unison.rtl.config import VARIANTS, Config, default_config
from unison.rtl.driver import Source, check_witnesses, drive, envelope_of, model_engine, source_of
from unison.rtl.streams import ResponseStream, Vector, modelled
from unison.traces.library import load_corpus

CONFIG = default_config("score_scan", 4)
DMA_PS = 1_000_000
"""A token moves in a stored unit of time, 1 us."""


def session(start: int, length: int, *later: tuple[int, int, int], service: int = 1) -> dict[str, Any]:
    """A session that completes: a first turn, then one for each (gap, service, length); times in ms."""
    turns = [(0, service, length, length, 0), *((gap, runs, tokens, 0, 0) for gap, runs, tokens in later)]
    return {"start": start, "turns": turns, "completed": 1}


def driven(
    sessions: list[dict[str, Any]], sram: int, hbm: int, *, slots: int = 4, dma_ps: int = DMA_PS
) -> Vector:
    trace = make_trace(sessions)
    source = Source(trace, integer_signals(signals_of(trace), CONFIG.contract))
    tiers = (Tier("sram", sram, 1.0), Tier("hbm", hbm, 2.0))
    config = dataclasses.replace(CONFIG, sessions=max(4, slots))
    vector = drive(source, Envelope("small", tiers, slots, dma_ps), config)
    check_witnesses(config, vector)
    return vector


def shown(vector: Vector) -> list[str]:
    return [str(event).split(" (id")[0] for event in vector.events.events()]


def answered(vector: Vector) -> list[str]:
    return [str(r).split(" id")[0] for r in (vector.expected[i] for i in range(len(vector.expected)))]


def test_one_session_goes_through_its_turns() -> None:
    # the gap of 5 ms is 5000 us; the prior of 5 s is the average before it
    vector = driven([session(0, 10, (5, 1, 12))], 100, 100)
    assert shown(vector) == [
        "SLOT_ALLOC slot 0 turn 0 data 5000000",
        "REQUEST slot 0 data 10",
        "PLACE slot 0 tier 0 data 0",
        "GAP_START slot 0 data 0",
        "GAP_END slot 0 data 5000",
        "REQUEST slot 0 data 12",
        "PLACE slot 0 tier 0 data 0",
        "COMPLETE slot 0 data 0",
    ]
    assert answered(vector) == ["DONE OK"] * 8


def test_an_eviction_and_the_return_of_the_evicted() -> None:
    # A, 60 tokens, pauses; B, 60, fits beside it neither in SRAM 100 nor in HBM 50, so that A is demoted and
    # evicted. Then A returns for turn 2 with the average of its gap, 20 ms.
    vector = driven([session(0, 60, (20, 1, 60)), session(5, 60, (50, 1, 60))], 100, 50)
    events = shown(vector)
    assert "SLOT_ALLOC slot 0 turn 1 data 20000" in events
    assert answered(vector)[events.index("PLACE slot 1 tier 0 data 0") :][:3] == [
        "MOVE slot 0 0->1 tokens 60",
        "VICTIM slot 0 from 1 tokens 60",
        "DONE OK",
    ]


def test_a_slot_is_freed_for_a_newcomer() -> None:
    vector = driven([session(0, 5, (90, 1, 5)), session(5, 5, (90, 1, 5))], 100, 50, slots=1)
    assert "REQUEST none data 0" in shown(vector)
    assert "VICTIM slot 0 from 0 tokens 5" in answered(vector)


def test_a_turn_that_fits_nowhere_has_no_slot() -> None:
    vector = driven([session(0, 5, (9, 1, 500), (9, 1, 5))], 100, 50)
    events = shown(vector)
    # resident and too long: its slot is given up; its gap starts without one
    at = events.index("REQUEST slot 0 data 500")
    assert events[at + 1 : at + 3] == ["PLACE slot 0 bypass data 0", "GAP_START none data 9000"]
    # a return in turn 3 with the average of two gaps of 9 ms
    assert events[at + 3] == "SLOT_ALLOC slot 0 turn 2 data 9000"


def test_the_end_of_a_transfer_is_told_at_the_next_end_of_a_turn() -> None:
    # A 60 is in SRAM, B 60 in HBM: when A completes, nothing; B pauses: SRAM has no room for it but by a swap
    vector = driven([session(0, 60), session(2, 60, (30, 1, 60), (30, 1, 60)), session(40, 5)], 100, 70)
    events = shown(vector)
    done = [i for i, event in enumerate(events) if event.startswith("DMA_DONE")]
    assert len(done) == sum(answer.endswith("1->0 tokens 60") for answer in answered(vector)) == 1


def test_a_transfer_that_ends_with_a_turn_is_told_before_its_pause() -> None:
    # A token takes 1 ms. A, 5 tokens, completes in SRAM 5; B, 2, pauses in HBM at 3 ms and takes A's place,
    # which takes 7 ms. C, 2, fits beside B and pauses at 10 ms, when the transfer ends.
    sessions = [session(0, 5), session(2, 2, (30, 1, 2)), session(9, 2, (30, 1, 2))]
    vector = driven(sessions, 5, 20, dma_ps=1_000_000_000)
    events = shown(vector)
    assert answered(vector).count("MOVE slot 1 1->0 tokens 2") == 1
    at = events.index("GAP_START slot 2 data 0")
    assert events[at - 1].startswith("DMA_DONE")


def test_a_prior_that_has_changed_is_told_before_the_first_pause() -> None:
    # B's first turn lasts while A closes its first gap of 7 ms, which becomes the median
    vector = driven([session(0, 5, (7, 1, 5)), session(1, 5, (50, 1, 5), service=20)], 100, 50)
    events = shown(vector)
    at = events.index("SLOT_ALLOC slot 1 turn 1 data 7000")
    assert events[at + 1] == "GAP_START slot 1 data 0"


@pytest.mark.parametrize("variant", ["score_scan", "scan_div_recip", "dual"])
@pytest.mark.parametrize("envelope", ["edge-tight", "client"])
def test_model_and_replay_agree_on_a_corpus(variant: str, envelope: str) -> None:
    config = default_config(variant, 16)
    source = source_of(load_corpus("gaia-gemma4"), config)
    check_witnesses(config, drive(source, envelope_of(source, envelope, config), config))


@pytest.mark.parametrize("seed", range(60))
def test_model_and_replay_agree_on_small_worlds_full_of_ties(seed: int) -> None:
    rng = random.Random(seed)
    trace = seeded_world(seed).trace
    corpus = dataclasses.replace(trace.corpus, output_tokens=trace.corpus.output_tokens + 1)
    trace = dataclasses.replace(trace, corpus=corpus)
    config = default_config(rng.choice(VARIANTS), 4)
    source = Source(trace, integer_signals(signals_of(trace), config.contract))
    tiers = tuple(Tier(name, rng.choice((0, 3, 8, 15, 25, 60)), 1.0) for name in ("sram", "hbm"))
    envelope = Envelope("made", tiers, rng.choice((1, 2, 4)), rng.choice((1000, 300_000, 1_000_000_000)))
    vector = drive(source, envelope, config)
    check_witnesses(config, vector)
    assert len(vector.expected) >= len(vector.events)


def test_the_witnesses_can_disagree() -> None:
    vector = driven([session(0, 10, (5, 1, 12))], 100, 100)
    info = vector.expected.info.copy()
    info[3] ^= 1 << 5
    wrong = dataclasses.replace(vector, expected=ResponseStream(info, vector.expected.data))
    with pytest.raises(UnisonError, match=r"response 3 is DONE OK id 3 .* and DONE BAD_OPCODE"):
        check_witnesses(CONFIG, wrong)


def test_a_dual_design_with_stale_files_decides_otherwise() -> None:
    config = default_config("dual", 16)
    source = source_of(load_corpus("gaia-devstral"), config)
    vector = drive(source, envelope_of(source, "edge", config), config)
    stale = dataclasses.replace(vector, settings=dataclasses.replace(vector.settings, sync_period=8))
    answers = modelled(model_engine(config, stale), stale.events)
    assert answers.first_difference(vector.expected) is not None


def test_what_the_ip_cannot_hold_is_refused() -> None:
    config = Config(sessions=4)
    source = source_of(load_corpus("gaia-gemma4"), config)
    with pytest.raises(UnisonError, match="the IP has two"):
        envelope_of(source, "100", config)
    with pytest.raises(UnisonError, match="16777215 tokens at most"):
        envelope_of(source, "100,16777216", config)
    corpus = dataclasses.replace(
        source.trace.corpus, output_tokens=source.trace.corpus.output_tokens + (1 << 20)
    )
    with pytest.raises(UnisonError, match="the IP holds 1 to 1048575"):
        source_of(corpus, config)


def test_a_vector_is_the_same_every_time() -> None:
    config = default_config("score_scan", 16)
    vectors = []
    for _ in range(2):
        source = source_of(load_corpus("gaia-gemma4"), config)
        vectors.append(drive(source, envelope_of(source, "edge", config), config))
    first, second = vectors
    assert first.settings == second.settings
    assert np.array_equal(first.events.argument, second.events.argument)
    assert np.array_equal(first.events.data, second.events.data)
    assert first.expected.first_difference(second.expected) is None
