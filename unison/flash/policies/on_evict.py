"""Write-on-evict: everything enters HBM, and a block is programmed to flash only when it is evicted."""

from __future__ import annotations

import heapq
from collections import OrderedDict

import numpy as np
from numpy.typing import NDArray

from unison.flash.lifetimes import class_mean_life
from unison.flash.policies.base import Knows, PlacementPolicy, Setting, placement


class EvictLongest(PlacementPolicy):
    """The victim is the segment that is expected to end last.

    Parameters
    ----------
    end_ns : float64 [writes]
        Expected end of a write's segment, seen from that write [ns].
    segments : int
        Number of segments.
    admits_all : bool
        The newcomer always enters; otherwise it goes to flash itself if it is expected to end last.
    margin : float
        A segment leaves only if it is expected to live this many times as long as the newcomer.
    is_absolute : bool
        `end_ns` are instants; otherwise remaining lives, which stand until the segment's next event.
    """

    migrates = True

    def __init__(
        self,
        end_ns: NDArray[np.float64],
        segments: int,
        *,
        admits_all: bool,
        margin: float = 1.0,
        is_absolute: bool = True,
    ) -> None:
        self._ends = end_ns.tolist()
        self._end = [0.0] * segments
        self._queued = [False] * segments
        self._heap: list[tuple[float, int]] = []
        self._admits_all, self._margin, self._is_absolute = admits_all, margin, is_absolute

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """Always; the newcomer competes when room is short."""
        self.rank(segment, self._ends[write])
        return True

    def rank(self, segment: int, end: float) -> None:
        """Give a segment another expected end."""
        if end != self._end[segment] or not self._queued[segment]:
            self._end[segment] = end
            self._queued[segment] = True
            heapq.heappush(self._heap, (-end, segment))

    def victim(self, now: int, newcomer: int) -> int | None:
        """The last to end, if it outlives the newcomer by the margin."""
        last = self._last(newcomer)
        if last is None or self._admits_all:
            return last
        start = now if self._is_absolute else 0
        if self._end[last] - start > self._margin * (self._end[newcomer] - start):
            return last
        return None

    def _last(self, newcomer: int) -> int | None:
        """The last to end of those in HBM, the newcomer left out."""
        heap, aside = self._heap, None
        found = None
        while heap and found is None:
            key, segment = heap[0]
            if -key != self._end[segment]:
                heapq.heappop(heap)
            elif segment == newcomer:
                aside = heapq.heappop(heap)
            elif not self.residents.hbm_blocks(segment):
                heapq.heappop(heap)
                self._queued[segment] = False
            else:
                found = segment
        if aside is not None:
            heapq.heappush(heap, aside)
        return found


class EvictLru(PlacementPolicy):
    """The victim is a segment of the agent that has been idle for longest.

    Parameters
    ----------
    setting : Setting
    """

    migrates = True

    def __init__(self, setting: Setting) -> None:
        self._agent = setting.timeline.agent.tolist()
        self._members: dict[int, list[int]] = {}
        self._order: OrderedDict[int, None] = OrderedDict()

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """Always."""
        agent = self._agent[segment]
        members = self._members.setdefault(agent, [])
        if segment not in members:
            members.append(segment)
        self._order[agent] = None
        self._order.move_to_end(agent)
        return True

    def victim(self, now: int, newcomer: int) -> int | None:
        """A segment in HBM of the agent whose last write is the oldest, the newcomer's agent last."""
        writing = self._agent[newcomer]
        while self._order:
            agent = next(iter(self._order))
            for segment in self._members[agent]:
                if segment != newcomer and self.residents.hbm_blocks(segment):
                    return segment
            if agent == writing:
                return None
            del self._order[agent]
        return None

    def boundary(self, now: int, segment: int) -> None:
        """Forget a segment."""
        agent = self._agent[segment]
        self._members[agent].remove(segment)
        if not self._members[agent]:
            del self._members[agent]
            self._order.pop(agent, None)


@placement(
    "write_on_evict_lru",
    title="Write-on-evict, LRU",
    rule="everything enters HBM; the agent idle for longest is moved to flash",
    citation="Baek et al. (arXiv:2609.25782), write on eviction, victims by recency",
    knows=Knows.NOTHING,
    migrates=True,
)
def by_recency(setting: Setting) -> PlacementPolicy:
    """Victims by recency."""
    return EvictLru(setting)


@placement(
    "write_on_evict_longest",
    title="Write-on-evict, class life",
    rule="everything enters HBM; the class that lives longest from its last write is moved to flash",
    citation="Baek et al. (arXiv:2609.25782), write on eviction, victims by remaining life of the class",
    knows=Knows.CLASS,
    migrates=True,
)
def by_class(setting: Setting) -> PlacementPolicy:
    """Victims by the mean remaining life of their class."""
    run = setting.timeline
    end = run.write_ns + class_mean_life(run, setting.history)
    return EvictLongest(end, run.n_segments, admits_all=True)
