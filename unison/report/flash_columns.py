"""Names in the tables of flash placement: keys in the CSV file, titles for the reader."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from unison.experiments.flash_cells import BOUND, LACHESIS, OURS
from unison.experiments.tab12_flash_inputs import STATISTIC_TITLES
from unison.experiments.tab12_flash_predictors import TRUE_ORDER
from unison.flash.plans import REGIME_ABOUT, REGIME_TITLES
from unison.flash.policies import Knows, all_placements, get_placement
from unison.flash.predictors import PREDICTOR_TITLES
from unison.report.tables import Column


@dataclass(frozen=True)
class TitledColumn(Column):
    """A column of keys that is read as titles.

    Attributes
    ----------
    titles : mapping of str to str
        Title of each key; a key without one is shown as it is.
    """

    titles: Mapping[str, str] = field(default_factory=dict)

    def cell(self, value: Any) -> str:
        """The title of a key."""
        return super().cell(self.titles.get(str(value), value))


def placement_title(policy: str) -> str:
    """A placement as figures, tables and sentences call it.

    Raises
    ------
    UnisonError
        If there is no such placement.
    """
    return get_placement(policy).title


def regime_title(regime: str) -> str:
    """A regime as figures, tables and sentences call it; an imported corpus keeps its name."""
    return REGIME_TITLES.get(regime, regime)


def predictor_title(predictor: str) -> str:
    """A predictor as figures, tables and sentences call it."""
    return {TRUE_ORDER: "true order", **PREDICTOR_TITLES}[predictor]


def placement_column(name: str = "policy") -> TitledColumn:
    """The placement by its title."""
    return TitledColumn(name, "Placement", titles={e.name: e.title for e in all_placements()})


def regime_column(name: str = "regime") -> TitledColumn:
    """The regime by its title."""
    return TitledColumn(name, "Regime", titles=REGIME_TITLES)


def predictor_column(name: str = "predictor") -> TitledColumn:
    """The predictor by its title."""
    titles = {key: predictor_title(key) for key in (TRUE_ORDER, *PREDICTOR_TITLES)}
    return TitledColumn(name, "Predictor", titles=titles)


def regimes_in(frame: pd.DataFrame) -> list[str]:
    """Titles of the regimes that a frame holds, for its caption."""
    return [regime_title(str(regime)) for regime in dict.fromkeys(frame["regime"])]


def placements_listed() -> pd.DataFrame:
    """Every placement: ``name, title, knows, migrates, rule, citation``."""
    rows = [
        {
            "name": f"`{entry.name}`",
            "title": entry.title,
            "knows": str(entry.knows),
            "migrates": entry.migrates,
            "rule": entry.rule,
            "citation": entry.citation,
        }
        for entry in all_placements()
    ]
    return pd.DataFrame(rows)


def knows_listed() -> pd.DataFrame:
    """What each value of ``knows`` stands for: ``knows, about``."""
    return pd.DataFrame([{"knows": str(knows), "about": knows.about} for knows in Knows])


def regimes_listed() -> pd.DataFrame:
    """Every regime: ``name, title, about``."""
    rows = [
        {"name": f"`{name}`", "title": title, "about": REGIME_ABOUT[name]}
        for name, title in REGIME_TITLES.items()
    ]
    return pd.DataFrame(rows)


def across(frame: pd.DataFrame, keys: list[str], by: str, value: str) -> tuple[pd.DataFrame, list[str]]:
    """A long frame with a column for each placement or regime, named by its title, for a table on a page.

    Parameters
    ----------
    frame : pandas.DataFrame
    keys : list of str
        Columns that name a row.
    by : str
        ``policy`` or ``regime``: what the new columns stand for.
    value : str
        What they hold.

    Returns
    -------
    pandas.DataFrame, list of str
        Rows and columns in the order of the frame, and the new columns.
    """
    titled = placement_title if by == "policy" else regime_title
    wide = frame.pivot_table(index=keys, columns=by, values=value, sort=False)
    names = [titled(str(key)) for key in wide.columns]
    return wide.set_axis(names, axis=1).reset_index(), names


def constant_column(name: str = "constant") -> TitledColumn:
    """The constant of the device by what it is called in words."""
    return TitledColumn(name, "Constant", titles=_CONSTANT_TITLES)


_CONSTANT_TITLES = {
    "cycles": "Cycles that a cell lasts",
    "write_amplification": "Write amplification",
    "stack_bytes": "Capacity of a stack [bytes]",
}
_FACT_TITLES = {
    "volume_difference": "KV written, largest difference between placements of a cell",
    "identity_difference": "Ratio of lives over ratio of flash writes, largest difference from 1",
    "lachesis_moved_share": "KV that Lachesis moves",
    "engine_calls": "Calls of the engine's interface",
    "days_at_full_rate": "Life of a stack written at full rate",
    "budget_per_stack": "Rate at which a stack lasts the warranty",
}
_MEMORY = (Column("model", "Model"), Column("config", "Memory"), Column("slo", "Level"))

COLUMNS: dict[str, tuple[Column, ...]] = {
    "placements": (
        Column("title", "Placement"),
        Column("name", "Key"),
        Column("knows", "Knows"),
        Column("migrates", "Moves"),
        Column("rule", "What it does"),
        Column("citation", "Source"),
    ),
    "knows": (Column("knows", "Knows"), Column("about", "What it may use")),
    "regimes": (Column("title", "Regime"), Column("name", "Key"), Column("about", "Who is at work")),
    "inputs": (
        TitledColumn("statistic", "Statistic", titles=STATISTIC_TITLES),
        regime_column(),
        Column("slo", "Level"),
        Column("value", "Measured", is_mixed=True),
        Column("published_least", "Published, least", is_mixed=True),
        Column("published_most", "most", is_mixed=True),
        Column("is_inside", "Inside"),
        Column("source", "Source of the published band"),
    ),
    "loads": (
        regime_column(),
        *_MEMORY,
        Column("sessions_per_h", "Sessions", "1/h", 1),
        Column("tpot_ms", "Mean TPOT", "ms", 1),
        Column("written_gb_per_s", "KV written", "GB/s"),
        Column("live_gb", "KV live", "GB", 0),
        Column("hbm_over_live", "HBM / live", "%", 0),
    ),
    "loads_ranges": (
        regime_column(),
        Column("slo", "Level"),
        Column("sessions_least", "Sessions, least", "1/h", 1),
        Column("sessions_most", "most", "1/h", 1),
        Column("written_least", "KV written, least", "GB/s"),
        Column("written_most", "most", "GB/s"),
        Column("hbm_least", "HBM / live KV, least", "%", 0),
        Column("hbm_most", "most", "%", 0),
    ),
    "grid": (
        regime_column(),
        *_MEMORY,
        placement_column(),
        Column("flash_share", "To flash", "%", 1),
        Column("improvement", "Improvement"),
        Column("kept_ratio", "HBM-written ratio"),
        Column("device_years", "Device-years", decimals=1),
        Column("meets_warranty", "5 years"),
    ),
    "summary": (
        regime_column(),
        Column("slo", "Level"),
        placement_column(),
        Column("improvement_least", "Improvement, least"),
        Column("improvement_most", "most"),
        Column("kept_ratio_least", "HBM-written ratio, least"),
        Column("kept_ratio_most", "most"),
        Column("years_least", "Device-years, least", decimals=1),
        Column("years_most", "most", decimals=1),
        Column("pass_warranty", "Cells of 5 years"),
        Column("cells", "of"),
    ),
    "path": (
        regime_column(),
        *_MEMORY,
        Column("has_reviewer", "Reviewer"),
        Column("deterministic", "Deterministic path"),
        Column("both", "With prediction"),
        Column("predictive", "Ratio"),
    ),
    "path_ranges": (
        regime_column(),
        Column("has_reviewer", "Reviewer"),
        Column("deterministic_least", "Deterministic path, least"),
        Column("deterministic_most", "most"),
        Column("predictive_least", "Prediction on top, least"),
        Column("predictive_most", "most"),
    ),
    "policies": (
        regime_column(),
        placement_column(),
        Column("knows", "Knows"),
        Column("migrates", "Moves"),
        Column("flash_share", "To flash", "%", 1),
        Column("moved_share", "of it moved", "%", 1),
        Column("spilled_share", "Spilled", "%", 1),
        Column("improvement", "Improvement"),
        Column("device_years", "Device-years", decimals=1),
        Column("closes", "Closes", "%", 0),
        Column("closes_least", "least seed", "%", 0),
        Column("closes_most", "most", "%", 0),
    ),
    "bound": (
        regime_column(),
        Column("writes", "Writes"),
        Column("written_blocks", "Blocks written"),
        Column("lp_blocks", "Linear programme", is_mixed=True),
        Column("oracle_blocks", placement_title(BOUND)),
        Column("lachesis_blocks", placement_title(LACHESIS)),
        Column("ours_blocks", placement_title(OURS)),
    ),
    "told": (
        Column("told", "Told beyond what it knows"),
        Column("flash_share", "To flash", "%", 1),
        Column("closes", "Closes, mean", "%", 1),
        Column("closes_least", "least seed", "%", 1),
        Column("closes_most", "most", "%", 1),
    ),
    "predictors": (
        regime_column(),
        Column("record_share", "Record tells", "%", 0),
        predictor_column(),
        Column("tau_b", "Kendall tau-b"),
        Column("pairwise", "Pairs in order", "%", 1),
        Column("flash_share", "To flash", "%", 1),
        Column("regret", "Beyond the true order", "%", 1, signed=True),
    ),
    "fit": (
        regime_column(),
        Column("fit", "Booked for a worker"),
        Column("booked_blocks", "Blocks", is_mixed=True),
        Column("let_in", "Workers let in", "%", 0),
        Column("hbm_used", "HBM in use", "%", 1),
        Column("flash_share", "To flash", "%", 1),
        Column("improvement", "Improvement", decimals=3),
        Column("beats_baseline", "Above HBM-first in"),
        Column("seeds", "of seeds"),
    ),
    "guard": (
        regime_column(),
        placement_column(),
        Column("flash_read_share", "KV read from flash", "%", 0),
        Column("kv_flash_gb_per_s", "KV from flash", "GB/s", 0),
        Column("weights_gb_per_s", "weights from flash", "GB/s", 0),
        Column("flash_read_use", "Flash reads in use", "%", 0),
        Column("hbm_read_use", "HBM reads in use", "%", 0),
        Column("flash_write_use", "Flash writes in use", "%", 2),
        Column("high_tpot_ms", "P99 TPOT", "ms", 1),
        Column("limit_ms", "allowed", "ms", 0),
        Column("holds", "Holds"),
    ),
    "corpora": (
        Column("corpus", "Corpus"),
        Column("share", "HBM over live KV", "%", 0),
        placement_column(),
        Column("improvement", "Improvement"),
    ),
    "device": (
        regime_column(),
        constant_column(),
        Column("value", "Value", is_mixed=True),
        placement_column(),
        Column("device_years", "Device-years"),
        Column("improvement", "Improvement"),
    ),
    "delays": (
        regime_column(),
        Column("user_delay_log_sd", "sd of log delay", decimals=1),
        placement_column(),
        Column("flash_share", "To flash", "%", 1),
        Column("improvement", "Improvement"),
    ),
    "lru_k": (
        regime_column(),
        Column("k", "K"),
        Column("flash_share", "To flash", "%", 1),
        Column("improvement", "Improvement"),
    ),
    "facts": (
        TitledColumn("fact", "Fact", titles=_FACT_TITLES),
        Column("value", "Value", is_mixed=True),
        Column("unit", "Unit"),
    ),
    "wear": (
        Column("effect", "Effect"),
        regime_column(),
        placement_column(),
        Column("device_years", "Device-years"),
        Column("improvement", "Improvement"),
    ),
}
"""Columns of the tables of notebook 10 by the end of their stem, or by what a shorter one shows."""
