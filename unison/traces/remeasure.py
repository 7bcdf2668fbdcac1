"""The calibration numbers that rest on public traces, measured again from the traces' tables."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from unison.errors import UnisonError
from unison.traces.calibration import Calibration

Measured = int | float | tuple[int, ...]

_US_PER_S = 1_000_000
_PERMILLE = 1000
_RARE_TURNS = 100
_OTHER = "bash:other"
_SUB_AGENT = "sub:"
_USER = "user"
_TOOLS_OF_KIND = {
    "web": ("WebSearch", "WebFetch"),
    "read": ("Read",),
    "exec": ("Bash",),
    "research": ("Task", "TaskOutput"),
}
_Quantiles = Callable[[ArrayLike], tuple[int, ...]]


def remeasure(traces: Path, levels: tuple[int, ...]) -> dict[str, Measured]:
    """Calibration numbers by dotted name, measured from four public traces.

    Parameters
    ----------
    traces : pathlib.Path
        Folder with ``swebench_mini_gemini3pro``, ``claude_code_spotter``, ``claude_code_weka_half`` and
        ``taubench_airline_gpt4o_notime`` as Parquet in the common table (one row a turn, times in seconds).
    levels : tuple of int
        Levels of the quantile functions [permille].

    Returns
    -------
    dict of str to int, float or tuple of int

    Raises
    ------
    UnisonError
        If a table is missing, or has no sub-agent where it should.

    Notes
    -----
    Quantiles interpolate linearly between order statistics and are rounded to integers.
    """

    def quantiles(values: ArrayLike) -> tuple[int, ...]:
        at = np.quantile(np.asarray(values, dtype=np.float64), np.asarray(levels) / _PERMILLE)
        return tuple(int(v) for v in np.rint(at))

    coding = _table(traces, "claude_code_weka_half")
    return {
        **_swe(_table(traces, "swebench_mini_gemini3pro"), quantiles),
        **_gaps(_table(traces, "claude_code_spotter"), quantiles),
        **_sessions(coding, quantiles),
        **_workers(coding[coding["agent_role"].astype(str).str.startswith(_SUB_AGENT)], quantiles),
        **_single_agents(_table(traces, "taubench_airline_gpt4o_notime"), quantiles),
    }


def differences(traces: Path, calibration: Calibration) -> tuple[int, list[str]]:
    """How many calibration numbers were measured again, and a sentence for each that differs.

    Parameters
    ----------
    traces : pathlib.Path
        See `remeasure`.
    calibration : Calibration
        What they are compared with, exactly.

    Returns
    -------
    int, list of str
    """
    found = remeasure(traces, calibration.integers("common.levels"))
    return len(found), [
        f"{name}: measured {value}, data/calibration has {calibration[name].value}"
        for name, value in found.items()
        if calibration[name].value != value
    ]


def _table(traces: Path, name: str) -> pd.DataFrame:
    path = traces / f"{name}.parquet"
    if not path.is_file():
        raise UnisonError(f"{path}: no such file; data/README.md says which traces the calibration rests on")
    table = pd.read_parquet(path)
    before = table.groupby("session_id")[["prompt_tokens", "output_tokens"]].shift()
    return table.assign(prompt_before=before["prompt_tokens"], output_before=before["output_tokens"])


def _swe(table: pd.DataFrame, quantiles: _Quantiles) -> dict[str, Measured]:
    later = table[table["turn"] > 0]
    grew = later[later["prompt_tokens"] >= later["prompt_before"]]
    result = grew["prompt_tokens"] - grew["prompt_before"] - grew["output_before"]
    rank = table["service_s"].rank().corr(table["output_tokens"].rank())
    return {
        "swe.turns": quantiles(table.groupby("session_id").size()),
        "swe.first_prompt_tokens": quantiles(table.loc[table["turn"] == 0, "prompt_tokens"]),
        "swe.output_tokens": quantiles(table["output_tokens"]),
        "swe.result_tokens": quantiles(result.clip(lower=0)),
        "swe.service_us": quantiles(table["service_s"] * _US_PER_S),
        "swe.service_output_rank_correlation": round(float(rank), 3),
        **{f"swe.tools.{name}.share": turns for name, turns in _tool_turns(later["tool"]).items()},
    }


def _tool_turns(tool: pd.Series) -> dict[str, int]:
    """Turns by tool; those of fewer than 100 turns, and turns without one, are in ``bash:other``."""
    counts = tool.value_counts()
    counts = counts.rename(lambda name: _OTHER if name == "" or counts[name] < _RARE_TURNS else name)
    return {str(name): int(turns) for name, turns in counts.groupby(level=0).sum().items()}


def _gaps(table: pd.DataFrame, quantiles: _Quantiles) -> dict[str, Measured]:
    timed = table[(table["turn"] > 0) & table["gap_s"].notna()]
    return {
        f"gaps.{kind}": quantiles(timed.loc[timed["tool"].isin(names), "gap_s"] * _US_PER_S)
        for kind, names in _TOOLS_OF_KIND.items()
    }


def _sessions(table: pd.DataFrame, quantiles: _Quantiles) -> dict[str, Measured]:
    later = table[(table["agent_role"] == "main") & (table["turn"] > 0)]
    shrunk = later[later["prompt_tokens"] < later["prompt_before"]]
    waits = later[later["gap_s"].notna() & (later["tool"] == "tool_result")]
    log_gap = np.log(waits["gap_s"].clip(lower=1 / _PERMILLE))
    return {
        "common.shrink.share": round(len(shrunk) / len(later), 5),
        "common.shrink.prompt_permille": quantiles(
            shrunk["prompt_tokens"] / shrunk["prompt_before"] * _PERMILLE
        ),
        "common.shrink.new_permille": quantiles(
            shrunk["new_prompt_tokens"] / shrunk["prompt_tokens"] * _PERMILLE
        ),
        "gaia.session_share": round(_between_share(log_gap, waits["session_id"]), 3),
    }


def _workers(table: pd.DataFrame, quantiles: _Quantiles) -> dict[str, Measured]:
    """Sub-agents, each a session of its own, for the segments of flash placement."""
    if table.empty:
        raise UnisonError("claude_code_weka_half: no sub-agent in it; give the whole table, roles included")
    later = table[table["turn"] > 0]
    sessions = table.groupby("session_id")
    life_s = later.groupby("session_id")["gap_s"].sum() + sessions["service_s"].sum()
    result = later["prompt_tokens"] - later["prompt_before"] - later["output_before"]
    return {
        "flash.worker.turns": quantiles(sessions.size()),
        "flash.worker.first_prompt_tokens": quantiles(table.loc[table["turn"] == 0, "prompt_tokens"]),
        "flash.worker.result_tokens": quantiles(result),
        "flash.worker.output_tokens": quantiles(table["output_tokens"]),
        "flash.worker.returned_tokens": quantiles(sessions["output_tokens"].last()),
        "flash.worker.gap_us": quantiles(later["gap_s"] * _US_PER_S),
        "flash.worker.record_share": round(_explained(np.log(life_s), sessions["agent_role"].first()), 2),
    }


def _single_agents(table: pd.DataFrame, quantiles: _Quantiles) -> dict[str, Measured]:
    """Agents with a user, for the segments of flash placement; the first message has no tool before it."""
    said = table[(table["turn"] == 0) | (table["tool"] == _USER)]
    return {
        "flash.temporal.user_turns": quantiles(said.groupby("session_id").size()),
        "flash.temporal.first_prompt_tokens": quantiles(table.loc[table["turn"] == 0, "prompt_tokens"]),
        "flash.temporal.result_tokens": quantiles(table.loc[table["turn"] > 0, "new_prompt_tokens"]),
        "flash.temporal.output_tokens": quantiles(table["output_tokens"]),
    }


def _explained(values: pd.Series, group: pd.Series) -> float:
    """Share of the variance that the means of the groups explain."""
    means = values.groupby(group).transform("mean")
    return 1 - float(((values - means) ** 2).sum()) / float(((values - values.mean()) ** 2).sum())


def _between_share(values: pd.Series, group: pd.Series) -> float:
    """Between-group share of the variance: components of a one-way analysis of variance, unequal sizes."""
    groups = values.groupby(group)
    sizes, means = groups.size(), groups.mean()
    total, count = int(sizes.sum()), len(sizes)
    within = float(((values - groups.transform("mean")) ** 2).sum()) / (total - count)
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (count - 1)
    mean_size = (total - float((sizes**2).sum()) / total) / (count - 1)
    component = max(0.0, (between - within) / mean_size)
    return component / (component + within)
