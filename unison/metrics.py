"""Metrics of a replay: each definition once, under the name that every output carries (UNISON eq. 27-30).

A ratio, a share or a quantile of nothing is 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from unison.device import Costs
from unison.errors import unknown_name
from unison.replay.envelope import Envelope
from unison.replay.outcomes import Cause, Counter, Outcomes
from unison.replay.queueing import access_ns, time_to_first_token
from unison.traces.trace import Trace

NS_PER_S = 1e9


@dataclass(frozen=True, eq=False)
class Measured:
    """A replay with what is needed to measure it."""

    outcomes: Outcomes
    trace: Trace
    envelope: Envelope
    costs: Costs

    @cached_property
    def ttft_ns(self) -> NDArray[np.float64]:
        """Time to first token of each request, see `time_to_first_token` [turns, ns]."""
        return time_to_first_token(self.outcomes, self.trace, self.envelope, self.costs)

    @property
    def after_first(self) -> NDArray[np.bool_]:
        """True for turns that are not a session's first [turns]."""
        return self.trace.corpus.turn > 0

    @property
    def reusable_tokens(self) -> NDArray[np.int64]:
        """Prompt tokens that an infinite cache would reuse: the prefix, as far as it was held [turns]."""
        corpus = self.trace.corpus
        held = np.concatenate((np.zeros(1, dtype=np.int64), corpus.length[:-1]))
        prefix = np.minimum(corpus.prompt_tokens - corpus.new_prompt_tokens, held)
        return np.where(self.after_first, prefix, 0)

    def per_session(self, values: NDArray) -> NDArray[np.int64]:
        """Sums of a column over each session's turns [sessions]."""
        return np.add.reduceat(values.astype(np.int64), self.trace.corpus.first_row[:-1])


@dataclass(frozen=True)
class Metric:
    """A named definition.

    Attributes
    ----------
    name : str
        Key in every output.
    unit : str
        ``1`` for a ratio.
    meaning : str
        The definition in one sentence.
    """

    name: str
    unit: str
    meaning: str
    compute: Callable[[Measured], float]


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else 0.0


def _session_mean(m: Measured, *, first: bool) -> float:
    counted = np.ones(m.trace.corpus.n_turns, dtype=np.bool_) if first else m.after_first
    requests = m.per_session(counted)
    hits = m.per_session(m.outcomes.is_hit & counted)
    some = requests > 0
    return float((hits[some] / requests[some]).mean()) if some.any() else 0.0


def _amat_ns(m: Measured) -> float:
    read = np.asarray([tier.read_ns_per_token for tier in m.envelope.tiers])
    cost = np.where(m.outcomes.is_hit, read[m.outcomes.hit_tier], m.costs.prefill_ns_per_token)
    return float((m.trace.corpus.prompt_tokens * cost).mean())


def _ttft_s(m: Measured, quantile: float) -> float:
    return float(np.quantile(m.ttft_ns, quantile)) / NS_PER_S


def _regret_s(m: Measured, quantile: float) -> float:
    evicted = m.outcomes.cause == Cause.EVICTED
    if not evicted.any():
        return 0.0
    back = m.trace.arrival_ns[evicted] - m.outcomes.lost_ns[evicted]
    return float(np.quantile(back, quantile)) / NS_PER_S


def _share_of(cause: Cause) -> Callable[[Measured], float]:
    return lambda m: float((m.outcomes.cause == cause).mean())


def _tier_rate(tier: int) -> Callable[[Measured], float]:
    return lambda m: float((m.outcomes.hit_tier == tier).mean())


METRICS: tuple[Metric, ...] = (
    Metric(
        "hit_rate",
        "1",
        "hits over requests, first turns counted (eq. 27)",
        lambda m: m.outcomes.is_hit.mean(),
    ),
    Metric(
        "hit_rate_after_first",
        "1",
        "hits over requests that are not a session's first",
        lambda m: _ratio(m.outcomes.is_hit.sum(), m.after_first.sum()),
    ),
    Metric(
        "hit_rate_per_session",
        "1",
        "mean over sessions of the session's hit rate, first turns counted",
        lambda m: _session_mean(m, first=True),
    ),
    Metric(
        "hit_rate_per_session_after_first",
        "1",
        "mean over sessions of the session's hit rate without its first turn",
        lambda m: _session_mean(m, first=False),
    ),
    Metric("sram_hit_rate", "1", "requests found in the first tier over requests", _tier_rate(0)),
    Metric(
        "token_hit_rate",
        "1",
        "tokens reused over tokens that an infinite cache would reuse",
        lambda m: _ratio(m.outcomes.reused_tokens.sum(), m.reusable_tokens.sum()),
    ),
    Metric(
        "prefill_reduction",
        "1",
        "tokens reused over prompt tokens (eq. 28)",
        lambda m: _ratio(m.outcomes.reused_tokens.sum(), m.trace.corpus.prompt_tokens.sum()),
    ),
    Metric(
        "amat_ns",
        "ns",
        "mean over requests of prompt tokens times the per-token cost of where they were found (eq. 27)",
        _amat_ns,
    ),
    Metric(
        "amat_suffix_ns",
        "ns",
        "amat_ns with the new tokens of a hit charged at the prefill cost",
        lambda m: access_ns(m.outcomes, m.trace, m.envelope, m.costs).mean(),
    ),
    Metric(
        "ttft_p50_s",
        "s",
        "median time to first token, one first-come-first-served prefill engine",
        lambda m: _ttft_s(m, 0.5),
    ),
    Metric(
        "ttft_p99_s",
        "s",
        "99th percentile of the time to first token, the same queue",
        lambda m: _ttft_s(m, 0.99),
    ),
    Metric(
        "bypass_share",
        "1",
        "turns served without residency over turns",
        lambda m: m.outcomes.count(Counter.BYPASSES) / m.trace.corpus.n_turns,
    ),
    Metric(
        "running_share",
        "1",
        "resident token time held by running turns over all resident token time",
        lambda m: _ratio(m.outcomes.running_token_ns, m.outcomes.used_token_ns),
    ),
    Metric(
        "miss_first_turn", "1", "misses at a session's first turn over requests", _share_of(Cause.FIRST_TURN)
    ),
    Metric(
        "miss_shrunk_prefix",
        "1",
        "misses with no reusable prefix over requests",
        _share_of(Cause.SHRUNK_PREFIX),
    ),
    Metric(
        "miss_evicted", "1", "misses after an eviction in the pause over requests", _share_of(Cause.EVICTED)
    ),
    Metric("miss_timeout", "1", "misses after a drop by timeout over requests", _share_of(Cause.TIMEOUT)),
    Metric("miss_bypassed", "1", "misses after a bypassed turn over requests", _share_of(Cause.BYPASSED)),
    Metric(
        "regret_p50_s",
        "s",
        "median time from an eviction to the victim's return, over misses that it caused",
        lambda m: _regret_s(m, 0.5),
    ),
    Metric(
        "prefetch_accuracy",
        "1",
        "promotions whose next request hit the tier promoted to, over promotions",
        lambda m: _ratio(m.outcomes.count(Counter.USEFUL_PROMOTIONS), m.outcomes.count(Counter.PROMOTIONS)),
    ),
    Metric("evictions", "1", "sessions evicted", lambda m: m.outcomes.count(Counter.EVICTIONS)),
    Metric("promotions", "1", "sessions promoted by Tide", lambda m: m.outcomes.count(Counter.PROMOTIONS)),
    Metric(
        "moved_tokens", "tokens", "tokens moved by Tide", lambda m: m.outcomes.count(Counter.MOVED_TOKENS)
    ),
    Metric(
        "decisions",
        "1",
        "victims selected plus Tide evaluations that had a candidate",
        lambda m: m.outcomes.count(Counter.DECISIONS),
    ),
)


def metric(name: str) -> Metric:
    """The metric of that name.

    Raises
    ------
    UnisonError
        If there is none.
    """
    by_name = {entry.name: entry for entry in METRICS}
    if name not in by_name:
        raise unknown_name("metric", name, by_name)
    return by_name[name]


def measure(measured: Measured, names: tuple[str, ...] | None = None) -> dict[str, float]:
    """The metrics of a replay by name, all of them by default.

    Raises
    ------
    UnisonError
        If a name is unknown.
    """
    wanted = METRICS if names is None else tuple(metric(name) for name in names)
    return {entry.name: _plain(entry.compute(measured)) for entry in wanted}


def _plain(value: float) -> float:
    return int(value) if isinstance(value, int | np.integer) else float(value)
