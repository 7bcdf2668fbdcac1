"""The integer Spear in plain Python whole numbers: the specification of the columns and of the Verilog.

Every function takes and gives codes, which are whole numbers of any size; nothing here rounds in floating
point. UNISON eq. (13)-(20).
"""

from __future__ import annotations

from collections.abc import Sequence

from unison.errors import UnisonError
from unison.fixed_point.contract import Contract
from unison.fixed_point.quantizer import quantize

EMA_NEW, EMA_OLD, EMA_WHOLE = 3, 7, 10
"""Weights of the latest gap and of the past in the moving average, and their sum (EQUATIONS eq. 20)."""


def survival_code(hazard_code: int, contract: Contract) -> int:
    """sigma_Z = max(epsilon code, Lambda - h_Z) (EQUATIONS eq. 15)."""
    return max(contract.epsilon_code, contract.lambda_h - hazard_code)


def gap_code(gap_ns: int, contract: Contract) -> int:
    """A gap in stored units, rounded down and saturated at the stored width (EQUATIONS eq. 16)."""
    return min(contract.largest_gap, gap_ns // contract.tau_ns)


def next_ema(gap: int, ema: int, *, is_first: bool) -> int:
    """The moving average after a gap: the first gap sets it, then floor((3 gap + 7 ema) / 10).

    Parameters
    ----------
    gap, ema : int
        Codes [stored units].
    is_first : bool
        This is the session's first gap.
    """
    return gap if is_first else (EMA_NEW * gap + EMA_OLD * ema) // EMA_WHOLE


def reciprocal_code(sigma: int, contract: Contract) -> int:
    """R = 2^r Lambda / sigma, rounded to the nearest, ties up: an entry of the reciprocal table."""
    return ((contract.lambda_h << (contract.recip_bits + 1)) // sigma + 1) >> 1


def gap_term(ema: int, sigma: int, contract: Contract) -> int:
    """A = floor(ema Lambda / sigma), or (ema R) >> r with the reciprocal divider (EQUATIONS eq. 17)."""
    if contract.divider == "exact":
        return ema * contract.lambda_h // sigma
    return (ema * reciprocal_code(sigma, contract)) >> contract.recip_bits


def penalty_term(sigma: int, contract: Contract) -> int:
    """B = floor((Lambda - sigma) P_Z / Lambda), or >> b_h in the shift form (EQUATIONS eq. 18)."""
    product = (contract.lambda_h - sigma) * contract.penalty
    if contract.penalty_form == "shift":
        return product >> contract.hazard_bits
    return product // contract.lambda_h


def live_score(ema: int, hazard_code: int, contract: Contract) -> int:
    """Score of a session that has not completed: A + B, saturated at the score's width (EQUATIONS eq. 19)."""
    sigma = survival_code(hazard_code, contract)
    return min(contract.largest_score, gap_term(ema, sigma, contract) + penalty_term(sigma, contract))


def completed_score(contract: Contract) -> int:
    """Score of a completed session, 2^b_s - 1; it goes before any live one, a saturated one too."""
    return contract.largest_score


def hazard_codes(hazard: Sequence[float], contract: Contract) -> tuple[int, ...]:
    """h_Z(t) for t = 1 .. len(hazard), turn t at index t - 1 (EQUATIONS eq. 14)."""
    return tuple(quantize(h, contract.hazard_bits) for h in hazard)


def turn_code(turn: int, max_turn: int) -> int:
    """The turn that indexes the hazard table: 1 at least, `max_turn` at most (EQUATIONS eq. 5)."""
    return min(max(turn, 1), max_turn)


RATE_FRACTION_BITS = 16
"""Fraction bits of the register that holds the DMA rate."""


def dma_rate(dma_ps_per_token: int, contract: Contract) -> int:
    """Tokens moved in one stored unit of time, with 16 fraction bits, rounded to the nearest, ties up.

    Parameters
    ----------
    dma_ps_per_token : int
        Of the envelope, at least 1 [ps].
    contract : Contract

    Raises
    ------
    UnisonError
        If the rate does not fit the 32-bit register or is 0.
    """
    ps_per_unit = contract.tau_ns * 1000
    rate = ((ps_per_unit << (RATE_FRACTION_BITS + 1)) // dma_ps_per_token + 1) >> 1
    if not 0 < rate < 1 << 32:
        raise UnisonError(
            f"a token every {dma_ps_per_token} ps is {rate} / 2^16 tokens in {contract.tau_ns} ns; "
            "the register holds 1 to 2^32 - 1: choose another tau_ns"
        )
    return rate


def token_budget(ema: int, rate: int) -> int:
    """Tide's budget, (ema rate) >> 16 (EQUATIONS eq. 25) [tokens]."""
    return (ema * rate) >> RATE_FRACTION_BITS
