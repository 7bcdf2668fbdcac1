"""Statistics of a corpus, each a pure function from a `Corpus` to a tidy table.

Quantiles interpolate linearly. Times are in seconds; gaps and services that the log does not give are left
out and counted. Logarithms are natural and need a gap above 0: gaps of 0 have none and are left out there.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unison.hazard import fit_corpus
from unison.traces.corpus import UNKNOWN, Corpus

NS_PER_S = 1e9
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)


def gap_rows(corpus: Corpus) -> NDArray[np.int64]:
    """Rows whose gap is known: turns after a session's first (EQUATIONS eq. 1)."""
    return np.flatnonzero((corpus.turn > 0) & (corpus.gap_ns != UNKNOWN))


def reuse_ratio(corpus: Corpus) -> NDArray[np.float64]:
    """Share of each prompt that is a prefix of what the session held before [turns].

    1 - new_prompt / prompt, EQUATIONS eq. (2): 0 at a session's first turn, NaN for an empty prompt.
    """
    prompt = corpus.prompt_tokens.astype(np.float64)
    new = np.where(corpus.turn == 0, corpus.prompt_tokens, corpus.new_prompt_tokens)
    ratio = np.full(prompt.size, np.nan)
    np.divide(prompt - new, prompt, out=ratio, where=prompt > 0)
    return ratio


def summarize(corpora: Sequence[Corpus]) -> pd.DataFrame:
    """One row a corpus: its size, times, tokens, reuse, and what its log does not tell.

    Parameters
    ----------
    corpora : sequence of Corpus

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``sessions``, ``turns``; ``turns_p5 .. turns_max`` a session; ``gaps`` known, ``gap_zero``
        of them 0, ``gap_p50_s .. gap_p99_s``, ``gap_log_sd`` (natural log, sample deviation);
        ``service_p50_s``, ``service_p95_s``; ``prompt_first_tokens`` and ``prompt_last_tokens``, medians over
        sessions; ``reuse_p50`` a turn and ``reuse_token_weighted`` (eq. 2) over turns after the first,
        ``reuse_token_weighted_all`` over all; shares of turns after the first without a gap
        (``gap_unknown_share``), of turns without a service time, with estimated times, with estimated tokens;
        shares of sessions cut off and of unknown completion. NaN where nothing is known.
    """
    return pd.DataFrame([_sizes(c) | _times(c) | _tokens(c) | _unknowns(c) for c in corpora])


def hazard_by_turn(corpus: Corpus, max_turn: int = 50, level: float = 0.95) -> pd.DataFrame:
    """Completion hazard as counted, EQUATIONS eq. (5), with its Wilson interval.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``turn`` (the last pools all later), ``at_risk``, ``events``, ``hazard``, ``low``,
        ``high``; turns that nobody reached are left out.

    Raises
    ------
    UnisonError
        If `max_turn` or `level` is out of range.
    """
    table = fit_corpus(corpus, max_turn=max_turn, n_min=0)
    low, high = table.interval(level)
    frame = pd.DataFrame(
        {
            "corpus": corpus.name,
            "turn": np.arange(1, max_turn + 1),
            "at_risk": table.at_risk_,
            "events": table.events_,
            "hazard": table.hazard_,
            "low": low,
            "high": high,
        }
    )
    return frame[frame["at_risk"] > 0].reset_index(drop=True)


def gap_quantiles_by_tool(
    corpus: Corpus, quantiles: Sequence[float] = QUANTILES, min_gaps: int = 1
) -> pd.DataFrame:
    """Quantiles of the gap for each tool waited for, the commonest tool first.

    Parameters
    ----------
    corpus : Corpus
    quantiles : sequence of float
        In [0, 1].
    min_gaps : int
        Tools with fewer known gaps are left out.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``tool``, ``gaps``, ``quantile``, ``gap_s``.
    """
    rows = gap_rows(corpus)
    tools = np.asarray(corpus.tools, dtype=object)[corpus.tool[rows]]
    by_tool = pd.Series(corpus.gap_ns[rows] / NS_PER_S, dtype=np.float64).groupby(tools)
    counts = by_tool.size()
    counts = counts[counts >= min_gaps].sort_index().sort_values(ascending=False, kind="stable")
    at = list(quantiles)
    parts = [
        {"corpus": corpus.name, "tool": str(tool), "gaps": int(count), "quantile": q, "gap_s": float(gap)}
        for tool, count in counts.items()
        for q, gap in zip(at, np.quantile(by_tool.get_group(tool), at), strict=True)
    ]
    return pd.DataFrame(parts, columns=["corpus", "tool", "gaps", "quantile", "gap_s"])


def gap_variance_explained(corpus: Corpus) -> pd.DataFrame:
    """Share of the variance of the log gap that the tool, and that the session, explains (eta squared).

    Between-group over total sum of squares; a group's squared distance from the grand mean counts once for
    each of its gaps. A factor without effect has ``eta2_by_chance`` = (groups - 1) / (gaps - 1) on average.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``factor`` (tool, session), ``groups``, ``gaps``, ``eta2``, ``eta2_by_chance``; NaN where
        gaps do not vary.
    """
    rows, log_gap = _log_gaps(corpus)
    factors: dict[str, NDArray] = {"tool": corpus.tool[rows], "session": corpus.session[rows]}
    return pd.DataFrame(
        [
            {
                "corpus": corpus.name,
                "factor": factor,
                "groups": (groups := np.unique(group).size),
                "gaps": rows.size,
                "eta2": _eta_squared(log_gap, group),
                "eta2_by_chance": (groups - 1) / (rows.size - 1) if rows.size > 1 else np.nan,
            }
            for factor, group in factors.items()
        ]
    )


def gap_autocorrelation(corpus: Corpus) -> pd.DataFrame:
    """Correlation of the log gap with the session's previous one.

    ``pooled`` takes the logs as they are; ``within_session`` takes each session's mean log gap off first,
    which leaves what a session's own past tells beyond its level. Short sessions bias the latter downwards.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``form``, ``pairs``, ``correlation``; NaN with fewer than two pairs or no variance.
    """
    rows, log_gap = _log_gaps(corpus)
    _, code = np.unique(corpus.session[rows], return_inverse=True)
    mean = np.bincount(code, weights=log_gap) / np.maximum(np.bincount(code), 1)
    # Neighbouring rows share a session: a session's first turn, which has no gap, stands between two.
    follows = np.flatnonzero(np.diff(rows) == 1)
    forms = {"pooled": log_gap, "within_session": log_gap - mean[code]}
    return pd.DataFrame(
        [
            {
                "corpus": corpus.name,
                "form": form,
                "pairs": follows.size,
                "correlation": _correlation(values[follows], values[follows + 1]),
            }
            for form, values in forms.items()
        ]
    )


def _sizes(corpus: Corpus) -> dict[str, object]:
    lengths = corpus.turns_per_session
    return {
        "corpus": corpus.name,
        "sessions": corpus.n_sessions,
        "turns": corpus.n_turns,
        "turns_p5": _quantile(lengths, 0.05),
        "turns_p50": _quantile(lengths, 0.5),
        "turns_p95": _quantile(lengths, 0.95),
        "turns_max": int(lengths.max()),
    }


def _times(corpus: Corpus) -> dict[str, object]:
    gap = corpus.gap_ns[gap_rows(corpus)] / NS_PER_S
    service = corpus.service_ns[corpus.service_ns != UNKNOWN] / NS_PER_S
    _, log_gap = _log_gaps(corpus)
    return {
        "gaps": gap.size,
        "gap_zero": int((gap == 0).sum()),
        "gap_p50_s": _quantile(gap, 0.5),
        "gap_p95_s": _quantile(gap, 0.95),
        "gap_p99_s": _quantile(gap, 0.99),
        "gap_log_sd": float(log_gap.std(ddof=1)) if log_gap.size > 1 else np.nan,
        "service_p50_s": _quantile(service, 0.5),
        "service_p95_s": _quantile(service, 0.95),
    }


def _tokens(corpus: Corpus) -> dict[str, object]:
    ratio, prompt = reuse_ratio(corpus), corpus.prompt_tokens
    later = (corpus.turn > 0) & (prompt > 0)
    known = prompt > 0
    return {
        "prompt_first_tokens": _quantile(prompt[corpus.turn == 0], 0.5),
        "prompt_last_tokens": _quantile(prompt[corpus.is_last], 0.5),
        "reuse_p50": _quantile(ratio[later], 0.5),
        "reuse_token_weighted": _weighted_mean(ratio[later], prompt[later]),
        "reuse_token_weighted_all": _weighted_mean(ratio[known], prompt[known]),
    }


def _unknowns(corpus: Corpus) -> dict[str, object]:
    later = corpus.turn > 0
    return {
        "gap_unknown_share": float((corpus.gap_ns[later] == UNKNOWN).mean()) if later.any() else np.nan,
        "service_unknown_share": float((corpus.service_ns == UNKNOWN).mean()),
        "timing_estimated_share": float(corpus.timing_estimated.mean()),
        "tokens_estimated_share": float(corpus.tokens_estimated.mean()),
        "censored_share": float((corpus.completed == 0).mean()),
        "completion_unknown_share": float((corpus.completed == UNKNOWN).mean()),
    }


def _log_gaps(corpus: Corpus) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows with a gap above 0, and the log of that gap in seconds."""
    rows = gap_rows(corpus)
    rows = rows[corpus.gap_ns[rows] > 0]
    return rows, np.log(corpus.gap_ns[rows] / NS_PER_S)


def _quantile(values: NDArray, q: float) -> float:
    return float(np.quantile(values, q)) if values.size else np.nan


def _weighted_mean(values: NDArray[np.float64], weights: NDArray) -> float:
    return float(np.average(values, weights=weights)) if values.size else np.nan


def _eta_squared(values: NDArray[np.float64], group: NDArray[np.integer]) -> float:
    if values.size < 2 or np.ptp(values) == 0:
        return float("nan")
    _, code = np.unique(group, return_inverse=True)
    size = np.bincount(code)
    means = np.bincount(code, weights=values) / size
    between = (size * (means - values.mean()) ** 2).sum()
    return float(between / ((values - values.mean()) ** 2).sum())


def _correlation(first: NDArray[np.float64], second: NDArray[np.float64]) -> float:
    if first.size < 2 or np.ptp(first) == 0 or np.ptp(second) == 0:
        return float("nan")
    return float(np.corrcoef(first, second)[0, 1])
