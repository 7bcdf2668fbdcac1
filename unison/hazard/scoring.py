"""How well a hazard table foretells the ends of sessions it has not seen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import xlog1py, xlogy

from unison.hazard.counts import check_flags, check_turns, count_turn_ends
from unison.hazard.estimator import TurnHazard

PROBABILITY_FLOOR = 1e-6
"""Hazards are held this far from 0 and 1, so that one end at a turn of hazard 0 costs no infinite loss."""


@dataclass(frozen=True)
class HazardScores:
    """Mean losses over turns; smaller is better.

    Attributes
    ----------
    turns : int
        Turns scored, each a trial "does the session end here".
    log_loss : float
        Mean of -ln of the probability given to what happened [nats a turn].
    brier : float
        Mean squared error of the hazard.
    base_log_loss, base_brier : float
        The same for a constant hazard, the table's events over its turns at risk.
    """

    turns: int
    log_loss: float
    brier: float
    base_log_loss: float
    base_brier: float


def score_hazard(table: TurnHazard, turns: ArrayLike, ended: ArrayLike | None = None) -> HazardScores:
    """Log-loss and Brier score of a table on sessions.

    A session of T turns is T trials, the last of them a success if the session ended; a right-censored one
    has no success. Hazards are clipped to [`PROBABILITY_FLOOR`, 1 - `PROBABILITY_FLOOR`].

    Parameters
    ----------
    table : TurnHazard
        Fitted.
    turns : array-like of int [sessions]
        Turns of each session.
    ended : array-like [sessions], optional
        1, 0 or -1 as in `TurnHazard.fit`.

    Returns
    -------
    HazardScores

    Raises
    ------
    UnisonError
        As `TurnHazard.fit`.
    """
    lengths = check_turns(turns, "turns")
    flags = check_flags(ended, lengths.size, "ended")
    trial, is_end = expand_turns(lengths, flags != 0)
    n, d = count_turn_ends(trial, is_end, np.ones(trial.size), table.hazard_.size)
    constant = np.full(table.hazard_.size, table.events_.sum() / table.at_risk_.sum())
    return HazardScores(
        int(n.sum()),
        *_losses(table.hazard_, n, d),
        *_losses(constant, n, d),
    )


def expand_turns(lengths: np.ndarray, ended: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The turns 1 .. T of every session, and whether each ended it [sum of lengths]."""
    last = np.cumsum(lengths) - 1
    trial = np.arange(1, last[-1] + 2) - np.repeat(last + 1 - lengths, lengths)
    is_end = np.zeros(trial.size, dtype=np.bool_)
    is_end[last] = ended
    return trial, is_end


def _losses(hazard: np.ndarray, n: np.ndarray, d: np.ndarray) -> tuple[float, float]:
    """Log-loss and Brier score from counts by turn."""
    h = np.clip(hazard, PROBABILITY_FLOOR, 1 - PROBABILITY_FLOOR)
    log_loss = -(xlogy(d, h) + xlog1py(n - d, -h)).sum() / n.sum()
    brier = (d * (1 - h) ** 2 + (n - d) * h**2).sum() / n.sum()
    return float(log_loss), float(brier)
