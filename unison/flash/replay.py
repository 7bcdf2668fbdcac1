"""Replay: a timeline through the placement layer, event by event."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.flash.allocator import BlockAllocator
from unison.flash.api import Tier
from unison.flash.layer import Books, PlacementLayer
from unison.flash.policies.base import PlacementPolicy
from unison.flash.reads import ReadTally
from unison.flash.segments import Op, SegmentClass, Timeline

_NS_PER_S = 1_000_000_000


@dataclass(frozen=True, eq=False)
class Placed:
    """What a replay shows.

    Attributes
    ----------
    books : Books
        From `warm_ns` on.
    duration_s : float
        Length of that part of the run [s].
    sample_ns, flash_used : int64 [samples]
        Equal steps of time, and the blocks in flash then [ns; blocks].
    hbm_by_class : int64 [samples, classes]
        Blocks in HBM then, by class of their segment [blocks].
    """

    books: Books
    duration_s: float
    sample_ns: NDArray[np.int64]
    flash_used: NDArray[np.int64]
    hbm_by_class: NDArray[np.int64]

    @property
    def hbm_used(self) -> NDArray[np.int64]:
        """Blocks in HBM at each sample [blocks]."""
        used: NDArray[np.int64] = self.hbm_by_class.sum(axis=1)
        return used

    @property
    def flash_share(self) -> float:
        """Blocks programmed to flash over all blocks written.

        Raises
        ------
        UnisonError
            If no block was written while the books counted.
        """
        if not self.books.written:
            raise UnisonError(
                "flash_share: no block was written in what is counted, so there is nothing to place; "
                "count from an earlier time or give a longer run"
            )
        return self.books.flash / self.books.written


def replay_placement(
    timeline: Timeline,
    policy: PlacementPolicy,
    *,
    hbm_blocks: int,
    flash_blocks: int,
    block_tokens: int,
    warm_ns: int = 0,
    samples: int = 0,
    is_checked: bool = False,
    tally: ReadTally | None = None,
) -> Placed:
    """Send the messages of a timeline and count what the layer does.

    Parameters
    ----------
    timeline : Timeline
    policy : PlacementPolicy
        Made for this timeline, and not used before.
    hbm_blocks, flash_blocks : int
        Capacities [blocks].
    block_tokens : int
        Tokens of a block.
    warm_ns : int
        Time from which on the books count [ns], so that the filling of an empty HBM is left out; inside the
        run.
    samples : int
        Instants at which the occupancy is noted.
    is_checked : bool
        Check every block that is given back; the layer in front of the engine gives each back once.
    tally : ReadTally, optional
        Made for this timeline; counts the reads from `warm_ns` on.

    Returns
    -------
    Placed

    Raises
    ------
    UnisonError
        If there is nothing to place, `warm_ns` lies outside the run, the policy over-commits HBM,
        flash is full, or a block is still out at the end.
    """
    _check_run(timeline, warm_ns, samples)
    duration_s = (timeline.duration_ns - warm_ns) / _NS_PER_S
    engine = BlockAllocator(hbm_blocks, flash_blocks, is_checked=is_checked)
    layer = PlacementLayer(engine, engine.capacity, policy, block_tokens)
    at = np.linspace(0, timeline.duration_ns, samples + 1)[1:].astype(np.int64)
    in_flash = np.zeros(samples, dtype=np.int64)
    in_hbm = np.zeros((samples, len(SegmentClass)), dtype=np.int64)
    kinds = timeline.seg_class.tolist()
    segment, tokens, place = timeline.segment.tolist(), timeline.tokens.tolist(), 0
    ends = at.tolist()
    before = Books()
    for time, op, index in timeline.events:
        if warm_ns and time >= warm_ns:
            before, warm_ns = dataclasses.replace(layer.books), 0
        while place < samples and time >= ends[place]:
            in_flash[place] = _used(engine)[Tier.FLASH]
            in_hbm[place] = layer.hbm_by_class(kinds)
            place += 1
        if op == Op.WRITE and tally is not None:
            tally.write(layer, time, index, is_counted=not warm_ns)
        elif op == Op.WRITE:
            layer.write(time, segment[index], tokens[index])
        elif op == Op.BOUNDARY:
            layer.boundary(time, index)
        else:
            members = timeline.batches[index][1]
            layer.spawn(time, members, [timeline.records[timeline.record[m]] for m in members])
    if _used(engine) != (0, 0):
        raise UnisonError(f"replay of {timeline.name!r}: blocks are out after the last boundary")
    if warm_ns:
        before = dataclasses.replace(layer.books)
    return Placed(layer.books.since(before), duration_s, at, in_flash, in_hbm)


def _used(engine: BlockAllocator) -> tuple[int, int]:
    return (
        engine.capacity[Tier.HBM] - engine.n_free(Tier.HBM),
        engine.capacity[Tier.FLASH] - engine.n_free(Tier.FLASH),
    )


def _check_run(timeline: Timeline, warm_ns: int, samples: int) -> None:
    if not timeline.n_writes:
        raise UnisonError(f"replay of {timeline.name!r}: no write, so there is nothing to place")
    if not 0 <= warm_ns < timeline.duration_ns or samples < 0:
        raise UnisonError(
            f"replay of {timeline.name!r}: counted from {warm_ns} ns with {samples} samples; give a time of "
            f"at least 0 and below {timeline.duration_ns} ns, and at least 0 samples"
        )
