"""How well spawn records predict lives, and what that is worth in bytes written to flash."""

from __future__ import annotations

from typing import Any

import joblib
import numpy as np
import pandas as pd

from unison.config import load_defaults
from unison.experiments.flash_cells import LACHESIS, Cell, Prepared
from unison.flash.plans import MULTI_AGENT, Variant
from unison.flash.policies.lachesis import Lachesis
from unison.flash.predictors import PREDICTORS, fit_predictor, order_quality
from unison.flash.segments import SegmentClass

TRUE_ORDER = "true_order"
"""The predictor that knows the future."""


def flash_predictors(profile: str, *, jobs: int = 2) -> pd.DataFrame:
    """Each predictor under Lachesis, for spawn records that tell more and more.

    Returns
    -------
    pandas.DataFrame
        ``regime, record_share, predictor``, ``tau_b`` and ``pairwise`` over workers, ``flash_share``, and
        ``regret``: flash blocks over those with the true order, less one.
    """
    defaults = load_defaults(profile)
    cells = [
        Cell(
            regime,
            defaults.flash_node.models[0],
            defaults.flash_study.reference_config,
            defaults.flash_load.slos[0],
            variant=Variant(record_share=share),
            profile=profile,
        )
        for regime in MULTI_AGENT
        for share in defaults.flash_study.record_share
    ]
    parts = joblib.Parallel(n_jobs=jobs)(joblib.delayed(_rows)(cell) for cell in cells)
    return pd.DataFrame([row for rows in parts for row in rows])


def _rows(cell: Cell) -> list[dict[str, Any]]:
    prepared = Prepared(cell)
    run, history = prepared.setting.timeline, prepared.setting.history
    true = (run.free_ns - run.spawn_ns).astype(np.float64)
    workers = run.seg_class == SegmentClass.WORKER
    predicted = {name: fit_predictor(name, history).predict_segments(run) for name in PREDICTORS}
    rows = []
    least = 0
    for name, lives in {TRUE_ORDER: true, **predicted}.items():
        flash = prepared.run(Lachesis(prepared.setting, lives)).books
        least = flash.flash if name == TRUE_ORDER else least
        quality = order_quality(lives[workers], true[workers])
        rows.append(
            {
                "regime": cell.regime,
                "record_share": cell.variant.record_share,
                "predictor": name,
                "policy": LACHESIS,
                "tau_b": quality.tau_b,
                "pairwise": quality.pairwise,
                "flash_share": flash.flash / flash.written,
                "regret": flash.flash / least - 1,
            }
        )
    return rows
