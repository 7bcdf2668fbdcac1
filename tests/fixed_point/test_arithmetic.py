"""The integer Spear: worked numbers of UNISON eq. (13)-(20), and its corners."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from unison.config import load_defaults
from unison.errors import UnisonError
from unison.fixed_point import Contract, paper_contract
from unison.fixed_point.arithmetic import (
    EMA_NEW,
    EMA_OLD,
    EMA_WHOLE,
    completed_score,
    dma_rate,
    gap_code,
    gap_term,
    hazard_codes,
    live_score,
    next_ema,
    penalty_term,
    reciprocal_code,
    survival_code,
    token_budget,
    turn_code,
)
from unison.fixed_point.quantizer import quantize

LOCKED = paper_contract()
RECIPROCAL = Contract(12, 32, 64, 1000, 5 * 10**8, "reciprocal", "affine", 16)
SHIFT = Contract(12, 32, 64, 1000, 5 * 10**8, "exact", "shift")
NARROW = Contract(8, 24, 32, 1, 5 * 10**11)

VECTORS = [
    # gap ns, hazard, h_Z, sigma_Z, gap_Z, A, B, score
    (0, 0.0, 0, 4095, 0, 0, 0, 0),
    (1_000_000, 0.0, 0, 4095, 1000, 1000, 0, 1000),
    (3_700_000_000, 0.02, 82, 4013, 3_700_000, 3_775_604, 10_012_210, 13_787_814),
    (4_400_000_000, 0.05, 205, 3890, 4_400_000, 4_631_876, 25_030_525, 29_662_401),
    (7_200_000_000, 0.10, 410, 3685, 7_200_000, 8_001_085, 50_061_050, 58_062_135),
    (23_000_000_000, 0.0, 0, 4095, 23_000_000, 23_000_000, 0, 23_000_000),
    (1_000_000_000, 0.5, 2048, 2047, 1_000_000, 2_000_488, 250_061_050, 252_061_538),
    (5_000_000_000, 0.999, 4091, 41, 5_000_000, 499_390_243, 494_993_894, 994_384_137),
    (5_000_000_000_000, 0.3, 1229, 2866, 4_294_967_295, 6_136_737_987, 150_061_050, 6_286_799_037),
]  # fmt: skip


@pytest.mark.parametrize("row", VECTORS, ids=lambda row: f"{row[0]}ns-h{row[1]}")
def test_the_locked_point_gives_the_worked_numbers(row):
    gap_ns, hazard, h_code, sigma, gap, a, b, score = row
    assert quantize(hazard, LOCKED.hazard_bits) == h_code
    assert survival_code(h_code, LOCKED) == sigma
    assert gap_code(gap_ns, LOCKED) == gap
    assert gap_term(gap, sigma, LOCKED) == a
    assert penalty_term(sigma, LOCKED) == b
    assert live_score(gap, h_code, LOCKED) == score


def test_the_average_follows_the_worked_gaps():
    averages, ema = [], 0
    for index, gap in enumerate((3_700_000, 1_000, 9_000_000, 4_000_000)):
        ema = next_ema(gap, ema, is_first=index == 0)
        averages.append(ema)
    assert averages == [3_700_000, 2_590_300, 4_513_210, 4_359_247]


def test_the_average_weighs_the_latest_gap_with_alpha():
    assert EMA_NEW + EMA_OLD == EMA_WHOLE
    assert load_defaults().spear.alpha == EMA_NEW / EMA_WHOLE


def test_a_saturated_gap_stays_saturated_in_the_average():
    most = LOCKED.largest_gap
    assert next_ema(most, most, is_first=False) == most


@pytest.mark.parametrize(
    ("x", "bits", "code"),
    [
        (0.0, 12, 0),
        (1.0, 12, 4095),
        (-0.1, 12, 0),
        (1.5, 12, 4095),
        (0.5, 12, 2048),  # 2047.5 goes up
        (Fraction(1, 30), 4, 1),  # 15/30 = 0.5 goes up
        (math.nextafter(0.5, 0), 12, 2047),  # just below a tie goes down
        (0.3, 12, 1229),  # 1228.5: the double nearest to 3/10 counts as 3/10
        (0.01, 12, 41),
    ],
)
def test_the_quantizer_rounds_to_the_nearest_code_and_clips(x, bits, code):
    assert quantize(x, bits) == code


def test_survival_never_falls_below_epsilon():
    assert survival_code(4095, LOCKED) == 41
    assert survival_code(4095 - 41, LOCKED) == 41
    assert survival_code(4095 - 42, LOCKED) == 42


def test_gaps_are_rounded_down_and_saturate_at_the_last_code():
    assert gap_code(999, LOCKED) == 0
    assert gap_code(1999, LOCKED) == 1
    assert gap_code((2**32 - 2) * 1000 + 999, LOCKED) == 2**32 - 2
    assert gap_code((2**32 - 1) * 1000, LOCKED) == 2**32 - 1
    assert gap_code(2**62, LOCKED) == 2**32 - 1
    assert gap_code(2**24, NARROW) == 2**24 - 1


def test_a_reciprocal_is_rounded_to_the_nearest():
    # 2^16 * 4095 / 4013 = 66875.135...; / 2866 = 93639.19...; / 41 = 6545607.80...
    assert reciprocal_code(4013, RECIPROCAL) == 66_875
    assert reciprocal_code(2866, RECIPROCAL) == 93_639
    assert reciprocal_code(41, RECIPROCAL) == 6_545_608
    assert reciprocal_code(4095, RECIPROCAL) == 2**16


def test_the_reciprocal_divider_is_a_product_and_a_shift():
    # 3,700,000 * 66875 / 65536 = 3775596.6..., against 3,775,604 of the exact divider
    assert gap_term(3_700_000, 4013, RECIPROCAL) == 3_775_596
    assert gap_term(23_000_000, 4095, RECIPROCAL) == 23_000_000


def test_the_shift_form_divides_by_two_to_the_width():
    # 82 * 5e8 / 4096 = 10009765.6...
    assert penalty_term(4013, SHIFT) == 10_009_765


def test_the_table_form_has_the_affine_values():
    table = Contract(12, 32, 64, 1000, 5 * 10**8, "exact", "table")
    assert all(penalty_term(s, table) == penalty_term(s, LOCKED) for s in range(41, 4096))


def test_a_narrow_score_saturates_and_completion_has_its_last_code():
    # tau = 1 ns: one code of an 8-bit hazard alone is 5e11 / 255 = 1.96e9 units, three exceed 2^32.
    assert live_score(0, 2, NARROW) == 2 * 5 * 10**11 // 255
    assert live_score(0, 3, NARROW) == 2**32 - 1
    assert completed_score(NARROW) == 2**32 - 1
    assert completed_score(LOCKED) == 2**64 - 1


def test_hazard_codes_follow_the_table():
    assert hazard_codes([0.0, 0.02, 0.999, 1.0], LOCKED) == (0, 82, 4091, 4095)


def test_turns_are_clamped_to_the_table():
    assert [turn_code(turn, 50) for turn in (0, 1, 50, 51)] == [1, 1, 50, 50]


def test_the_rate_is_the_nearest_fraction_of_tokens_per_unit():
    # 1,536,000 ps a token: 1 us is 0.651041... tokens, times 65536 is 42666.66...
    assert dma_rate(1_536_000, LOCKED) == 42_667
    assert token_budget(3_700_000, 42_667) == 2_408_872  # 157867900000 / 65536 = 2408872.9...


def test_a_rate_the_register_cannot_hold_is_refused():
    with pytest.raises(UnisonError, match="choose another tau_ns"):
        dma_rate(10**18, LOCKED)
    with pytest.raises(UnisonError, match="choose another tau_ns"):
        dma_rate(1, Contract(12, 32, 64, 10**9, 500))
