"""Blocks: one free list for each tier, every block given out once until it comes back."""

from __future__ import annotations

from collections.abc import Sequence

from unison.errors import UnisonError
from unison.flash.api import Tier


class BlockAllocator:
    """The two calls of `unison.flash.api.Engine` over HBM ids ``0 .. h-1`` and flash ids ``h .. h+f-1``.

    A refused call changes nothing.

    Parameters
    ----------
    hbm_blocks, flash_blocks : int
        Capacity of each tier [blocks].
    is_checked : bool
        Look at every argument and every block that is given back. Without it the caller is trusted to name
        tiers and whole numbers and to give blocks of one tier back once; only room is looked at.

    Raises
    ------
    UnisonError
        If a capacity is no whole number of at least 0.
    """

    def __init__(self, hbm_blocks: int, flash_blocks: int, *, is_checked: bool = True) -> None:
        if not (_is_count(hbm_blocks) and _is_count(flash_blocks)):
            raise UnisonError(
                f"allocator: {hbm_blocks!r} and {flash_blocks!r} blocks; give 0 or more, whole numbers"
            )
        self.capacity = (hbm_blocks, flash_blocks)
        self._free: tuple[list[int], list[int]] = (list(range(hbm_blocks - 1, -1, -1)), [])
        self._fresh = 0
        self._used: set[int] | None = set() if is_checked else None

    def n_free(self, tier: Tier) -> int:
        """Blocks of a tier that can be given out."""
        if tier == Tier.HBM:
            return len(self._free[Tier.HBM])
        return len(self._free[Tier.FLASH]) + self.capacity[Tier.FLASH] - self._fresh

    def alloc(self, tier: Tier, n_blocks: int) -> list[int]:
        """Block ids from the free list of a tier.

        Parameters
        ----------
        tier : Tier
        n_blocks : int
            At least 0.

        Returns
        -------
        list of int

        Raises
        ------
        UnisonError
            If the tier has not so many, or, if checked, it is no tier or no whole number of at least 0.
        """
        if self._used is not None:
            _check_request(tier, n_blocks)
        free = self._free[tier]
        if not 0 <= n_blocks <= len(free) and not 0 <= n_blocks <= self.n_free(tier):
            raise UnisonError(
                f"alloc: {n_blocks} blocks of {tier.name} asked for, {self.n_free(tier)} are free; "
                "ask for fewer or take the other tier"
            )
        if n_blocks == 0:
            return []
        taken = free[-n_blocks:]
        del free[-n_blocks:]
        missing = n_blocks - len(taken)
        if missing:
            start = self.capacity[Tier.HBM] + self._fresh
            taken.extend(range(start, start + missing))
            self._fresh += missing
        if self._used is not None:
            self._used.update(taken)
        return taken

    def free(self, block_ids: Sequence[int]) -> None:
        """Give blocks of one tier back.

        Raises
        ------
        UnisonError
            If checked and it is no list of block ids, a block is not out or named twice, or the blocks are
            of both tiers.
        """
        if self._used is not None:
            self._check_return(block_ids, self._used)
            self._used.difference_update(block_ids)
        if block_ids:
            hbm = self.capacity[Tier.HBM]
            self._free[Tier.HBM if block_ids[0] < hbm else Tier.FLASH].extend(block_ids)

    def _check_return(self, block_ids: Sequence[int], used: set[int]) -> None:
        if not isinstance(block_ids, Sequence) or any(type(block) is not int for block in block_ids):
            raise UnisonError(f"free: found {block_ids!r}, expected a list of block ids as alloc gives them")
        missing = [block for block in block_ids if block not in used]
        if missing:
            raise UnisonError(
                f"free: block {missing[0]} is not out, {len(used)} others are; free each block once"
            )
        if len(set(block_ids)) != len(block_ids):
            raise UnisonError(f"free: {list(block_ids)} has a block twice; free each block once")
        if len({block < self.capacity[Tier.HBM] for block in block_ids}) > 1:
            raise UnisonError(
                f"free: {list(block_ids)} has blocks of both tiers, those below {self.capacity[Tier.HBM]} "
                "are HBM; free one tier's at a time"
            )


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _check_request(tier: object, n_blocks: object) -> None:
    if not isinstance(tier, Tier):
        raise UnisonError(f"alloc: found tier {tier!r}, expected Tier.HBM or Tier.FLASH")
    if not _is_count(n_blocks):
        raise UnisonError(
            f"alloc: {n_blocks!r} blocks of {tier.name} asked for; give a whole number of at least 0"
        )
