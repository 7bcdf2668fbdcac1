"""The quantizer of probabilities."""

from __future__ import annotations

from fractions import Fraction


def quantize(x: float | Fraction, bits: int) -> int:
    """UQ0.b: floor((2^b - 1) x + 1/2), clipped to 0 .. 2^b - 1 (EQUATIONS eq. 13).

    Parameters
    ----------
    x : float or Fraction
        Finite. A float is multiplied in double precision, so that 0.3 at 12 bits is the tie that 3/10 is,
        and goes up; a Fraction exactly.
    bits : int
        b, at least 1.
    """
    largest = (1 << bits) - 1
    code = (2 * Fraction(largest * x) + 1) // 2
    return min(max(code, 0), largest)
