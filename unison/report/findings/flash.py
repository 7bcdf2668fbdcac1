"""What the study of flash placement shows, in sentences made from its tables."""

from __future__ import annotations

import pandas as pd

from unison.experiments.flash_cells import BASELINE, BOUND, LACHESIS, OURS
from unison.report.findings.words import listed, percent
from unison.report.plots.flash import flash_look, regime_title

_HALF = 0.5
_PLACED = "remaining_life_placed"


def flash_inputs_finding(inputs: pd.DataFrame, loads: pd.DataFrame) -> str:
    """How much of the live KV could be in HBM at all.

    Parameters
    ----------
    inputs, loads : pandas.DataFrame
        Of `unison.experiments.tab12_flash_inputs`.
    """
    split = loads[loads["config"] != "chain"]
    low, high = float(split["hbm_over_live"].min()), float(split["hbm_over_live"].max())
    spread = inputs[inputs["statistic"] == "worker_spread"]["value"]
    return (
        f"> HBM holds {percent(low, 0)} to {percent(high, 0)} of the live KV where sites are split: that "
        "share sets what HBM-first keeps, and with it how much any ranking can gain. Workers' lives spread "
        f"{spread.min():.1f} to {spread.max():.1f} times between the 10th and the 90th percentile.\n"
    )


def flash_grid_finding(grid: pd.DataFrame) -> str:
    """Improvement over HBM-first of Lachesis, of ours and of the bound, and who lasts the warranty."""
    wide = grid[grid["policy"].isin((LACHESIS, OURS, BOUND))].groupby("policy")["improvement"]
    low, high, middle = wide.min(), wide.max(), wide.median()
    parts = [
        f"{flash_look(name).label} {low[name]:.2f} to {high[name]:.2f} (median {middle[name]:.2f})"
        for name in (LACHESIS, OURS, BOUND)
    ]
    lasts = grid.groupby("policy")["meets_warranty"].agg(["sum", "size"])
    counted = [
        f"{flash_look(name).label} in {int(lasts.loc[name, 'sum'])} of {int(lasts.loc[name, 'size'])} cells"
        for name in (BASELINE, LACHESIS, OURS)
    ]
    return (
        f"> Lifetime over HBM-first's, all cells: {listed(parts)}. The flash lasts the warranty under "
        f"{listed(counted)}.\n"
    )


def flash_gap_finding(means: pd.DataFrame) -> str:
    """How much of the gap between Lachesis and the bound ours closes, and what stops it where it is less."""
    rows = {name: means[means["policy"] == name].set_index("regime") for name in (OURS, _PLACED)}
    mixed = float(rows[OURS].loc["mixed", "closes"])
    by_regime = [
        f"{percent(float(row['closes']), 0)} ({regime_title(str(regime))})"
        for regime, row in rows[OURS].iterrows()
    ]
    once = [
        f"{percent(float(row['closes']), 0)} ({regime_title(str(regime))})"
        for regime, row in rows[_PLACED].iterrows()
    ]
    moved = float(rows[OURS].loc["mixed", "moved_share"])
    direct = float(rows[OURS].loc["mixed", "flash_share"]) - moved
    verdict = "at least half" if mixed >= _HALF else "less than half"
    return (
        f"> On the mixed regime ours closes {percent(mixed, 0)} of the gap in flash writes from Lachesis to "
        f"the bound ({verdict}); by regime {listed(by_regime)}. It moves {percent(moved, 0)} of the KV from "
        f"HBM to flash and writes {percent(direct, 0)} there at once; Lachesis never moves. Without moving, "
        f"the same rank closes {listed(once)}: what is once written to HBM stays, however wrong its "
        "predicted life. The bound is the same for both, since a block counts only if it is in HBM from its "
        "write to its end.\n"
    )


def flash_path_finding(path: pd.DataFrame) -> str:
    """What prediction adds to the deterministic path, with a reviewer and without."""
    parts = []
    for has_reviewer, rows in path.groupby("has_reviewer", sort=False):
        name = "with a reviewer" if has_reviewer else "without"
        parts.append(
            f"{name} the deterministic path gives {rows['deterministic'].min():.2f} to "
            f"{rows['deterministic'].max():.2f} and prediction a further {rows['predictive'].min():.2f} to "
            f"{rows['predictive'].max():.2f}"
        )
    return (
        f"> Of sessions with several agents, {listed(parts)}. The fit test books the mean peak of a worker "
        "for its whole life, and few such peaks fit: the order of the workers can decide little.\n"
    )


def flash_predictors_finding(predictors: pd.DataFrame) -> str:
    """How good the orders are and how little of it reaches the flash."""
    learned = predictors[~predictors["predictor"].isin(("true_order", "class_mean"))]
    top = learned.groupby("record_share")["tau_b"].max()
    worst = float(learned["regret"].max())
    best = [f"{tau:.2f} where records tell {percent(share, 0)}" for share, tau in top.items()]
    return (
        f"> The best tau-b of a learned order is {listed(best)} of the variance. Against the true order a "
        f"learned one costs at most {percent(worst)} more flash writes under Lachesis.\n"
    )


def flash_pareto_finding(points: pd.DataFrame) -> str:
    """What a margin saves in moves and costs in flash writes."""
    ours = points[points["series"] == OURS].sort_values("margin")
    first, last = ours.iloc[0], ours.iloc[-1]
    return (
        f"> A margin of {last['margin']:g} instead of {first['margin']:g} moves "
        f"{percent(1 - last['moved_gb_per_s'] / first['moved_gb_per_s'], 0)} less and writes "
        f"{percent(last['flash_gb_per_s'] / first['flash_gb_per_s'] - 1, 0)} more to flash; every block "
        "moved is written there once, and never read back to HBM.\n"
    )
