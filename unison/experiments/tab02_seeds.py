"""Table II over seeds: does a gain survive another draw of the corpora and of the session starts?"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unison.experiments.contenders import UNISON, contender
from unison.experiments.runner import Evaluator, envelopes_of
from unison.experiments.sweep import drawn
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule

WIN, TIE, LOSS = "win", "tie", "loss"


def tab02_seeds(
    corpora: Sequence[Corpus],
    rivals: Sequence[str],
    *,
    seeds: Sequence[int],
    tie: float,
    label: str = UNISON,
) -> pd.DataFrame:
    """Difference of mean hit rate between one contender and each rival, over the seeds.

    A synthetic corpus is drawn anew for each seed, and so is its schedule; of a corpus from a file only the
    schedule is. The range over the seeds is no confidence interval.

    Parameters
    ----------
    corpora : sequence of Corpus
    rivals : sequence of str
        Contenders it is compared with.
    seeds : sequence of int
    tie : float
        Difference of hit rate that counts as a tie.
    label : str
        The contender.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``policy``, ``rival``, ``seeds``, ``gain`` (mean), ``gain_least``, ``gain_most``, and
        ``verdict``: win or loss if every seed says so beyond `tie`, else tie.
    """
    rows = []
    for corpus in corpora:
        rates = pd.DataFrame([_mean_rates(drawn(corpus, seed), (label, *rivals), seed) for seed in seeds])
        for rival in rivals:
            gain = rates[label] - rates[rival]
            rows.append(
                {
                    "corpus": corpus.name,
                    "policy": label,
                    "rival": rival,
                    "seeds": len(seeds),
                    "gain": float(gain.mean()),
                    "gain_least": float(gain.min()),
                    "gain_most": float(gain.max()),
                    "verdict": verdict(float(gain.min()), float(gain.max()), tie),
                }
            )
    return pd.DataFrame(rows)


def verdict(least: float, most: float, tie: float) -> str:
    """``win`` if even the least gain is above a tie, ``loss`` if even the most is below, else ``tie``."""
    if least > tie:
        return WIN
    return LOSS if most < -tie else TIE


def _mean_rates(corpus: Corpus, labels: Sequence[str], seed: int) -> dict[str, float]:
    """Hit rate of each contender, mean over the envelopes."""
    evaluate = Evaluator(metrics=("hit_rate",))
    trace = base_schedule(corpus, seed=seed)
    envelopes = envelopes_of(trace, evaluate.costs(trace))
    entries = [contender(label) for label in labels]
    return {
        entry.label: sum(
            evaluate(trace, entry.entry.name, envelope, tide=entry.tide)["hit_rate"] for envelope in envelopes
        )
        / len(envelopes)
        for entry in entries
    }
