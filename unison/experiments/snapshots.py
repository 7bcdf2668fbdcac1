"""Snapshots: all paused residents at each victim selection of a replay, as a fidelity study compares them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from unison.fixed_point.fidelity import Snapshots
from unison.policies.ranking import Ranking
from unison.replay.envelope import Envelope
from unison.replay.outcomes import Outcomes
from unison.replay.reference import ReferenceEngine
from unison.replay.resident import Resident
from unison.replay.tiering import Tiering
from unison.traces.trace import Trace


@dataclass
class _SnapshotEngine(ReferenceEngine):
    """The reference engine, which notes the paused residents of all tiers before it selects a victim."""

    least_residents: int = 2
    sizes: list[int] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    dead: list[bool] = field(default_factory=list)
    candidate: list[bool] = field(default_factory=list)

    def _victim(self, candidates: list[Resident]) -> Resident:
        paused = sorted(self._paused(), key=lambda resident: resident.slot)
        if len(paused) >= self.least_residents:
            could_go = {resident.slot for resident in candidates}
            self.sizes.append(len(paused))
            self.rows += [resident.row for resident in paused]
            self.dead += [resident.is_dead for resident in paused]
            self.candidate += [resident.slot in could_go for resident in paused]
        return super()._victim(candidates)


def record_snapshots(
    trace: Trace, ranking: Ranking, envelope: Envelope, tiering: Tiering, *, least_residents: int
) -> tuple[Outcomes, Snapshots]:
    """Replay in the reference engine and keep who was paused at each victim selection.

    Parameters
    ----------
    trace : Trace
    ranking : Ranking
        Decides, so that every score compared later sees the same residents.
    envelope : Envelope
    tiering : Tiering
    least_residents : int
        Selections with fewer paused residents, over all tiers, are left out.

    Returns
    -------
    Outcomes, Snapshots
    """
    engine = _SnapshotEngine(trace, ranking, envelope, tiering, least_residents=least_residents)
    outcomes = engine.run()
    return outcomes, Snapshots(
        first=np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(engine.sizes, dtype=np.int64))),
        row=np.asarray(engine.rows, dtype=np.int64),
        is_dead=np.asarray(engine.dead, dtype=np.bool_),
        is_candidate=np.asarray(engine.candidate, dtype=np.bool_),
    )
