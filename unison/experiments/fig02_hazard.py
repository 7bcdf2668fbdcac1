"""Figure 2, the hazard: h(t) and what survives it, each with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from unison.hazard import TurnHazard, fit_corpus
from unison.traces.corpus import Corpus

LOCAL, CUMULATIVE = "local", "cumulative"


def hazard_curves(
    corpora: Sequence[Corpus], *, level: float = 0.95, least: int = 20, **params: Any
) -> pd.DataFrame:
    """The hazard table of each corpus with Wilson intervals.

    Parameters
    ----------
    corpora : sequence of Corpus
    level : float
        Coverage of the intervals.
    least : int
        Turns that fewer sessions reached are left out, or fewer than half where a corpus has not twice as
        many; the pooled last bin always stays if reached at all.
    **params
        Of `unison.hazard.TurnHazard`.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``turn``, ``at_risk``, ``events``, ``hazard``, ``low``, ``high``, ``is_pooled``.
    """
    return pd.concat([_curve(corpus, level, least, params) for corpus in corpora], ignore_index=True)


def _curve(corpus: Corpus, level: float, least: int, params: dict[str, Any]) -> pd.DataFrame:
    table = fit_corpus(corpus, **params)
    low, high = table.interval(level)
    turn = np.arange(1, table.max_turn + 1)
    frame = pd.DataFrame(
        {
            "corpus": corpus.name,
            "turn": turn,
            "at_risk": table.at_risk_,
            "events": table.events_,
            "hazard": table.hazard_,
            "low": low,
            "high": high,
            "is_pooled": turn == table.max_turn,
        }
    )
    reached = (frame["at_risk"] >= _enough(table, least)) | (frame["is_pooled"] & (frame["at_risk"] > 0))
    return frame[reached].reset_index(drop=True)


def survival_curves(
    corpora: Sequence[Corpus], *, level: float = 0.95, least: int = 20, **params: Any
) -> pd.DataFrame:
    """Both readings of survival: 1 - h(t), the paper's, and the product over all turns so far.

    The local one has the Wilson interval, the cumulative one Greenwood's, cut at 0 and 1. The last bin,
    which pools all later turns, is left out.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``form`` (local, cumulative), ``turn``, ``survival``, ``low``, ``high``.
    """
    parts = []
    for corpus in corpora:
        table = fit_corpus(corpus, **params)
        shown = (table.at_risk_ >= _enough(table, least)) & (
            np.arange(1, table.max_turn + 1) < table.max_turn
        )
        for form, values in ((LOCAL, _local(table, level)), (CUMULATIVE, _cumulative(table, level))):
            survival, low, high = (column[shown] for column in values)
            parts.append(
                pd.DataFrame(
                    {
                        "corpus": corpus.name,
                        "form": form,
                        "turn": np.flatnonzero(shown) + 1,
                        "survival": survival,
                        "low": low,
                        "high": high,
                    }
                )
            )
    return pd.concat(parts, ignore_index=True)


def _enough(table: TurnHazard, least: int) -> int:
    """Sessions at risk from which on a turn is shown."""
    return min(least, max(1, int(table.at_risk_[0]) // 2))


def _local(table: TurnHazard, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    low, high = table.interval(level)
    return 1 - table.hazard_, 1 - high, 1 - low


def _cumulative(table: TurnHazard, level: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    half = float(ndtri((1 + level) / 2)) * np.sqrt(table.product_limit_variance_)
    kept = table.product_limit_
    return kept, np.clip(kept - half, 0, 1), np.clip(kept + half, 0, 1)
