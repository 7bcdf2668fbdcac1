"""Candidates of a tier: an indexed binary heap, or the same array as an unordered list.

Both hold slots in ``items[kind, tier, :size[kind, tier]]`` with their places in ``place[kind]``; the kinds
are different orders of the same sessions. The heap keeps the largest key on top, ties by the lowest slot.
"""

from __future__ import annotations

from unison.replay.jit import helper


@helper
def goes_first(key, kind, a, b):  # type: ignore[no-untyped-def]
    """True if slot a comes out before slot b."""
    return key[kind, a] > key[kind, b] or (key[kind, a] == key[kind, b] and a < b)


@helper
def _put(items, place, kind, tier, at, slot):  # type: ignore[no-untyped-def]
    items[kind, tier, at] = slot
    place[kind, slot] = at


@helper
def _sift_up(items, place, key, kind, tier, at):  # type: ignore[no-untyped-def]
    slot = items[kind, tier, at]
    while at > 0:
        above = (at - 1) >> 1
        if not goes_first(key, kind, slot, items[kind, tier, above]):
            break
        _put(items, place, kind, tier, at, items[kind, tier, above])
        at = above
    _put(items, place, kind, tier, at, slot)


@helper
def _sift_down(items, place, key, kind, tier, at, size):  # type: ignore[no-untyped-def]
    slot = items[kind, tier, at]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and goes_first(key, kind, items[kind, tier, child + 1], items[kind, tier, child]):
            child += 1
        if not goes_first(key, kind, items[kind, tier, child], slot):
            break
        _put(items, place, kind, tier, at, items[kind, tier, child])
        at = child
    _put(items, place, kind, tier, at, slot)


@helper
def insert(items, size, place, key, kind, tier, slot, is_heap):  # type: ignore[no-untyped-def]
    """Add a slot to a tier's candidates."""
    at = size[kind, tier]
    _put(items, place, kind, tier, at, slot)
    size[kind, tier] = at + 1
    if is_heap:
        _sift_up(items, place, key, kind, tier, at)


@helper
def remove(items, size, place, key, kind, tier, slot, is_heap):  # type: ignore[no-untyped-def]
    """Take a slot out of a tier's candidates."""
    at = place[kind, slot]
    last = size[kind, tier] - 1
    size[kind, tier] = last
    if at == last:
        return
    _put(items, place, kind, tier, at, items[kind, tier, last])
    if is_heap:
        _sift_up(items, place, key, kind, tier, at)
        _sift_down(items, place, key, kind, tier, at, last)


@helper
def push_free(free, n_free, slot):  # type: ignore[no-untyped-def]
    """Give a slot back to the heap of free slots (lowest on top); the new number of free slots."""
    at = n_free
    while at > 0:
        above = (at - 1) >> 1
        if free[above] <= slot:
            break
        free[at] = free[above]
        at = above
    free[at] = slot
    return n_free + 1


@helper
def pop_free(free, n_free):  # type: ignore[no-untyped-def]
    """Take the lowest slot off the heap of free slots (its place 0 is read by the caller first)."""
    last = n_free - 1
    slot = free[last]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= last:
            break
        if child + 1 < last and free[child + 1] < free[child]:
            child += 1
        if free[child] >= slot:
            break
        free[at] = free[child]
        at = child
    free[at] = slot
    return last
