"""Placements that need nothing but the free space, or not even that."""

from __future__ import annotations

from unison.config import load_defaults
from unison.flash.policies.base import Knows, PlacementPolicy, Setting, placement
from unison.traces.draws import stream


@placement(
    "hbm_first",
    title="HBM-first",
    rule="HBM while there is room, block by block, blind to the class",
    citation="Lachesis (arXiv:2610.08378), the baseline",
    knows=Knows.NOTHING,
)
class HbmFirst(PlacementPolicy):
    """HBM if it has room, else flash; a write may be split."""

    splits = True

    def __init__(self, setting: Setting) -> None:
        del setting

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """Always."""
        return True


@placement(
    "all_hbf",
    title="All to flash",
    rule="everything to flash",
    citation="Son et al., as the upper end of wear",
    knows=Knows.NOTHING,
)
class AllFlash(PlacementPolicy):
    """Flash for everything."""

    def __init__(self, setting: Setting) -> None:
        del setting

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """Never."""
        return False


@placement(
    "random",
    title="Random",
    rule="each write by a coin",
    citation="a control, ours",
    knows=Knows.NOTHING,
)
class Random(PlacementPolicy):
    """HBM with a fixed chance, if the write fits."""

    def __init__(self, setting: Setting) -> None:
        rng = stream(setting.seed, f"flash/random/{setting.timeline.name}")
        share = load_defaults().flash_policy.random_share
        self._coin = (rng.random(setting.timeline.n_writes) < share).tolist()

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """As the coin fell."""
        return bool(self._coin[write])


@placement(
    "head_room",
    title="Head-room",
    rule="HBM-first, but a new segment is let in only while a tenth of HBM is free",
    citation="Yu et al. (arXiv:2609.39131), 10 % head-room at admission, read here by segment",
    knows=Knows.NOTHING,
)
class HeadRoom(PlacementPolicy):
    """A segment's tier is chosen at its first write; the head-room is left for those that grow."""

    splits = True

    def __init__(self, setting: Setting) -> None:
        self._least_free = load_defaults().flash_policy.headroom * setting.capacity
        self._admitted: dict[int, bool] = {}

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """As at the first write."""
        if segment not in self._admitted:
            self._admitted[segment] = self.residents.free_hbm - need >= self._least_free
        return self._admitted[segment]


@placement(
    "lru_k",
    title="LRU-K",
    rule="HBM-first until the agent has used the segment K times, then flash",
    citation="Peng et al. (arXiv:2609.07175), LRU-K admission to flash; nothing is dropped here",
    knows=Knows.TURNS,
)
class LruK(PlacementPolicy):
    """A segment is admitted to flash at its K-th access, a request of its agent; before, it spills only.

    Parameters
    ----------
    setting : Setting
    k : int, optional
        Accesses; the default of data/defaults.toml.
    """

    splits = True

    def __init__(self, setting: Setting, k: int | None = None) -> None:
        run = setting.timeline
        self._k = load_defaults().flash_policy.lru_k if k is None else k
        self._is_prompt = run.is_prompt.tolist()
        self._agent = run.agent.tolist()
        self._requests: dict[int, int] = {}
        self._before: dict[int, int] = {}

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """While it was used less than K times."""
        agent = self._agent[segment]
        requests = self._requests.get(agent, 0) + int(self._is_prompt[write])
        self._requests[agent] = requests
        before = self._before.setdefault(segment, requests - 1)
        return requests - before < self._k
