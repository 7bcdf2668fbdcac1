"""The fast engine: the rules of `unison.replay.reference`, compiled."""

from __future__ import annotations

import numpy as np

from unison.replay.heap import pop_free, push_free
from unison.replay.jit import helper, kernel
from unison.replay.outcomes import MISS, NOWHERE, Action, Cause, Counter
from unison.replay.state import (
    ARRIVAL_NS,
    CAUSE,
    DMA_FREE_NS,
    DUE,
    END_NS,
    ENDS_SESSION,
    EVENT,
    GAP_NS,
    HIT_TIER,
    IS_DEAD,
    KEEP,
    LENGTH,
    LENGTH_OF,
    LOSS_CAUSE,
    LOSS_NS,
    LOSS_ROW,
    LOST_BY,
    LOST_NS,
    N_FREE,
    PLACED_TIER,
    REUSABLE,
    REUSED,
    ROW,
    RUNNING,
    SEEN_TIER,
    SEEN_UNTIL_NS,
    SESSION,
    SESSION_OF,
    SLOT,
    TIER,
    TOP,
    TURN,
    USED,
    WAS_PROMOTED,
    add_to_tier,
    argmax,
    argmin_alive,
    is_below,
    log_action,
    newcomer_goes_first,
    pause,
    take_from_tier,
    unrank,
    victim,
)
from unison.replay.tiering import Placement

SRAM_IF_FREE = int(Placement.SRAM_IF_FREE)
HBM_FIRST = int(Placement.HBM_FIRST)
SRAM_EVICT = int(Placement.SRAM_EVICT)


@kernel
def replay_events(tr, rk, op, st, out, integrals):  # type: ignore[no-untyped-def]
    """Replay every event of a trace.

    Parameters
    ----------
    tr, rk, op, st
        `TraceColumns`, `RankingColumns`, `Options`, `State`.
    out : int64 [turns, 6]
        hit_tier, reused_tokens, placed_tier, cause, lost_ns, lost_by of `Outcomes`, to be filled.
    integrals : float64 [2]
        Receives the time integrals of used and of running tokens.
    """
    before = tr.rows[tr.events[0] >> 1, ARRIVAL_NS]
    for index in range(tr.events.size):
        row = tr.events[index] >> 1
        is_request = (tr.events[index] & 1) == 1
        now = tr.rows[row, ARRIVAL_NS] if is_request else tr.rows[row, END_NS]
        elapsed = float(now - before)
        integrals[0] += float(_in_all_tiers(st.tokens, USED)) * elapsed
        integrals[1] += float(_in_all_tiers(st.tokens, RUNNING)) * elapsed
        before = now
        st.scalars[EVENT] = index
        if rk.has_drop_after_ns:
            _expire(rk, op, st, integrals, now)
        if is_request:
            _request(tr, rk, op, st, out, row, now)
        else:
            _end_turn(tr, rk, op, st, row, now)


@helper
def _in_all_tiers(values, row):  # type: ignore[no-untyped-def]
    total = 0
    for tier in range(values.shape[1]):
        total += values[row, tier]
    return total


@helper
def _expire(rk, op, st, integrals, now):  # type: ignore[no-untyped-def]
    while st.size[DUE, 0] > 0:
        slot = st.items[DUE, 0, 0]
        expiry = -st.key[DUE, slot]
        if expiry >= now:
            break
        integrals[0] -= float(st.slot[slot, LENGTH]) * float(now - expiry)
        _lose(rk, op, st, slot, Action.DROP, Cause.TIMEOUT, expiry, st.slot[slot, ROW])
        st.counters[Counter.DROPS] += 1


@helper
def _give_up_slot(st, slot):  # type: ignore[no-untyped-def]
    st.tokens[USED, st.slot[slot, TIER]] -= st.slot[slot, LENGTH]
    st.of_session[st.slot[slot, SESSION], SLOT] = -1
    st.scalars[N_FREE] = push_free(st.free, st.scalars[N_FREE], slot)


@helper
def _note_loss(st, session, cause, time_ns, row):  # type: ignore[no-untyped-def]
    st.of_session[session, LOSS_CAUSE] = cause
    st.of_session[session, LOSS_NS] = time_ns
    st.of_session[session, LOSS_ROW] = row


@helper
def _lose(rk, op, st, slot, action, cause, time_ns, row):  # type: ignore[no-untyped-def]
    unrank(st, rk, op, slot)
    _give_up_slot(st, slot)
    _note_loss(st, st.slot[slot, SESSION], cause, time_ns, row)
    log_action(st, action, st.slot[slot, SESSION], st.slot[slot, TIER], NOWHERE)


@helper
def _evict(rk, op, st, slot, now, row):  # type: ignore[no-untyped-def]
    st.counters[Counter.EVICTIONS] += 1
    st.counters[Counter.DECISIONS] += 1
    _lose(rk, op, st, slot, Action.EVICT, Cause.EVICTED, now, row)


@helper
def _look_up(tr, st, out, row, slot, now):  # type: ignore[no-untyped-def]
    """Record hit or miss with its cause; True for a hit."""
    reusable = tr.rows[row, REUSABLE]
    if slot >= 0 and reusable > 0:
        tier = st.slot[slot, TIER]
        seen = st.slot[slot, SEEN_TIER] if now < st.slot[slot, SEEN_UNTIL_NS] else tier
        out[row, HIT_TIER] = seen
        out[row, REUSED] = min(reusable, st.slot[slot, LENGTH])
        out[row, CAUSE] = Cause.HIT
        if st.slot[slot, WAS_PROMOTED] != 0 and seen == tier:
            st.counters[Counter.USEFUL_PROMOTIONS] += 1
        return True
    session = tr.rows[row, SESSION_OF]
    out[row, HIT_TIER] = MISS
    if tr.rows[row, TURN] == 0:
        out[row, CAUSE] = Cause.FIRST_TURN
    elif reusable == 0:
        out[row, CAUSE] = Cause.SHRUNK_PREFIX
    else:
        out[row, CAUSE] = st.of_session[session, LOSS_CAUSE]
        out[row, LOST_NS] = st.of_session[session, LOSS_NS]
        out[row, LOST_BY] = st.of_session[session, LOSS_ROW]
    return False


@helper
def _fits(op, st, tier, length):  # type: ignore[no-untyped-def]
    return length + st.tokens[RUNNING, tier] <= op.capacity[tier]


@helper
def _target(op, st, length, slot, is_hit):  # type: ignore[no-untyped-def]
    """The tier for a turn that some tier can hold."""
    if is_hit and _fits(op, st, st.slot[slot, TIER], length):
        return st.slot[slot, TIER]
    lower = -1
    for tier in range(op.capacity.size - 1, 0, -1):
        if _fits(op, st, tier, length):
            lower = tier
    if lower < 0 or (op.placement == SRAM_EVICT and _fits(op, st, np.int64(0), length)):
        return 0
    if op.placement == SRAM_IF_FREE:
        released = st.slot[slot, LENGTH] if slot >= 0 and st.slot[slot, TIER] == 0 else 0
        if length + st.tokens[USED, 0] - released <= op.capacity[0]:
            return 0
    return lower


@helper
def _is_feasible(op, st, length, slot):  # type: ignore[no-untyped-def]
    fitting = 0
    for tier in range(op.capacity.size):
        fitting += _fits(op, st, tier, length)
    has_slot = slot >= 0 or st.scalars[N_FREE] > 0 or _in_all_tiers(st.size, TOP) > 0
    return fitting > 0 and has_slot


@helper
def _is_outranked(tr, rk, op, st, row, slot, now):  # type: ignore[no-untyped-def]
    """True if admission refuses a newcomer: it needs an eviction and ranks no lower than the victim."""
    if not op.admission or slot >= 0:
        return False
    wanted = _in_all_tiers(st.tokens, USED) + tr.rows[row, LENGTH_OF]
    if st.scalars[N_FREE] > 0 and wanted <= op.capacity.sum():
        return False
    first = victim(st, rk, op, np.int64(0), op.capacity.size - 1, now)
    return first >= 0 and newcomer_goes_first(tr, st, rk, row, first, now)


@helper
def _request(tr, rk, op, st, out, row, now):  # type: ignore[no-untyped-def]
    session = tr.rows[row, SESSION_OF]
    length = tr.rows[row, LENGTH_OF]
    slot = st.of_session[session, SLOT]
    is_hit = _look_up(tr, st, out, row, slot, now)
    if not _is_feasible(op, st, length, slot) or _is_outranked(tr, rk, op, st, row, slot, now):
        out[row, PLACED_TIER] = NOWHERE
        _bypass(rk, op, st, session, slot, now, row)
        return
    before = NOWHERE
    if slot >= 0:
        unrank(st, rk, op, slot)
        before = st.slot[slot, TIER]
    elif st.scalars[N_FREE] == 0:
        _evict(rk, op, st, victim(st, rk, op, np.int64(0), op.capacity.size - 1, now), now, row)
    target = _target(op, st, length, slot, is_hit)
    if slot >= 0:
        st.tokens[USED, before] -= st.slot[slot, LENGTH]
    else:
        slot = st.free[0]
        st.scalars[N_FREE] = pop_free(st.free, st.scalars[N_FREE])
        st.of_session[session, SLOT] = slot
        st.slot[slot, SESSION] = session
    st.slot[slot, ROW] = row
    st.slot[slot, TIER] = target
    st.slot[slot, LENGTH] = length
    st.slot[slot, IS_DEAD] = False
    st.slot[slot, SEEN_UNTIL_NS] = 0
    st.slot[slot, WAS_PROMOTED] = False
    st.tokens[USED, target] += length
    st.tokens[RUNNING, target] += length
    out[row, PLACED_TIER] = target
    log_action(st, Action.PLACE, session, before, target)
    _overflow(rk, op, st, target, now, row)


@helper
def _bypass(rk, op, st, session, slot, now, row):  # type: ignore[no-untyped-def]
    st.counters[Counter.BYPASSES] += 1
    before = NOWHERE
    if slot >= 0:
        before = st.slot[slot, TIER]
        unrank(st, rk, op, slot)
        _give_up_slot(st, slot)
    _note_loss(st, session, Cause.BYPASSED, now, row)
    log_action(st, Action.BYPASS, session, before, NOWHERE)


@helper
def _overflow(rk, op, st, first, now, row):  # type: ignore[no-untyped-def]
    """Bring a tier within its capacity; each session demoted is settled below before the next goes."""
    last = op.capacity.size - 1
    tier = first
    while True:
        if st.tokens[USED, tier] > op.capacity[tier]:
            if tier == last:
                slot = victim(st, rk, op, tier, tier, now)
                excess = st.tokens[USED, tier] - op.capacity[tier]
                if op.partial and st.slot[slot, LENGTH] > excess:
                    _truncate(st, slot, excess)
                else:
                    _evict(rk, op, st, slot, now, row)
            else:
                _demote(rk, op, st, tier, now)
                tier += 1
        elif tier > first:
            tier -= 1
        else:
            break


@helper
def _truncate(st, slot, excess):  # type: ignore[no-untyped-def]
    st.counters[Counter.DECISIONS] += 1
    st.counters[Counter.TRUNCATIONS] += 1
    tier = st.slot[slot, TIER]
    st.slot[slot, LENGTH] -= excess
    st.tokens[USED, tier] -= excess
    log_action(st, Action.TRUNCATE, st.slot[slot, SESSION], tier, tier)


@helper
def _demote(rk, op, st, tier, now):  # type: ignore[no-untyped-def]
    st.counters[Counter.DECISIONS] += 1
    st.counters[Counter.DEMOTIONS] += 1
    slot = argmax(st, rk, op, tier, now)
    _change_tier(op, st, slot, tier + 1)
    st.slot[slot, SEEN_UNTIL_NS] = 0
    st.slot[slot, WAS_PROMOTED] = False
    log_action(st, Action.DEMOTE, st.slot[slot, SESSION], tier, tier + 1)


@helper
def _change_tier(op, st, slot, tier):  # type: ignore[no-untyped-def]
    take_from_tier(st, op, slot)
    st.tokens[USED, st.slot[slot, TIER]] -= st.slot[slot, LENGTH]
    st.slot[slot, TIER] = tier
    st.tokens[USED, tier] += st.slot[slot, LENGTH]
    add_to_tier(st, op, slot)


@helper
def _end_turn(tr, rk, op, st, row, now):  # type: ignore[no-untyped-def]
    completes = tr.rows[row, ENDS_SESSION] != 0 and rk.sees_completion
    slot = st.of_session[tr.rows[row, SESSION_OF], SLOT]
    if slot >= 0:
        pause(st, rk, op, slot, now, completes)
        if rk.has_keep and rk.whole[row, KEEP] == 0:
            _lose(rk, op, st, slot, Action.RELEASE, Cause.BYPASSED, now, row)
    if op.tide and not completes and now >= st.scalars[DMA_FREE_NS]:
        _tide(rk, op, st, row, now)


@helper
def _arrives(op, now, moved):  # type: ignore[no-untyped-def]
    return now + (moved * op.dma_ps_per_token + 999) // 1000


@helper
def _tide(rk, op, st, row, now):  # type: ignore[no-untyped-def]
    budget = rk.whole[row, GAP_NS] * 1000 // op.dma_ps_per_token
    moved = np.int64(0)
    swaps = 0
    for upper in range(op.capacity.size - 1):
        while swaps < op.max_swaps:
            tokens = _swap(rk, op, st, upper, budget - moved, moved, now)
            if tokens == 0:
                break
            moved += tokens
            swaps += 1
    if moved > 0:
        st.scalars[DMA_FREE_NS] = _arrives(op, now, moved)
        st.counters[Counter.MOVED_TOKENS] += moved


@helper
def _swap(rk, op, st, upper, budget, moved, now):  # type: ignore[no-untyped-def]
    """One swap between a tier and the next; the tokens moved, 0 if it is not feasible."""
    rise = argmin_alive(st, rk, op, upper + 1, now)
    if rise < 0:
        return 0
    st.counters[Counter.DECISIONS] += 1
    free = op.capacity[upper] - st.tokens[USED, upper]
    tokens = st.slot[rise, LENGTH]
    sink = -1
    if tokens > free:
        sink = argmax(st, rk, op, upper, now)
        if sink < 0 or (op.guard and not is_below(st, rk, rise, sink, now)):
            return 0
        below_free = op.capacity[upper + 1] - st.tokens[USED, upper + 1] + tokens
        if tokens > free + st.slot[sink, LENGTH] or st.slot[sink, LENGTH] > below_free:
            return 0
        tokens += st.slot[sink, LENGTH]
    if tokens > budget or tokens == 0:
        return 0
    arrives = _arrives(op, now, moved + tokens)
    _move(op, st, rise, upper, now, arrives, Action.PROMOTE)
    st.counters[Counter.PROMOTIONS] += 1
    if sink >= 0:
        _move(op, st, sink, upper + 1, now, arrives, Action.SWAP_OUT)
    return tokens


@helper
def _move(op, st, slot, tier, now, arrives, action):  # type: ignore[no-untyped-def]
    log_action(st, action, st.slot[slot, SESSION], st.slot[slot, TIER], tier)
    if now >= st.slot[slot, SEEN_UNTIL_NS]:
        st.slot[slot, SEEN_TIER] = st.slot[slot, TIER]
    st.slot[slot, SEEN_UNTIL_NS] = arrives
    st.slot[slot, WAS_PROMOTED] = action == Action.PROMOTE
    _change_tier(op, st, slot, tier)
