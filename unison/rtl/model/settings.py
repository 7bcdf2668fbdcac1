"""Settings: what software writes and a commit takes over, and the score that follows from it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass

from unison.fixed_point.arithmetic import (
    gap_term,
    penalty_term,
    reciprocal_code,
    survival_code,
    turn_code,
)
from unison.rtl.config import RATE_FRACTION, TURN_MAX, Config


@dataclass(frozen=True)
class Settings:
    """The values that act from a commit on.

    Attributes
    ----------
    capacity : tuple of int
        Of SRAM and HBM [tokens].
    dma_rate, dma_div : int
        Tide's budget is gap times `dma_rate` over `dma_div`.
    penalty : int
        P_Z [stored units].
    sync_period : int
        m of the dual design.
    hazard, reciprocal, penalties : tuple of int
        One entry a turn, turn t at index t - 1; the last two are empty where the variant has no such table.
    """

    capacity: tuple[int, int] = (0, 0)
    dma_rate: int = 0
    dma_div: int = 1 << RATE_FRACTION
    penalty: int = 0
    sync_period: int = 1
    hazard: tuple[int, ...] = (0,) * TURN_MAX
    reciprocal: tuple[int, ...] = ()
    penalties: tuple[int, ...] = ()


def settings_for(
    config: Config,
    hazard: Sequence[int],
    capacity: tuple[int, int],
    dma_rate: int,
    *,
    sync_period: int = 1,
) -> Settings:
    """The settings that software computes for a table of hazard codes, under the configuration's contract.

    Parameters
    ----------
    config : Config
    hazard : sequence of int
        h_Z(t), t = 1 .. `TURN_MAX`.
    capacity : tuple of int
        Of SRAM and HBM [tokens].
    dma_rate : int
        Tokens in one stored unit of time, 16 fraction bits.
    sync_period : int
        m of the dual design.
    """
    contract = config.contract
    sigmas = [survival_code(code, contract) for code in hazard]
    return Settings(
        capacity=capacity,
        dma_rate=dma_rate,
        penalty=0 if config.has_penalties else contract.penalty,
        sync_period=sync_period,
        hazard=tuple(hazard),
        reciprocal=tuple(reciprocal_code(s, contract) for s in sigmas) if config.has_reciprocals else (),
        penalties=tuple(penalty_term(s, contract) for s in sigmas) if config.has_penalties else (),
    )


class Scorer:
    """The score of a live session under some settings, with what depends on the turn alone kept.

    Parameters
    ----------
    config : Config
    settings : Settings
    """

    def __init__(self, config: Config, settings: Settings) -> None:
        contract = dataclasses.replace(config.contract, penalty=settings.penalty)
        self._contract = contract
        self._sigma = [survival_code(code, contract) for code in settings.hazard]
        self._reciprocal = settings.reciprocal
        self._penalty = settings.penalties or [penalty_term(sigma, contract) for sigma in self._sigma]

    def __call__(self, turn: int, ema: int) -> int:
        """The score at a turn (0 counts as 1) and an average (EQUATIONS eq. 17-19)."""
        at = turn_code(turn, TURN_MAX) - 1
        if self._reciprocal:
            gap = (ema * self._reciprocal[at]) >> self._contract.recip_bits
        else:
            gap = gap_term(ema, self._sigma[at], self._contract)
        return min(self._contract.largest_score, gap + self._penalty[at])
