"""Table IV and Figure 7 beside the paper."""

from __future__ import annotations

import pandas as pd

from unison.claims import paper_claim
from unison.experiments.beside import beside, covers_series
from unison.experiments.tab04_cross_validation import FOLD

CORPUS = "swe-qwen3"
BAND = 0.1
"""A(n) this close to 1 counts as converged."""


def tab04_paper(summary: pd.DataFrame, online: pd.DataFrame) -> pd.DataFrame:
    """The paper's three numbers of Table IV and its statement on Figure 7 beside ours.

    Parameters
    ----------
    summary : pandas.DataFrame
        Of `unison.experiments.tab04_cross_validation.tab04_summary`.
    online : pandas.DataFrame
        Of `unison.experiments.fig07_online.fig07_mean`.

    Returns
    -------
    pandas.DataFrame
        The columns of `unison.experiments.beside.beside`.
    """
    mine = summary[(summary["corpus"] == CORPUS) & (summary["split"] == FOLD)]
    known = mine.iloc[0].to_dict() if len(mine) else {}
    rows = []
    for name, column, claim in (
        ("tab04.max", "max_pp", "largest difference"),
        ("tab04.mean", "mean_pp", "mean difference"),
    ):
        ours = known.get(column)
        is_met = None if ours is None else ours <= paper_claim(name).number
        rows.append(beside(name, f"{claim} of held-out hit rate, {CORPUS}", "at most", ours, is_met))
    corpora = online["corpus"].unique().tolist()
    count = len(converged(online)) if covers_series(corpora) else None
    rule = f"|A(n) - 1| at most {BAND:g} from half of the sessions on, every corpus and update form"
    is_met = None if count is None else count == len(corpora)
    rows.append(beside("fig07.converged", "corpora on which the online table converges", rule, count, is_met))
    return pd.DataFrame(rows)


def converged(online: pd.DataFrame) -> list[str]:
    """Corpora whose A(n) stays within `BAND` of 1 from half of their sessions on, in both update forms."""
    return [
        str(corpus)
        for corpus, rows in online.groupby("corpus", sort=False)
        if (_late(rows)["convergence"] - 1).abs().max() <= BAND
    ]


def _late(rows: pd.DataFrame) -> pd.DataFrame:
    return rows[rows["n_completed"] >= rows["n_completed"].max() / 2]
