"""How long the explorer takes from a moved control to its last picture."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Any

from unison.bench.timing import time_runs
from unison.report.explorer import answer

MOVES: dict[str, Any] = {
    "corpus": None,
    "instant": 30.0,
    "alpha": 0.85,
    "penalty_s": 315.0,
    "log_sd": 1.75,
    "session_share": 0.75,
    "envelope": "x3/4",
    "policy": "lru_completion",
    "other": "spear",
    "window_s": 1000.0,
}
"""The controls in the order in which they are moved, each with its new value; the others stay as they are."""


def time_answers(corpora: Sequence[str]) -> list[dict[str, Any]]:
    """Time the answer to every control of the explorer, one after the other, on each corpus.

    Choosing the corpus synthesizes it if this process has not yet; every other move replays, measures or lays
    out only what it changes. The browser's part, which shows the finished answer, is not in it.

    Parameters
    ----------
    corpora : sequence of str
        Names of corpora.

    Returns
    -------
    list of dict
        For each corpus ``corpus``, ``median_s`` and ``worst_s`` over the controls in processor time [s], and
        ``worst_control``.
    """
    answer(corpus=corpora[0], policy="belady", other="spear")
    rows = []
    for corpus in corpora:
        chosen: dict[str, Any] = {"corpus": corpus, "policy": "lru", "other": "spear+tide"}
        taken = {}
        for control, value in MOVES.items():
            chosen |= {} if value is None else {control: value}
            taken[control] = time_runs(chosen.copy, lambda now: answer(**now), runs=1).best_s
        worst = max(taken, key=lambda control: taken[control])
        rows.append(
            {
                "corpus": corpus,
                "median_s": statistics.median(taken.values()),
                "worst_s": taken[worst],
                "worst_control": worst,
            }
        )
    return rows
