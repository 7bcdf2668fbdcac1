"""What the kernel works on: columns, options and the mutable state, and the order of candidates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unison.policies.ranking import DEAD_SCORE
from unison.replay.heap import goes_first, insert, remove
from unison.replay.jit import helper

# Orders of the paused sessions, first index of State.items, size, place and key. Passed on as np.int64(...),
# because numba would compile a copy of the callee for each literal.
TOP, LOW, DUE = range(3)
"""Largest score first; smallest first (for Tide on heaps); earliest expiry first (if the policy drops)."""

# Columns of State.slot
SESSION, ROW, TIER, LENGTH, IS_DEAD, PAUSE_NS, SEEN_TIER, SEEN_UNTIL_NS, WAS_PROMOTED = range(9)
# Columns of State.of_session
SLOT, LOSS_CAUSE, LOSS_NS, LOSS_ROW = range(4)
# Rows of State.tokens
USED, RUNNING = range(2)
# Entries of State.scalars
N_FREE, N_ACTIONS, DMA_FREE_NS, EVENT = range(4)
# Columns of TraceColumns.rows
ARRIVAL_NS, END_NS, SESSION_OF, TURN, LENGTH_OF, REUSABLE, ENDS_SESSION = range(7)
# Columns of RankingColumns.shape and .whole
BASE, SLOPE, LATE, WEIGHT = range(4)
KEY, LO, HI, PIN_NS, DROP_AFTER_NS, GAP_NS, KEEP, TABLE_CLASS = range(8)
# Columns of the output
HIT_TIER, REUSED, PLACED_TIER, CAUSE, LOST_NS, LOST_BY = range(6)


class TraceColumns(NamedTuple):
    """The trace as the kernel reads it."""

    events: NDArray[np.int64]  # [2 * turns]
    rows: NDArray[np.int64]  # [turns, 7]


class RankingColumns(NamedTuple):
    """The ranking as the kernel reads it; a column that it has not is not read."""

    is_static: bool
    static_slope: int
    sees_completion: bool
    has_lo: bool
    has_hi: bool
    has_late: bool
    has_weight: bool
    has_table: bool
    has_pin_ns: bool
    has_drop_after_ns: bool
    has_keep: bool
    shape: NDArray[np.float64]  # [turns, 4]
    whole: NDArray[np.int64]  # [turns, 8]
    table: NDArray[np.float64]  # [classes, IDLE_BUCKETS]


class Options(NamedTuple):
    """Envelope and tiering as the kernel reads them."""

    capacity: NDArray[np.int64]
    dma_ps_per_token: int
    tide: bool
    max_swaps: int
    guard: bool
    placement: int
    partial: bool
    admission: bool
    is_heap: bool


class State(NamedTuple):
    """Mutable state, packed so that few arrays pass between the kernels."""

    slot: NDArray[np.int64]  # [slots, 9]
    key: NDArray[np.int64]  # [3, slots]
    items: NDArray[np.int64]  # [3, tiers, slots]
    size: NDArray[np.int64]  # [3, tiers]
    place: NDArray[np.int64]  # [3, slots]
    free: NDArray[np.int64]  # [slots]
    tokens: NDArray[np.int64]  # [2, tiers]
    of_session: NDArray[np.int64]  # [sessions, 4]
    scalars: NDArray[np.int64]  # [4]
    counters: NDArray[np.int64]  # [len(Counter)]
    actions: NDArray[np.int64]  # [room, 5]


@helper
def log_action(st, action, session, before, after):  # type: ignore[no-untyped-def]
    """Count an action, and record it if there is room."""
    at = st.scalars[N_ACTIONS]
    if at < st.actions.shape[0]:
        st.actions[at, 0] = st.scalars[EVENT]
        st.actions[at, 1] = action
        st.actions[at, 2] = session
        st.actions[at, 3] = before
        st.actions[at, 4] = after
    st.scalars[N_ACTIONS] = at + 1


@helper
def add_to_tier(st, op, slot):  # type: ignore[no-untyped-def]
    """Make a paused session a candidate of its tier."""
    tier = st.slot[slot, TIER]
    insert(st.items, st.size, st.place, st.key, np.int64(TOP), tier, slot, op.is_heap)
    if op.is_heap and op.tide:
        insert(st.items, st.size, st.place, st.key, np.int64(LOW), tier, slot, op.is_heap)


@helper
def take_from_tier(st, op, slot):  # type: ignore[no-untyped-def]
    """Take a session out of its tier's candidates."""
    tier = st.slot[slot, TIER]
    remove(st.items, st.size, st.place, st.key, np.int64(TOP), tier, slot, op.is_heap)
    if op.is_heap and op.tide:
        remove(st.items, st.size, st.place, st.key, np.int64(LOW), tier, slot, op.is_heap)


@helper
def pause(st, rk, op, slot, now, is_dead):  # type: ignore[no-untyped-def]
    """Unpin a session: from now on it can be ranked."""
    row = st.slot[slot, ROW]
    st.tokens[RUNNING, st.slot[slot, TIER]] -= st.slot[slot, LENGTH]
    st.slot[slot, IS_DEAD] = is_dead
    st.slot[slot, PAUSE_NS] = now
    if rk.is_static:
        st.key[TOP, slot] = DEAD_SCORE if is_dead else rk.whole[row, KEY]
        st.key[LOW, slot] = -st.key[TOP, slot]
    add_to_tier(st, op, slot)
    if rk.has_drop_after_ns:
        st.key[DUE, slot] = -(now + rk.whole[row, DROP_AFTER_NS])
        insert(st.items, st.size, st.place, st.key, np.int64(DUE), np.int64(0), slot, rk.has_drop_after_ns)


@helper
def unrank(st, rk, op, slot):  # type: ignore[no-untyped-def]
    """Take a paused session out of every candidate list."""
    take_from_tier(st, op, slot)
    if rk.has_drop_after_ns:
        remove(st.items, st.size, st.place, st.key, np.int64(DUE), np.int64(0), slot, rk.has_drop_after_ns)


@helper
def score(st, rk, slot, now):  # type: ignore[no-untyped-def]
    """Score of a paused session whose ranking changes with time."""
    if st.slot[slot, IS_DEAD] != 0:
        return np.inf
    return _row_score(rk, st.slot[slot, ROW], now - st.slot[slot, PAUSE_NS])


@helper
def newcomer_goes_first(tr, st, rk, row, slot, now):  # type: ignore[no-untyped-def]
    """True if the turn that arrives now ranks, at idle time 0, no lower than a paused session."""
    if rk.is_static:
        since_end = tr.rows[row, END_NS] - now
        return rk.whole[row, KEY] + rk.static_slope * since_end >= st.key[TOP, slot]
    return _row_score(rk, row, np.int64(0)) >= score(st, rk, slot, now)


@helper
def _row_score(rk, row, idle):  # type: ignore[no-untyped-def]
    weight = rk.shape[row, WEIGHT] if rk.has_weight else 1.0
    if rk.has_table:
        bucket = 0
        while idle > 0:
            idle >>= 1
            bucket += 1
        return rk.table[rk.whole[row, TABLE_CLASS], bucket] * weight
    counted = idle
    if rk.has_lo:
        counted = max(counted, rk.whole[row, LO])
    if rk.has_hi:
        if rk.has_late and idle > rk.whole[row, HI]:
            return rk.shape[row, LATE] * weight
        counted = min(counted, rk.whole[row, HI])
    return (rk.shape[row, BASE] + rk.shape[row, SLOPE] * float(counted)) * weight


@helper
def _static_top(st, op, tier):  # type: ignore[no-untyped-def]
    best = st.items[TOP, tier, 0]
    if not op.is_heap:
        for at in range(1, st.size[TOP, tier]):
            slot = st.items[TOP, tier, at]
            if goes_first(st.key, np.int64(TOP), slot, best):
                best = slot
    return best


@helper
def _moving_top(st, rk, tier, now):  # type: ignore[no-untyped-def]
    best = st.items[TOP, tier, 0]
    best_score = score(st, rk, best, now)
    for at in range(1, st.size[TOP, tier]):
        slot = st.items[TOP, tier, at]
        value = score(st, rk, slot, now)
        if value > best_score or (value == best_score and slot < best):
            best, best_score = slot, value
    return best


@helper
def argmax(st, rk, op, tier, now):  # type: ignore[no-untyped-def]
    """The candidate of a tier with the largest score, ties by the lowest slot; -1 if there is none."""
    if st.size[TOP, tier] == 0:
        return -1
    return _static_top(st, op, tier) if rk.is_static else _moving_top(st, rk, tier, now)


@helper
def argmin_alive(st, rk, op, tier, now):  # type: ignore[no-untyped-def]
    """The candidate of a tier with the smallest score that has not completed; -1 if there is none."""
    if rk.is_static and op.is_heap:
        if st.size[LOW, tier] == 0 or st.slot[st.items[LOW, tier, 0], IS_DEAD]:
            return -1
        return st.items[LOW, tier, 0]
    best = -1
    best_score = 0.0
    for at in range(st.size[TOP, tier]):
        slot = st.items[TOP, tier, at]
        if st.slot[slot, IS_DEAD] != 0:
            continue
        if rk.is_static:
            if best < 0 or goes_first(st.key, np.int64(LOW), slot, best):
                best = slot
        else:
            value = score(st, rk, slot, now)
            if best < 0 or value < best_score or (value == best_score and slot < best):
                best, best_score = slot, value
    return best


@helper
def is_below(st, rk, low, high, now):  # type: ignore[no-untyped-def]
    """True if the score of one candidate is strictly below another's."""
    if rk.is_static:
        return st.key[TOP, low] < st.key[TOP, high]
    return score(st, rk, low, now) < score(st, rk, high, now)


@helper
def _pin_left(st, rk, slot, now):  # type: ignore[no-untyped-def]
    if not rk.has_pin_ns or st.slot[slot, IS_DEAD] != 0:
        return 0
    return max(st.slot[slot, PAUSE_NS] + rk.whole[st.slot[slot, ROW], PIN_NS] - now, 0)


@helper
def _moving_victim(st, rk, first, last, now):  # type: ignore[no-untyped-def]
    best = -1
    best_left = 0
    best_score = 0.0
    for tier in range(first, last + 1):
        for at in range(st.size[TOP, tier]):
            slot = st.items[TOP, tier, at]
            left = _pin_left(st, rk, slot, now)
            value = score(st, rk, slot, now)
            if left != best_left:
                ahead = left < best_left
            elif left == 0 and value != best_score:
                ahead = value > best_score
            else:
                ahead = slot < best
            if best < 0 or ahead:
                best, best_left, best_score = slot, left, value
    return best


@helper
def victim(st, rk, op, first, last, now):  # type: ignore[no-untyped-def]
    """Whom to evict from tiers first .. last: the argmax of those not pinned by the policy, else the one
    whose pin runs out first; -1 if there is no candidate."""
    if not rk.is_static:
        return _moving_victim(st, rk, first, last, now)
    best = -1
    for tier in range(first, last + 1):
        if st.size[TOP, tier] > 0:
            slot = _static_top(st, op, tier)
            if best < 0 or goes_first(st.key, np.int64(TOP), slot, best):
                best = slot
    return best
