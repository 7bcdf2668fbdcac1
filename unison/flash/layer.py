"""The layer between a harness and an engine: it asks the policy, calls the engine and keeps the books."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from unison.flash.allocator import BlockAllocator
from unison.flash.api import Tier
from unison.flash.policies.base import PlacementPolicy
from unison.flash.segments import SegmentClass, SpawnRecord


@dataclass
class Books:
    """What a layer has done so far [blocks].

    Attributes
    ----------
    written : int
        Blocks that were written in all.
    flash : int
        Of these, blocks programmed to flash, when they were written or later.
    moved : int
        Of those, blocks that were moved there from HBM.
    spilled : int
        Blocks that the policy meant for HBM and did not fit.
    """

    written: int = 0
    flash: int = 0
    moved: int = 0
    spilled: int = 0

    def since(self, earlier: Books) -> Books:
        """What was done after an earlier state of the books."""
        mine, before = dataclasses.astuple(self), dataclasses.astuple(earlier)
        return Books(*(now - then for now, then in zip(mine, before, strict=True)))

    @property
    def kept(self) -> int:
        """Blocks that never cost a flash write: in HBM from their write to their end."""
        return self.written - self.flash


class PlacementLayer:
    """A `unison.flash.api.Harness` in front of an engine.

    A block is in one tier; new tokens fill the last block of their segment first. A move is a free and an
    alloc. Everything of a segment is freed at its boundary.

    Parameters
    ----------
    engine : BlockAllocator
    policy : PlacementPolicy
    block_tokens : int
        Tokens of a block.
    """

    def __init__(self, engine: BlockAllocator, policy: PlacementPolicy, block_tokens: int) -> None:
        self.books = Books()
        self.free_hbm = engine.n_free(Tier.HBM)
        self._engine, self._policy, self._block_tokens = engine, policy, block_tokens
        self._tokens: dict[int, int] = {}
        self._held: dict[int, tuple[list[int], list[int]]] = {}
        self._writes = 0
        policy.residents = self

    def hbm_blocks(self, segment: int) -> int:
        """Blocks of a segment in HBM."""
        held = self._held.get(segment)
        return len(held[Tier.HBM]) if held else 0

    def holds(self, segment: int) -> bool:
        """Whether a segment has blocks."""
        return segment in self._held

    def blocks(self, segment: int, tier: Tier) -> int:
        """Blocks that a segment has in a tier."""
        return len(self._held[segment][tier])

    def hbm_by_class(self, seg_class: Sequence[int]) -> list[int]:
        """Blocks in HBM by class of their segment [blocks, classes]; `seg_class` is that of each segment."""
        found = [0] * len(SegmentClass)
        for segment, held in self._held.items():
            found[seg_class[segment]] += len(held[Tier.HBM])
        return found

    def spawn(self, time_ns: int, segments: Sequence[int], records: Sequence[SpawnRecord]) -> None:
        """Sub-agents begin together."""
        self._policy.spawn(time_ns, segments)

    def write(self, time_ns: int, segment: int, tokens: int) -> None:
        """Tokens are added to a segment.

        Raises
        ------
        UnisonError
            If flash is full.
        """
        before = self._tokens.get(segment, 0)
        self._tokens[segment] = before + tokens
        need = -(-(before + tokens) // self._block_tokens) - -(-before // self._block_tokens)
        books, wanted = self.books, 0
        if self._policy.prefers_hbm(time_ns, segment, need, self._writes):
            wanted = need if need <= self.free_hbm else self._fitting(time_ns, segment, need)
            books.spilled += need - wanted
        self._writes += 1
        held = self._held.get(segment)
        if held is None:
            held = self._held[segment] = ([], [])
        if wanted:
            held[0].extend(self._engine.alloc(Tier.HBM, wanted))
            self.free_hbm -= wanted
        if need > wanted:
            held[1].extend(self._engine.alloc(Tier.FLASH, need - wanted))
            books.flash += need - wanted
        books.written += need

    def boundary(self, time_ns: int, segment: int) -> None:
        """A segment is discarded."""
        self._policy.boundary(time_ns, segment)
        hbm, flash = self._held.pop(segment)
        self._engine.free(hbm)
        self._engine.free(flash)
        self.free_hbm += len(hbm)
        del self._tokens[segment]

    def _fitting(self, now: int, segment: int, need: int) -> int:
        """How many of the blocks meant for HBM go there, if not all of them fit."""
        if self._policy.migrates:
            return self._make_room(now, segment, need)
        return self.free_hbm if self._policy.splits else 0

    def _make_room(self, now: int, segment: int, wanted: int) -> int:
        """Move victims' blocks to flash until `wanted` fit, or the policy has no victim; how many fit."""
        while self.free_hbm < wanted:
            victim = self._policy.victim(now, segment)
            if victim is None:
                return self.free_hbm
            hbm, flash = self._held[victim]
            count = min(len(hbm), wanted - self.free_hbm)
            leaving = hbm[-count:]
            del hbm[-count:]
            self._engine.free(leaving)
            flash += self._engine.alloc(Tier.FLASH, count)
            self.free_hbm += count
            self.books.flash += count
            self.books.moved += count
        return wanted
