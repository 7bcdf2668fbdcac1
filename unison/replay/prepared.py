"""PreparedReplay: a replay laid out for the kernel, and the checks of what it is given."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.policies.ranking import Ranking
from unison.replay import state as at
from unison.replay.envelope import Envelope
from unison.replay.kernel import replay_events
from unison.replay.outcomes import Cause, Counter, Outcomes
from unison.replay.reference import MAX_GAP_NS
from unison.replay.state import Options, RankingColumns, State, TraceColumns
from unison.replay.tiering import Tiering
from unison.traces.trace import Trace

HEAP_FROM = 96
"""With at least this many sessions resident at once a heap beats a linear scan."""

_LONGEST_NS = 1 << 61
_Integer = TypeVar("_Integer", np.int8, np.int64)


class Work(NamedTuple):
    """What one run of a `PreparedReplay` writes to."""

    state: State
    out: NDArray[np.int64]  # [turns, 6], turns in the order of their arrival
    integrals: NDArray[np.float64]  # [2]


@dataclass(frozen=True, eq=False)
class PreparedReplay:
    """A replay whose input is laid out for the kernel: turns in the order of their arrival.

    At any moment the kernel reads the turns of the sessions that are live; in this order they are neighbours
    in memory, in the trace's own order (by session) they are far apart.

    Attributes
    ----------
    order : int64 [turns]
        The trace's rows in the order of their arrival.
    n_sessions, slots : int
        Sessions of the trace, and how many of them can be resident at once.
    columns, ranking, options
        What the kernel reads.
    """

    order: NDArray[np.int64]
    n_sessions: int
    slots: int
    columns: TraceColumns
    ranking: RankingColumns
    options: Options

    def start(self, room: int = 0) -> Work:
        """An empty store before the first event, with room for that many actions."""
        state = _empty_state(self.slots, self.options.capacity.size, self.n_sessions, room)
        out = np.zeros((self.order.size, 6), dtype=np.int64)
        out[:, at.LOST_NS :] = -1
        return Work(state, out, np.zeros(2))

    def run(self, work: Work) -> None:
        """Replay every event; the work must be new."""
        replay_events(self.columns, self.ranking, self.options, *work)

    def outcomes(self, work: Work, *, record: bool = False) -> Outcomes:
        """What a run found, in the trace's row order, with the actions if they were recorded."""
        lost_by = self._by_row(work, at.LOST_BY, np.int64)
        known = lost_by >= 0
        lost_by[known] = self.order[lost_by[known]]
        return Outcomes(
            hit_tier=self._by_row(work, at.HIT_TIER, np.int8),
            reused_tokens=self._by_row(work, at.REUSED, np.int64),
            placed_tier=self._by_row(work, at.PLACED_TIER, np.int8),
            cause=self._by_row(work, at.CAUSE, np.int8),
            lost_ns=self._by_row(work, at.LOST_NS, np.int64),
            lost_by=lost_by,
            counters=work.state.counters,
            used_token_ns=float(work.integrals[0]),
            running_token_ns=float(work.integrals[1]),
            actions=work.state.actions if record else None,
        )

    def _by_row(self, work: Work, column: int, dtype: type[_Integer]) -> NDArray[_Integer]:
        values = np.empty(self.order.size, dtype=dtype)
        values[self.order] = work.out[:, column]
        return values


def prepare(
    trace: Trace,
    ranking: Ranking,
    envelope: Envelope,
    tiering: Tiering | None = None,
    *,
    use_heap: bool | None = None,
) -> PreparedReplay:
    """Lay out a replay for the kernel; arguments and errors as for `replay`."""
    if ranking.base.size != trace.corpus.n_turns:
        raise UnisonError(
            f"the ranking has {ranking.base.size} turns, the trace {trace.corpus.n_turns}: "
            "make it from this trace"
        )
    if use_heap and not ranking.is_static:
        raise UnisonError("use_heap: the order of this ranking changes with time, so no heap can hold it")
    slots = min(envelope.slots, trace.corpus.n_sessions)
    if use_heap is None:
        use_heap = ranking.is_static and slots >= HEAP_FROM
    order, columns = _trace_columns(trace)
    return PreparedReplay(
        order=order,
        n_sessions=trace.corpus.n_sessions,
        slots=slots,
        columns=columns,
        ranking=_ranking_columns(ranking, trace, order),
        options=_options(envelope, Tiering() if tiering is None else tiering, use_heap),
    )


@lru_cache(maxsize=8)
def _trace_columns(trace: Trace) -> tuple[NDArray[np.int64], TraceColumns]:
    """The order of arrival and the columns in it; kept, since a sweep replays a trace under many policies."""
    corpus = trace.corpus
    order = trace.events[(trace.events & 1) == 1] >> 1
    rows = np.empty((corpus.n_turns, 7), dtype=np.int64)
    rows[:, at.ARRIVAL_NS] = trace.arrival_ns[order]
    rows[:, at.END_NS] = trace.end_ns[order]
    rows[:, at.SESSION_OF] = corpus.session[order]
    rows[:, at.TURN] = corpus.turn[order]
    rows[:, at.LENGTH_OF] = corpus.length[order]
    rows[:, at.REUSABLE] = (corpus.prompt_tokens - corpus.new_prompt_tokens)[order]
    rows[:, at.ENDS_SESSION] = trace.ends_session[order]
    place = np.empty_like(order)
    place[order] = np.arange(order.size)
    return order, TraceColumns(events=2 * place[trace.events >> 1] + (trace.events & 1), rows=rows)


def _ranking_columns(ranking: Ranking, trace: Trace, order: NDArray[np.int64]) -> RankingColumns:
    shape = np.zeros((order.size, 4))
    terms = {at.BASE: ranking.base, at.SLOPE: ranking.slope, at.LATE: ranking.late, at.WEIGHT: ranking.weight}
    for index, term in terms.items():
        if term is not None and not ranking.is_static:
            shape[:, index] = term[order]
    whole = np.zeros((order.size, 8), dtype=np.int64)
    columns = {
        at.KEY: ranking.static_key(trace) if ranking.is_static else None,
        at.LO: ranking.lo,
        at.HI: ranking.hi,
        at.PIN_NS: _bounded(ranking.pin_ns, _LONGEST_NS),
        at.DROP_AFTER_NS: _bounded(ranking.drop_after_ns, _LONGEST_NS),
        at.GAP_NS: _bounded(ranking.gap_estimate_ns, MAX_GAP_NS),
        at.KEEP: ranking.keep,
        at.TABLE_CLASS: ranking.table_class,
    }
    for index, column in columns.items():
        if column is not None:
            whole[:, index] = column[order]
    return RankingColumns(
        is_static=ranking.is_static,
        static_slope=int(ranking.slope[0]) if ranking.is_static else 0,
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
        table=np.ascontiguousarray(np.zeros((0, 0)) if ranking.table is None else ranking.table, np.float64),
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
        partial=bool(tiering.partial),
        admission=bool(tiering.admission),
        is_heap=bool(use_heap),
    )


def _empty_state(slots: int, tiers: int, sessions: int, room: int) -> State:
    def whole(*shape: int) -> NDArray[np.int64]:
        return np.zeros(shape, dtype=np.int64)

    scalars = whole(4)
    scalars[at.N_FREE] = slots
    of_session = np.full((sessions, 4), -1, dtype=np.int64)
    of_session[:, at.LOSS_CAUSE] = Cause.FIRST_TURN
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
