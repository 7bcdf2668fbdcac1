"""Contract: what it allows, and the widths it promises to hold every intermediate result."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.contracts import drawn_contracts

from unison.errors import UnisonError
from unison.fixed_point import Contract, paper_contract, stored_penalty
from unison.fixed_point.arithmetic import gap_term, penalty_term, reciprocal_code, survival_code

VALID = {"hazard_bits": 12, "gap_bits": 32, "score_bits": 64, "tau_ns": 1000, "penalty": 5 * 10**8}


def test_the_papers_point_is_what_it_published():
    assert paper_contract() == Contract(12, 32, 64, 1000, 5 * 10**8, "exact", "affine", 0)


def test_the_penalty_is_seconds_over_tau():
    assert [stored_penalty(500, tau) for tau in (1, 1000, 10**6)] == [5 * 10**11, 5 * 10**8, 5 * 10**5]
    with pytest.raises(UnisonError, match="at least 0"):
        stored_penalty(-1, 1000)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"hazard_bits": 3}, "hazard_bits must be from 4 to 16; given 3, the nearest valid value is 4"),
        ({"hazard_bits": 17}, "nearest valid value is 16"),
        ({"gap_bits": 8}, "gap_bits must be from 16 to 64; given 8, the nearest valid value is 16"),
        ({"score_bits": 24}, "score_bits must be from 32 to 64; given 24, the nearest valid value is 32"),
        ({"score_bits": 65}, "nearest valid value is 64"),
        ({"tau_ns": 0}, "nearest valid value is 1"),
        ({"penalty": -1}, "nearest valid value is 0"),
        ({"penalty": 2**40}, f"nearest valid value is {2**40 - 1}"),
        ({"divider": "exct"}, "did you mean 'exact'"),
        ({"penalty_form": "shifted"}, "did you mean 'shift'"),
        ({"recip_bits": 16}, "recip_bits .with divider 'exact'. .*nearest valid value is 0"),
        ({"divider": "reciprocal"}, "recip_bits .with divider 'reciprocal'. .*nearest valid value is 8"),
        ({"hazard_bits": 12.0}, "must be a whole number"),
        ({"gap_bits": True}, "must be a whole number"),
    ],
)
def test_a_value_out_of_range_is_refused_with_the_nearest_valid_one(change, message):
    with pytest.raises(UnisonError, match=message):
        Contract(**{**VALID, **change})


def test_the_widths_of_the_papers_point():
    locked = paper_contract()
    assert (locked.lambda_h, locked.epsilon_code) == (4095, 41)
    # (2^32-1) * 4095 needs 44 bits; / 41 = 4.29e11 needs 39; P_Z = 5e8 needs 29, times 4054 needs 41.
    assert (locked.numerator_bits, locked.gap_term_bits) == (44, 39)
    assert (locked.penalty_bits, locked.penalty_product_bits, locked.penalty_term_bits) == (29, 41, 29)
    assert (locked.ema_sum_bits, locked.sum_bits) == (36, 39)
    assert (locked.reciprocal_bits, locked.largest_reciprocal) == (0, 0)


def test_a_reciprocal_entry_holds_the_smallest_survival():
    # 2^16 * 4095 / 41 = 6545607.8 rounds to 6545608, 23 bits
    contract = Contract(**VALID, divider="reciprocal", recip_bits=16)
    assert (contract.largest_reciprocal, contract.reciprocal_bits) == (6_545_608, 23)


def test_epsilon_never_quantises_to_a_division_by_zero():
    # 15 * 0.01 rounds to 0
    assert Contract(**{**VALID, "hazard_bits": 4}).epsilon_code == 1


@given(contract=drawn_contracts(), data=st.data())
@settings(max_examples=200, deadline=None)
def test_every_intermediate_result_fits_its_width(contract, data):
    edge = st.sampled_from([0, 1, contract.largest_gap - 1, contract.largest_gap])
    ema = data.draw(edge | st.integers(0, contract.largest_gap))
    codes = st.sampled_from([0, contract.lambda_h]) | st.integers(0, contract.lambda_h)
    sigma = survival_code(data.draw(codes), contract)
    a, b = gap_term(ema, sigma, contract), penalty_term(sigma, contract)
    factor = contract.lambda_h
    if contract.divider == "reciprocal":
        factor = reciprocal_code(sigma, contract)
        assert factor.bit_length() <= contract.reciprocal_bits
    assert (ema * factor).bit_length() <= contract.numerator_bits
    assert (10 * contract.largest_gap).bit_length() <= contract.ema_sum_bits
    product = (contract.lambda_h - sigma) * contract.penalty
    assert product.bit_length() <= contract.penalty_product_bits
    assert a.bit_length() <= contract.gap_term_bits
    assert b.bit_length() <= contract.penalty_term_bits
    assert (a + b).bit_length() <= contract.sum_bits


@given(contract=drawn_contracts())
@settings(max_examples=100, deadline=None)
def test_the_gap_terms_width_is_needed(contract):
    largest = gap_term(contract.largest_gap, contract.epsilon_code, contract)
    assert largest.bit_length() == contract.gap_term_bits
