"""Lachesis: short-lived classes to HBM, long-lived ones to flash, workers by the order of predicted lives."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from unison.config import load_defaults
from unison.flash.policies.base import Knows, PlacementPolicy, Setting, placement
from unison.flash.predictors import fit_predictor
from unison.flash.segments import SHORT_LIVED, SegmentClass, Timeline


class Lachesis(PlacementPolicy):
    """The pseudocode of Lachesis (arXiv:2610.08378).

    Parameters
    ----------
    setting : Setting
    predicted_s : float64 [segments], optional
        Predicted life of each sub-agent [s]; without it every worker is short-lived (the deterministic path).
    reserve : float, optional
        Free blocks of HBM above which a long-lived segment may use it; infinite for never. By default the
        demand of short-lived segments.
    booked : float64 [segments], optional
        What the fit test books for each worker [blocks]; the class's mean peak by default.

    Attributes
    ----------
    booked : float64 [segments]
        As given, or the mean peak [blocks].
    let_in : int
        Workers that passed the fit test so far.

    Notes
    -----
    A write goes to HBM whole or not at all. The fit test adds what is booked for each worker, shortest life
    first, up to the free HBM less the head-room. The demand of short-lived segments is the 95th
    percentile of what they would hold in earlier traffic; where it exceeds HBM, others never use HBM.
    """

    def __init__(
        self,
        setting: Setting,
        predicted_s: NDArray[np.float64] | None = None,
        reserve: float | None = None,
        booked: NDArray[np.float64] | None = None,
    ) -> None:
        defaults = load_defaults().flash_policy
        self._kind = setting.timeline.seg_class.tolist()
        self._predicted = None if predicted_s is None else predicted_s.tolist()
        self._fits = 1 - defaults.headroom
        if booked is None:
            booked = np.full(len(self._kind), _mean_peak(setting.history, setting.block_tokens))
        self.booked = booked
        self.let_in = 0
        if reserve is None:
            reserve = _short_demand(setting.history, setting.block_tokens, defaults.reserve_quantile)
        self._reserve = reserve
        self._chosen: set[int] = set()
        self._waiting: set[int] = set()

    @property
    def is_predictive(self) -> bool:
        """Whether workers pass a fit test by their predicted lives."""
        return self._predicted is not None

    def spawn(self, now: int, segments: Sequence[int]) -> None:
        """Choose the shortest workers that fit, of the new ones and of those that run in flash."""
        if self._predicted is None:
            return
        self._waiting.update(s for s in segments if self._kind[s] == SegmentClass.WORKER)
        room = self.residents.free_hbm * self._fits
        for segment in sorted(self._waiting, key=lambda s: (self._predicted[s], s)):  # type: ignore[index]
            room -= self.booked[segment]
            if room < 0:
                break
            self._chosen.add(segment)
            self.let_in += 1
        self._waiting -= self._chosen

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """By class, and for a worker by whether it was chosen."""
        kind = self._kind[segment]
        if kind in (SegmentClass.REASONING, SegmentClass.REVIEWER):
            return True
        if kind == SegmentClass.WORKER and (self._predicted is None or segment in self._chosen):
            return True
        return self.residents.free_hbm - need > self._reserve

    def boundary(self, now: int, segment: int) -> None:
        """Forget a worker."""
        self._waiting.discard(segment)
        self._chosen.discard(segment)


def _mean_peak(history: Timeline, block_tokens: int) -> float:
    """Mean blocks of a worker at its end."""
    workers = history.seg_class == SegmentClass.WORKER
    if not workers.any():
        return 0.0
    tokens = np.bincount(history.segment, weights=history.tokens, minlength=history.n_segments)
    return float(np.ceil(tokens[workers] / block_tokens).mean())


def _short_demand(history: Timeline, block_tokens: int, quantile: float) -> float:
    """Quantile over time of the blocks short-lived segments would hold if HBM had no end; 0 without any."""
    short = np.isin(history.seg_class[history.segment], SHORT_LIVED)
    if not short.any():
        return 0.0
    blocks = history.blocks(block_tokens)
    times = np.concatenate((history.write_ns[short], history.free_ns[history.segment[short]]))
    change = np.concatenate((blocks[short], -blocks[short]))
    order = np.argsort(times, kind="stable")
    held, lasts = np.cumsum(change[order])[:-1], np.diff(times[order])
    by_size = np.argsort(held, kind="stable")
    share = np.cumsum(lasts[by_size]) / lasts.sum()
    return float(held[by_size][min(int(np.searchsorted(share, quantile)), held.size - 1)])


@placement(
    "lachesis_deterministic",
    title="Lachesis, deterministic",
    rule="short-lived classes to HBM, the others to flash; every worker counts as short-lived",
    citation="Lachesis (arXiv:2610.08378), the deterministic path",
    knows=Knows.CLASS,
)
def deterministic(setting: Setting) -> PlacementPolicy:
    """Without prediction."""
    return Lachesis(setting)


@placement(
    "lachesis",
    title="Lachesis",
    rule="as the deterministic path, but of the workers only the shortest predicted ones that fit",
    citation="Lachesis (arXiv:2610.08378), with the predictive path",
    knows=Knows.RECORD,
)
def predictive(setting: Setting) -> PlacementPolicy:
    """With ridge regression on the spawn record."""
    return Lachesis(setting, fit_predictor("ridge", setting.history).predict_segments(setting.timeline))


@placement(
    "lachesis_true_order",
    title="Lachesis, true order",
    rule="as Lachesis, with the true order of the workers' lives",
    citation="Lachesis (arXiv:2610.08378), with a perfect predictor",
    knows=Knows.ORACLE,
)
def true_order(setting: Setting) -> PlacementPolicy:
    """With lives from the future."""
    run = setting.timeline
    return Lachesis(setting, (run.free_ns - run.spawn_ns).astype(np.float64))


@placement(
    "head_room_by_class",
    title="Head-room by class",
    rule="HBM-first, but a tenth of HBM is for the short-lived classes alone",
    citation="Yu et al. (arXiv:2609.39131) with class priority, ours",
    knows=Knows.CLASS,
)
def head_room_by_class(setting: Setting) -> PlacementPolicy:
    """The deterministic path with a small reserve."""
    return Lachesis(setting, reserve=load_defaults().flash_policy.headroom * setting.capacity)


@placement(
    "lachesis_strict",
    title="Lachesis, strict",
    rule="as Lachesis, but its long-lived segments never use HBM",
    citation="Lachesis (arXiv:2610.08378), the strict reading",
    knows=Knows.RECORD,
)
def strict(setting: Setting) -> PlacementPolicy:
    """With ridge regression, and no idle HBM for the others."""
    predicted = fit_predictor("ridge", setting.history).predict_segments(setting.timeline)
    return Lachesis(setting, predicted, float("inf"))
