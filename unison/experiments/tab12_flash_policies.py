"""Every placement on the reference GPU, what it closes of the gap to the bound, and the bound checked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from unison.config import load_defaults
from unison.experiments.flash_cells import (
    BASELINE,
    BOUND,
    LACHESIS,
    OURS,
    Cell,
    Prepared,
    run_cells,
)
from unison.flash.bound import packing_bound
from unison.flash.plans import REGIMES
from unison.flash.policies import all_placements
from unison.flash.policies.remaining_life import RemainingLife
from unison.flash.segments import SegmentClass


def reference_cells(profile: str, seeds: Sequence[int] | None = None) -> list[Cell]:
    """The four regimes on the reference GPU at the tighter service level, each with every seed."""
    defaults = load_defaults(profile)
    return [
        Cell(
            regime,
            defaults.flash_node.models[0],
            defaults.flash_study.reference_config,
            defaults.flash_load.slos[0],
            seed,
            profile=profile,
        )
        for regime in REGIMES
        for seed in (defaults.flash_study.seeds if seeds is None else seeds)
    ]


def flash_policies(profile: str, *, jobs: int = 2) -> pd.DataFrame:
    """Every placement on every reference cell, a row each."""
    return run_cells(reference_cells(profile), [entry.name for entry in all_placements()], jobs=jobs)


def policy_means(rows: pd.DataFrame) -> pd.DataFrame:
    """Means over seeds by regime and policy.

    Returns
    -------
    pandas.DataFrame
        ``regime, policy, migrates, knows``, the means of the shares, improvement, years and moved bytes,
        ``improvement_least`` and ``improvement_most`` over seeds, and ``closes``: the share of the gap in
        flash writes between Lachesis and the bound, 0 for the first and 1 for the second; ``closes_least``
        and ``closes_most`` are the ends over seeds.
    """
    wide = rows.pivot_table(index=["regime", "seed"], columns="policy", values="flash_share", sort=False)
    gap = wide[LACHESIS] - wide[BOUND]
    closes = wide.rsub(wide[LACHESIS], axis=0).div(gap, axis=0).stack().rename("closes")
    joined = rows.join(closes, on=["regime", "seed", "policy"])
    groups = joined.groupby(["regime", "policy", "migrates", "knows"], sort=False)
    return groups.agg(
        flash_share=("flash_share", "mean"),
        kept_share=("kept_share", "mean"),
        moved_share=("moved_share", "mean"),
        spilled_share=("spilled_share", "mean"),
        improvement=("improvement", "mean"),
        improvement_least=("improvement", "min"),
        improvement_most=("improvement", "max"),
        device_years=("device_years", "mean"),
        moved_gb_per_s=("moved_gb_per_s", "mean"),
        closes=("closes", "mean"),
        closes_least=("closes", "min"),
        closes_most=("closes", "max"),
    ).reset_index()


def bound_check(profile: str) -> pd.DataFrame:
    """The linear programme beside write-on-evict with the future, on the beginning of a run of each regime.

    Returns
    -------
    pandas.DataFrame
        ``regime, writes, written_blocks, lp_blocks, oracle_blocks, lachesis_blocks, ours_blocks``: blocks
        kept in HBM for their whole life.
    """
    rows = []
    for cell in reference_cells(profile, seeds=[0]):
        prepared = Prepared(cell)
        part = prepared.shorten(load_defaults(profile).flash_study.bound_writes)
        sizes = part.blocks(prepared.setting.block_tokens)
        bound = packing_bound(part.write_ns, part.free_ns[part.segment], sizes, prepared.config.hbm_blocks)
        kept = {name: prepared.run(prepared.build(name)).books.kept for name in (BOUND, LACHESIS, OURS)}
        rows.append(
            {
                "regime": cell.regime,
                "writes": part.n_writes,
                "written_blocks": int(sizes.sum()),
                "lp_blocks": round(bound, 3),
                "oracle_blocks": kept[BOUND],
                "lachesis_blocks": kept[LACHESIS],
                "ours_blocks": kept[OURS],
            }
        )
    return pd.DataFrame(rows)


def pareto(profile: str) -> pd.DataFrame:
    """Flash writes against bytes moved, mixed regime: our ranking at several margins beside what else moves.

    Returns
    -------
    pandas.DataFrame
        ``series`` (a policy), ``margin`` (of ours, else missing), ``flash_gb_per_s``, ``moved_gb_per_s``,
        ``improvement``.
    """
    cell = next(cell for cell in reference_cells(profile, seeds=[0]) if cell.regime == "mixed")
    prepared = Prepared(cell)
    baseline = prepared.run(prepared.build(BASELINE))
    shown = ["flash_gb_per_s", "moved_gb_per_s", "improvement"]
    rows = []
    for entry in all_placements():
        if entry.name != OURS:
            measured = prepared.measured(prepared.run(prepared.build(entry.name)), baseline)
            rows.append({"series": entry.name, "margin": np.nan} | {name: measured[name] for name in shown})
    for margin in load_defaults(profile).flash_study.margins:
        placed = prepared.run(RemainingLife(prepared.setting, float(margin)))
        measured = prepared.measured(placed, baseline)
        rows.append({"series": OURS, "margin": float(margin)} | {name: measured[name] for name in shown})
    return pd.DataFrame(rows)


_HOLDERS = {
    "reasoning": (SegmentClass.REASONING,),
    "sub_agents": (SegmentClass.WORKER, SegmentClass.REVIEWER),
    "surviving": (SegmentClass.SURVIVING,),
    "lead": (SegmentClass.LEAD,),
}


def occupancy(profile: str, policies: Sequence[str] = (BASELINE, LACHESIS, OURS, BOUND)) -> pd.DataFrame:
    """What HBM holds over the run, and how much KV lies in flash, mixed regime.

    Returns
    -------
    pandas.DataFrame
        ``policy, time_s``, ``hbm_share`` (of its capacity), of it ``reasoning, sub_agents, surviving, lead``
        by class of the segments, and ``flash_gb``.
    """
    cell = next(cell for cell in reference_cells(profile, seeds=[0]) if cell.regime == "mixed")
    prepared = Prepared(cell)
    prepared.count_all()
    samples = load_defaults(profile).flash_study.occupancy_samples
    frames = []
    for name in policies:
        placed = prepared.run(prepared.build(name), samples=samples)
        shares = placed.hbm_by_class / prepared.config.hbm_blocks
        held = {holder: shares[:, list(kinds)].sum(axis=1) for holder, kinds in _HOLDERS.items()}
        rows = {"policy": name, "time_s": placed.sample_ns / 1e9, "hbm_share": shares.sum(axis=1), **held}
        rows["flash_gb"] = placed.flash_used * prepared.config.block_bytes / 1e9
        frames.append(pd.DataFrame(rows))
    return pd.concat(frames, ignore_index=True)
