"""One trace and one replay under every definition of hit rate."""

from __future__ import annotations

import pandas as pd

from unison.experiments.contenders import BASELINE, UNISON, contender
from unison.experiments.runner import Evaluator, envelopes_of
from unison.metrics import metric
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule

DEFINITIONS = (
    "hit_rate", "hit_rate_after_first", "hit_rate_per_session", "hit_rate_per_session_after_first",
    "token_hit_rate", "sram_hit_rate",
)  # fmt: skip


def tab02_definitions(corpus: Corpus, *, position: int = 1, seed: int = 0) -> pd.DataFrame:
    """Hit rate of LRU and of UNISON by definition.

    Parameters
    ----------
    corpus : Corpus
    position : int
        Of the envelope among the six, by growing total.
    seed : int
        Of the schedule.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``envelope``, ``definition``, ``meaning``, ``lru``, ``unison``, ``gain``.
    """
    evaluate = Evaluator(metrics=DEFINITIONS)
    trace = base_schedule(corpus, seed=seed)
    envelope = envelopes_of(trace, evaluate.costs(trace))[position]
    system = contender(UNISON)
    base = evaluate(trace, BASELINE, envelope)
    ours = evaluate(trace, system.entry.name, envelope, tide=system.tide)
    return pd.DataFrame(
        [
            {
                "corpus": corpus.name,
                "envelope": envelope.name,
                "definition": name,
                "meaning": metric(name).meaning,
                "lru": base[name],
                "unison": ours[name],
                "gain": ours[name] - base[name],
            }
            for name in DEFINITIONS
        ]
    )
