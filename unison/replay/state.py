"""What the kernel works on: columns, options and the mutable state, and the order of candidates."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from unison.policies.ranking import DEAD_SCORE
from unison.replay.heap import goes_first, insert, remove
from unison.replay.jit import kernel

# Indices into State.scalars
N_FREE, N_ACTIONS, DMA_FREE_NS, EVENT = range(4)


class TraceColumns(NamedTuple):
    """The trace as the kernel reads it; shapes [turns] but `events` [2 * turns]."""

    events: NDArray[np.int64]
    arrival_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    session: NDArray[np.int32]
    turn: NDArray[np.int32]
    length: NDArray[np.int64]
    reusable: NDArray[np.int64]
    ends_session: NDArray[np.bool_]


class RankingColumns(NamedTuple):
    """The ranking as the kernel reads it; an absent column has size 0."""

    is_static: bool
    sees_completion: bool
    key: NDArray[np.int64]
    base: NDArray[np.float64]
    slope: NDArray[np.float64]
    lo: NDArray[np.int64]
    hi: NDArray[np.int64]
    late: NDArray[np.float64]
    weight: NDArray[np.float64]
    table: NDArray[np.float64]
    table_class: NDArray[np.int16]
    pin_ns: NDArray[np.int64]
    drop_after_ns: NDArray[np.int64]
    keep: NDArray[np.bool_]
    gap_ns: NDArray[np.int64]


class Options(NamedTuple):
    """Envelope and tiering as the kernel reads them."""

    capacity: NDArray[np.int64]
    dma_ps_per_token: int
    tide: bool
    max_swaps: int
    guard: bool
    placement: int
    is_heap: bool


class State(NamedTuple):
    """Mutable state: [slots] unless said otherwise."""

    session: NDArray[np.int64]
    row: NDArray[np.int64]
    tier: NDArray[np.int64]
    length: NDArray[np.int64]
    is_pinned: NDArray[np.bool_]
    is_dead: NDArray[np.bool_]
    pause_ns: NDArray[np.int64]
    seen_tier: NDArray[np.int64]
    seen_until_ns: NDArray[np.int64]
    was_promoted: NDArray[np.bool_]
    key: NDArray[np.int64]
    negated_key: NDArray[np.int64]
    negated_expiry: NDArray[np.int64]
    items: NDArray[np.int64]  # [tiers, slots] candidates by largest key
    size: NDArray[np.int64]  # [tiers]
    place: NDArray[np.int64]
    low_items: NDArray[np.int64]  # [tiers, slots] candidates by smallest key, kept for Tide on heaps
    low_size: NDArray[np.int64]
    low_place: NDArray[np.int64]
    due_items: NDArray[np.int64]  # [1, slots] candidates by earliest expiry, kept if the policy drops
    due_size: NDArray[np.int64]
    due_place: NDArray[np.int64]
    free: NDArray[np.int64]
    used: NDArray[np.int64]  # [tiers] tokens
    pinned: NDArray[np.int64]  # [tiers] tokens
    slot_of: NDArray[np.int64]  # [sessions], -1 if not resident
    loss_cause: NDArray[np.int8]  # [sessions]
    loss_ns: NDArray[np.int64]  # [sessions]
    loss_row: NDArray[np.int64]  # [sessions]
    scalars: NDArray[np.int64]
    counters: NDArray[np.int64]
    actions: NDArray[np.int64]  # [room, 5]


@kernel
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


@kernel
def add_to_tier(st, op, slot):  # type: ignore[no-untyped-def]
    """Make a paused session a candidate of its tier."""
    tier = st.tier[slot]
    insert(st.items, st.size, st.place, st.key, tier, slot, op.is_heap)
    if op.is_heap and op.tide:
        insert(st.low_items, st.low_size, st.low_place, st.negated_key, tier, slot, True)


@kernel
def take_from_tier(st, op, slot):  # type: ignore[no-untyped-def]
    """Take a session out of its tier's candidates."""
    tier = st.tier[slot]
    remove(st.items, st.size, st.place, st.key, tier, slot, op.is_heap)
    if op.is_heap and op.tide:
        remove(st.low_items, st.low_size, st.low_place, st.negated_key, tier, slot, True)


@kernel
def pause(st, rk, op, slot, now, is_dead):  # type: ignore[no-untyped-def]
    """Unpin a session: from now on it can be ranked."""
    row = st.row[slot]
    st.is_pinned[slot] = False
    st.pinned[st.tier[slot]] -= st.length[slot]
    st.is_dead[slot] = is_dead
    st.pause_ns[slot] = now
    if rk.is_static:
        st.key[slot] = DEAD_SCORE if is_dead else rk.key[row]
        st.negated_key[slot] = -st.key[slot]
    add_to_tier(st, op, slot)
    if rk.drop_after_ns.size > 0:
        st.negated_expiry[slot] = -(now + rk.drop_after_ns[row])
        insert(st.due_items, st.due_size, st.due_place, st.negated_expiry, 0, slot, True)


@kernel
def unrank(st, rk, op, slot):  # type: ignore[no-untyped-def]
    """Take a paused session out of every candidate list."""
    take_from_tier(st, op, slot)
    if rk.drop_after_ns.size > 0:
        remove(st.due_items, st.due_size, st.due_place, st.negated_expiry, 0, slot, True)


@kernel
def score(st, rk, slot, now):  # type: ignore[no-untyped-def]
    """Score of a paused session whose ranking changes with time."""
    if st.is_dead[slot]:
        return np.inf
    row = st.row[slot]
    idle = now - st.pause_ns[slot]
    weight = rk.weight[row] if rk.weight.size > 0 else 1.0
    if rk.table.size > 0:
        bucket = 0
        while idle > 0:
            idle >>= 1
            bucket += 1
        return rk.table[rk.table_class[row], bucket] * weight
    counted = idle
    if rk.lo.size > 0:
        counted = max(counted, rk.lo[row])
    if rk.hi.size > 0:
        if rk.late.size > 0 and idle > rk.hi[row]:
            return rk.late[row] * weight
        counted = min(counted, rk.hi[row])
    return (rk.base[row] + rk.slope[row] * float(counted)) * weight


@kernel
def _static_top(st, op, tier):  # type: ignore[no-untyped-def]
    best = st.items[tier, 0]
    if not op.is_heap:
        for at in range(1, st.size[tier]):
            slot = st.items[tier, at]
            if goes_first(st.key, slot, best):
                best = slot
    return best


@kernel
def _moving_top(st, rk, tier, now):  # type: ignore[no-untyped-def]
    best = st.items[tier, 0]
    best_score = score(st, rk, best, now)
    for at in range(1, st.size[tier]):
        slot = st.items[tier, at]
        value = score(st, rk, slot, now)
        if value > best_score or (value == best_score and slot < best):
            best, best_score = slot, value
    return best


@kernel
def argmax(st, rk, op, tier, now):  # type: ignore[no-untyped-def]
    """The candidate of a tier with the largest score, ties by the lowest slot; -1 if there is none."""
    if st.size[tier] == 0:
        return -1
    return _static_top(st, op, tier) if rk.is_static else _moving_top(st, rk, tier, now)


@kernel
def argmin_alive(st, rk, op, tier, now):  # type: ignore[no-untyped-def]
    """The candidate of a tier with the smallest score that has not completed; -1 if there is none."""
    if rk.is_static and op.is_heap:
        if st.low_size[tier] == 0 or st.is_dead[st.low_items[tier, 0]]:
            return -1
        return st.low_items[tier, 0]
    best = -1
    best_score = 0.0
    for at in range(st.size[tier]):
        slot = st.items[tier, at]
        if st.is_dead[slot]:
            continue
        if rk.is_static:
            if best < 0 or goes_first(st.negated_key, slot, best):
                best = slot
        else:
            value = score(st, rk, slot, now)
            if best < 0 or value < best_score or (value == best_score and slot < best):
                best, best_score = slot, value
    return best


@kernel
def is_below(st, rk, low, high, now):  # type: ignore[no-untyped-def]
    """True if the score of one candidate is strictly below another's."""
    if rk.is_static:
        return st.key[low] < st.key[high]
    return score(st, rk, low, now) < score(st, rk, high, now)


@kernel
def _pin_left(st, rk, slot, now):  # type: ignore[no-untyped-def]
    if rk.pin_ns.size == 0 or st.is_dead[slot]:
        return 0
    return max(st.pause_ns[slot] + rk.pin_ns[st.row[slot]] - now, 0)


@kernel
def _moving_victim(st, rk, first, last, now):  # type: ignore[no-untyped-def]
    best = -1
    best_left = 0
    best_score = 0.0
    for tier in range(first, last + 1):
        for at in range(st.size[tier]):
            slot = st.items[tier, at]
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


@kernel
def victim(st, rk, op, first, last, now):  # type: ignore[no-untyped-def]
    """Whom to evict from tiers first .. last: the argmax of those not pinned by the policy, else the one
    whose pin runs out first; -1 if there is no candidate."""
    if not rk.is_static:
        return _moving_victim(st, rk, first, last, now)
    best = -1
    for tier in range(first, last + 1):
        if st.size[tier] > 0:
            slot = _static_top(st, op, tier)
            if best < 0 or goes_first(st.key, slot, best):
                best = slot
    return best
