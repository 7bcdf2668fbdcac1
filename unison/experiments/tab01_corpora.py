"""Table I of ours: the corpora in numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unison.traces.corpus import Corpus
from unison.traces.stats import summarize
from unison.traces.trace import Trace


def tab01(corpora: Sequence[Corpus], traces: Sequence[Trace]) -> pd.DataFrame:
    """One row a corpus: `unison.traces.stats.summarize`, and what its schedule makes of it.

    Parameters
    ----------
    corpora : sequence of Corpus
    traces : sequence of Trace
        The schedule of each, in the same order.

    Returns
    -------
    pandas.DataFrame
        The columns of `summarize`, then ``max_live`` and ``mean_live_tokens`` of the schedule, and
        ``left_out``, sessions without known times that no replay can use.
    """
    table = summarize(corpora)
    table["max_live"] = [trace.max_live for trace in traces]
    table["mean_live_tokens"] = [trace.mean_live_tokens for trace in traces]
    table["left_out"] = [trace.left_out for trace in traces]
    return table
