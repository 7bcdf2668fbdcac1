"""The corpora of flash placement beside the published spreads: statistics of the input alone."""

from __future__ import annotations

from collections.abc import Callable

import joblib
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unison.config import load_defaults
from unison.experiments.flash_cells import Cell
from unison.experiments.tab12_flash_grid import grid_cells
from unison.experiments.tab12_flash_policies import reference_cells
from unison.flash.corpora import Scenario
from unison.flash.load import get_config
from unison.flash.plans import MULTI_AGENT
from unison.flash.segments import SegmentClass, Timeline
from unison.traces.calibration import default_calibration

_NS_PER_S = 1e9
_GB = 1e9
_LOW, _HIGH = 0.1, 0.9
_PERMILLE = 1000
_BANDS = dict.fromkeys(("reasoning_share_least", "reasoning_share_most"), "temporal.reasoning_permille")

STATISTIC_TITLES = {
    "reasoning_share_least": "Reasoning in a turn's KV, least session",
    "reasoning_share_most": "Reasoning in a turn's KV, most session",
    "output_over_reasoning": "Life of surviving output over reasoning, medians",
    "lead_over_worker": "Life of a lead over a worker, medians",
    "lead_over_reviewer": "Life of a lead over a reviewer, medians",
    "worker_spread": "Lives of workers, 90th over 10th percentile",
    "peak_context_tokens": "Peak context, median [tokens]",
    "context_over_chatbot": "Peak context over a chatbot's",
}
"""What tables call a statistic of the input."""


def flash_inputs(profile: str) -> pd.DataFrame:
    """What the published spreads are about, for each regime that has it and both service levels.

    Returns
    -------
    pandas.DataFrame
        ``statistic, regime, slo, value``, the published band ``published_least`` and ``published_most``,
        ``is_inside``, and ``source``. Lives of agents are of their segments; those of thinking and of
        surviving output are from each write to its end, medians over writes.
    """
    rows = []
    for cell in reference_cells(profile, seeds=[0]):
        for slo in load_defaults(profile).flash_load.slos:
            config = get_config(cell.config, cell.model)
            history = Scenario(cell.regime, config, slo, cell.seed).history()
            for statistic, regimes, measure in _STATISTICS:
                if cell.regime in regimes:
                    value = measure(history)
                    about = {"statistic": statistic, "regime": cell.regime, "slo": slo, "value": value}
                    rows.append(about | _beside(_BANDS.get(statistic, f"published.{statistic}"), value))
    order = list(STATISTIC_TITLES).index
    return pd.DataFrame(rows).sort_values(
        "statistic", key=lambda names: names.map(order), kind="stable", ignore_index=True
    )


def _beside(band: str, value: float) -> dict[str, object]:
    """The published band of that name in data/calibration/flash.toml, and whether a value is inside it."""
    calibration = default_calibration()
    quantity = calibration[f"flash.{band}"]
    scale = 1 if quantity.unit.startswith("tokens") else _PERMILLE
    low, high = (end / scale for end in calibration.integers(f"flash.{band}"))
    return {
        "published_least": low,
        "published_most": high,
        "is_inside": low <= value <= high,
        "source": quantity.source,
    }


def flash_loads(profile: str, *, jobs: int = 2) -> pd.DataFrame:
    """The load that each regime and configuration admits, and how much of it HBM could hold.

    Returns
    -------
    pandas.DataFrame
        ``regime, model, config, slo``, ``sessions_per_h``, ``tpot_ms`` (mean), ``batch``,
        ``written_gb_per_s``, ``live_gb`` (KV alive on average), ``hbm_gb``, and ``hbm_over_live``.
    """
    loads = joblib.Parallel(n_jobs=jobs)(joblib.delayed(_load)(cell) for cell in grid_cells(profile))
    return pd.DataFrame(loads)


def load_ranges(loads: pd.DataFrame) -> pd.DataFrame:
    """The loads by regime and level: ranges over configurations and models."""
    return (
        loads.groupby(["regime", "slo"], sort=False)
        .agg(
            sessions_least=("sessions_per_h", "min"),
            sessions_most=("sessions_per_h", "max"),
            written_least=("written_gb_per_s", "min"),
            written_most=("written_gb_per_s", "max"),
            hbm_least=("hbm_over_live", "min"),
            hbm_most=("hbm_over_live", "max"),
        )
        .reset_index()
    )


def _load(cell: Cell) -> dict[str, object]:
    config = get_config(cell.config, cell.model)
    scenario = Scenario(cell.regime, config, cell.slo, cell.seed)
    service, history = scenario.service, scenario.history()
    sessions = int(history.session.max()) + 1
    token_bytes = config.card.kv_bytes_per_token
    written = scenario.written_bytes_per_s(history)
    held_s = float((history.tokens * (history.life_ns / _NS_PER_S)).sum())
    live = held_s / sessions * token_bytes * service.sessions_per_s
    hbm = config.hbm_blocks * config.block_bytes
    return {
        "regime": cell.regime,
        "model": cell.model,
        "config": cell.config,
        "slo": cell.slo,
        "sessions_per_h": service.sessions_per_s * 3600,
        "tpot_ms": service.tpot_s * 1000,
        "batch": service.batch,
        "written_gb_per_s": written / _GB,
        "live_gb": live / _GB,
        "hbm_gb": hbm / _GB,
        "hbm_over_live": hbm / live,
    }


def _of(history: Timeline, kind: SegmentClass) -> NDArray[np.bool_]:
    mine: NDArray[np.bool_] = history.seg_class == kind
    return mine


def _segment_life(history: Timeline, kind: SegmentClass) -> NDArray[np.float64]:
    mine = _of(history, kind)
    return (history.free_ns - history.spawn_ns)[mine] / _NS_PER_S


def _write_life(history: Timeline, kind: SegmentClass) -> float:
    return float(np.median(history.life_ns[_of(history, kind)[history.segment]]))


def _reasoning_share(quantile: float) -> Callable[[Timeline], float]:
    """Share of a turn's KV that is thinking: a quantile over sessions, their first prompts left out."""

    def measure(history: Timeline) -> float:
        thinks = _of(history, SegmentClass.REASONING)[history.segment]
        single = thinks | _of(history, SegmentClass.SURVIVING)[history.segment]
        counted = single & (history.context > 0)
        session = history.session[history.segment]
        size = int(session.max()) + 1
        tokens = np.bincount(session[counted], weights=history.tokens[counted], minlength=size)
        thought = np.bincount(session[thinks], weights=history.tokens[thinks], minlength=size)
        return float(np.quantile((thought / np.maximum(tokens, 1))[tokens > 0], quantile))

    return measure


def _peak_context(history: Timeline) -> float:
    """Median over agents of the largest context [tokens]."""
    agent = history.agent[history.segment]
    peak = np.zeros(int(agent.max()) + 1, dtype=np.int64)
    np.maximum.at(peak, agent, history.context + history.tokens)
    kinds = history.seg_class != SegmentClass.REVIEWER
    agents = np.unique(history.agent[kinds])
    return float(np.median(peak[agents]))


def _over_chatbot(history: Timeline) -> float:
    """Median peak context over the middle of the published range of a chatbot's."""
    low, high = default_calibration().integers("flash.chatbot.context_tokens")
    return _peak_context(history) / ((low + high) / 2)


def _spread(history: Timeline) -> float:
    low, high = np.quantile(_segment_life(history, SegmentClass.WORKER), (_LOW, _HIGH))
    return float(high / low)


def _lead_over(kind: SegmentClass) -> Callable[[Timeline], float]:
    def measure(history: Timeline) -> float:
        lead, other = _segment_life(history, SegmentClass.LEAD), _segment_life(history, kind)
        return float(np.median(lead) / np.median(other))

    return measure


_SINGLE, _ALL = ("temporal",), ("temporal", *MULTI_AGENT)
_STATISTICS: tuple[tuple[str, tuple[str, ...], Callable[[Timeline], float]], ...] = (
    ("reasoning_share_least", _SINGLE, _reasoning_share(0.0)),
    ("reasoning_share_most", _SINGLE, _reasoning_share(1.0)),
    (
        "output_over_reasoning",
        _SINGLE,
        lambda h: _write_life(h, SegmentClass.SURVIVING) / _write_life(h, SegmentClass.REASONING),
    ),
    ("lead_over_worker", ("structural",), _lead_over(SegmentClass.WORKER)),
    ("lead_over_reviewer", ("structural",), _lead_over(SegmentClass.REVIEWER)),
    ("worker_spread", MULTI_AGENT, _spread),
    ("peak_context_tokens", _ALL, _peak_context),
    ("context_over_chatbot", _ALL, _over_chatbot),
)
