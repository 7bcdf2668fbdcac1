"""Table II over seeds: does a gain survive another draw of the corpora and of the session starts?"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unison.experiments.contenders import UNISON, contender
from unison.experiments.intervals import mean_intervals, verdict
from unison.experiments.runner import Evaluator, envelopes_of
from unison.experiments.sweep import drawn
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule


def tab02_seeds(
    corpora: Sequence[Corpus],
    rivals: Sequence[str],
    *,
    seeds: Sequence[int],
    confidence: float,
    label: str = UNISON,
) -> pd.DataFrame:
    """Difference of mean hit rate between one contender and each rival, over the seeds.

    A synthetic corpus is drawn anew for each seed, and so is its schedule; of a corpus from a file only the
    schedule is.

    Parameters
    ----------
    corpora : sequence of Corpus
    rivals : sequence of str
        Contenders it is compared with.
    seeds : sequence of int
    confidence : float
        Of the interval over the seeds.
    label : str
        The contender.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``policy``, ``rival``, ``seeds``, ``gain`` (mean), ``gain_low`` and ``gain_high``
        (its interval), ``gain_least`` and ``gain_most`` (of the seeds), and ``verdict`` by the interval.
    """
    rows = []
    for corpus in corpora:
        rates = pd.DataFrame([_mean_rates(drawn(corpus, seed), (label, *rivals), seed) for seed in seeds])
        for rival in rivals:
            gain = rates[label] - rates[rival]
            whole = mean_intervals(gain, [pd.Series(rival, gain.index)], confidence).loc[rival]
            rows.append(
                {
                    "corpus": corpus.name,
                    "policy": label,
                    "rival": rival,
                    "seeds": len(seeds),
                    "gain": whole["mean"],
                    "gain_low": whole["low"],
                    "gain_high": whole["high"],
                    "gain_least": float(gain.min()),
                    "gain_most": float(gain.max()),
                    "verdict": verdict(whole["low"], whole["high"]),
                }
            )
    return pd.DataFrame(rows)


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
