"""One ranking for eviction, tiering and flash writes: remaining life from the turn hazard (ours)."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from unison.config import load_defaults
from unison.flash.lifetimes import TurnLife, cost_of_waiting
from unison.flash.policies.base import Knows, PlacementPolicy, Setting, placement
from unison.flash.policies.on_evict import EvictLongest
from unison.flash.predictors import fit_predictor
from unison.flash.segments import SegmentClass, Timeline

_NS_PER_S = 1_000_000_000
_THIRDS = (1 / 3, 2 / 3)
_KEPT = 4


_Groups = Callable[[Timeline], NDArray[np.int64] | None]


@lru_cache(maxsize=_KEPT)
def turn_lives(setting: Setting) -> tuple[TurnLife, _Groups]:
    """The tables of earlier traffic, and what gives the group of each segment of a run; kept for a while.

    Sub-agents are told apart by the third of the predicted lives that their spawn record falls in.
    """
    history = setting.history
    predictor = fit_predictor("ridge", history) if (history.record >= 0).any() else None
    if predictor is None:
        return TurnLife(history), lambda timeline: None
    past = predictor.predict_segments(history)
    cuts = {kind: np.quantile(past[mine], _THIRDS) for kind, mine in _sub_agents(history)}

    def groups(timeline: Timeline) -> NDArray[np.int64]:
        return _thirds(timeline, predictor.predict_segments(timeline), cuts)

    return TurnLife(history, _thirds(history, past, cuts)), groups


def holding_cost(setting: Setting, timeline: Timeline) -> NDArray[np.float64]:
    """What holding on costs at each write of a run [ns, writes]; see `unison.flash.lifetimes.TurnLife`."""
    tables, groups = turn_lives(setting)
    return tables.holding(timeline, groups(timeline))


def _sub_agents(timeline: Timeline) -> list[tuple[int, NDArray[np.bool_]]]:
    kinds = (int(SegmentClass.WORKER), int(SegmentClass.REVIEWER))
    return [(kind, timeline.seg_class == kind) for kind in kinds if (timeline.seg_class == kind).any()]


def _thirds(
    timeline: Timeline, predicted: NDArray[np.float64], cuts: dict[int, NDArray[np.float64]]
) -> NDArray[np.int64]:
    groups = np.zeros(timeline.n_segments, dtype=np.int64)
    for kind, mine in _sub_agents(timeline):
        groups[mine] = np.searchsorted(cuts[kind], predicted[mine])
    return groups


class RemainingLife(EvictLongest):
    """Evicts what is expected to live longest; a newcomer that would live longest itself goes to flash.

    The rank of a segment is what it costs to await its end (`unison.flash.lifetimes.TurnLife`), as of its
    last event: a write, the end of the reply that its thinking belongs to, or a while of waiting for the
    user, which tells that more is to come.

    Parameters
    ----------
    setting : Setting
    margin : float
        As for `EvictLongest`; a larger one moves less and writes more.
    known : collection of SegmentClass
        Classes whose true remaining life stands in for that cost, to show what not knowing it costs.
    by_mean : bool
        Rank by expected remaining life instead, to show what the cost of holding is worth.
    """

    def __init__(
        self,
        setting: Setting,
        margin: float = 1.0,
        *,
        known: Collection[SegmentClass] = (),
        by_mean: bool = False,
    ) -> None:
        run = setting.timeline
        tables, groups = turn_lives(setting)
        life = (tables.expected if by_mean else tables.holding)(run, groups(run))
        told = np.isin(run.seg_class[run.segment], list(known))
        life = np.where(told, run.life_ns, life)
        self._free = run.free_ns.tolist() if SegmentClass.REASONING in known else None
        super().__init__(life, run.n_segments, admits_all=False, margin=margin, is_absolute=False)
        self._awaits = run.awaits_user.tolist()
        self._thinks = (run.seg_class == SegmentClass.REASONING).tolist()
        self._session = run.session.tolist()
        self._thought: dict[int, int] = {}
        self._later: list[tuple[int, int, float]] = []
        waited_ns = [s * _NS_PER_S for s in load_defaults().flash_policy.waited_s]
        self._waits = [(ns, cost_of_waiting(tables.delays_ns, ns)) for ns in waited_ns]

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """Always; a reply's end also plans when its thinking is ranked anew."""
        if self._thinks[segment]:
            self._thought[self._session[segment]] = segment
        elif self._awaits[write]:
            thought = self._thought.get(self._session[segment])
            if thought is not None:
                for waited, cost in self._waits:
                    heapq.heappush(self._later, (now + waited, thought, cost))
        return super().prefers_hbm(now, segment, need, write)

    def victim(self, now: int, newcomer: int) -> int | None:
        """The last to end, after ranking anew what has waited."""
        while self._later and self._later[0][0] <= now:
            due, segment, cost = heapq.heappop(self._later)
            if self.residents.hbm_blocks(segment):
                self.rank(segment, cost if self._free is None else self._free[segment] - due)
        return super().victim(now, newcomer)


@placement(
    "remaining_life",
    title="Remaining life (ours)",
    rule="one ranking by what awaiting the end costs: evicts the dearest, admits the cheaper",
    citation="ours: the turn-indexed hazard of Spear on write-on-evict",
    knows=Knows.TURNS,
    migrates=True,
)
def migrating(setting: Setting) -> PlacementPolicy:
    """Moves the longest-lived to flash."""
    return RemainingLife(setting)


class PlacedByLife(PlacementPolicy):
    """Decides at the write and never moves: HBM for what is expected to end soon enough for its room.

    ``life <= bar * free / (capacity * free_share)``: the bar stands as learned while that share of HBM is
    free, rises above it and falls below.

    Parameters
    ----------
    life_ns : float64 [writes]
        Remaining life, or what awaiting its end costs, at each write [ns].
    bar_ns : float
        Life up to which writes would just fill HBM [ns].
    capacity : int
        HBM [blocks].
    free_share : float
        Free share of HBM at which the bar stands as learned.
    """

    splits = True

    def __init__(self, life_ns: NDArray[np.float64], bar_ns: float, capacity: int, free_share: float) -> None:
        self._life = life_ns.tolist()
        self._bar_per_block = bar_ns / (max(capacity, 1) * free_share)

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """If its life is below the bar."""
        return bool(self._life[write] <= self._bar_per_block * self.residents.free_hbm)


def filling_bar(timeline: Timeline, life_ns: NDArray[np.float64], setting: Setting, span_ns: float) -> float:
    """Life up to which the writes of `span_ns`, ranked by `life_ns` and held to their end, fill HBM [ns]."""
    order = np.argsort(life_ns, kind="stable")
    held = (timeline.blocks(setting.block_tokens) * timeline.life_ns)[order].astype(np.float64)
    at = int(np.searchsorted(np.cumsum(held) / span_ns, setting.capacity))
    return float(life_ns[order][min(at, life_ns.size - 1)])


@placement(
    "remaining_life_placed",
    title="Remaining life, no moves (ours)",
    rule="the same rank, at the write only, against a bar that follows the free HBM",
    citation="ours: the turn-indexed hazard of Spear at the write",
    knows=Knows.TURNS,
)
def placed(setting: Setting) -> PlacementPolicy:
    """Placed once, by the same rank."""
    history = setting.history
    past, life = holding_cost(setting, history), holding_cost(setting, setting.timeline)
    arrivals = history.spawn_ns[history.parent < 0]
    span = max(float(arrivals.max() - arrivals.min()), 1.0)
    share = load_defaults().flash_policy.bar_free_share
    return PlacedByLife(life, filling_bar(history, past, setting, span), setting.capacity, share)


@placement(
    "oracle_lifetime",
    title="Oracle lifetime",
    rule="the true remaining life at the write, against a bar that follows the free HBM",
    citation="a control, ours: shortest true life first",
    knows=Knows.ORACLE,
)
def true_life(setting: Setting) -> PlacementPolicy:
    """Placed once, by true remaining life."""
    run = setting.timeline
    life = run.life_ns.astype(np.float64)
    bar = filling_bar(run, life, setting, float(run.duration_ns))
    share = load_defaults().flash_policy.bar_free_share
    return PlacedByLife(life, bar, setting.capacity, share)
