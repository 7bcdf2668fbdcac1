"""The interface: two calls that a serving engine offers, and three messages that a harness sends."""

from __future__ import annotations

from collections.abc import Sequence
from enum import IntEnum
from typing import Protocol

from unison.flash.segments import SpawnRecord


class Tier(IntEnum):
    """Where a block of KV lies."""

    HBM = 0
    FLASH = 1


class Engine(Protocol):
    """What a serving engine offers: exactly two calls."""

    def alloc(self, tier: Tier, n_blocks: int) -> list[int]:
        """Block ids from the free list of a tier."""

    def free(self, block_ids: Sequence[int]) -> None:
        """Give blocks back to the free list of the tier that they came from."""


class Harness(Protocol):
    """What a harness tells the layer that places segments; times in ns never fall."""

    def spawn(self, time_ns: int, segments: Sequence[int], records: Sequence[SpawnRecord]) -> None:
        """Sub-agents begin together."""

    def write(self, time_ns: int, segment: int, tokens: int) -> None:
        """Tokens are added to a segment."""

    def boundary(self, time_ns: int, segment: int) -> None:
        """A segment is discarded."""
