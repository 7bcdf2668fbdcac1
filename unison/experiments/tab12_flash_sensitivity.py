"""What the device's constants and the user's delay do to device-years and improvement; identities checked."""

from __future__ import annotations

import dataclasses
from typing import Any

import joblib
import pandas as pd

from unison.config import load_defaults
from unison.experiments.flash_cells import BASELINE, LACHESIS, OURS, Cell, Prepared, run_cells
from unison.experiments.tab12_flash_policies import reference_cells
from unison.flash.api import Engine
from unison.flash.device import FlashDevice, days_at_full_rate, flash_device
from unison.flash.load import get_config
from unison.flash.plans import Variant
from unison.flash.policies.simple import LruK

_POLICIES = (BASELINE, LACHESIS, OURS)
_GB = 1e9


def device_sensitivity(rows: pd.DataFrame, profile: str) -> pd.DataFrame:
    """Device-years with one constant of the device changed; the improvement cannot change.

    Parameters
    ----------
    rows : pandas.DataFrame
        Of `unison.experiments.tab12_flash_policies.flash_policies`; its first seed is taken.
    profile : str

    Returns
    -------
    pandas.DataFrame
        ``regime, constant, value, policy, device_years, improvement``, the last as a ratio of the years.
    """
    study = load_defaults(profile).flash_study
    first = rows[(rows["seed"] == rows["seed"].min()) & rows["policy"].isin(_POLICIES)]
    found = []
    for constant in ("cycles", "write_amplification", "stack_bytes"):
        for value in getattr(study, constant):
            years = {}
            for _, row in first.iterrows():
                device = _device(row, {constant: value})
                key = str(row["regime"]), str(row["policy"])
                years[key] = device.years(float(row["flash_gb_per_s"]) * _GB)
            found += [
                {
                    "regime": regime,
                    "constant": constant,
                    "value": float(value),
                    "policy": policy,
                    "device_years": life,
                    "improvement": life / years[regime, BASELINE],
                }
                for (regime, policy), life in years.items()
            ]
    return pd.DataFrame(found)


def _device(row: pd.Series, changes: dict[str, Any]) -> FlashDevice:
    config = get_config(str(row["config"]), str(row["model"]))
    constants = dataclasses.replace(load_defaults().flash_device, **changes)
    return FlashDevice(config.flash_stacks, constants, config.weight_bytes)


def delay_sensitivity(profile: str, *, jobs: int = 2) -> pd.DataFrame:
    """Improvement with one agent by spread of the user's delay; columns as `run_cells`, and the spread."""
    cell = next(cell for cell in reference_cells(profile, seeds=[0]) if cell.regime == "temporal")
    frames = []
    for log_sd in load_defaults(profile).flash_study.user_delay_log_sd:
        variant = Variant(user_delay_log_sd=log_sd)
        cells: list[Cell] = [dataclasses.replace(cell, variant=variant)]
        frames.append(run_cells(cells, _POLICIES, jobs=jobs).assign(user_delay_log_sd=log_sd))
    return pd.concat(frames, ignore_index=True)


def lru_k_sensitivity(profile: str, *, jobs: int = 2) -> pd.DataFrame:
    """Improvement of LRU-K by the access K at which a segment is admitted to flash, every regime.

    Returns
    -------
    pandas.DataFrame
        ``regime, k, flash_share, improvement``.
    """
    cells = reference_cells(profile, seeds=load_defaults(profile).flash_study.seeds[:1])
    parts = joblib.Parallel(n_jobs=jobs)(joblib.delayed(_lru_k)(cell) for cell in cells)
    return pd.DataFrame([row for rows in parts for row in rows])


def _lru_k(cell: Cell) -> list[dict[str, Any]]:
    prepared = Prepared(cell)
    baseline = prepared.run(prepared.build(BASELINE))
    rows = []
    for k in load_defaults(cell.profile).flash_policy.lru_k_sweep:
        measured = prepared.measured(prepared.run(LruK(prepared.setting, k)), baseline)
        shown = {name: measured[name] for name in ("flash_share", "improvement")}
        rows.append({"regime": cell.regime, "k": k, **shown})
    return rows


def flash_facts(grid: pd.DataFrame) -> pd.DataFrame:
    """Identities and invariants, measured on the grid, and check values of the device.

    Returns
    -------
    pandas.DataFrame
        ``fact``, ``value``, ``unit``.
    """
    by_cell = ["regime", "model", "config", "slo", "seed"]
    baseline = grid[grid["policy"] == BASELINE].set_index(by_cell)
    joined = grid.join(baseline[["device_years", "written_blocks"]], on=by_cell, rsuffix="_baseline")
    by_years = joined["device_years"] / joined["device_years_baseline"]
    volume = joined["written_blocks"] - joined["written_blocks_baseline"]
    placed = grid[grid["policy"] == LACHESIS]
    stack = flash_device(1)
    calls = [name for name in vars(Engine) if not name.startswith("_")]
    facts = [
        (
            "volume_difference",
            float(volume.abs().max()),
            "blocks",
        ),
        ("identity_difference", float((by_years / joined["improvement"] - 1).abs().max()), "1"),
        ("lachesis_moved_share", float(placed["moved_share"].max()), "1"),
        ("engine_calls", float(len(calls)), "calls"),
        ("days_at_full_rate", days_at_full_rate(stack), "days"),
        ("budget_per_stack", stack.budget_bytes_per_s() / _GB, "GB/s"),
    ]
    return pd.DataFrame(facts, columns=["fact", "value", "unit"])
