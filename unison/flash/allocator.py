"""Blocks: one free list for each tier, every block given out once until it comes back."""

from __future__ import annotations

from collections.abc import Sequence

from unison.errors import UnisonError
from unison.flash.api import Tier


class BlockAllocator:
    """The two calls of `unison.flash.api.Engine` over HBM ids ``0 .. h-1`` and flash ids ``h .. h+f-1``.

    Parameters
    ----------
    hbm_blocks, flash_blocks : int
        Capacity of each tier [blocks].
    is_checked : bool
        Refuse a block that is given back twice; costs a look at every block.
    """

    def __init__(self, hbm_blocks: int, flash_blocks: int, *, is_checked: bool = False) -> None:
        if hbm_blocks < 0 or flash_blocks < 0:
            raise UnisonError(f"allocator: {hbm_blocks} and {flash_blocks} blocks; give 0 or more")
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
            If the tier has not so many.
        """
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
            If checked and a block is not out, or the blocks are of both tiers.
        """
        if not block_ids:
            return
        hbm = self.capacity[Tier.HBM]
        if self._used is not None:
            if len(self._used.intersection(block_ids)) != len(block_ids):
                raise UnisonError("free: a block is not out, or named twice; free each block once")
            if len({block < hbm for block in block_ids}) != 1:
                raise UnisonError("free: blocks of both tiers; free one tier's at a time")
            self._used.difference_update(block_ids)
        self._free[Tier.HBM if block_ids[0] < hbm else Tier.FLASH].extend(block_ids)
