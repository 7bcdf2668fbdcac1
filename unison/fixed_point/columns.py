"""The integer Spear over whole columns: the functions of `unison.fixed_point.arithmetic`, in NumPy.

Codes are uint64. A stored gap can have 64 bits, so that its products do not fit: the exact divider splits the
gap into quotient and remainder by sigma, the average splits both of its terms by 10, and products with a
reciprocal or a DMA rate are kept in two words of 64 bits. No intermediate result is lost; a result above
2^64 - 1 saturates there, which is at or above every width a contract allows.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unison.fixed_point import arithmetic
from unison.fixed_point.arithmetic import EMA_NEW, EMA_OLD, EMA_WHOLE, RATE_FRACTION_BITS
from unison.fixed_point.contract import Contract

Codes = NDArray[np.uint64]
"""A column of codes."""

MOST = np.uint64(2**64 - 1)
"""Where results saturate."""

_HALF = np.uint64(32)
_LOW = np.uint64(2**32 - 1)
_WORD = np.uint64(64)


def gap_codes(gap_ns: NDArray[np.int64], contract: Contract) -> Codes:
    """`arithmetic.gap_code` of a column of gaps, which are at least 0 [as long as `gap_ns`, stored units]."""
    return _at_most((gap_ns // contract.tau_ns).astype(np.uint64), contract.largest_gap)


def next_emas(gap: Codes, ema: Codes) -> Codes:
    """`arithmetic.next_ema` after a gap that is not the first [as long as `gap`, stored units]."""
    new, old, whole = np.uint64(EMA_NEW), np.uint64(EMA_OLD), np.uint64(EMA_WHOLE)
    rest = (new * (gap % whole) + old * (ema % whole)) // whole
    return new * (gap // whole) + old * (ema // whole) + rest


def live_scores(ema: Codes, hazard: NDArray[np.int64], contract: Contract) -> Codes:
    """`arithmetic.live_score` of columns of averages and hazard codes [as long as `ema`]."""
    distinct, at = np.unique(hazard, return_inverse=True)
    sigmas = [arithmetic.survival_code(code, contract) for code in distinct.tolist()]
    sigma = np.asarray(sigmas, dtype=np.uint64)[at]
    penalties = [arithmetic.penalty_term(code, contract) for code in sigmas]
    if contract.divider == "exact":
        gap = _divided(ema, sigma, contract)
    else:
        reciprocals = [arithmetic.reciprocal_code(code, contract) for code in sigmas]
        gap = shifted_product(ema, np.asarray(reciprocals, dtype=np.uint64)[at], contract.recip_bits)
    total = gap + np.asarray(penalties, dtype=np.uint64)[at]
    total[total < gap] = MOST
    return _at_most(total, contract.largest_score)


def token_budgets(ema: Codes, rate: int) -> Codes:
    """`arithmetic.token_budget` of a column of averages [as long as `ema`, tokens]."""
    return shifted_product(ema, np.full_like(ema, rate), RATE_FRACTION_BITS)


def shifted_product(left: Codes, right: Codes, bits: int) -> Codes:
    """floor(left * right / 2^bits) from the whole product of 128 bits, saturated at 2^64 - 1.

    Parameters
    ----------
    left, right : uint64
        Of equal length.
    bits : int
        1 to 63.

    Returns
    -------
    uint64
    """
    low, high = _wide_product(left, right)
    shift = np.uint64(bits)
    result = (low >> shift) | (high << (_WORD - shift))
    result[(high >> shift) != 0] = MOST
    return result


def _at_most(codes: Codes, largest: int) -> Codes:
    codes[codes > np.uint64(largest)] = largest
    return codes


def _wide_product(left: Codes, right: Codes) -> tuple[Codes, Codes]:
    """The low and the high word of a product, by long multiplication in half words."""
    left_low, left_high = left & _LOW, left >> _HALF
    right_low, right_high = right & _LOW, right >> _HALF
    lowest = left_low * right_low
    middle = left_high * right_low + (lowest >> _HALF)
    other = left_low * right_high + (middle & _LOW)
    low = (other << _HALF) | (lowest & _LOW)
    return low, left_high * right_high + (middle >> _HALF) + (other >> _HALF)


def _divided(ema: Codes, sigma: Codes, contract: Contract) -> Codes:
    """floor(ema Lambda / sigma), saturated at 2^64 - 1: q Lambda + r Lambda / sigma, ema = q sigma + r."""
    scale = np.uint64(contract.lambda_h)
    quotient, remainder = ema // sigma, ema % sigma
    whole = quotient * scale
    result = whole + remainder * scale // sigma
    result[(quotient > MOST // scale) | (result < whole)] = MOST
    return result
