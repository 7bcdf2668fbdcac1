"""What is read from flash under a placement, whether decoding keeps its pace, and what else wears flash."""

from __future__ import annotations

import dataclasses
from typing import Any

import joblib
import pandas as pd

from unison.config import load_defaults
from unison.experiments.flash_cells import BASELINE, BOUND, LACHESIS, OURS, Cell, Prepared
from unison.experiments.tab12_flash_policies import reference_cells
from unison.flash.corpora import Scenario
from unison.flash.device import SECONDS_PER_DAY, append_amplification, flash_device
from unison.flash.guard import GuardModel
from unison.flash.load import get_config
from unison.flash.reads import ReadTally

GUARDED = (BASELINE, LACHESIS, OURS, BOUND)
NO_EFFECT, BY_KV = "none", "read disturb by KV"
"""Effects: levelled wear of whole pages, and erase blocks written anew because their KV was read often."""

_GB = 1e9
_KIB = 1024
_MS_PER_S = 1000


def flash_guard(profile: str, *, jobs: int = 2) -> pd.DataFrame:
    """Reads and pace of each regime on the reference GPU at the load of the tight level.

    Returns
    -------
    pandas.DataFrame
        ``regime, model, config, slo, seed, policy``; ``flash_read_share`` of the KV that decoding reads;
        ``weights_gb_per_s``, ``kv_flash_gb_per_s`` and ``kv_hbm_gb_per_s`` read; ``flash_read_use``,
        ``hbm_read_use`` and ``flash_write_use`` of the bandwidths; ``high_tpot_ms`` beside ``limit_ms`` and
        whether it ``holds``; ``flash_gb_per_s`` written, of it ``appended_share`` by decoding;
        ``weights_days`` until an erase block of weights that is never swapped is worn by its read disturb.
    """
    cells = reference_cells(profile, seeds=load_defaults(profile).flash_study.seeds[:1])
    parts = joblib.Parallel(n_jobs=jobs)(joblib.delayed(_guarded)(cell) for cell in cells)
    return pd.DataFrame([row for rows in parts for row in rows])


def _guarded(cell: Cell) -> list[dict[str, Any]]:
    prepared = Prepared(cell)
    config, constants = prepared.config, load_defaults().flash_device
    scenario = Scenario(cell.regime, config, cell.slo, cell.seed, cell.variant)
    levels = load_defaults().flash_load
    limit_ms = dict(zip(levels.slos, levels.tpot_ms, strict=True))[cell.slo]
    baseline = prepared.run(prepared.build(BASELINE))
    rows = []
    for policy in GUARDED:
        tally = ReadTally(prepared.setting.timeline)
        placed = prepared.run(prepared.build(policy), tally=tally)
        rate = prepared.measured(placed, baseline)["flash_gb_per_s"] * _GB
        guard = GuardModel(scenario.service_model, tally.flash_share).at(scenario.service.sessions_per_s)
        read = guard.weight_bytes_per_s + guard.kv_flash_bytes_per_s
        a_reclaim_s = constants.reclaim_reads / constants.block_pages * guard.tpot_s
        rows.append(
            cell.keys
            | {
                "policy": policy,
                "flash_read_share": tally.flash_share,
                "weights_gb_per_s": guard.weight_bytes_per_s / _GB,
                "kv_flash_gb_per_s": guard.kv_flash_bytes_per_s / _GB,
                "kv_hbm_gb_per_s": guard.kv_hbm_bytes_per_s / _GB,
                "flash_read_use": read / config.read_bytes_per_s,
                "hbm_read_use": guard.kv_hbm_bytes_per_s / config.hbm_bytes_per_s,
                "flash_write_use": rate / (config.flash_stacks * constants.write_bytes_per_s),
                "high_tpot_ms": guard.high_tpot_s * _MS_PER_S,
                "limit_ms": limit_ms,
                "holds": guard.high_tpot_s * _MS_PER_S <= limit_ms,
                "flash_gb_per_s": rate / _GB,
                "appended_share": tally.appended / placed.books.flash,
                "weights_days": constants.cycles * a_reclaim_s / SECONDS_PER_DAY,
            }
        )
    return rows


def wear_effects(guard: pd.DataFrame, profile: str) -> pd.DataFrame:
    """Device-years with one effect at a time that the identity of lives leaves out.

    Parameters
    ----------
    guard : pandas.DataFrame
        Of `flash_guard`.
    profile : str

    Returns
    -------
    pandas.DataFrame
        ``effect, regime, policy, device_years``, and ``improvement`` over HBM-first under the same effect.
        Partial pages: decoding appends K and V of each layer apart, token by token, to flash; prefills and
        moves write whole pages. Read disturb: reclaimed blocks wear all of the flash evenly.
    """
    rows = [
        {"effect": effect, "regime": row["regime"], "policy": row["policy"], "device_years": years}
        for _, row in guard.iterrows()
        for effect, years in _years(row, profile).items()
    ]
    table = pd.DataFrame(rows)
    order = {effect: place for place, effect in enumerate(dict.fromkeys(table["effect"]))}
    table = table.sort_values("effect", key=lambda names: names.map(order), kind="stable", ignore_index=True)
    base = table[table["policy"] == BASELINE].set_index(["effect", "regime"])["device_years"]
    keys = pd.MultiIndex.from_frame(table[["effect", "regime"]])
    return table.assign(improvement=table["device_years"] / base.loc[keys].to_numpy())


def _years(row: pd.Series, profile: str) -> dict[str, float]:
    """Device-years of one placement by effect."""
    study = load_defaults(profile).flash_study
    config = get_config(str(row["config"]), str(row["model"]))
    device = flash_device(config.flash_stacks, config.weight_bytes)
    written, kv, weights = (
        float(row[name]) * _GB for name in ("flash_gb_per_s", "kv_flash_gb_per_s", "weights_gb_per_s")
    )
    worst = dataclasses.replace(device.constants, wear_concentration=study.wear_concentration)
    years = {
        NO_EFFECT: device.years(written),
        f"wear concentrated {study.wear_concentration:g} times": dataclasses.replace(
            device, constants=worst
        ).years(written),
    }
    token_bytes = config.card.kv_bytes_per_token // (2 * config.card.attention.layers)
    for page in study.page_bytes:
        more = float(row["appended_share"]) * (append_amplification(token_bytes, page) - 1)
        years[f"partial pages of {page // _KIB} KiB"] = device.years(written, append_amplification=1 + more)
    for name, read in ((BY_KV, kv), (f"{BY_KV} and weights", kv + weights)):
        years[name] = device.years(written, reclaim_bytes_per_s=device.reclaim_bytes_per_s(read))
    return years
