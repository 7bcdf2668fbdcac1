"""The life of the flash: check values, identities and what shortens it."""

from __future__ import annotations

import dataclasses
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unison.config import load_defaults
from unison.errors import UnisonError
from unison.flash.device import (
    FlashDevice,
    append_amplification,
    days_at_full_rate,
    flash_device,
    improvement,
)

CONSTANTS = load_defaults().flash_device


def test_a_stack_written_without_a_pause_lasts_twelve_days():
    # 512e9 * 1e5 / (1.02 * 48e9) s = 1.0458e6 s = 12.1 days.
    assert days_at_full_rate(flash_device(1)) == pytest.approx(12.1, abs=0.05)


def test_the_warranty_allows_a_third_of_a_gigabyte_a_second():
    # 512e9 * 1e5 / (1.02 * 5 * 3.156e7) = 3.181e8 bytes/s.
    assert flash_device(1).budget_bytes_per_s() == pytest.approx(0.318e9, abs=0.0005e9)
    assert flash_device(7).budget_bytes_per_s() == pytest.approx(2.23e9, abs=0.005e9)


def test_a_budget_lasts_as_long_as_it_says():
    device = flash_device(4, weight_bytes=10**11)
    assert device.years(device.budget_bytes_per_s(3.0)) == pytest.approx(3.0)


@given(
    baseline=st.integers(1, 10**6),
    blocks=st.integers(1, 10**6),
    stacks=st.integers(1, 8),
    cycles=st.integers(1, 10**5),
)
def test_the_improvement_is_the_ratio_of_flash_writes_on_any_device(baseline, blocks, stacks, cycles):
    device = FlashDevice(stacks, dataclasses.replace(CONSTANTS, cycles=cycles))
    by_years = device.years(float(blocks)) / device.years(float(baseline))
    assert by_years == pytest.approx(improvement(blocks, baseline) ** -1)


def test_nothing_written_lasts_for_ever():
    assert flash_device(1).years(0.0) == math.inf
    assert improvement(3, 0) == math.inf


def test_what_is_written_anew_wears_as_what_is_written():
    # 1e8 bytes/s at an amplification of 1.02 wear as 0.51e8 of it and 0.51e8 reclaimed.
    device = flash_device(1)
    assert device.years(0.5e8, reclaim_bytes_per_s=0.51e8) == pytest.approx(device.years(1e8))
    with pytest.raises(UnisonError, match="at least 0"):
        device.years(1.0, reclaim_bytes_per_s=-1.0)


def test_concentrated_wear_and_partial_pages_shorten_it():
    worn = FlashDevice(1, dataclasses.replace(CONSTANTS, wear_concentration=10.0))
    assert worn.years(1e8) == pytest.approx(flash_device(1).years(1e8) / 10)
    assert worn.budget_bytes_per_s() == pytest.approx(flash_device(1).budget_bytes_per_s() / 10)
    # 6,144 bytes take two pages of 4,096: 8,192 / 6,144.
    assert append_amplification(6144, 4096) == pytest.approx(4 / 3)
    assert append_amplification(8192, 4096) == 1.0
    assert flash_device(1).years(1e8, append_amplification=2.0) == flash_device(1).years(1e8) / 2


def test_read_disturb_is_answered_with_writes():
    # An erase block is written anew after a million page reads: 1 in 10^6 reads of a page costs 784 pages.
    assert flash_device(1).reclaim_bytes_per_s(1e12) == pytest.approx(1e12 * 784 / 1e6)


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: flash_device(0), "no room"),
        (lambda: flash_device(1, weight_bytes=10**12), "no room"),
        (lambda: flash_device(1).years(-1.0), "at least 0"),
        (lambda: flash_device(1).years(math.nan), "a rate is at least 0 and finite"),
        (lambda: flash_device(1).years(1.0, reclaim_bytes_per_s=math.nan), "a rate is at least 0 and finite"),
        (
            lambda: flash_device(1).years(1.0, append_amplification=-2),
            "append_amplification -2; it is at least 1",
        ),
        (lambda: flash_device(1).budget_bytes_per_s(-1), "-1 years; give a number above 0"),
        (lambda: flash_device(1).budget_bytes_per_s(0), "0 years; give a number above 0"),
        (lambda: flash_device(1).budget_bytes_per_s(math.nan), "nan years; give a number above 0"),
        (lambda: append_amplification(0, 4096), "give 1 or more"),
        (lambda: FlashDevice(1, dataclasses.replace(CONSTANTS, cycles=0)), "cycles"),
    ],
)
def test_what_makes_no_sense_is_refused(make, told):
    with pytest.raises(UnisonError, match=told):
        make()
