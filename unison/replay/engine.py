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
from unison.replay.state import (
    ARRIVAL_NS, BASE, CAUSE, DROP_AFTER_NS, END_NS, ENDS_SESSION, GAP_NS, HI, HIT_TIER, KEEP, KEY, LATE, LENGTH_OF,
    LO, LOSS_CAUSE, LOST_BY, LOST_NS, N_ACTIONS, N_FREE, PIN_NS, PLACED_TIER, REUSABLE, REUSED, SESSION_OF, SLOPE,
    TABLE_CLASS, TURN, WEIGHT, Options, RankingColumns, State, TraceColumns,
)  # fmt: skip
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
        hit_tier=out[:, HIT_TIER].astype(np.int8),
        reused_tokens=out[:, REUSED].copy(),
        placed_tier=out[:, PLACED_TIER].astype(np.int8),
        cause=out[:, CAUSE].astype(np.int8),
        lost_ns=out[:, LOST_NS].copy(),
        lost_by=out[:, LOST_BY].copy(),
        counters=state.counters,
        used_token_ns=float(integrals[0]),
        running_token_ns=float(integrals[1]),
        actions=state.actions if record else None,
    )


def _run(
    columns: TraceColumns, ranking: RankingColumns, options: Options, envelope: Envelope, trace: Trace, room: int
) -> tuple[State, NDArray[np.int64], NDArray[np.float64]]:
    slots = min(envelope.slots, trace.corpus.n_sessions)
    state = _empty_state(slots, options.capacity.size, trace.corpus.n_sessions, room)
    out = np.zeros((trace.corpus.n_turns, 6), dtype=np.int64)
    out[:, LOST_NS:] = -1
    integrals = np.zeros(2)
    replay_events(columns, ranking, options, state, out, integrals)
    return state, out, integrals


def _trace_columns(trace: Trace) -> TraceColumns:
    corpus = trace.corpus
    rows = np.empty((corpus.n_turns, 7), dtype=np.int64)
    rows[:, ARRIVAL_NS] = trace.arrival_ns
    rows[:, END_NS] = trace.end_ns
    rows[:, SESSION_OF] = corpus.session
    rows[:, TURN] = corpus.turn
    rows[:, LENGTH_OF] = corpus.length
    rows[:, REUSABLE] = corpus.prompt_tokens - corpus.new_prompt_tokens
    rows[:, ENDS_SESSION] = trace.ends_session
    return TraceColumns(events=trace.events, rows=rows)


def _ranking_columns(ranking: Ranking, trace: Trace) -> RankingColumns:
    shape = np.zeros((trace.corpus.n_turns, 4))
    for at, values in ((BASE, ranking.base), (SLOPE, ranking.slope), (LATE, ranking.late), (WEIGHT, ranking.weight)):
        if values is not None:
            shape[:, at] = values
    if ranking.weight is None:
        shape[:, WEIGHT] = 1.0
    whole = np.zeros((trace.corpus.n_turns, 8), dtype=np.int64)
    columns = {
        KEY: ranking.static_key(trace) if ranking.is_static else None,
        LO: ranking.lo,
        HI: ranking.hi,
        PIN_NS: _bounded(ranking.pin_ns, _LONGEST_NS),
        DROP_AFTER_NS: _bounded(ranking.drop_after_ns, _LONGEST_NS),
        GAP_NS: _bounded(ranking.gap_estimate_ns, MAX_GAP_NS),
        KEEP: ranking.keep,
        TABLE_CLASS: ranking.table_class,
    }
    for at, column in columns.items():
        if column is not None:
            whole[:, at] = column
    return RankingColumns(
        is_static=ranking.is_static,
        sees_completion=bool(ranking.sees_completion),
        has_lo=ranking.lo is not None,
        has_hi=ranking.hi is not None,
        has_late=ranking.late is not None,
        has_weight=ranking.weight is not None,
        has_table=ranking.table is not None,
        has_pin_ns=ranking.pin_ns is not None,
        has_drop_after_ns=ranking.drop_after_ns is not None,
        has_keep=ranking.keep is not None,
        shape=shape,
        whole=whole,
        table=np.zeros((0, 0)) if ranking.table is None else np.ascontiguousarray(ranking.table, dtype=np.float64),
    )


def _bounded(values: NDArray[np.int64] | None, longest: int) -> NDArray[np.int64] | None:
    return None if values is None else np.clip(values, 0, longest)


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

    scalars = whole(4)
    scalars[N_FREE] = slots
    of_session = np.full((sessions, 4), -1, dtype=np.int64)
    of_session[:, LOSS_CAUSE] = Cause.FIRST_TURN
    return State(
        slot=whole(slots, 9),
        key=whole(3, slots),
        items=whole(3, tiers, slots),
        size=whole(3, tiers),
        place=whole(3, slots),
        free=np.arange(slots, dtype=np.int64),
        tokens=whole(2, tiers),
        of_session=of_session,
        scalars=scalars,
        counters=whole(len(Counter)),
        actions=whole(room, 5),
    )
