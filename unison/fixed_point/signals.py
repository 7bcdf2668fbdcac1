"""IntegerSignals: what the hardware knows of each turn, as integer columns, and the ranking made of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.fixed_point.arithmetic import EMA_NEW, EMA_WHOLE, dma_rate, hazard_codes
from unison.fixed_point.columns import Codes, gap_codes, live_scores, next_emas, token_budgets
from unison.fixed_point.contract import Contract
from unison.hazard import TurnHazard
from unison.policies.ranking import Ranking
from unison.replay.reference import MAX_GAP_NS
from unison.signals import Signals

LEAST_DMA_PS = 1000
"""Replays count gaps in whole ns, so that a budget can be told to the token only from 1 ns a token on."""


@dataclass(frozen=True, eq=False)
class IntegerSignals:
    """The signals of a trace as the hardware holds them under a contract.

    Attributes
    ----------
    contract : Contract
    hazard : int64 [bins]
        h_Z by turn, turn t at index t - 1; bins is the clamp of the turn, 50 by default.
    turn : int64 [turns]
        Turns completed at the pause, clamped to 1 .. bins; ``hazard[turn - 1]`` is the pause's hazard code.
    gap : uint64 [turns]
        The gap that the turn's request closes, 0 at a session's first turn [stored units].
    prior : uint64 [turns]
        Running median of all sessions' first gaps at the pause [stored units].
    ema : uint64 [turns]
        Average of the session's gaps at the pause; `prior` at a first turn [stored units].
    score : uint64 [turns]
        Score of the pause, were the session not to complete.
    """

    contract: Contract
    hazard: NDArray[np.int64]
    turn: NDArray[np.int64]
    gap: Codes
    prior: Codes
    ema: Codes
    score: Codes

    def budget(self, dma_ps_per_token: int) -> Codes:
        """Tide's budget at each pause, as the hardware computes it (EQUATIONS eq. 25) [turns, tokens].

        Raises
        ------
        UnisonError
            If the rate does not fit its register.
        """
        return token_budgets(self.ema, dma_rate(dma_ps_per_token, self.contract))


def integer_signals(signals: Signals, contract: Contract) -> IntegerSignals:
    """The integer columns of a trace.

    Parameters
    ----------
    signals : Signals
        With alpha 3/10, the start ``prior`` and a `TurnHazard`, which is what the hardware implements.
    contract : Contract

    Raises
    ------
    UnisonError
        If the signals are of another kind.
    """
    table = _checked_hazard(signals)
    hazard = np.asarray(hazard_codes(table.hazard_.tolist(), contract), dtype=np.int64)
    turn = np.minimum(signals.turn, hazard.size)
    gap = gap_codes(signals.trace.corpus.gap_ns, contract)
    prior = gap_codes(signals.first_gap_median_ns, contract)
    ema = _averages(signals, gap, prior)
    return IntegerSignals(
        contract=contract,
        hazard=hazard,
        turn=turn,
        gap=gap,
        prior=prior,
        ema=ema,
        score=live_scores(ema, hazard[turn - 1], contract),
    )


def integer_ranking(columns: IntegerSignals, dma_ps_per_token: int) -> Ranking:
    """The integer Spear as a ranking that the replay kernel runs.

    The base is the dense rank of the score among all pauses, since a score can have 64 bits and a base 62:
    equal scores have equal ranks and the order is the scores'. Completed sessions go before all live ones,
    a saturated one too, by the kernel's own rule. The gap estimate is the least one that gives the hardware's
    budget of tokens; budgets that only a gap of more than 104 days would give are cut to that.

    Parameters
    ----------
    columns : IntegerSignals
    dma_ps_per_token : int
        Of the envelope replayed [ps].

    Raises
    ------
    UnisonError
        If the rate does not fit its register, or a token takes less than a nanosecond.
    """
    if dma_ps_per_token < LEAST_DMA_PS:
        raise UnisonError(
            f"dma_ps_per_token is {dma_ps_per_token}; an integer budget is replayed in whole ns, "
            f"so give at least {LEAST_DMA_PS}"
        )
    most = np.uint64(MAX_GAP_NS * 1000 // dma_ps_per_token)
    budget = np.minimum(columns.budget(dma_ps_per_token), most).astype(np.int64)
    rank = np.unique(columns.score, return_inverse=True)[1]
    return Ranking(
        base=rank.astype(np.int64),
        slope=np.zeros(rank.size),
        gap_estimate_ns=-(-budget * dma_ps_per_token // 1000),
        sees_completion=True,
    )


def _checked_hazard(signals: Signals) -> TurnHazard:
    table = signals.hazard
    if not isinstance(table, TurnHazard) or table.surv != "local":
        raise UnisonError("integer_signals: the hazard must be a fitted TurnHazard with surv='local'")
    if signals.ema_init != "prior" or signals.alpha != EMA_NEW / EMA_WHOLE:
        raise UnisonError(
            f"integer_signals: alpha {signals.alpha} with start {signals.ema_init!r}; "
            f"the hardware has {EMA_NEW}/{EMA_WHOLE} with start 'prior'"
        )
    return table


def _averages(signals: Signals, gap: Codes, prior: Codes) -> Codes:
    """The average at each pause: the prior before a session's first gap, which sets it."""
    corpus = signals.trace.corpus
    first = corpus.first_row[:-1]
    ema = np.zeros_like(gap)
    ema[first] = prior[first]
    for turn in range(1, int(corpus.turns_per_session.max())):
        rows = first[corpus.turns_per_session > turn] + turn
        ema[rows] = gap[rows] if turn == 1 else next_emas(gap[rows], ema[rows - 1])
    return ema
