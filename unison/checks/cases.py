"""Small replays on which a mistake shows: a synthetic corpus in coarse units, so that sizes and times tie."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

import unison.policies  # noqa: F401 (registers the policies)
from unison.policies.ranking import Ranking
from unison.policies.registry import PolicyEntry, get_policy
from unison.policies.stateful import StatefulPolicy
from unison.replay.envelope import Envelope, Tier
from unison.replay.tiering import Tiering
from unison.signals import Signals
from unison.traces.synthetic import synthesize
from unison.traces.trace import Trace, schedule

NS_PER_S = 1_000_000_000
TOKENS = 1000
SESSIONS = 48
POLICIES = ("lru", "lru_completion", "spear", "spear_idle_max", "belady_size")
"""Orders of every form: idle time, static score, clipped idle time, weight."""


class FixedHazard:
    """sigma(t) = 0.99 - 0.02 t, and 0.05 at least: known beforehand, and another at every turn."""

    def survival(self, turn: ArrayLike) -> NDArray[np.float64]:
        """Local survival complement of turns counted from 1."""
        return np.maximum(0.99 - 0.02 * np.asarray(turn, dtype=np.float64), 0.05)


class Case(NamedTuple):
    """A replay."""

    policy: str
    trace: Trace
    ranking: Ranking
    envelope: Envelope
    tiering: Tiering


@cache
def coarse_trace() -> Trace:
    """`SESSIONS` sessions of gaia-gemma4 with times in whole seconds and tokens in thousands."""
    corpus = synthesize("gaia-gemma4").select(range(SESSIONS))

    def seconds(times: NDArray[np.int64], least: int) -> NDArray[np.int64]:
        return np.maximum(times // NS_PER_S, least) * NS_PER_S

    coarse = replace(
        corpus,
        name="coarse",
        gap_ns=seconds(corpus.gap_ns, 0),
        service_ns=seconds(corpus.service_ns, 1),
        prompt_tokens=corpus.prompt_tokens // TOKENS,
        new_prompt_tokens=corpus.new_prompt_tokens // TOKENS,
        output_tokens=corpus.output_tokens // TOKENS,
    )
    trace = schedule(coarse)
    # Starts on whole seconds too, so that events of several sessions fall on one instant.
    shift = (trace.arrival_ns % NS_PER_S)[coarse.first_row[:-1]][coarse.session]
    return replace(trace, arrival_ns=trace.arrival_ns - shift, end_ns=trace.end_ns - shift)


def build(entry: PolicyEntry, trace: Trace) -> Ranking | StatefulPolicy:
    """A policy with its default parameters and `FixedHazard`, which no future can change."""
    signals = Signals(trace, FixedHazard(), alpha=0.3, ema_init="prior", prior_gap_ns=5 * NS_PER_S)
    built: Ranking | StatefulPolicy = entry.build(signals, **entry.defaults())
    return built


def replay_cases() -> list[Case]:
    """Each of `POLICIES` with and without Tide on `coarse_trace`, with room for an eighth and for a half."""
    trace = coarse_trace()
    live = int(trace.mean_live_tokens)
    cases = []
    for name in POLICIES:
        ranking = build(get_policy(name), trace)
        assert isinstance(ranking, Ranking)
        for tokens, tide in ((live // 2, True), (live // 8, False)):
            tiers = (Tier("sram", tokens // 5, 10.0), Tier("hbm", tokens - tokens // 5, 100.0))
            # A token moves in 50 ms, so that a swap takes a second or more.
            envelope = Envelope(f"{tokens} tokens", tiers, slots=12, dma_ps_per_token=50_000_000_000)
            cases.append(Case(name, trace, ranking, envelope, Tiering(tide=tide)))
    return cases
