"""Table I of ours: the corpora in numbers, and the published facts they have to meet."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from unison.claims import paper_claim
from unison.experiments.beside import beside, covers_series
from unison.traces.corpus import Corpus
from unison.traces.stats import NS_PER_S, gap_rows, summarize
from unison.traces.synthetic import CORPORA
from unison.traces.trace import Trace

GAIA = "gaia-"
LARGEST, SMALLEST = "swe-qwen3", "gaia-gemma4"
EQUAL, AT_MOST, AT_LEAST = "equal", "at most", "at least"
_ROUNDING_S = 1e-6  # corpora are whole microseconds


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


def tab01_facts(corpora: Sequence[Corpus], traces: Sequence[Trace]) -> pd.DataFrame:
    """The published facts about the traces beside the corpora of this run.

    Totals and extremes need all six corpora, a median gap the corpus it is of; elsewhere a fact is not
    applicable, which is no verdict.

    Returns
    -------
    pandas.DataFrame
        The columns of `unison.experiments.beside.beside`.
    """
    by_name = {corpus.name: corpus for corpus in corpora}
    totals = _totals(corpora, traces) if covers_series(list(by_name)) else {}
    events = 2.0 * by_name[SMALLEST].n_turns if SMALLEST in by_name else None
    rows = [
        _row("corpora.sessions", "sessions in all", totals),
        _row("corpora.turns", "turns in all", totals),
        _row("corpora.smallest", f"smallest corpus ({SMALLEST})", totals),
        _row("corpora.largest", f"largest corpus ({LARGEST})", totals),
        _row("corpora.max_live", "most live sessions", totals, AT_MOST),
        _row("corpora.shortest_gap", "shortest GAIA gap", totals, AT_LEAST),
        _row("corpora.gaia_gemma4_events", f"events of {SMALLEST} (odd, and a turn has two)",
             {"corpora.gaia_gemma4_events": events}),
    ]  # fmt: skip
    for name in (corpus for corpus in CORPORA if corpus.startswith(GAIA)):
        medians = {f"corpora.median_gap.{name}": _median_gap_s(by_name.get(name))}
        rows.append(_row(f"corpora.median_gap.{name}", f"median gap, {name}", medians))
    return pd.DataFrame(rows)


def _totals(corpora: Sequence[Corpus], traces: Sequence[Trace]) -> dict[str, float | None]:
    """What the paper tells of all its traces together, by the name of the paper's value."""
    sizes = [corpus.n_sessions for corpus in corpora]
    gaia = [corpus for corpus in corpora if corpus.name.startswith(GAIA)]
    return {
        "corpora.sessions": sum(sizes),
        "corpora.turns": sum(corpus.n_turns for corpus in corpora),
        "corpora.smallest": min(sizes),
        "corpora.largest": max(sizes),
        "corpora.max_live": max(trace.max_live for trace in traces),
        "corpora.shortest_gap": min(_shortest_gap_s(corpus) for corpus in gaia),
    }


def _row(name: str, claim: str, known: Mapping[str, float | None], rule: str = EQUAL) -> dict[str, object]:
    ours, paper = known.get(name), paper_claim(name).number
    if ours is None:
        return beside(name, claim, rule, None, None)
    is_met = {
        EQUAL: abs(ours - paper) < _ROUNDING_S,
        AT_MOST: ours <= paper,
        AT_LEAST: ours >= paper,
    }
    return beside(name, claim, rule, ours, is_met[rule])


def _median_gap_s(corpus: Corpus | None) -> float | None:
    return None if corpus is None else float(np.median(corpus.gap_ns[gap_rows(corpus)])) / NS_PER_S


def _shortest_gap_s(corpus: Corpus) -> float:
    return float(corpus.gap_ns[gap_rows(corpus)].min()) / NS_PER_S
