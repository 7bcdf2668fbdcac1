"""Beside the paper: rows that set a number of the paper next to ours, with what may be concluded."""

from __future__ import annotations

import math

import pandas as pd

from unison.claims import paper_claim
from unison.traces.synthetic import CORPORA

HOLDS, FAILS, NOT_APPLICABLE = "holds", "does not hold", "not applicable"
PROSE, NOTES = "prose", "notes"
"""Grades as the tables show them: the paper's running text, or third-party notes of the full text."""

PROSE_GRADE = "P"


def covers_series(corpora: list[str]) -> bool:
    """Whether these are the names of all six synthetic corpora, so that totals can be compared."""
    return set(CORPORA) <= set(corpora)


def beside(name: str, claim: str, rule: str, ours: float | None, is_met: bool | None) -> dict[str, object]:
    """One row: the paper's number, ours, and whether the stated rule holds.

    Parameters
    ----------
    name : str
        Id of the claim in data/claims.toml that has the paper's number.
    claim : str
        What the paper says, in a few words.
    rule : str
        What has to be true of ours, given that the paper's traces are not public.
    ours : float or None
        None where the run cannot tell: other corpora, or not all of them.
    is_met : bool or None
        Whether the rule holds; None where it cannot be told.

    Returns
    -------
    dict
        ``claim``, ``unit``, ``paper``, ``ours``, ``rule``, ``verdict``, ``place``, ``grade``.
    """
    claimed = paper_claim(name)
    if ours is None or is_met is None or math.isnan(ours):
        shown, verdict = math.nan, NOT_APPLICABLE
    else:
        shown, verdict = float(ours), HOLDS if is_met else FAILS
    return {
        "claim": claim,
        "unit": claimed.unit,
        "paper": claimed.number,
        "ours": shown,
        "rule": rule,
        "verdict": verdict,
        "place": claimed.place,
        "grade": PROSE if PROSE_GRADE in claimed.grade else NOTES,
    }


def counted(rows: pd.DataFrame) -> dict[str, int]:
    """How many rows have which verdict, all three named."""
    counts = rows["verdict"].value_counts()
    return {verdict: int(counts.get(verdict, 0)) for verdict in (HOLDS, FAILS, NOT_APPLICABLE)}
