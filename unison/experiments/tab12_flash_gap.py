"""What keeps our ranking from the bound: the gap with one unknown told at a time."""

from __future__ import annotations

from typing import Any

import joblib
import pandas as pd

from unison.experiments.flash_cells import BOUND, LACHESIS, Cell, Prepared
from unison.experiments.tab12_flash_policies import reference_cells
from unison.flash.policies.remaining_life import RemainingLife
from unison.flash.segments import SegmentClass

BY_MEAN = "nothing, ranked by expected life"
"""The ranking as it was before it took the cost of holding in place of the expected life."""

TOLD: dict[str, tuple[SegmentClass, ...]] = {
    BY_MEAN: (),
    "nothing": (),
    "when the user answers": (SegmentClass.REASONING,),
    "when sub-agents return": (SegmentClass.WORKER, SegmentClass.REVIEWER),
    "when sessions end": (SegmentClass.SURVIVING, SegmentClass.LEAD),
    "all three": tuple(SegmentClass),
}
"""What the ranking is told beyond what it knows: the true remaining life of these classes at each write."""


def gap_parts(rows: pd.DataFrame, profile: str, *, jobs: int = 2) -> pd.DataFrame:
    """How much of the gap from Lachesis to the bound ours closes if it is told one unknown, mixed regime.

    Parameters
    ----------
    rows : pandas.DataFrame
        Of `unison.experiments.tab12_flash_policies.flash_policies`, for Lachesis and the bound.
    profile : str
    jobs : int

    Returns
    -------
    pandas.DataFrame
        ``told``, the mean ``flash_share``, and the mean over seeds of what it ``closes``, with
        ``closes_least`` and ``closes_most``.
    """
    cells = [cell for cell in reference_cells(profile) if cell.regime == "mixed"]
    parts = joblib.Parallel(n_jobs=jobs)(joblib.delayed(_told)(cell) for cell in cells)
    told = pd.DataFrame([row for found in parts for row in found])
    mixed = rows[rows["regime"] == "mixed"].set_index(["policy", "seed"])["flash_share"]
    gap = (mixed[LACHESIS] - mixed[BOUND]).loc[told["seed"]].to_numpy()
    told["closes"] = (mixed[LACHESIS].loc[told["seed"]].to_numpy() - told["flash_share"]) / gap
    groups = told.groupby("told", sort=False)
    return groups.agg(
        flash_share=("flash_share", "mean"),
        closes=("closes", "mean"),
        closes_least=("closes", "min"),
        closes_most=("closes", "max"),
    ).reset_index()


def _told(cell: Cell) -> list[dict[str, Any]]:
    prepared = Prepared(cell)
    return [
        {
            "told": name,
            "seed": cell.seed,
            "flash_share": prepared.run(
                RemainingLife(prepared.setting, known=known, by_mean=name == BY_MEAN)
            ).flash_share,
        }
        for name, known in TOLD.items()
    ]
