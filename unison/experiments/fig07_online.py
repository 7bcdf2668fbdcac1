"""Figure 7: how fast a hazard table learned online comes up to the offline one.

EQUATIONS eq. (30): A(n) = (HR_n - HR_LRU) / (HR_offline - HR_LRU), with HR_n the hit rate of the whole trace
under the table as it stood when the n-th session had completed. The table is frozen there and used from the
trace's start: A(n) judges the table, not the adaptive run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from unison.errors import UnisonError
from unison.experiments.evaluation import Evaluate
from unison.hazard import TurnHazard, fit_corpus, online_tables
from unison.hazard.estimator import UPDATES
from unison.replay.envelope import Envelope
from unison.traces.stats import NS_PER_S
from unison.traces.trace import Trace

POLICY, BASELINE = "spear", "lru"


def fig07(
    traces: Sequence[Trace],
    envelopes: Sequence[Envelope],
    evaluate: Evaluate,
    *,
    counts: Sequence[int] | None = None,
    tide: bool = True,
    **hazard_params: Any,
) -> pd.DataFrame:
    """Convergence of the online table, for both update forms.

    Parameters
    ----------
    traces : sequence of Trace
    envelopes : sequence of Envelope
    evaluate : Evaluate
        The replay.
    counts : sequence of int, optional
        Numbers n of completed sessions, rising; powers of two by default. Those a trace does not reach are
        left out of it, and its own total is always the last.
    tide : bool
        Whether sessions move between tiers under Spear; LRU runs without.
    **hazard_params
        Of `unison.hazard.TurnHazard`, `update` excepted.

    Returns
    -------
    pandas.DataFrame
        A row a trace, envelope, update form and n: ``corpus``, ``envelope``, ``update``, ``n_completed``,
        ``time_s``, ``hazard_bias`` (see `hazard_bias`), ``hit_rate`` (HR_n), ``hit_rate_lru``,
        ``hit_rate_offline``, ``convergence`` (A(n), NaN where LRU and the offline table tie).

    Raises
    ------
    UnisonError
        If `counts` does not rise from 1 or more, or no session of a trace completes.
    """
    rows = []
    for trace in traces:
        offline = fit_corpus(trace.corpus, **hazard_params)
        learned = _learn(trace, counts, hazard_params)
        for envelope in envelopes:
            lru = evaluate(trace, BASELINE, envelope, tide=False)["hit_rate"]
            best = evaluate(trace, POLICY, envelope, tide=tide, hazard=offline)["hit_rate"]
            for about, table in learned:
                rate = evaluate(trace, POLICY, envelope, tide=tide, hazard=table)["hit_rate"]
                rows.append(
                    {"corpus": trace.corpus.name, "envelope": envelope.name}
                    | about
                    | {
                        "hazard_bias": hazard_bias(table, offline),
                        "hit_rate": rate,
                        "hit_rate_lru": lru,
                        "hit_rate_offline": best,
                    }
                )
    return _with_convergence(pd.DataFrame(rows))


def fig07_mean(table: pd.DataFrame) -> pd.DataFrame:
    """Figure 7 over all envelopes: A(n) of the mean hit rates, which a near-tie in one envelope cannot upset.

    Returns
    -------
    pandas.DataFrame
        The columns of `fig07` without ``envelope``.
    """
    keys = ["corpus", "update", "n_completed"]
    means = table.drop(columns=["envelope", "convergence"]).groupby(keys, sort=False).mean().reset_index()
    return _with_convergence(means)


def hazard_bias(table: TurnHazard, offline: TurnHazard) -> float:
    """Mean of h_n(t) - h_offline(t) over the turns of the trace: above 0 where early ends weigh too much."""
    return float(np.average(table.hazard_ - offline.hazard_, weights=offline.at_risk_))


def _learn(
    trace: Trace, counts: Sequence[int] | None, hazard_params: dict[str, Any]
) -> list[tuple[dict[str, object], TurnHazard]]:
    at = _numbers(trace, counts)
    return [
        (
            {"update": update, "n_completed": online.n_completed, "time_s": online.time_ns / NS_PER_S},
            online.table,
        )
        for update in UPDATES
        for online in online_tables(trace, at, update=update, **hazard_params)
    ]


def _numbers(trace: Trace, counts: Sequence[int] | None) -> list[int]:
    total = int(trace.ends_session.sum())
    if total == 0:
        raise UnisonError(f"corpus {trace.corpus.name!r}: no session completes, so none can be learned from")
    asked = [2**k for k in range(total.bit_length())] if counts is None else list(counts)
    return [*(n for n in asked if n < total), total]


def _with_convergence(table: pd.DataFrame) -> pd.DataFrame:
    gain = table["hit_rate_offline"] - table["hit_rate_lru"]
    return table.assign(convergence=(table["hit_rate"] - table["hit_rate_lru"]) / gain.where(gain != 0))
