"""Figure 6: Spear with one signal left out, at every corpus and envelope."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unison.experiments.sweep import Variant, beside_label, over_points, sweep
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


def fig06_cells(corpora: Sequence[Corpus]) -> pd.DataFrame:
    """Every variant at every point beside full Spear at the same point.

    Returns
    -------
    pandas.DataFrame
        Of `beside_label`, without full Spear: ``hit_gain`` is what leaving the signal out changes, negative
        where the signal helps.
    """
    joined = beside_label(sweep(corpora, leave_one_out_variants()), "full")
    return joined[joined["axis"] != "full"].reset_index(drop=True)


def fig06(cells: pd.DataFrame, *, tie: float) -> pd.DataFrame:
    """Means over the points, a row a variant, with ``impact``: the mean absolute change of hit rate."""
    rows = over_points(cells, ["axis", "value", "policy"], tie=tie)
    size = cells.assign(impact=cells["hit_gain"].abs()).groupby(["axis", "value"])["impact"]
    worst = cells.groupby(["axis", "value"])["hit_gain"].agg(hit_gain_least="min", hit_gain_most="max")
    return rows.join(size.mean(), on=["axis", "value"]).join(worst, on=["axis", "value"])
