"""Reads: from which tier decoding reads its contexts, and what it appends to flash meanwhile."""

from __future__ import annotations

from unison.flash.api import Tier
from unison.flash.layer import PlacementLayer
from unison.flash.segments import Timeline


class ReadTally:
    """Counts, write by write, what a replay reads.

    Every decoded token reads the whole context of its agent once. Of it counts what was written during the
    run; the prefill of a request reads its context once in all and is left out.

    Parameters
    ----------
    timeline : Timeline

    Attributes
    ----------
    hbm_reads, flash_reads : int
        Block reads from each tier.
    appended : int
        Blocks written to flash while they were decoded, neither by a prefill nor by a move.
    """

    def __init__(self, timeline: Timeline) -> None:
        self.hbm_reads = self.flash_reads = self.appended = 0
        self._segment, self._tokens = timeline.segment.tolist(), timeline.tokens.tolist()
        self._agent, self._is_prompt = timeline.agent.tolist(), timeline.is_prompt.tolist()
        self._members: dict[int, list[int]] = {}

    @property
    def flash_share(self) -> float:
        """Share of the reads that come from flash; 0 without reads."""
        return self.flash_reads / max(self.hbm_reads + self.flash_reads, 1)

    def write(self, layer: PlacementLayer, time_ns: int, write: int, *, is_counted: bool) -> None:
        """Send a write to the layer, counting what it reads before and what it appends."""
        segment, tokens = self._segment[write], self._tokens[write]
        members = self._members.setdefault(self._agent[segment], [])
        members[:] = [member for member in members if layer.holds(member)]
        is_decoded = is_counted and not self._is_prompt[write]
        if is_decoded:
            self.hbm_reads += tokens * sum(layer.blocks(member, Tier.HBM) for member in members)
            self.flash_reads += tokens * sum(layer.blocks(member, Tier.FLASH) for member in members)
        if segment not in members:
            members.append(segment)
        before = layer.books.flash - layer.books.moved
        layer.write(time_ns, segment, tokens)
        if is_decoded:
            self.appended += layer.books.flash - layer.books.moved - before
