"""Replaying a trace: the public entry, which checks its input and chooses the engine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.policies.ranking import Ranking
from unison.policies.stateful import StatefulPolicy
from unison.replay.envelope import Envelope
from unison.replay.kernel import replay_events
from unison.replay.outcomes import Cause, Counter, Outcomes
from unison.replay.reference import MAX_GAP_NS, ReferenceEngine
from unison.replay.state import N_ACTIONS, N_FREE, Options, RankingColumns, State, TraceColumns
from unison.replay.tiering import Tiering
from unison.traces.trace import Trace

HEAP_FROM = 96
"""With at least this many sessions resident at once a heap beats a linear scan."""

_LONGEST_NS = 1 << 61


def replay(
    trace: Trace,
    policy: Ranking | StatefulPolicy,
    envelope: Envelope,
    tiering: Tiering | None = None,
    *,
    record: bool = False,
    use_heap: bool | None = None,
) -> Outcomes:
    """Replay a trace under a policy: the compiled kernel for a ranking, the reference for a stateful policy.

    Parameters
    ----------
    trace : Trace
    policy : Ranking or StatefulPolicy
        Made from the same trace.
    envelope : Envelope
    tiering : Tiering, optional
        No Tide by default.
    record : bool
        Keep the actions taken.
    use_heap : bool, optional
        Order the candidates by heaps or by scans; the answers are the same. By default the faster.

    Returns
    -------
    Outcomes

    Raises
    ------
    UnisonError
        If ranking and trace differ in length, or a heap is asked for an order that changes with time.
    """
    tiering = Tiering() if tiering is None else tiering
    if isinstance(policy, StatefulPolicy):
        return ReferenceEngine(trace, policy, envelope, tiering).run()
    if policy.base.size != trace.corpus.n_turns:
        raise UnisonError(
            f"the ranking has {policy.base.size} turns, the trace {trace.corpus.n_turns}: make it from this trace"
        )
    if use_heap and not policy.is_static:
        raise UnisonError("use_heap: the order of this ranking changes with time, so no heap can hold it")
    columns = _trace_columns(trace)
    ranking = _ranking_columns(policy, trace)
    if use_heap is None:
        use_heap = policy.is_static and min(trace.corpus.n_sessions, envelope.slots) >= HEAP_FROM
    options = _options(envelope, tiering, use_heap)
    room = 0
    if record:
        room = int(_run(columns, ranking, options, envelope, trace, room)[0].scalars[N_ACTIONS])
    state, out, integrals = _run(columns, ranking, options, envelope, trace, room)
    return Outcomes(
        hit_tier=out[0],
        reused_tokens=out[1],
        placed_tier=out[2],
        cause=out[3],
        lost_ns=out[4],
        lost_by=out[5],
        counters=state.counters,
        used_token_ns=float(integrals[0]),
        running_token_ns=float(integrals[1]),
        actions=state.actions if record else None,
    )


def _run(
    columns: TraceColumns, ranking: RankingColumns, options: Options, envelope: Envelope, trace: Trace, room: int
) -> tuple[State, tuple[NDArray, ...], NDArray[np.float64]]:
    slots = min(envelope.slots, trace.corpus.n_sessions)
    state = _empty_state(slots, options.capacity.size, trace.corpus.n_sessions, room)
    turns = trace.corpus.n_turns
    out = (
        np.empty(turns, dtype=np.int8),
        np.zeros(turns, dtype=np.int64),
        np.empty(turns, dtype=np.int8),
        np.empty(turns, dtype=np.int8),
        np.full(turns, -1, dtype=np.int64),
        np.full(turns, -1, dtype=np.int64),
    )
    integrals = np.zeros(2)
    replay_events(columns, ranking, options, state, out, integrals)
    return state, out, integrals


def _trace_columns(trace: Trace) -> TraceColumns:
    corpus = trace.corpus
    return TraceColumns(
        events=trace.events,
        arrival_ns=trace.arrival_ns,
        end_ns=trace.end_ns,
        session=corpus.session,
        turn=corpus.turn,
        length=corpus.length,
        reusable=corpus.prompt_tokens - corpus.new_prompt_tokens,
        ends_session=trace.ends_session,
    )


def _ranking_columns(ranking: Ranking, trace: Trace) -> RankingColumns:
    def column(values: NDArray | None, dtype: type) -> NDArray:
        return np.zeros(0, dtype=dtype) if values is None else np.ascontiguousarray(values, dtype=dtype)

    def bounded(values: NDArray | None) -> NDArray:
        return column(None if values is None else np.clip(values, 0, _LONGEST_NS), np.int64)

    table = np.zeros((0, 0)) if ranking.table is None else np.ascontiguousarray(ranking.table, dtype=np.float64)
    return RankingColumns(
        is_static=ranking.is_static,
        sees_completion=bool(ranking.sees_completion),
        key=ranking.static_key(trace) if ranking.is_static else np.zeros(0, dtype=np.int64),
        base=column(ranking.base, np.float64),
        slope=column(ranking.slope, np.float64),
        lo=column(ranking.lo, np.int64),
        hi=column(ranking.hi, np.int64),
        late=column(ranking.late, np.float64),
        weight=column(ranking.weight, np.float64),
        table=table,
        table_class=column(ranking.table_class, np.int16),
        pin_ns=bounded(ranking.pin_ns),
        drop_after_ns=bounded(ranking.drop_after_ns),
        keep=column(ranking.keep, np.bool_),
        gap_ns=np.clip(ranking.gap_estimate_ns, 0, MAX_GAP_NS).astype(np.int64),
    )


def _options(envelope: Envelope, tiering: Tiering, use_heap: bool) -> Options:
    return Options(
        capacity=np.asarray([tier.capacity_tokens for tier in envelope.tiers], dtype=np.int64),
        dma_ps_per_token=int(envelope.dma_ps_per_token),
        tide=bool(tiering.tide),
        max_swaps=int(tiering.max_swaps),
        guard=bool(tiering.guard),
        placement=int(tiering.placement),
        is_heap=bool(use_heap),
    )


def _empty_state(slots: int, tiers: int, sessions: int, room: int) -> State:
    def whole(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    def flag() -> NDArray[np.bool_]:
        return np.zeros(slots, dtype=np.bool_)

    scalars = whole(4)
    scalars[N_FREE] = slots
    return State(
        session=whole(slots), row=whole(slots), tier=whole(slots), length=whole(slots), is_pinned=flag(),
        is_dead=flag(), pause_ns=whole(slots), seen_tier=whole(slots), seen_until_ns=whole(slots),
        was_promoted=flag(), key=whole(slots), negated_key=whole(slots), negated_expiry=whole(slots),
        items=whole(tiers, slots), size=whole(tiers), place=whole(slots),
        low_items=whole(tiers, slots), low_size=whole(tiers), low_place=whole(slots),
        due_items=whole(1, slots), due_size=whole(1), due_place=whole(slots),
        free=np.arange(slots, dtype=np.int64), used=whole(tiers), pinned=whole(tiers),
        slot_of=np.full(sessions, -1, dtype=np.int64),
        loss_cause=np.full(sessions, Cause.FIRST_TURN, dtype=np.int8),
        loss_ns=np.full(sessions, -1, dtype=np.int64), loss_row=np.full(sessions, -1, dtype=np.int64),
        scalars=scalars, counters=whole(len(Counter)), actions=whole(room, 5),
    )  # fmt: skip
