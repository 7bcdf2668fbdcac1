"""Table IV: does the hazard table hold for sessions it was not fitted on?

Five folds by session, and one split in time. For each split the table is fitted on the training sessions,
the whole trace is replayed with it, and the hit rate of the held-out sessions is set against the hit rate
that the same sessions have when the table was fitted on all. The replay is of the whole trace in both cases,
since sessions share the cache; only the table differs. The paper (five folds, four envelopes, SWE/Qwen3)
tells the largest and the mean absolute difference in percentage points.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from unison.config import StatisticsDefaults
from unison.errors import UnisonError
from unison.experiments.evaluation import Evaluate
from unison.experiments.intervals import SessionBootstrap, session_bootstrap, verdict
from unison.hazard import fit_corpus, score_hazard
from unison.hazard.scoring import expand_turns
from unison.replay.envelope import Envelope
from unison.traces.trace import Trace

POLICY = "spear"
FOLD, TIME = "fold", "time"
_DECILES = 10


@dataclass(frozen=True, eq=False)
class Split:
    """Sessions to fit on and sessions to judge by.

    Attributes
    ----------
    kind : str
        ``fold``, or ``time``: the half that starts first foretells the half that starts later.
    number : int
        Fold from 1 on; 0 for the split in time.
    train, held_out : int64 [sessions]
        Session numbers.
    """

    kind: str
    number: int
    train: NDArray[np.int64]
    held_out: NDArray[np.int64]


def splits(trace: Trace, folds: int = 5, seed: int = 0) -> list[Split]:
    """Seeded folds by session, whose sizes differ by at most one, then the split in time.

    Raises
    ------
    UnisonError
        If there are fewer than two folds or fewer sessions than folds.
    """
    sessions = trace.corpus.n_sessions
    if not 2 <= folds <= sessions:
        raise UnisonError(
            f"corpus {trace.corpus.name!r}: {folds} folds of {sessions} sessions; give 2 to {sessions} folds"
        )
    parts = KFold(folds, shuffle=True, random_state=seed).split(np.arange(sessions))
    by_session = [Split(FOLD, i, train, held_out) for i, (train, held_out) in enumerate(parts, start=1)]
    by_start = np.argsort(trace.arrival_ns[trace.corpus.first_row[:-1]], kind="stable")
    half = sessions // 2
    return [*by_session, Split(TIME, 0, by_start[:half], by_start[half:])]


def tab04(
    traces: Sequence[Trace],
    envelopes: Sequence[Envelope],
    evaluate: Evaluate,
    *,
    statistics: StatisticsDefaults,
    seed: int = 0,
    tide: bool = True,
    **hazard_params: Any,
) -> pd.DataFrame:
    """Hit rate of held-out sessions with the table of the others, and with the table of all.

    Parameters
    ----------
    traces : sequence of Trace
    envelopes : sequence of Envelope
    evaluate : Evaluate
        The replay; called once an envelope and split, and once an envelope for the table of all sessions.
    statistics : StatisticsDefaults
        Number of folds; resamples and confidence of the intervals over held-out sessions.
    seed : int
        Of `splits` and of the bootstrap.
    tide : bool
        Whether sessions move between tiers.
    **hazard_params
        Of `unison.hazard.TurnHazard`.

    Returns
    -------
    pandas.DataFrame
        A row a trace, envelope and split: ``corpus``, ``envelope``, ``split``, ``fold``, ``sessions`` and
        ``requests`` held out, ``hit_rate_held_out`` (table of the other sessions), ``hit_rate_all`` (table
        of all, the same requests), ``difference_pp`` (the first less the second) with its interval over the
        held-out sessions ``low_pp``, ``high_pp`` and the ``verdict`` by it, ``abs_difference_pp``.

    Raises
    ------
    UnisonError
        As `splits`.
    """
    rows = []
    for trace in traces:
        parts = splits(trace, statistics.folds, seed)
        offline = fit_corpus(trace.corpus, **hazard_params)
        tables = [fit_corpus(trace.corpus, part.train, **hazard_params) for part in parts]
        for envelope in envelopes:
            everyone = evaluate(trace, POLICY, envelope, tide=tide, hazard=offline)
            for part, table in zip(parts, tables, strict=True):
                others = evaluate(trace, POLICY, envelope, tide=tide, hazard=table)
                bootstrap = session_bootstrap(
                    part.held_out.size,
                    resamples=statistics.resamples,
                    confidence=statistics.confidence,
                    seed=seed,
                )
                compared = _compare(others, everyone, part, bootstrap)
                rows.append(_about(trace, part) | {"envelope": envelope.name} | compared)
    return pd.DataFrame(rows)


def tab04_summary(table: pd.DataFrame) -> pd.DataFrame:
    """Largest and mean absolute difference over the cells of `tab04`, by corpus and kind of split [pp].

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``split``, ``cells``, ``max_pp``, ``mean_pp``, and ``better``, ``same``, ``worse``: cells
        in which the table of the others hits more, not beyond the interval, or less; folds and the split in
        time stay apart.
    """
    groups = table.groupby(["corpus", "split"], sort=False)
    rows = groups["abs_difference_pp"].agg(cells="size", max_pp="max", mean_pp="mean")
    for kind, column in (("win", "better"), ("tie", "same"), ("loss", "worse")):
        rows[column] = groups["verdict"].agg(lambda verdicts, kind=kind: int((verdicts == kind).sum()))
    return rows.reset_index()


def tab04_scores(
    traces: Sequence[Trace], *, folds: int = 5, seed: int = 0, **hazard_params: Any
) -> pd.DataFrame:
    """How well each split's table foretells the ends of its held-out sessions; no replay is needed.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``split``, ``fold``, ``sessions``, ``turns`` held out, and the losses of
        `unison.hazard.HazardScores`.

    Raises
    ------
    UnisonError
        As `splits`.
    """
    rows = []
    for trace in traces:
        lengths, completed = trace.corpus.turns_per_session, trace.corpus.completed
        for part in splits(trace, folds, seed):
            table = fit_corpus(trace.corpus, part.train, **hazard_params)
            scores = score_hazard(table, lengths[part.held_out], completed[part.held_out])
            rows.append(_about(trace, part) | vars(scores))
    return pd.DataFrame(rows)


def tab04_calibration(
    traces: Sequence[Trace], *, folds: int = 5, seed: int = 0, **hazard_params: Any
) -> pd.DataFrame:
    """Hazard foretold and share that ended, by decile of the turn, over the held-out turns of all folds.

    Every turn is held out once. Deciles are of turns by their number; equal numbers stay together, so that
    there may be fewer than ten.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``first_turn``, ``last_turn``, ``trials``, ``predicted``, ``observed``.

    Raises
    ------
    UnisonError
        As `splits`.
    """
    by_trace = []
    for trace in traces:
        parts = [part for part in splits(trace, folds, seed) if part.kind == FOLD]
        trials = pd.concat([_foretell(trace, part, hazard_params) for part in parts])
        decile = np.ceil(_DECILES * trials["turn"].rank(method="min", pct=True))
        table = trials.groupby(decile).agg(
            first_turn=("turn", "min"),
            last_turn=("turn", "max"),
            trials=("turn", "size"),
            predicted=("predicted", "mean"),
            observed=("ended", "mean"),
        )
        table.insert(0, "corpus", trace.corpus.name)
        by_trace.append(table)
    return pd.concat(by_trace, ignore_index=True)


def _foretell(trace: Trace, part: Split, hazard_params: dict[str, Any]) -> pd.DataFrame:
    """Each held-out turn with the hazard that the other sessions' table gives it."""
    corpus = trace.corpus
    table = fit_corpus(corpus, part.train, **hazard_params)
    turn, ended = expand_turns(corpus.turns_per_session[part.held_out], corpus.completed[part.held_out] != 0)
    return pd.DataFrame({"turn": turn, "predicted": table.hazard(turn), "ended": ended})


def _about(trace: Trace, part: Split) -> dict[str, object]:
    return {
        "corpus": trace.corpus.name,
        "split": part.kind,
        "fold": part.number,
        "sessions": part.held_out.size,
    }


def _compare(
    others: Mapping[str, Any], everyone: Mapping[str, Any], part: Split, bootstrap: SessionBootstrap
) -> dict[str, object]:
    names = ("hits_by_session", "requests_by_session")
    mine, base = ({name: each[name][part.held_out] for name in names} for each in (others, everyone))
    requests = int(mine["requests_by_session"].sum())
    held_out, all_sessions = (float(each["hits_by_session"].sum()) / requests for each in (mine, base))
    low, high = bootstrap.gain_interval(mine, base)
    difference = 100 * (held_out - all_sessions)
    return {
        "requests": requests,
        "hit_rate_held_out": held_out,
        "hit_rate_all": all_sessions,
        "difference_pp": difference,
        "low_pp": 100 * low,
        "high_pp": 100 * high,
        "verdict": verdict(low, high),
        "abs_difference_pp": abs(difference),
    }
