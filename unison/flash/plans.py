"""Plans: what one session asks for in tokens and waits, drawn from data/calibration/flash.toml."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from unison.constants import Bounds
from unison.errors import UnisonError, unknown_name
from unison.flash.records import draw_tasks, effect_of, record_of
from unison.flash.segments import SpawnRecord
from unison.traces.calibration import Calibration, default_calibration
from unison.traces.draws import at_ranks, draw, draw_classes, lognormal_factors, stream, times_factors

REGIME_TITLES = {
    "temporal": "temporal",
    "structural": "structural",
    "inter_worker": "inter-worker",
    "mixed": "mixed",
}
"""What figures, tables and sentences call a regime: the axis of lifetimes that it is about (LACHESIS 1)."""

REGIME_ABOUT = {
    "temporal": "one agent with a user",
    "structural": "sub-agents in turn",
    "inter_worker": "sub-agents side by side",
    "mixed": "all three",
}
"""Who is at work in a regime."""

REGIMES = tuple(REGIME_TITLES)
"""Keys of the regimes on the command line and in CSV files."""

MULTI_AGENT = ("structural", "inter_worker")
"""Regimes in which every session has a lead and sub-agents."""

_KINDS = ("inter_worker", "structural", "temporal")
_PERMILLE = 1000
_NS_PER_US = 1000
_RANK_STEPS = 1_000_000


@dataclass(frozen=True, eq=False)
class Turns:
    """Requests of one agent in order.

    Attributes
    ----------
    gap_ns : int64 [requests]
        Wait before each request, after the previous reply [ns].
    prompt, reasoning, output : int64 [requests]
        New prompt tokens, tokens of thinking that are stripped, and tokens of the reply that stay.
    message : int64 [requests]
        Number of the user's message that a request belongs to, from 1; the request's own number for agents
        without a user.
    """

    gap_ns: NDArray[np.int64]
    prompt: NDArray[np.int64]
    reasoning: NDArray[np.int64]
    output: NDArray[np.int64]
    message: NDArray[np.int64]


@dataclass(frozen=True)
class SubAgent:
    """A sub-agent: what the harness says about it, and what it will do."""

    record: SpawnRecord
    turns: Turns


@dataclass(frozen=True)
class Round:
    """Sub-agents that a lead spawns together, then perhaps a reviewer of what they return."""

    workers: tuple[SubAgent, ...]
    reviewer: SubAgent | None


@dataclass(frozen=True)
class Plan:
    """One session.

    Attributes
    ----------
    kind : str
        ``"temporal"``, ``"structural"`` or ``"inter_worker"``.
    turns : Turns
        Of the single agent, or of the lead: one request before each round and one at the end.
    rounds : tuple of Round
        Empty for a single agent.
    """

    kind: str
    turns: Turns
    rounds: tuple[Round, ...] = ()


@dataclass(frozen=True)
class Variant:
    """What a study changes in the corpora.

    Attributes
    ----------
    has_reviewer : bool
        A reviewer follows each round.
    record_share : float or None
        Share of the variance of the log life that the spawn record explains; the calibrated one if None.
    user_delay_log_sd : float or None
        Spread of the user's delay; the calibrated one if None.
    """

    has_reviewer: bool = True
    record_share: float | None = None
    user_delay_log_sd: float | None = None

    def __post_init__(self) -> None:
        """Refuse a share or a spread that is out of range."""
        for name, bounds in (("record_share", Bounds(0, 1)), ("user_delay_log_sd", Bounds(0, 5))):
            value = getattr(self, name)
            if value is not None and not bounds.holds(value):
                raise UnisonError(f"Variant.{name}: found {value}, expected {bounds}, or None")


DEFAULT_VARIANT = Variant()
"""The corpora as calibrated."""


def draw_plans(
    regime: str, count: int, seed: int, variant: Variant | None = None, calibration: Calibration | None = None
) -> tuple[Plan, ...]:
    """The first sessions of a regime; a longer draw begins with the shorter one.

    Parameters
    ----------
    regime : str
        One of `REGIMES`.
    count : int
        Sessions.
    seed : int
    variant : Variant, optional
    calibration : Calibration, optional
        The committed one by default.

    Raises
    ------
    UnisonError
        If the regime is unknown or a calibration number is missing.
    """
    if regime not in REGIMES:
        raise unknown_name("regime", regime, REGIMES)
    drawer = _Drawer(
        default_calibration() if calibration is None else calibration,
        DEFAULT_VARIANT if variant is None else variant,
    )
    return tuple(drawer.numbered(regime, seed, i) for i in range(count))


@cache
def _kept(regime: str, seed: int, variant: Variant) -> list[Plan]:
    """The sessions drawn so far."""
    return []


def plans(regime: str, count: int, seed: int, variant: Variant) -> tuple[Plan, ...]:
    """`draw_plans` with the committed calibration; sessions are kept, and a longer draw goes on from there.

    Raises
    ------
    UnisonError
        As `draw_plans`.
    """
    if regime not in REGIMES:
        raise unknown_name("regime", regime, REGIMES)
    kept = _kept(regime, seed, variant)
    if len(kept) < count:
        drawer = _Drawer(default_calibration(), variant)
        kept.extend(drawer.numbered(regime, seed, i) for i in range(len(kept), count))
    return tuple(kept[:count])


class _Drawer:
    """Draws sessions; each has its own random stream."""

    def __init__(self, calibration: Calibration, variant: Variant) -> None:
        self._cal, self._variant = calibration, variant
        self._levels = calibration.integers("common.levels")
        share = variant.record_share
        self._record_share = calibration.number("flash.worker.record_share") if share is None else share
        spread = variant.user_delay_log_sd
        self._user_log_sd = (
            calibration.number("flash.temporal.user_delay_log_sd") if spread is None else spread
        )

    def numbered(self, regime: str, seed: int, number: int) -> Plan:
        """A session from the random stream that is its own."""
        return self.session(regime, stream(seed, f"flash/{regime}/{number}"))

    def session(self, regime: str, rng: np.random.Generator) -> Plan:
        kind = regime
        if regime == "mixed":
            kind = _KINDS[int(draw_classes(rng, self._shares(), 1)[0])]
        return self._single(rng) if kind == "temporal" else self._several(kind, rng)

    def _shares(self) -> tuple[int, ...]:
        return self._cal.integers("flash.mixed.session_shares")

    def _draw(self, rng: np.random.Generator, name: str, size: int) -> NDArray[np.int64]:
        return draw(rng, self._levels, self._cal.integers(f"flash.{name}"), size)

    def _one(self, rng: np.random.Generator, name: str) -> int:
        return int(self._draw(rng, name, 1)[0])

    def _single(self, rng: np.random.Generator) -> Plan:
        cal, name = self._cal, "temporal"
        messages = self._one(rng, "temporal.user_turns") * cal.integer("flash.temporal.turn_factor")
        steps = self._draw(rng, "temporal.steps", messages)
        requests = int(steps.sum())
        message = np.repeat(np.arange(1, messages + 1), steps)
        is_first = np.concatenate(([True], np.diff(message) > 0))
        factor = cal.integer("flash.temporal.token_factor")
        prompt = self._draw(rng, f"{name}.result_tokens", requests) * factor
        prompt[0] = self._one(rng, f"{name}.first_prompt_tokens") * factor
        output = self._draw(rng, f"{name}.output_tokens", requests) * factor
        low, high = cal.integers("flash.temporal.reasoning_permille")
        share = int(rng.integers(low, high + 1))
        kept = output + np.where(np.arange(requests) == 0, 0, prompt)
        gap = self._waits(rng, "tool_gap", cal.number("flash.temporal.tool_gap_log_sd"), requests)
        delay = self._waits(rng, "user_delay", self._user_log_sd, requests)
        gap = np.where(is_first, delay, gap)
        gap[0] = 0
        reasoning = np.maximum(kept * share // (_PERMILLE - share), 1)
        return Plan("temporal", Turns(gap, prompt, reasoning, output, message))

    def _waits(self, rng: np.random.Generator, what: str, log_sd: float, size: int) -> NDArray[np.int64]:
        median = np.full(size, self._cal.integer(f"flash.temporal.{what}_us"), dtype=np.int64)
        return times_factors(median, lognormal_factors(rng, log_sd, size)) * _NS_PER_US

    def _several(self, kind: str, rng: np.random.Generator) -> Plan:
        rounds = []
        returned = [0]
        for number in range(self._one(rng, f"{kind}.rounds")):
            size = self._one(rng, f"{kind}.workers")
            tasks = draw_tasks(rng, size + 1).tolist()
            records = [record_of("worker", tasks[i], number + 1, i, size) for i in range(size)]
            workers = tuple(
                SubAgent(record, self._agent(kind, "worker", task, rng))
                for record, task in zip(records, tasks, strict=False)
            )
            reviewer = None
            if self._variant.has_reviewer:
                record = record_of("reviewer", tasks[size], number + 1, 0, 1)
                reviewer = SubAgent(record, self._agent(kind, "reviewer", tasks[size], rng))
            rounds.append(Round(workers, reviewer))
            agents = [*workers, *([reviewer] if reviewer else [])]
            returned.append(sum(int(agent.turns.output[-1]) for agent in agents))
        count = len(rounds) + 1
        prompt = np.array(returned, dtype=np.int64)
        prompt[0] = self._scaled(self._draw(rng, "worker.first_prompt_tokens", 1))[0]
        output = self._draw(rng, "worker.output_tokens", count)
        zero = np.zeros(count, dtype=np.int64)
        return Plan(kind, Turns(zero, prompt, zero, output, np.arange(1, count + 1)), tuple(rounds))

    def _agent(self, kind: str, role: str, task: int, rng: np.random.Generator) -> Turns:
        """A sub-agent whose number of turns and pace follow one latent, of which the record tells a part."""
        share = self._record_share
        effect = effect_of(task)
        own = rng.standard_normal(2)
        latent = np.sqrt(share) * effect + np.sqrt(1 - share) * own
        rank = _normal_rank(float(latent[0]), self._levels)
        turns = int(at_ranks(rank, self._levels, self._cal.integers(f"flash.{role}.turns"))[0])
        log_sd = self._cal.number(f"flash.{kind}.pace_log_sd")
        pace = np.rint(np.exp(log_sd * latent[1:]) * _RANK_STEPS).astype(np.int64)
        gap = times_factors(self._draw(rng, "worker.gap_us", turns), pace) * _NS_PER_US
        gap[0] = 0
        prompt = self._scaled(self._draw(rng, "worker.result_tokens", turns))
        prompt[0] = self._scaled(self._draw(rng, "worker.first_prompt_tokens", 1))[0]
        output = self._draw(rng, "worker.output_tokens", turns)
        output[-1] = self._one(rng, "worker.returned_tokens")
        return Turns(gap, prompt, np.zeros(turns, dtype=np.int64), output, np.arange(1, turns + 1))

    def _scaled(self, tokens: NDArray[np.int64]) -> NDArray[np.int64]:
        factor = self._cal.integer("flash.worker.token_permille")
        scaled: NDArray[np.int64] = np.maximum(tokens * factor // _PERMILLE, 1)
        return scaled


def _normal_rank(value: float, levels: tuple[int, ...]) -> NDArray[np.int64]:
    """The rank, as `unison.traces.draws.uniform_ranks` gives it, at which a standard normal lies [1]."""
    share = round(float(ndtr(value)) * _RANK_STEPS)
    low, high = levels[0] << 20, levels[-1] << 20
    return np.array([low + (high - low - 1) * share // _RANK_STEPS], dtype=np.int64)
