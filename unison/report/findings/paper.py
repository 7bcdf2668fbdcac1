"""What the rows beside the paper add up to."""

from __future__ import annotations

import pandas as pd

from unison.experiments.beside import FAILS, HOLDS, NOT_APPLICABLE, counted
from unison.report.findings.words import listed


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
    return f"{text} Not met: {listed(failed)}." if len(failed) else text
