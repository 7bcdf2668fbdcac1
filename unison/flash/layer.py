"""The layer between a harness and an engine: it asks the policy, calls the engine and keeps the books."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

from unison.errors import UnisonError
from unison.flash.api import Engine, Tier
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
    alloc. Everything of a segment is freed at its boundary, and nothing is said of it after that. A message
    that is refused changes neither the blocks nor the books.

    Parameters
    ----------
    engine : Engine
        Its two calls are all that the layer needs of it.
    free_blocks : sequence of int
        Blocks that are free in HBM and in flash.
    policy : PlacementPolicy
    block_tokens : int
        Tokens of a block.

    Raises
    ------
    UnisonError
        If a block has no token.
    """

    def __init__(
        self, engine: Engine, free_blocks: Sequence[int], policy: PlacementPolicy, block_tokens: int
    ) -> None:
        if not _is_whole(block_tokens) or block_tokens < 1:
            raise UnisonError(f"layer: blocks of {block_tokens!r} tokens; give a whole number of at least 1")
        self.books = Books()
        self.free_hbm, self._free_flash = free_blocks
        self._engine, self._policy, self._block_tokens = engine, policy, block_tokens
        self._tokens: dict[int, int] = {}
        self._held: dict[int, tuple[list[int], list[int]]] = {}
        self._ended: set[int] = set()
        self._now: float = -math.inf
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
        """Sub-agents begin together.

        Raises
        ------
        UnisonError
            If the time falls, a segment was discarded before, or there is not one record for each.
        """
        if len(segments) != len(records):
            raise UnisonError(
                f"spawn: {len(records)} records for {len(segments)} segments; give one for each"
            )
        for segment in segments:
            self._check(time_ns, segment, "spawn")
        self._policy.spawn(time_ns, segments)
        self._now = time_ns

    def write(self, time_ns: int, segment: int, tokens: int) -> None:
        """Tokens are added to a segment.

        Raises
        ------
        UnisonError
            If flash is full, the time falls, the segment was discarded before, or there is no token.
        """
        if not (type(tokens) is int and tokens > 0 and time_ns >= self._now and segment not in self._ended):
            self._check(time_ns, segment, "write")
            raise UnisonError(
                f"write: {tokens!r} tokens for segment {segment}; give a whole number of at least 1"
            )
        before = self._tokens.get(segment, 0)
        need = -(-(before + tokens) // self._block_tokens) - -(-before // self._block_tokens)
        if need > self.free_hbm + self._free_flash:
            raise self._no_room(segment, need, need - self.free_hbm)
        is_meant = self._policy.prefers_hbm(time_ns, segment, need, self._writes)
        wanted = 0 if not is_meant else need if need <= self.free_hbm else self._fitting()
        if need - wanted > self._free_flash:
            raise self._no_room(segment, need, need - wanted)
        if is_meant and wanted < need:
            if self._policy.migrates:
                wanted = self._make_room(time_ns, segment, need)
            self.books.spilled += need - wanted
        held = self._held.get(segment)
        if held is None:
            held = self._held[segment] = ([], [])
        if wanted:
            held[0].extend(self._engine.alloc(Tier.HBM, wanted))
            self.free_hbm -= wanted
        if need > wanted:
            held[1].extend(self._engine.alloc(Tier.FLASH, need - wanted))
            self._free_flash -= need - wanted
            self.books.flash += need - wanted
        self.books.written += need
        self._tokens[segment] = before + tokens
        self._writes += 1
        self._now = time_ns

    def boundary(self, time_ns: int, segment: int) -> None:
        """A segment is discarded.

        Raises
        ------
        UnisonError
            If the time falls, nothing was written to the segment, or it was discarded before.
        """
        if segment not in self._held or not time_ns >= self._now:
            self._check(time_ns, segment, "boundary")
            raise UnisonError(
                f"boundary: segment {segment!r} has no tokens; name one of the {len(self._held)} that have"
            )
        self._policy.boundary(time_ns, segment)
        hbm, flash = self._held.pop(segment)
        self._engine.free(hbm)
        self._engine.free(flash)
        self.free_hbm += len(hbm)
        self._free_flash += len(flash)
        del self._tokens[segment]
        self._ended.add(segment)
        self._now = time_ns

    def _check(self, time_ns: int, segment: int, message: str) -> None:
        """Refuse a message at an earlier time, or about a segment that has ended."""
        if not time_ns >= self._now:
            raise UnisonError(
                f"{message}: segment {segment!r} at {time_ns} ns, after a message at {self._now} ns; "
                "times never fall"
            )
        if segment in self._ended:
            raise UnisonError(
                f"{message}: segment {segment} was discarded before; give new tokens another number"
            )

    def _no_room(self, segment: int, need: int, least_flash: int) -> UnisonError:
        """Flash has no room for a write; a moved block takes as much of it as one written there."""
        return UnisonError(
            f"write: {need} blocks for segment {segment}, of which {least_flash} or as many others have to "
            f"go to FLASH, where {self._free_flash} are free; give more flash or discard segments first"
        )

    def _fitting(self) -> int:
        """How many of the blocks meant for HBM go there without a move, if not all of them fit."""
        return self.free_hbm if self._policy.splits or self._policy.migrates else 0

    def _make_room(self, now: int, segment: int, wanted: int) -> int:
        """Move victims' blocks to flash until `wanted` fit, or the policy has no victim; how many fit."""
        while self.free_hbm < wanted:
            victim = self._policy.victim(now, segment)
            if victim is None:
                return self.free_hbm
            hbm, flash = self._held.get(victim, ([], []))
            if not hbm:
                raise UnisonError(
                    f"{type(self._policy).__name__}.victim: segment {victim!r} has no block in HBM; "
                    "give one that has, or None"
                )
            count = min(len(hbm), wanted - self.free_hbm)
            leaving = hbm[-count:]
            del hbm[-count:]
            self._engine.free(leaving)
            flash += self._engine.alloc(Tier.FLASH, count)
            self.free_hbm += count
            self._free_flash -= count
            self.books.flash += count
            self.books.moved += count
        return wanted


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
