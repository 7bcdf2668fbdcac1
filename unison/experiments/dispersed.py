"""A corpus whose gaps have a chosen spread: everything else, the mean gap included, stays as it was."""

from __future__ import annotations

import dataclasses

import numpy as np

from unison.errors import UnisonError
from unison.traces.corpus import Corpus

MIN_GAP_NS = 1_000_000
MAX_LOG_SD = 5.0
MICROSECOND_NS = 1000


def with_gap_dispersion(corpus: Corpus, log_sd: float, session_share: float, *, seed: int) -> Corpus:
    """The corpus with log-normal gaps drawn anew.

    The log of a gap is ``log_sd * (sqrt(session_share) u + sqrt(1 - session_share) e)`` with u standard
    normal per session and e per turn, scaled so that the mean gap is the corpus's own: turns, lengths,
    services and the share of time that sessions are paused stay the same, only the spread moves.

    Parameters
    ----------
    corpus : Corpus
        Its gaps must be known.
    log_sd : float
        Standard deviation of the natural log of the gap, 0 to ``MAX_LOG_SD``.
    session_share : float
        Share of that variance that the session explains, 0 to 1.
    seed : int
        Of the draws; the same seed gives the same u and e for every spread.

    Returns
    -------
    Corpus

    Raises
    ------
    UnisonError
        If an argument is out of range.
    """
    if not 0 <= log_sd <= MAX_LOG_SD:
        raise UnisonError(f"log_sd must be from 0 to {MAX_LOG_SD:g}; given {log_sd}")
    if not 0 <= session_share <= 1:
        raise UnisonError(f"session_share must be from 0 to 1; given {session_share}")
    rows = np.flatnonzero(corpus.turn > 0)
    of_session, of_turn = np.random.SeedSequence(seed).spawn(2)
    per_session = np.random.default_rng(of_session).normal(size=corpus.n_sessions)[corpus.session[rows]]
    per_turn = np.random.default_rng(of_turn).normal(size=rows.size)
    log_gap = log_sd * (np.sqrt(session_share) * per_session + np.sqrt(1 - session_share) * per_turn)
    wide = np.exp(log_gap - log_gap.max())
    scaled = wide * (corpus.gap_ns[rows].sum() / wide.sum())
    gap_ns = corpus.gap_ns.copy()
    whole = np.rint(scaled / MICROSECOND_NS).astype(np.int64) * MICROSECOND_NS
    gap_ns[rows] = np.maximum(whole, MIN_GAP_NS)
    return dataclasses.replace(corpus, gap_ns=gap_ns, arrival_ns=np.full_like(corpus.arrival_ns, -1))
