"""The NumPy columns give the plain functions' numbers, also where products exceed 64 bits."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.contracts import drawn_contracts

from unison.fixed_point import Contract, arithmetic, columns

WORDS = st.sampled_from([0, 1, 9, 10, 2**32 - 1, 2**32, 2**63, 2**64 - 2, 2**64 - 1]) | st.integers(
    0, 2**64 - 1
)
WIDEST = Contract(16, 64, 64, 1, 2**40 - 1)


def codes(values: list[int]) -> np.ndarray:
    return np.asarray(values, dtype=np.uint64)


def stored(contract: Contract) -> st.SearchStrategy[int]:
    """Gaps that a contract stores, its last code among them."""
    return WORDS.map(lambda word: min(word, contract.largest_gap)) | st.integers(0, contract.largest_gap)


@given(contract=drawn_contracts(), gaps=st.lists(st.integers(0, 2**63 - 1), min_size=1, max_size=20))
@settings(max_examples=200, deadline=None)
def test_gap_codes(contract, gaps):
    found = columns.gap_codes(np.asarray(gaps, dtype=np.int64), contract)
    assert found.tolist() == [arithmetic.gap_code(gap, contract) for gap in gaps]


@given(pairs=st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=20))
@example(pairs=[(2**64 - 1, 2**64 - 1)])
@settings(max_examples=300, deadline=None)
def test_averages(pairs):
    gaps, emas = zip(*pairs, strict=True)
    expected = [arithmetic.next_ema(gap, ema, is_first=False) for gap, ema in pairs]
    assert columns.next_emas(codes(gaps), codes(emas)).tolist() == expected


@given(contract=drawn_contracts(), data=st.data())
@example(contract=WIDEST, data=None)
@settings(max_examples=500, deadline=None)
def test_live_scores(contract, data):
    if data is None:
        # The last quotient by sigma = 40,000 times 65,535 is 2^64 - 1; its remainder's part goes beyond.
        last = (2**64 - 1) // 65_535 * 40_000 + 39_999
        pairs = [(2**64 - 1, 0), (2**64 - 1, 65_535), (2**64 - 1, 1), (0, 65_535), (last, 65_535 - 40_000)]
    else:
        hazard = st.sampled_from([0, contract.lambda_h]) | st.integers(0, contract.lambda_h)
        pairs = data.draw(st.lists(st.tuples(stored(contract), hazard), min_size=1, max_size=20))
    emas, hazards = zip(*pairs, strict=True)
    found = columns.live_scores(codes(emas), np.asarray(hazards, dtype=np.int64), contract)
    assert found.tolist() == [arithmetic.live_score(ema, hazard, contract) for ema, hazard in pairs]


@given(
    emas=st.lists(WORDS, min_size=1, max_size=20),
    rate=st.sampled_from([1, 2**32 - 1]) | st.integers(1, 2**32 - 1),
)
@settings(max_examples=300, deadline=None)
def test_token_budgets_saturate_at_64_bits(emas, rate):
    expected = [min(2**64 - 1, arithmetic.token_budget(ema, rate)) for ema in emas]
    assert columns.token_budgets(codes(emas), rate).tolist() == expected


@given(pairs=st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=20), bits=st.integers(1, 63))
@example(pairs=[(2**64 - 1, 2**64 - 1)], bits=63)
@settings(max_examples=300, deadline=None)
def test_shifted_products(pairs, bits):
    left, right = zip(*pairs, strict=True)
    expected = [min(2**64 - 1, (a * b) >> bits) for a, b in pairs]
    assert columns.shifted_product(codes(left), codes(right), bits).tolist() == expected
