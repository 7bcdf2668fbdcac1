"""Candidates of a tier: an indexed binary heap, or the same array as an unordered list.

Both hold slots in ``items[tier, :size[tier]]`` with their places in ``place``. The heap keeps the largest
key on top, ties by the lowest slot.
"""

from __future__ import annotations

from unison.replay.jit import kernel


@kernel
def goes_first(key, a, b):  # type: ignore[no-untyped-def]
    """True if slot a comes out before slot b."""
    return key[a] > key[b] or (key[a] == key[b] and a < b)


@kernel
def _put(items, place, tier, at, slot):  # type: ignore[no-untyped-def]
    items[tier, at] = slot
    place[slot] = at


@kernel
def _sift_up(items, place, key, tier, at):  # type: ignore[no-untyped-def]
    slot = items[tier, at]
    while at > 0:
        above = (at - 1) >> 1
        if not goes_first(key, slot, items[tier, above]):
            break
        _put(items, place, tier, at, items[tier, above])
        at = above
    _put(items, place, tier, at, slot)


@kernel
def _sift_down(items, place, key, tier, at, size):  # type: ignore[no-untyped-def]
    slot = items[tier, at]
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and goes_first(key, items[tier, child + 1], items[tier, child]):
            child += 1
        if not goes_first(key, items[tier, child], slot):
            break
        _put(items, place, tier, at, items[tier, child])
        at = child
    _put(items, place, tier, at, slot)


@kernel
def insert(items, size, place, key, tier, slot, is_heap):  # type: ignore[no-untyped-def]
    """Add a slot to a tier's candidates."""
    at = size[tier]
    _put(items, place, tier, at, slot)
    size[tier] = at + 1
    if is_heap:
        _sift_up(items, place, key, tier, at)


@kernel
def remove(items, size, place, key, tier, slot, is_heap):  # type: ignore[no-untyped-def]
    """Take a slot out of a tier's candidates."""
    at = place[slot]
    last = size[tier] - 1
    size[tier] = last
    if at == last:
        return
    _put(items, place, tier, at, items[tier, last])
    if is_heap:
        _sift_up(items, place, key, tier, at)
        _sift_down(items, place, key, tier, at, last)


@kernel
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


@kernel
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
