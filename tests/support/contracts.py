"""Contracts for the tests of the integer form."""

from __future__ import annotations

from hypothesis import strategies as st

from unison.fixed_point import Contract
from unison.fixed_point.contract import DIVIDERS, PENALTY_FORMS


@st.composite
def drawn_contracts(draw: st.DrawFn) -> Contract:
    """Any contract that is allowed, the corners more often."""
    gap_bits = draw(st.sampled_from([16, 24, 32, 64]) | st.integers(16, 64))
    divider = draw(st.sampled_from(DIVIDERS))
    return Contract(
        hazard_bits=draw(st.integers(4, 16)),
        gap_bits=gap_bits,
        score_bits=draw(st.sampled_from([gap_bits, 64]) | st.integers(gap_bits, 64)),
        tau_ns=draw(st.sampled_from([1, 7, 1000, 10**6, 10**9])),
        penalty=draw(st.integers(0, 2**40 - 1)),
        divider=divider,
        penalty_form=draw(st.sampled_from(PENALTY_FORMS)),
        recip_bits=draw(st.integers(8, 32)) if divider == "reciprocal" else 0,
    )
