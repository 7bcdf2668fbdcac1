"""The bound: the placement that knows the future, and what is counted of it."""

from __future__ import annotations

import numpy as np

from unison.flash.policies.base import Knows, PlacementPolicy, Setting, placement
from unison.flash.policies.on_evict import EvictLongest


class Bound(EvictLongest):
    """Evicts what truly ends last; a newcomer that ends last itself goes to flash.

    What is written before the run is counted goes to flash, so that all of HBM is free for what counts.

    Parameters
    ----------
    setting : Setting
    """

    def __init__(self, setting: Setting) -> None:
        run = setting.timeline
        super().__init__(run.free_ns[run.segment].astype(np.float64), run.n_segments, admits_all=False)
        self._counted_ns = setting.counted_ns

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """From where the run is counted on."""
        return now >= self._counted_ns and super().prefers_hbm(now, segment, need, write)


@placement(
    "bound",
    title="Bound",
    rule="what truly ends last is moved to flash, all that is not counted too; no placement keeps more",
    citation="Baek et al. (arXiv:2609.25782) with the future; optimal by Faigle and Nawijn (1995)",
    knows=Knows.ORACLE,
    migrates=True,
)
def by_future(setting: Setting) -> PlacementPolicy:
    """Victims by their true end."""
    return Bound(setting)
