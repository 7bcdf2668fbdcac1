"""What the rows beside the paper add up to."""

from __future__ import annotations

import pandas as pd

from unison.experiments.beside import FAILS, HOLDS, NOT_APPLICABLE, counted

NEAR = 0.1
"""Relative difference of two numbers that counts as near."""


def paper_finding(rows: pd.DataFrame) -> str:
    """How many published statements hold by the stated rule, and which do not.

    Parameters
    ----------
    rows : pandas.DataFrame
        Made with `unison.experiments.beside.beside`.
    """
    counts = counted(rows)
    text = (
        f"Of {len(rows)} published statements {counts[HOLDS]} hold by the rule in the table, {counts[FAILS]} "
        f"do not, and {counts[NOT_APPLICABLE]} are not applicable to this run."
    )
    failed = rows[rows["verdict"] == FAILS]["claim"]
    known = rows[rows["verdict"] != NOT_APPLICABLE]
    if len(known):
        near = ((known["ours"] / known["paper"] - 1).abs() <= NEAR).sum()
        text += f" Ours is within {100 * NEAR:g} % of the paper's number in {near} of {len(known)}."
    return f"{text} Not met: {'; '.join(failed)}." if len(failed) else text
