"""Placements on the ordinary corpora, where one agent works for one user and little tells its lives apart."""

from __future__ import annotations

import joblib
import pandas as pd

from unison.config import load_defaults
from unison.experiments.flash_cells import BOUND, LACHESIS, OURS, place_corpus
from unison.experiments.inputs import open_corpora
from unison.experiments.sweep import JOBS
from unison.flash.load import get_config
from unison.traces.corpus import Corpus

SHOWN = (LACHESIS, OURS, BOUND)


def flash_corpora(profile: str, *, jobs: int = JOBS) -> pd.DataFrame:
    """The lifetime of the flash under some placements over HBM-first's, on the synthetic corpora.

    Every other session of a corpus is placed, the others are learned from.

    Parameters
    ----------
    profile : str
    jobs : int
        Processes.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``share`` (HBM over the live KV), ``policy``, ``improvement``.
    """
    shares = load_defaults(profile).flash_study.corpus_shares
    corpora = open_corpora("", profile)
    tasks = [joblib.delayed(_rows)(corpus, float(share)) for share in shares for corpus in corpora]
    found = [row for rows in joblib.Parallel(n_jobs=jobs)(tasks) for row in rows]
    return pd.DataFrame(found)


def _rows(corpus: Corpus, share: float) -> list[dict[str, object]]:
    node = load_defaults()
    config = get_config(node.flash_study.reference_config, node.flash_node.models[0])
    rows = place_corpus(corpus, config, share, SHOWN)
    return [
        {"corpus": corpus.name, "share": share, "policy": row["policy"], "improvement": row["improvement"]}
        for row in rows
    ]
