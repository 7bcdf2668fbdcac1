"""What the study of flash placement shows, in sentences made from its tables."""

from __future__ import annotations

import pandas as pd

from unison.experiments.flash_cells import BASELINE, BOUND, DETERMINISTIC, LACHESIS, OURS, PLACED
from unison.experiments.tab12_flash_fit import MEAN_PEAK, NO_TEST
from unison.experiments.tab12_flash_gap import BY_MEAN
from unison.experiments.tab12_flash_inputs import STATISTIC_TITLES
from unison.experiments.tab12_flash_wear import BY_KV, NO_EFFECT
from unison.report.findings.words import listed, percent, points
from unison.report.flash_columns import placement_title, regime_title

_HALF = 0.5


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
    outside = inputs[~inputs["is_inside"]].groupby("statistic", sort=False)
    told = [
        f"{STATISTIC_TITLES[str(name)].lower()} ({rows['value'].min():.1f} to {rows['value'].max():.1f}, "
        f"published {rows['published_least'].iloc[0]:g})"
        for name, rows in outside
    ]
    return (
        f"> {int(inputs['is_inside'].sum())} of {len(inputs)} measured statistics are inside the published "
        f"band; outside: {listed(told)}. HBM holds {percent(low, 0)} to {percent(high, 0)} of the live KV "
        "where sites are split: that share sets what HBM-first keeps, and with it how much any ranking can "
        f"gain. Workers' lives spread {spread.min():.1f} to {spread.max():.1f} times between the 10th and "
        "the "
        "90th percentile.\n"
    )


def flash_grid_finding(grid: pd.DataFrame) -> str:
    """Improvement over HBM-first of Lachesis, of ours and of the bound, and who lasts the warranty."""
    wide = grid[grid["policy"].isin((LACHESIS, OURS, BOUND))].groupby("policy")["improvement"]
    low, high, middle = wide.min(), wide.max(), wide.median()
    parts = [
        f"{placement_title(name)} {low[name]:.2f} to {high[name]:.2f} (median {middle[name]:.2f})"
        for name in (LACHESIS, OURS, BOUND)
    ]
    lasts = grid.groupby("policy")["meets_warranty"].agg(["sum", "size"])
    counted = [
        f"{placement_title(name)} in {int(lasts.loc[name, 'sum'])} of {int(lasts.loc[name, 'size'])} cells"
        for name in (BASELINE, LACHESIS, OURS)
    ]
    mine = grid[grid["policy"] == LACHESIS]
    below = mine[mine["improvement"] < 1]
    where = listed(regime_title(str(regime)) for regime in dict.fromkeys(below["regime"]))
    return (
        f"> Lifetime over HBM-first's, all cells: {listed(parts)}. Lachesis is below HBM-first in "
        f"{len(below)} of {len(mine)} cells{f' ({where})' if len(below) else ''}. The flash lasts the "
        f"warranty under {listed(counted)}.\n"
    )


def flash_gap_finding(means: pd.DataFrame) -> str:
    """How much of the gap between Lachesis and the bound ours closes, and what stops it where it is less."""
    rows = {name: means[means["policy"] == name].set_index("regime") for name in (OURS, PLACED)}
    mixed = rows[OURS].loc["mixed"]
    by_regime = [
        f"{percent(float(row['closes']), 0)} ({regime_title(str(regime))}, by seed "
        f"{percent(float(row['closes_least']), 0)} to {percent(float(row['closes_most']), 0)})"
        for regime, row in rows[OURS].iterrows()
    ]
    once = [
        f"{percent(float(row['closes']), 0)} ({regime_title(str(regime))})"
        for regime, row in rows[PLACED].iterrows()
    ]
    moved = float(mixed["moved_share"])
    direct = float(mixed["flash_share"]) - moved
    if mixed["closes"] < _HALF:
        verdict = "less than half"
    else:
        verdict = "at least half on " + ("every seed" if mixed["closes_least"] >= _HALF else "average only")
    start = means[(means["policy"] == DETERMINISTIC) & (means["regime"] == "mixed")]
    path = "".join(
        f" Lachesis' own deterministic path stands at {percent(share, 0)} there." for share in start["closes"]
    )
    return (
        f"> On the mixed regime {placement_title(OURS)} closes {percent(float(mixed['closes']))} of the gap "
        f"in flash writes from Lachesis to the bound ({verdict}); by regime {listed(by_regime)}.{path} It "
        f"moves {percent(moved, 0)} "
        f"of the KV from HBM to flash and writes {percent(direct, 0)} there at once; Lachesis never moves. "
        f"Without moving, the same rank closes {listed(once)}: what is once written to HBM stays, however "
        "wrong its predicted life; below 0 more is written than under Lachesis. The bound is the same for "
        "both, since a block counts only if it is in HBM from its write to its end.\n"
    )


def flash_corpora_finding(corpora: pd.DataFrame) -> str:
    """Where placements gain and lose on corpora of one agent and one user."""
    parts = []
    for policy, rows in corpora.groupby("policy", sort=False):
        gains = rows["improvement"]
        parts.append(
            f"{placement_title(str(policy))} {gains.min():.2f} to {gains.max():.2f}, below 1 in "
            f"{int((gains < 1).sum())} of {len(rows)} cases"
        )
    return (
        f"> Lifetime over HBM-first's on these: {listed(parts)}. "
        "With one kind of agent, classes and turns tell little of them.\n"
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
    below = path[path["predictive"] < 1]
    where = sorted({f"{regime_title(str(row['regime']))}, {row['config']}" for _, row in below.iterrows()})
    return (
        f"> Of sessions with several agents, {listed(parts)}. Prediction is worth less than the "
        f"deterministic path alone in {len(below)} of {len(path)} cells"
        f"{f' ({listed(where)})' if where else ''}: what the fit "
        "test leaves idle in HBM is told below.\n"
    )


def flash_predictors_finding(predictors: pd.DataFrame) -> str:
    """How good the orders are and how little of it reaches the flash."""
    learned = predictors[~predictors["predictor"].isin(("true_order", "class_mean"))]
    top = learned.groupby("record_share")["tau_b"].max()
    worst = float(learned["regret"].max())
    best = [f"{tau:.2f} where records tell {percent(share, 0)}" for share, tau in top.items()]
    return (
        f"> The best tau-b of a learned order is {listed(best)} of the variance. Against the true order a "
        f"learned one costs at most {percent(worst)} more flash writes under Lachesis.{_untold(predictors)}\n"
    )


def _untold(predictors: pd.DataFrame) -> str:
    """What learned orders and the class mean cost where records tell nothing."""
    rows = predictors[predictors["record_share"] == 0]
    parts = []
    for regime, own in rows.groupby("regime", sort=False):
        learned = own[~own["predictor"].isin(("true_order", "class_mean"))]["regret"]
        plain = own[own["predictor"] == "class_mean"]["regret"]
        parts += [
            f"{percent(learned.min())} to {percent(learned.max())} ({regime_title(str(regime))}; the class "
            f"mean {percent(share)})"
            for share in plain
        ]
    return f" Where records tell nothing it costs {listed(parts)}." if parts else ""


def flash_pareto_finding(points: pd.DataFrame) -> str:
    """What a margin saves in moves and costs in flash writes."""
    ours = points[points["series"] == OURS].sort_values("margin")
    first, last, least = ours.iloc[0], ours.iloc[-1], ours.loc[ours["flash_gb_per_s"].idxmin()]
    return (
        f"> A margin of {last['margin']:g} instead of {first['margin']:g} moves "
        f"{percent(1 - last['moved_gb_per_s'] / first['moved_gb_per_s'], 0)} less and writes "
        f"{percent(last['flash_gb_per_s'] / first['flash_gb_per_s'] - 1, 0)} more to flash; the least is "
        f"written at {least['margin']:g}. Every block moved is written to flash once, and never read back to "
        "HBM.\n"
    )


def flash_occupancy_finding(full: pd.DataFrame) -> str:
    """How much of HBM lies under KV that outlives its turn, on average over the run, and how much is idle."""
    parts = []
    for policy, rows in full.groupby("policy", sort=False):
        lasting = float((rows["surviving"] + rows["lead"]).mean())
        idle = float(1 - rows["hbm_share"].mean())
        parts.append(f"{percent(lasting, 0)} under {placement_title(str(policy))} ({percent(idle, 0)} idle)")
    return (
        "> Surviving output and leads, which end last, hold of HBM, its filling at the beginning included, "
        f"{listed(parts)}.\n"
    )


def flash_told_finding(told: pd.DataFrame) -> str:
    """Which unknown stands most between our ranking and the bound.

    Parameters
    ----------
    told : pandas.DataFrame
        Of `unison.experiments.tab12_flash_gap.gap_parts`.
    """
    closes = told.set_index("told")["closes"]
    base, full = float(closes["nothing"]), float(closes["all three"])
    gains = (closes.drop([BY_MEAN, "nothing", "all three"]) - base).sort_values(ascending=False)
    parts = [f"{points(gain)} if it knew {name}" for name, gain in gains.items()]
    return (
        f"> What stops the ranking is what it cannot know. Mixed regime: it closes {percent(base)}; "
        f"{listed(parts)}; {percent(full)} with all three told; {points(1 - full).removeprefix('+')} are "
        "left to the ranking itself and to the bound's emptying HBM before counting begins. Ranked by "
        "expected remaining life, not by what awaiting the end costs, it would close "
        f"{percent(float(closes[BY_MEAN]))}.\n"
    )


def flash_fit_finding(fit: pd.DataFrame) -> str:
    """What the fit test of Lachesis leaves idle, and what another booking would give.

    Parameters
    ----------
    fit : pandas.DataFrame
        Of `unison.experiments.tab12_flash_fit.flash_fit`.
    """
    parts = []
    for regime, rows in fit.groupby("regime", sort=False):
        mean = rows[rows["fit"] == MEAN_PEAK].iloc[0]
        tested = rows[rows["quantile"].notna()]
        best = tested.loc[tested["improvement"].idxmax()]
        parts.append(
            f"{regime_title(str(regime))}: the mean peak lets {percent(mean['let_in'], 0)} of the workers in "
            f"and leaves {percent(1 - mean['hbm_used'], 0)} of HBM idle, improvement "
            f"{mean['improvement']:.2f}; the best quantile on these seeds, {best['quantile']:g}, lets "
            f"{percent(best['let_in'], 0)} in, improvement "
            f"{best['improvement']:.2f}"
        )
        free = rows[rows["fit"] == NO_TEST]
        parts[-1] += "".join(f"; no test at all, {gain:.2f}" for gain in free["improvement"])
    return (
        f"> {'. '.join(part[0].upper() + part[1:] for part in parts)}. A peak is booked when a worker "
        "begins, which holds little then; what is left idle is what HBM-first would fill.\n"
    )


def flash_guard_finding(guard: pd.DataFrame) -> str:
    """Whether decoding keeps its pace under every placement, and how busy the flash is.

    Parameters
    ----------
    guard : pandas.DataFrame
        Of `unison.experiments.tab12_flash_wear.flash_guard`.
    """
    use, write = guard["flash_read_use"], guard["flash_write_use"]
    return (
        f"> P99 TPOT holds in {int(guard['holds'].sum())} of {len(guard)} cases: "
        f"{guard['high_tpot_ms'].min():.0f} to {guard['high_tpot_ms'].max():.0f} ms of "
        f"{guard['limit_ms'].max():.0f}. Reads keep the flash "
        f"{percent(use.min(), 0)} to {percent(use.max(), 0)} busy, writes at most "
        f"{percent(write.max(), 2)}.\n"
    )


def flash_wear_finding(wear: pd.DataFrame, guard: pd.DataFrame, *, reclaim_reads: int) -> str:
    """What each effect leaves of the years and of the improvement, and how much hangs on read disturb.

    Parameters
    ----------
    wear, guard : pandas.DataFrame
        Of `unison.experiments.tab12_flash_wear`.
    reclaim_reads : int
        Page reads of an erase block after which it is written anew.
    """
    mine = wear[wear["policy"] == LACHESIS].groupby("effect", sort=False)["improvement"]
    parts = [f"{effect} {gains.min():.2f} to {gains.max():.2f}" for effect, gains in mine]
    years = wear.set_index(["effect", "regime", "policy"])["device_years"].loc
    ratios = [
        years[NO_EFFECT, r["regime"], r["policy"]] / years[BY_KV, r["regime"], r["policy"]] - 1
        for _, r in guard[guard["policy"] == LACHESIS].iterrows()
    ]
    return (
        f"> Improvement of Lachesis over HBM-first by effect: {listed(parts)}. If an erase block has to be "
        f"written anew after {reclaim_reads:,} page reads, reading KV wears the flash {min(ratios):.0f} to "
        f"{max(ratios):.0f} times as much as writing it under Lachesis, and no placement helps much; they "
        "wear alike at "
        f"{reclaim_reads * min(ratios) / 1e6:.0f} to {reclaim_reads * max(ratios) / 1e6:.0f} million reads. "
        "An erase block of weights that is never swapped is worn out in "
        f"{guard['weights_days'].min():.0f} to {guard['weights_days'].max():.0f} days. The limit is assumed, "
        "not published with the device.\n"
    )
