"""The fit test of Lachesis: what it books for a worker decides who is let in, and how much of HBM is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unison.config import load_defaults
from unison.experiments.flash_cells import Cell, Prepared
from unison.experiments.tab12_flash_policies import reference_cells
from unison.flash.policies import Setting
from unison.flash.policies.lachesis import Lachesis
from unison.flash.policies.simple import HbmFirst
from unison.flash.predictors import fit_predictor, fit_quantile
from unison.flash.replay import Placed
from unison.flash.segments import SegmentClass, Timeline

NO_TEST, MEAN_PEAK, BASELINE_TEST = (
    "nothing: every worker is let in",
    "mean peak of the class",
    "– (HBM-first)",
)


def flash_fit(profile: str, *, jobs: int = 2) -> pd.DataFrame:
    """Lachesis with other bookings in its fit test, every regime with sub-agents, means over seeds.

    Returns
    -------
    pandas.DataFrame
        ``regime, fit`` (what is booked for a worker), ``quantile`` (missing where none is), ``booked_blocks``
        (mean over workers), ``let_in`` (share of workers that passed), ``hbm_used`` (mean share over time),
        ``flash_share``, ``improvement`` over HBM-first and ``beats_baseline`` in how many of ``seeds``.
    """
    cells = [cell for cell in reference_cells(profile) if cell.regime != "temporal"]
    parts = joblib.Parallel(n_jobs=jobs)(joblib.delayed(_rows)(cell, profile) for cell in cells)
    rows = pd.DataFrame([row for found in parts for row in found])
    rows["beats_baseline"] = rows["improvement"] > 1
    groups = rows.groupby(["regime", "fit", "quantile"], sort=False, dropna=False)
    return groups.agg(
        booked_blocks=("booked_blocks", "mean"),
        let_in=("let_in", "mean"),
        hbm_used=("hbm_used", "mean"),
        flash_share=("flash_share", "mean"),
        improvement=("improvement", "mean"),
        beats_baseline=("beats_baseline", "sum"),
        seeds=("seed", "size"),
    ).reset_index()


def _rows(cell: Cell, profile: str) -> list[dict[str, Any]]:
    prepared = Prepared(cell)
    baseline = HbmFirst(prepared.setting)
    study = load_defaults(profile).flash_study
    first = prepared.run(baseline, samples=study.occupancy_samples)
    rows = [_row(prepared, BASELINE_TEST, first, first)]
    for name, quantile, policy in _tests(prepared.setting, study.fit_quantiles):
        placed = prepared.run(policy, samples=study.occupancy_samples)
        rows.append(_row(prepared, name, placed, first) | {"quantile": quantile} | _booked(prepared, policy))
    return [{"regime": cell.regime, "seed": cell.seed} | row for row in rows]


def _tests(setting: Setting, quantiles: Sequence[float]) -> Iterator[tuple[str, float, Lachesis]]:
    """Every fit test: its name, its quantile if it has one, and the policy."""
    lives = fit_predictor("ridge", setting.history).predict_segments(setting.timeline)
    yield NO_TEST, np.nan, Lachesis(setting)
    yield MEAN_PEAK, np.nan, Lachesis(setting, lives)
    for quantile in quantiles:
        late, peak = _newsvendor(setting, quantile)
        yield f"{quantile:g} quantile of its peak", quantile, Lachesis(setting, late, booked=peak)


def _row(prepared: Prepared, name: str, placed: Placed, baseline: Placed) -> dict[str, Any]:
    used = placed.hbm_used[placed.sample_ns > prepared.warm_ns]
    return {
        "fit": name,
        "quantile": np.nan,
        "booked_blocks": np.nan,
        "let_in": np.nan,
        "hbm_used": float(used.mean() / prepared.config.hbm_blocks),
        "flash_share": placed.flash_share,
        "improvement": prepared.measured(placed, baseline)["improvement"],
    }


def _booked(prepared: Prepared, policy: Lachesis) -> dict[str, float]:
    """What a policy that was run books for a worker on average, and the share of workers that it let in."""
    workers = prepared.setting.timeline.seg_class == SegmentClass.WORKER
    if not policy.is_predictive:
        return {}
    return {
        "booked_blocks": float(policy.booked[workers].mean()),
        "let_in": policy.let_in / max(int(workers.sum()), 1),
    }


def _newsvendor(setting: Setting, quantile: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Predicted quantiles of the lives [s] and the peaks [blocks] of the sub-agents of a run."""
    history = setting.history
    lives = (history.free_ns - history.spawn_ns) / 1e9
    by_life = fit_quantile(quantile, history, lives).predict_segments(setting.timeline)
    peaks = fit_quantile(quantile, history, peak_blocks(history, setting.block_tokens))
    return by_life, peaks.predict_segments(setting.timeline)


def peak_blocks(timeline: Timeline, block_tokens: int) -> NDArray[np.float64]:
    """Blocks of each segment at its end [blocks, segments]."""
    tokens = np.bincount(timeline.segment, weights=timeline.tokens, minlength=timeline.n_segments)
    return np.ceil(tokens / block_tokens)
