"""Timelines: the sessions of a regime on the clock of a GPU at its load, in their steady state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np
from numpy.typing import NDArray

from unison.config import load_defaults
from unison.errors import UnisonError
from unison.flash.load import Config, Demand, Service, ServiceModel, demand_of
from unison.flash.plans import DEFAULT_VARIANT, Plan, SubAgent, Turns, Variant, plans
from unison.flash.segments import SegmentClass, SpawnRecord, Timeline
from unison.traces.calibration import default_calibration
from unison.traces.draws import stream

_NS_PER_S = 1_000_000_000
_FREE = 5
_HISTORY_SEED = 1 << 20
"""Added to the seed of the traffic that predictors learn from."""


@dataclass
class _Rows:
    """Segments and writes of sessions as they are laid out."""

    segments: list[list[int]] = field(default_factory=list)
    writes: list[tuple[int, int, int, int, bool, bool, int]] = field(default_factory=list)
    records: list[SpawnRecord] = field(default_factory=list)

    def add_segment(
        self, kind: SegmentClass, session: int, parent: int, spawn_ns: int, record: SpawnRecord | None = None
    ) -> int:
        index = -1
        if record is not None:
            index = len(self.records)
            self.records.append(record)
        self.segments.append([int(kind), session, parent, index, spawn_ns, 0])
        return len(self.segments) - 1

    def close(self, segment: int, free_ns: int) -> None:
        self.segments[segment][_FREE] = free_ns


class _Layout:
    """Lays sessions out in time at a GPU's speed."""

    def __init__(self, service: Service) -> None:
        self.rows = _Rows()
        self._tpot_ns = max(1, round(service.tpot_s * _NS_PER_S))
        self._prefill_ns = service.prefill_s * _NS_PER_S
        self._wait_ns = round(service.wait_s * _NS_PER_S)
        self._chunk = default_calibration().integer("flash.chunk_tokens")

    def session(self, plan: Plan, number: int, start_ns: int) -> int:
        """Lay a session out; when it ends."""
        return self._several(plan, number, start_ns) if plan.rounds else self._single(plan, number, start_ns)

    def _single(self, plan: Plan, number: int, now: int) -> int:
        turns, rows = plan.turns, self.rows
        kept = rows.add_segment(SegmentClass.SURVIVING, number, -1, now)
        thought, message, context, thinking = -1, 0, 0, 0
        is_last = np.concatenate((np.diff(turns.message) > 0, [True]))
        for i in range(turns.prompt.size):
            now += int(turns.gap_ns[i])
            if int(turns.message[i]) != message:
                if thought >= 0:
                    rows.close(thought, now)
                context, thinking = context - thinking, 0
                message = int(turns.message[i])
                thought = rows.add_segment(SegmentClass.REASONING, number, -1, now)
            prompt, reasoning, output = (int(c[i]) for c in (turns.prompt, turns.reasoning, turns.output))
            now = self._prefill(kept, prompt, message, now, context)
            now = self._decode(thought, reasoning, message, now, context + prompt)
            context, thinking = context + prompt + reasoning, thinking + reasoning
            now = self._decode(kept, output, message, now, context, awaits_user=bool(is_last[i]))
            context += output
        rows.close(thought, now + 1)
        rows.close(kept, now + 1)
        return now + 1

    def _several(self, plan: Plan, number: int, now: int) -> int:
        lead = self.rows.add_segment(SegmentClass.LEAD, number, -1, now)
        context = 0
        for i in range(plan.turns.prompt.size):
            now, context = self._request(lead, plan.turns, i, now, context)
            if i < len(plan.rounds):
                now = max(self._sub_agent(agent, number, lead, now) for agent in plan.rounds[i].workers)
                reviewer = plan.rounds[i].reviewer
                if reviewer is not None:
                    now = self._sub_agent(reviewer, number, lead, now)
        self.rows.close(lead, now + 1)
        return now + 1

    def _sub_agent(self, agent: SubAgent, number: int, lead: int, now: int) -> int:
        kind = SegmentClass.WORKER if agent.record.role == "worker" else SegmentClass.REVIEWER
        segment = self.rows.add_segment(kind, number, lead, now, agent.record)
        context = 0
        for i in range(agent.turns.prompt.size):
            now, context = self._request(segment, agent.turns, i, now, context)
        self.rows.close(segment, now + 1)
        return now + 1

    def _request(self, segment: int, turns: Turns, i: int, now: int, context: int) -> tuple[int, int]:
        """One request of an agent without a user; when it ends, and the context then."""
        prompt, output = int(turns.prompt[i]), int(turns.output[i])
        now = self._prefill(segment, prompt, i + 1, now + int(turns.gap_ns[i]), context)
        now = self._decode(segment, output, i + 1, now, context + prompt)
        return now, context + prompt + output

    def _prefill(self, segment: int, tokens: int, turn: int, now: int, context: int) -> int:
        now += self._wait_ns + round(tokens * self._prefill_ns)
        self.rows.writes.append((now, segment, tokens, turn, True, False, context))
        return now

    def _decode(
        self, segment: int, tokens: int, turn: int, now: int, context: int, awaits_user: bool = False
    ) -> int:
        while tokens > 0:
            part = min(tokens, self._chunk)
            tokens -= part
            now += part * self._tpot_ns
            is_end = awaits_user and tokens == 0
            self.rows.writes.append((now, segment, part, turn, False, is_end, context))
            context += part
        return now


@dataclass(frozen=True)
class Scenario:
    """One corpus on one GPU.

    Attributes
    ----------
    regime : str
        One of `unison.flash.plans.REGIMES`.
    config : Config
    slo : str
        Service level that sets the load.
    seed : int
    variant : Variant
    """

    regime: str
    config: Config
    slo: str
    seed: int = 0
    variant: Variant = DEFAULT_VARIANT

    @cached_property
    def service(self) -> Service:
        """The GPU at its admitted load, which earlier traffic sets."""
        return self.service_model.admitted(self.slo)

    @cached_property
    def service_model(self) -> ServiceModel:
        """The GPU with what earlier traffic asks of it."""
        return ServiceModel(self.config, _history_demand(self.regime, self.seed, self.variant))

    def _history(self) -> tuple[Plan, ...]:
        return _history_plans(self.regime, self.seed, self.variant)

    def written_bytes_per_s(self, history: Timeline) -> float:
        """KV that such traffic writes in the long run [bytes/s]; `history` is its own."""
        a_session = float(history.tokens.sum()) / len(self._history())
        return a_session * self.config.card.kv_bytes_per_token * self.service.sessions_per_s

    def history(self) -> Timeline:
        """Earlier traffic at the same load, whole sessions: what predictors learn from."""
        service = self.service
        sessions = self._history()
        starts = _starts(len(sessions), len(sessions) / service.sessions_per_s, self.seed + _HISTORY_SEED)
        return lay_out(f"{self.regime}/history", sessions, starts, service)

    def timeline(self, profile: str = "full") -> Timeline:
        """The run: arrivals at the admitted load, cut out of their steady state.

        Sessions that began before the run are in it with what they do later. The run ends after its last
        arrival; what lives then is discarded.
        """
        service, study = self.service, load_defaults(profile).flash_study
        past = self._history()
        lives = _durations(past, service)
        live = service.sessions_per_s * float(lives.mean()) / _NS_PER_S
        before_s = float(np.quantile(lives, 0.99)) / _NS_PER_S
        arriving = max(study.least_sessions, round(study.live_sessions * live))
        span_s = arriving / service.sessions_per_s
        count = round(service.sessions_per_s * (before_s + span_s))
        starts = _starts(count, before_s + span_s, self.seed) - round(before_s * _NS_PER_S)
        run = lay_out(self.regime, plans(self.regime, count, self.seed, self.variant), starts, service)
        return cut(run, round(span_s * _NS_PER_S), study.most_writes)


def _history_plans(regime: str, seed: int, variant: Variant) -> tuple[Plan, ...]:
    count = load_defaults().flash_study.history_sessions
    return plans(regime, count, seed + _HISTORY_SEED, variant)


@cache
def _history_demand(regime: str, seed: int, variant: Variant) -> Demand:
    return demand_of(_history_plans(regime, seed, variant))


def _starts(count: int, span_s: float, seed: int) -> NDArray[np.int64]:
    """Poisson arrivals given their number: uniform order statistics [ns]."""
    draws = stream(seed, "flash/starts").integers(0, round(span_s * _NS_PER_S), size=count)
    return np.sort(draws)


def _durations(sessions: Sequence[Plan], service: Service) -> NDArray[np.int64]:
    return np.array([_Layout(service).session(plan, 0, 0) for plan in sessions], dtype=np.int64)


def lay_out(name: str, sessions: Sequence[Plan], starts_ns: NDArray[np.int64], service: Service) -> Timeline:
    """Whole sessions from their starts, at a GPU's speed.

    Parameters
    ----------
    name : str
        Name of the timeline.
    sessions : sequence of Plan
    starts_ns : int64 [sessions]
        Arrival of each [ns]; may be negative.
    service : Service
        Gives the speed.

    Returns
    -------
    Timeline
        Times may be negative.

    Raises
    ------
    UnisonError
        If there is no session.
    """
    if not sessions:
        raise UnisonError(f"timeline {name!r}: no session, so there is nothing to place; give at least one")
    layout = _Layout(service)
    end = 0
    for number, (plan, start) in enumerate(zip(sessions, starts_ns.tolist(), strict=True)):
        end = max(end, layout.session(plan, number, start))
    segments = np.array(layout.rows.segments, dtype=np.int64)
    writes = np.array(layout.rows.writes, dtype=np.int64)
    writes = writes[np.lexsort((writes[:, 1], writes[:, 0]))]
    return Timeline(
        name=name,
        duration_ns=end,
        seg_class=segments[:, 0].astype(np.int8),
        session=segments[:, 1].astype(np.int32),
        parent=segments[:, 2].astype(np.int32),
        record=segments[:, 3].astype(np.int32),
        spawn_ns=segments[:, 4],
        free_ns=segments[:, 5],
        records=tuple(layout.rows.records),
        write_ns=writes[:, 0],
        segment=writes[:, 1].astype(np.int32),
        tokens=writes[:, 2],
        turn=writes[:, 3].astype(np.int32),
        is_prompt=writes[:, 4].astype(np.bool_),
        awaits_user=writes[:, 5].astype(np.bool_),
        context=writes[:, 6],
    )


def cut(timeline: Timeline, duration_ns: int, most_writes: int) -> Timeline:
    """The part of a timeline from 0 to `duration_ns`, or until so many writes; later ends are moved there.

    Segments keep the turn numbers of their agents, but not what was written to them before.

    Raises
    ------
    UnisonError
        If no write is left.
    """
    inside = np.flatnonzero((timeline.write_ns >= 0) & (timeline.write_ns < duration_ns))[:most_writes]
    if not inside.size:
        raise UnisonError(
            f"timeline {timeline.name!r}: no write between 0 and {duration_ns} ns, {most_writes} at most, "
            "so there is nothing to place; give a longer part"
        )
    if inside.size == most_writes:
        duration_ns = int(timeline.write_ns[inside[-1]]) + 1
    used, segment = np.unique(timeline.segment[inside], return_inverse=True)
    place = np.full(timeline.n_segments, -1, dtype=np.int32)
    place[used] = np.arange(used.size)
    parent = timeline.parent[used]
    return Timeline(
        name=timeline.name,
        duration_ns=duration_ns,
        seg_class=timeline.seg_class[used],
        session=timeline.session[used],
        parent=np.where(parent >= 0, place[np.maximum(parent, 0)], -1).astype(np.int32),
        record=timeline.record[used],
        spawn_ns=timeline.spawn_ns[used],
        free_ns=np.minimum(timeline.free_ns[used], duration_ns),
        records=timeline.records,
        write_ns=timeline.write_ns[inside],
        segment=segment.astype(np.int32),
        tokens=timeline.tokens[inside],
        turn=timeline.turn[inside],
        is_prompt=timeline.is_prompt[inside],
        awaits_user=timeline.awaits_user[inside],
        context=timeline.context[inside],
    ).check()
