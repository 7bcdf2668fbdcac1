"""Figure 6: Spear with one signal left out, at every corpus and envelope."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unison.experiments.sweep import POINT, Variant, beside_label, over_points, over_seeds, sweep
from unison.replay.tiering import Tiering
from unison.traces.corpus import Corpus

FULL = "spear_idle_max"
"""The float Spear with all three signals: hazard, gap and elapsed idle time in form (a)."""

LEFT_OUT = {
    "hazard": "spear_no_hazard",
    "gap": "spear_no_gap",
    "idle": "spear",
}
"""Signal left out, and the policy that does without it."""

OTHER_FORMS = {"idle (b)": "spear_idle_remaining", "idle (c)": "spear_idle_additive"}
"""Other reconstructions of the elapsed-idle signal."""

HIDDEN = "completion"
"""Left out by delivering COMPLETE as GAP_START."""


def leave_one_out_variants() -> list[Variant]:
    """Full Spear, Spear without one signal each, and the other forms of the idle signal; all with Tide."""
    tide = Tiering(tide=True)
    found = [Variant("full", FULL, tide, axis="full", value="full")]
    found += [Variant(f"no {name}", policy, tide, axis="left out", value=name)
              for name, policy in LEFT_OUT.items()]  # fmt: skip
    found.append(Variant(f"no {HIDDEN}", FULL, tide, axis="left out", value=HIDDEN, hide_completion=True))
    found += [Variant(name, policy, tide, axis="form", value=name) for name, policy in OTHER_FORMS.items()]
    return found


def fig06_cells(corpora: Sequence[Corpus], seeds: Sequence[int]) -> pd.DataFrame:
    """Every variant at every point and seed beside full Spear at the same.

    Returns
    -------
    pandas.DataFrame
        Of `beside_label`, without full Spear: ``hit_gain`` is what leaving the signal out changes, negative
        where the signal helps.
    """
    joined = beside_label(sweep(corpora, leave_one_out_variants(), seeds=seeds), "full")
    return joined[joined["axis"] != "full"].reset_index(drop=True)


def fig06_points(cells: pd.DataFrame) -> pd.DataFrame:
    """The cells of `fig06_cells` as means over the seeds, a row for each variant and point."""
    return over_seeds(cells, ["axis", "value", *POINT])


def fig06(cells: pd.DataFrame, *, confidence: float) -> pd.DataFrame:
    """Means over the points, a row a variant, with ``impact``: the mean over the points of the change's size.

    ``hit_gain_least`` and ``hit_gain_most`` are over the points.
    """
    rows = over_points(cells, ["axis", "value", "policy"], confidence=confidence)
    points = fig06_points(cells)
    groups = points.assign(impact=points["hit_gain"].abs()).groupby(["axis", "value"])
    ends = groups["hit_gain"].agg(hit_gain_least="min", hit_gain_most="max")
    return rows.join(groups["impact"].mean(), on=["axis", "value"]).join(ends, on=["axis", "value"])
