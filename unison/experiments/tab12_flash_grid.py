"""Device-years and improvement for each regime, model, memory configuration and service level."""

from __future__ import annotations

import pandas as pd

from unison.config import load_defaults
from unison.experiments.flash_cells import (
    DETERMINISTIC,
    KEYS,
    LACHESIS,
    MAIN,
    Cell,
    run_cells,
)
from unison.flash.load import configs
from unison.flash.plans import MULTI_AGENT, REGIMES, Variant

SMOKE_CONFIGS = ("hbm2", "chain")


def grid_cells(profile: str) -> list[Cell]:
    """The cells of the grid; of the smoke profile one model, one service level and two configurations."""
    defaults = load_defaults(profile)
    is_small = profile == "smoke"
    models = defaults.flash_node.models[:1] if is_small else defaults.flash_node.models
    slos = defaults.flash_load.slos[:1] if is_small else defaults.flash_load.slos
    return [
        Cell(regime, model, config.name, slo, profile=profile)
        for regime in REGIMES
        for model in models
        for config in configs(model)
        if not is_small or config.name in SMOKE_CONFIGS
        for slo in slos
    ]


def flash_grid(profile: str, *, jobs: int = 2) -> pd.DataFrame:
    """A row for each cell and policy of `MAIN`; columns as `unison.experiments.flash_cells.run_cell`."""
    return run_cells(grid_cells(profile), MAIN, jobs=jobs)


def path_split(grid: pd.DataFrame, profile: str, *, jobs: int = 2) -> pd.DataFrame:
    """What each path of Lachesis adds, with a reviewer and without.

    Parameters
    ----------
    grid : pandas.DataFrame
        Of `flash_grid`; its cells of several agents, at the tighter service level, have reviewers.
    profile : str
    jobs : int

    Returns
    -------
    pandas.DataFrame
        ``regime, model, config, slo, seed, has_reviewer``, ``deterministic`` and ``both``, the improvements
        over HBM-first, and ``predictive``, their ratio.
    """
    slo = load_defaults(profile).flash_load.slos[0]
    at = grid[grid["regime"].isin(MULTI_AGENT) & (grid["slo"] == slo)]
    variant = Variant(has_reviewer=False)
    cells = [
        Cell(str(r["regime"]), str(r["model"]), str(r["config"]), slo, variant=variant, profile=profile)
        for _, r in at.drop_duplicates(KEYS).iterrows()
    ]
    without = run_cells(cells, (DETERMINISTIC, LACHESIS), jobs=jobs)
    both = pd.concat([at.assign(has_reviewer=True), without.assign(has_reviewer=False)], ignore_index=True)
    wide = both.pivot_table(
        index=[*KEYS, "has_reviewer"], columns="policy", values="improvement", sort=False
    ).reset_index()
    wide = wide.rename(columns={DETERMINISTIC: "deterministic", LACHESIS: "both"})
    wide["predictive"] = wide["both"] / wide["deterministic"]
    return wide[[*KEYS, "has_reviewer", "deterministic", "both", "predictive"]]


def path_ranges(path: pd.DataFrame) -> pd.DataFrame:
    """What each path adds by regime, with a reviewer and without: ranges over configurations and models."""
    groups = path.groupby(["regime", "has_reviewer"], sort=False)
    return groups.agg(
        deterministic_least=("deterministic", "min"),
        deterministic_most=("deterministic", "max"),
        predictive_least=("predictive", "min"),
        predictive_most=("predictive", "max"),
    ).reset_index()


def grid_summary(grid: pd.DataFrame) -> pd.DataFrame:
    """Improvement and device-years by regime, level and policy: ranges over configurations and models."""
    rows = grid[grid["policy"] != DETERMINISTIC]
    groups = rows.groupby(["regime", "slo", "policy"], sort=False)
    table = groups.agg(
        improvement_least=("improvement", "min"),
        improvement_most=("improvement", "max"),
        kept_ratio_least=("kept_ratio", "min"),
        kept_ratio_most=("kept_ratio", "max"),
        years_least=("device_years", "min"),
        years_most=("device_years", "max"),
        cells=("device_years", "size"),
        pass_warranty=("meets_warranty", "sum"),
    )
    return table.reset_index()
