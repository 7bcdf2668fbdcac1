"""The fast engine: the rules of `unison.replay.reference`, compiled."""

from __future__ import annotations

from unison.replay.heap import pop_free, push_free
from unison.replay.jit import kernel
from unison.replay.outcomes import MISS, NOWHERE, Action, Cause, Counter
from unison.replay.state import (
    DMA_FREE_NS,
    EVENT,
    N_FREE,
    add_to_tier,
    argmax,
    argmin_alive,
    is_below,
    log_action,
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
    out : tuple of arrays [turns]
        hit_tier, reused, placed, cause, lost_ns, lost_by of `Outcomes`, to be filled.
    integrals : float64 [2]
        Receives the time integrals of used and of running tokens.
    """
    before = tr.arrival_ns[tr.events[0] >> 1]
    for index in range(tr.events.size):
        row = tr.events[index] >> 1
        is_request = (tr.events[index] & 1) == 1
        now = tr.arrival_ns[row] if is_request else tr.end_ns[row]
        integrals[0] += float(st.used.sum()) * float(now - before)
        integrals[1] += float(st.pinned.sum()) * float(now - before)
        before = now
        st.scalars[EVENT] = index
        if rk.drop_after_ns.size > 0:
            _expire(rk, op, st, now)
        if is_request:
            _request(tr, rk, op, st, out, row, now)
        else:
            _end_turn(tr, rk, op, st, row, now)


@kernel
def _expire(rk, op, st, now):  # type: ignore[no-untyped-def]
    while st.due_size[0] > 0:
        slot = st.due_items[0, 0]
        expiry = -st.negated_expiry[slot]
        if expiry >= now:
            break
        _lose(rk, op, st, slot, Action.DROP, Cause.TIMEOUT, expiry, st.row[slot])
        st.counters[Counter.DROPS] += 1


@kernel
def _give_up_slot(st, slot):  # type: ignore[no-untyped-def]
    st.used[st.tier[slot]] -= st.length[slot]
    st.slot_of[st.session[slot]] = -1
    st.scalars[N_FREE] = push_free(st.free, st.scalars[N_FREE], slot)


@kernel
def _note_loss(st, session, cause, time_ns, row):  # type: ignore[no-untyped-def]
    st.loss_cause[session] = cause
    st.loss_ns[session] = time_ns
    st.loss_row[session] = row


@kernel
def _lose(rk, op, st, slot, action, cause, time_ns, row):  # type: ignore[no-untyped-def]
    unrank(st, rk, op, slot)
    _give_up_slot(st, slot)
    _note_loss(st, st.session[slot], cause, time_ns, row)
    log_action(st, action, st.session[slot], st.tier[slot], NOWHERE)


@kernel
def _evict(rk, op, st, slot, now, row):  # type: ignore[no-untyped-def]
    st.counters[Counter.EVICTIONS] += 1
    st.counters[Counter.DECISIONS] += 1
    _lose(rk, op, st, slot, Action.EVICT, Cause.EVICTED, now, row)


@kernel
def _look_up(tr, st, out, row, slot, now):  # type: ignore[no-untyped-def]
    """Record hit or miss with its cause; True for a hit."""
    hit_tier, reused, _, cause, lost_ns, lost_by = out
    reusable = tr.reusable[row]
    if slot >= 0 and reusable > 0:
        tier = st.tier[slot]
        seen = st.seen_tier[slot] if now < st.seen_until_ns[slot] else tier
        hit_tier[row] = seen
        reused[row] = min(reusable, st.length[slot])
        cause[row] = Cause.HIT
        if st.was_promoted[slot] and seen == tier:
            st.counters[Counter.USEFUL_PROMOTIONS] += 1
        return True
    session = tr.session[row]
    hit_tier[row] = MISS
    if tr.turn[row] == 0:
        cause[row] = Cause.FIRST_TURN
    elif reusable == 0:
        cause[row] = Cause.SHRUNK_PREFIX
    else:
        cause[row] = st.loss_cause[session]
        lost_ns[row] = st.loss_ns[session]
        lost_by[row] = st.loss_row[session]
    return False


@kernel
def _fits(op, st, tier, length):  # type: ignore[no-untyped-def]
    return length + st.pinned[tier] <= op.capacity[tier]


@kernel
def _target(op, st, length, slot, is_hit):  # type: ignore[no-untyped-def]
    """The tier for a turn that some tier can hold."""
    if is_hit and _fits(op, st, st.tier[slot], length):
        return st.tier[slot]
    lower = -1
    for tier in range(op.capacity.size - 1, 0, -1):
        if _fits(op, st, tier, length):
            lower = tier
    if lower < 0 or (op.placement == SRAM_EVICT and _fits(op, st, 0, length)):
        return 0
    if op.placement == SRAM_IF_FREE:
        released = st.length[slot] if slot >= 0 and st.tier[slot] == 0 else 0
        if length + st.used[0] - released <= op.capacity[0]:
            return 0
    return lower


@kernel
def _is_feasible(op, st, length, slot):  # type: ignore[no-untyped-def]
    if slot < 0 and st.scalars[N_FREE] == 0 and st.size.sum() == 0:
        return False
    for tier in range(op.capacity.size):
        if _fits(op, st, tier, length):
            return True
    return False


@kernel
def _request(tr, rk, op, st, out, row, now):  # type: ignore[no-untyped-def]
    session = tr.session[row]
    length = tr.length[row]
    slot = st.slot_of[session]
    is_hit = _look_up(tr, st, out, row, slot, now)
    if not _is_feasible(op, st, length, slot):
        out[2][row] = NOWHERE
        _bypass(rk, op, st, session, slot, now, row)
        return
    before = NOWHERE
    if slot >= 0:
        unrank(st, rk, op, slot)
        before = st.tier[slot]
    elif st.scalars[N_FREE] == 0:
        _evict(rk, op, st, victim(st, rk, op, 0, op.capacity.size - 1, now), now, row)
    target = _target(op, st, length, slot, is_hit)
    if slot >= 0:
        st.used[before] -= st.length[slot]
    else:
        slot = st.free[0]
        st.scalars[N_FREE] = pop_free(st.free, st.scalars[N_FREE])
        st.slot_of[session] = slot
        st.session[slot] = session
    st.row[slot] = row
    st.tier[slot] = target
    st.length[slot] = length
    st.is_pinned[slot] = True
    st.is_dead[slot] = False
    st.seen_until_ns[slot] = 0
    st.was_promoted[slot] = False
    st.used[target] += length
    st.pinned[target] += length
    out[2][row] = target
    log_action(st, Action.PLACE, session, before, target)
    _overflow(rk, op, st, target, now, row)


@kernel
def _bypass(rk, op, st, session, slot, now, row):  # type: ignore[no-untyped-def]
    st.counters[Counter.BYPASSES] += 1
    before = NOWHERE
    if slot >= 0:
        before = st.tier[slot]
        unrank(st, rk, op, slot)
        _give_up_slot(st, slot)
    _note_loss(st, session, Cause.BYPASSED, now, row)
    log_action(st, Action.BYPASS, session, before, NOWHERE)


@kernel
def _overflow(rk, op, st, first, now, row):  # type: ignore[no-untyped-def]
    """Bring a tier within its capacity; each session demoted is settled below before the next goes."""
    last = op.capacity.size - 1
    tier = first
    while True:
        if st.used[tier] > op.capacity[tier]:
            if tier == last:
                _evict(rk, op, st, victim(st, rk, op, tier, tier, now), now, row)
            else:
                _demote(rk, op, st, tier, now)
                tier += 1
        elif tier > first:
            tier -= 1
        else:
            break


@kernel
def _demote(rk, op, st, tier, now):  # type: ignore[no-untyped-def]
    st.counters[Counter.DECISIONS] += 1
    st.counters[Counter.DEMOTIONS] += 1
    slot = argmax(st, rk, op, tier, now)
    _change_tier(op, st, slot, tier + 1)
    st.seen_until_ns[slot] = 0
    st.was_promoted[slot] = False
    log_action(st, Action.DEMOTE, st.session[slot], tier, tier + 1)


@kernel
def _change_tier(op, st, slot, tier):  # type: ignore[no-untyped-def]
    take_from_tier(st, op, slot)
    st.used[st.tier[slot]] -= st.length[slot]
    st.tier[slot] = tier
    st.used[tier] += st.length[slot]
    add_to_tier(st, op, slot)


@kernel
def _end_turn(tr, rk, op, st, row, now):  # type: ignore[no-untyped-def]
    completes = tr.ends_session[row] and rk.sees_completion
    slot = st.slot_of[tr.session[row]]
    if slot >= 0:
        pause(st, rk, op, slot, now, completes)
        if rk.keep.size > 0 and not rk.keep[row]:
            _lose(rk, op, st, slot, Action.RELEASE, Cause.BYPASSED, now, row)
    if op.tide and not completes and now >= st.scalars[DMA_FREE_NS]:
        _tide(rk, op, st, row, now)


@kernel
def _arrives(op, now, moved):  # type: ignore[no-untyped-def]
    return now + (moved * op.dma_ps_per_token + 999) // 1000


@kernel
def _tide(rk, op, st, row, now):  # type: ignore[no-untyped-def]
    budget = rk.gap_ns[row] * 1000 // op.dma_ps_per_token
    moved = 0
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


@kernel
def _swap(rk, op, st, upper, budget, moved, now):  # type: ignore[no-untyped-def]
    """One swap between a tier and the next; the tokens moved, 0 if it is not feasible."""
    rise = argmin_alive(st, rk, op, upper + 1, now)
    if rise < 0:
        return 0
    st.counters[Counter.DECISIONS] += 1
    free = op.capacity[upper] - st.used[upper]
    tokens = st.length[rise]
    sink = -1
    if tokens > free:
        sink = argmax(st, rk, op, upper, now)
        if sink < 0 or (op.guard and not is_below(st, rk, rise, sink, now)):
            return 0
        below_free = op.capacity[upper + 1] - st.used[upper + 1] + tokens
        if tokens > free + st.length[sink] or st.length[sink] > below_free:
            return 0
        tokens += st.length[sink]
    if tokens > budget or tokens == 0:
        return 0
    arrives = _arrives(op, now, moved + tokens)
    _move(op, st, rise, upper, arrives, Action.PROMOTE)
    st.counters[Counter.PROMOTIONS] += 1
    if sink >= 0:
        _move(op, st, sink, upper + 1, arrives, Action.SWAP_OUT)
    return tokens


@kernel
def _move(op, st, slot, tier, arrives, action):  # type: ignore[no-untyped-def]
    log_action(st, action, st.session[slot], st.tier[slot], tier)
    st.seen_tier[slot] = st.tier[slot]
    st.seen_until_ns[slot] = arrives
    st.was_promoted[slot] = action == Action.PROMOTE
    _change_tier(op, st, slot, tier)
