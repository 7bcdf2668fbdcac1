"""Options: what each choice of the replay, of the signals and of Tide is worth, one changed at a time."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pandas as pd

from unison.config import AblationDefaults, load_defaults
from unison.experiments.contenders import BASELINE, UNISON
from unison.experiments.gap_sources import GAP_SOURCES
from unison.experiments.sweep import AT, Variant, beside_label, counted, over_points, over_seeds, sweep
from unison.experiments.tab02_policies import geometric_mean
from unison.replay.tiering import UNLIMITED_SWAPS, Placement, Tiering
from unison.signals import EMA_INITS
from unison.traces.corpus import Corpus

DEFAULT = "default"
TIDE = Tiering(tide=True)

CONTENDERS = {
    BASELINE: Variant(BASELINE, "lru"),
    "lru_completion": Variant("lru_completion", "lru_completion"),
    "agserve_eta": Variant("agserve_eta", "agserve_eta"),
    UNISON: Variant(UNISON, "spear", TIDE),
}
"""Who gets an option that every policy can have, so that no one gains by it alone."""

COMPARED = ["label", "axis", "value"]

MOVES = {"wins": "better", "ties": "same", "losses": "worse"}
"""What an option does to its own contender, by the verdict on the change."""


def shared_options() -> list[Variant]:
    """Options of the replay itself, each given to every contender."""
    changes: list[tuple[str, str, dict[str, bool | Placement]]] = [
        ("placement", "hbm first", {"placement": Placement.HBM_FIRST}),
        ("placement", "sram evict", {"placement": Placement.SRAM_EVICT}),
        ("admission", "on", {"admission": True}),
        ("partial eviction", "on", {"partial": True}),
        ("partial eviction and admission", "on", {"partial": True, "admission": True}),
    ]
    found = list(CONTENDERS.values())
    for axis, value, change in changes:
        for variant in CONTENDERS.values():
            tiering = dataclasses.replace(variant.tiering, **change)  # type: ignore[arg-type]
            found.append(dataclasses.replace(variant, tiering=tiering, axis=axis, value=value))
    return found + [
        dataclasses.replace(variant, axis="completion", value="hidden", hide_completion=True)
        for variant in CONTENDERS.values()
    ]


def own_options(axes: AblationDefaults) -> list[Variant]:
    """Options of Spear and Tide alone; the default of each is UNISON's."""
    base = CONTENDERS[UNISON]
    found = [base]

    def add(axis: str, value: str, **change: object) -> None:
        found.append(dataclasses.replace(base, axis=axis, value=value, **change))  # type: ignore[arg-type]

    for start in EMA_INITS[1:]:
        add("EMA start", start, ema_init=start)
    add("survival", "cumulative", survival="cumulative")
    for source in list(GAP_SOURCES)[1:]:
        add("Tide's gap", source, gap_source=source)
    add("Tide's guard", "off", tiering=dataclasses.replace(TIDE, guard=False))
    for swaps in (*axes.max_swaps[1:], UNLIMITED_SWAPS):
        shown = "unlimited" if swaps == UNLIMITED_SWAPS else str(swaps)
        add("swaps a gap", shown, tiering=dataclasses.replace(TIDE, max_swaps=swaps))
    return found


def tab06_cells(corpora: Sequence[Corpus], axes: AblationDefaults, seeds: Sequence[int]) -> pd.DataFrame:
    """Every option at every point and seed, each beside its own default and beside LRU with the same option.

    Returns
    -------
    pandas.DataFrame
        The columns of `beside_label` against LRU under the same option where LRU has it, else against LRU;
        ``change`` and ``token_change``: hit rate and token hit rate less those of the same contender's
        default; ``amat_change``: AMAT over its default's, less 1.
    """
    cells = sweep(corpora, [*shared_options(), *own_options(axes)[1:]], seeds=seeds)
    at_lru = cells[cells["label"] == BASELINE]
    names = [*AT, "axis", "value"]
    options = pd.MultiIndex.from_frame(at_lru[["axis", "value"]].drop_duplicates())
    is_shared = pd.MultiIndex.from_frame(cells[["axis", "value"]]).isin(options)
    # An option that LRU does not have is compared with LRU as it is.
    own = cells[~is_shared]
    plain = at_lru[at_lru["axis"] == ""]
    alone = beside_label(pd.concat([plain, own]), BASELINE)
    joined = pd.concat([beside_label(cells[is_shared], BASELINE, on=names), alone[alone["axis"] != ""]])
    default = joined[joined["axis"] == ""].set_index(["label", *AT])
    at = pd.MultiIndex.from_frame(joined[["label", *AT]])
    joined["change"] = joined["hit_rate"] - default["hit_rate"].reindex(at).to_numpy()
    joined["token_change"] = joined["token_hit_rate"] - default["token_hit_rate"].reindex(at).to_numpy()
    joined["amat_change"] = joined["amat_ns"] / default["amat_ns"].reindex(at).to_numpy() - 1
    return joined.reset_index(drop=True)


def tab06_options(cells: pd.DataFrame, *, confidence: float) -> pd.DataFrame:
    """Means over the points, a row for each option and contender, the defaults first.

    Returns
    -------
    pandas.DataFrame
        ``label``, ``axis`` (`DEFAULT` for the defaults), ``value``, the columns of `over_points` against LRU
        with the same option, ``change`` and ``token_change`` (means), ``amat_change`` (geometric), and
        ``better``, ``same``, ``worse``: points at which the option moves the contender's hit rate up, not
        beyond the interval, or down.
    """
    rows = over_points(cells, COMPARED, confidence=confidence)
    groups = cells.groupby(COMPARED)
    means = groups[["change", "token_change"]].mean()
    means["amat_change"] = groups["amat_change"].agg(lambda change: geometric_mean(1 + change) - 1)
    counts = counted(cells, cells["change"], COMPARED, confidence=confidence)
    means = means.join(counts.rename(columns=MOVES))
    joined = rows.join(means, on=COMPARED)
    joined["axis"] = joined["axis"].replace("", DEFAULT)
    return joined


def parameter_curves(
    corpora: Sequence[Corpus], axes: AblationDefaults, *, seeds: Sequence[int], confidence: float
) -> pd.DataFrame:
    """UNISON's hit rate against P and against alpha, mean over the envelopes and seeds of each corpus.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``parameter`` (``penalty_s`` or ``alpha``), ``setting``, ``hit_rate``, ``hit_gain``
        (less LRU + completion's), ``is_default``, and ``better``, ``same``, ``worse``: envelopes in which
        the setting moves the hit rate of the default up, not beyond the interval, or down.
    """
    base = CONTENDERS[UNISON]
    moved = [
        dataclasses.replace(base, params=(("penalty_s", p),), axis="penalty_s", value=f"{p:g}")
        for p in axes.penalty_s
    ] + [dataclasses.replace(base, alpha=alpha, axis="alpha", value=f"{alpha:g}") for alpha in axes.alpha]
    metrics = ("hit_rate", "amat_ns")
    cells = sweep(corpora, [CONTENDERS["lru_completion"], base, *moved], seeds=seeds, metrics=metrics)
    joined = beside_label(cells, "lru_completion")
    ours = joined[joined["label"] == UNISON].rename(columns={"axis": "parameter"})
    at_default = ours[ours["parameter"] == ""].set_index(AT)["hit_rate"].rename("default")
    ours = ours[ours["parameter"] != ""].join(at_default, on=AT)
    ours["setting"] = ours["value"].astype(float)
    keys = ["corpus", "parameter", "setting"]
    curves = over_seeds(ours, keys)[[*keys, "hit_rate", "hit_gain"]]
    counts = counted(ours, ours["hit_rate"] - ours["default"], keys, confidence=confidence)
    spear = load_defaults().spear
    defaults = curves["parameter"].map({"penalty_s": spear.penalty_s, "alpha": spear.alpha})
    return curves.assign(is_default=curves["setting"] == defaults).join(counts.rename(columns=MOVES), on=keys)
