"""Envelopes: the six fixed ones, shares, the forms a user may write, and refusals."""

from __future__ import annotations

import contextlib
import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unison.config import load_defaults
from unison.device import costs_for
from unison.errors import UnisonError
from unison.replay.envelope import (
    MAX_CAPACITY_TOKENS,
    Envelope,
    Tier,
    default_envelopes,
    parse_envelope,
    share_envelope,
    share_envelopes,
)

COSTS = costs_for("qwen3")


def capacities(envelope: Envelope) -> list[int]:
    return [tier.capacity_tokens for tier in envelope.tiers]


def parse(text: str, mean_live_tokens: float | None = None) -> Envelope:
    return parse_envelope(text, model="qwen3", mean_live_tokens=mean_live_tokens)


def test_the_six_fixed_envelopes_are_a_geometric_series_through_the_published_total():
    envelopes = default_envelopes(COSTS)
    assert [e.name for e in envelopes] == ["edge-tight", "edge", "client", "workstation", "server", "cxl"]
    assert [e.total_tokens for e in envelopes] == [30_000, 60_000, 120_000, 240_000, 480_000, 960_000]
    assert [capacities(e)[0] for e in envelopes] == [6_000, 12_000, 24_000, 48_000, 96_000, 192_000]


def test_tiers_cost_what_their_position_costs():
    envelope = parse("1,2,3")
    assert [tier.name for tier in envelope.tiers] == ["sram", "hbm", "host"]
    assert tuple(tier.read_ns_per_token for tier in envelope.tiers) == COSTS.read_ns_per_token
    assert envelope.dma_ps_per_token == COSTS.dma_ps_per_token


def test_slots_are_the_defaults_unless_given():
    assert parse("edge").slots == load_defaults().replay.slots
    assert parse_envelope("edge", model="qwen3", slots=7).slots == 7
    assert parse_envelope("1,2", model="qwen3", slots=7).slots == 7


@pytest.mark.parametrize("envelope", default_envelopes(COSTS), ids=lambda e: e.name)
def test_a_name_gives_the_fixed_envelope(envelope: Envelope):
    assert parse(f" {envelope.name} ") == envelope


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12000,48000", [12_000, 48_000]),
        ("12_000, 48_000", [12_000, 48_000]),
        ("60000", [60_000]),
        ("1,2,3", [1, 2, 3]),
        ("0,60000", [0, 60_000]),
        ("0,0", [0, 0]),
        # qwen3 has 98,304 B a token: 1 GiB holds 10,922.67, half a GiB 5,461.33, 96 KiB exactly 1.
        ("1 GiB,4 GiB", [10_922, 43_690]),
        ("0.5GiB,4096 MiB", [5_461, 43_690]),
        ("0.09375 MiB", [1]),
        ("0.0937 MiB", [0]),
        ("0 GiB,1 GiB,2 GiB", [0, 10_922, 21_845]),
    ],
)
def test_capacities_in_tokens_and_in_bytes(text: str, expected: list[int]):
    envelope = parse(text)
    assert capacities(envelope) == expected
    assert envelope.name == text.strip()


def test_bytes_hold_more_tokens_of_a_model_with_smaller_kv():
    # deepseek-v3 has 70,272 B a token.
    assert capacities(parse_envelope("1 GiB", model="deepseek-v3")) == [2**30 // 70_272]


@pytest.mark.parametrize(
    ("text", "expected", "name"),
    [
        ("x1/4", [50, 200], "x1/4"),
        ("x0.75", [150, 600], "x3/4"),
        ("x1", [200, 800], "x1"),
        ("x3/2", [300, 1200], "x3/2"),
        ("x0", [0, 0], "x0"),
        ("x0.5/2", [50, 200], "x1/4"),
        ("x1/7", [28, 114], "x1/7"),  # 142 in all, SRAM 28.4 rounded down
    ],
)
def test_a_share_of_the_mean_live_tokens(text: str, expected: list[int], name: str):
    envelope = parse(text, mean_live_tokens=1000.0)
    assert capacities(envelope) == expected
    assert envelope.name == name


@given(mean=st.floats(1.0, 1e12), share=st.fractions(0, 3, max_denominator=1000))
def test_a_share_splits_its_total_without_loss(mean: float, share: Fraction):
    envelope = share_envelope(share, mean, COSTS)
    sram, hbm = capacities(envelope)
    total = math.floor(Fraction(mean) * share)
    assert sram + hbm == total
    assert sram <= total * load_defaults().envelope.sram_share < sram + 1


@given(tokens=st.lists(st.integers(0, 10**15), min_size=1, max_size=3))
def test_written_tokens_are_read_back(tokens: list[int]):
    assert capacities(parse(",".join(map(str, tokens)))) == tokens


@given(text=st.text(max_size=120))
def test_any_text_is_an_envelope_or_a_told_mistake(text: str):
    with contextlib.suppress(UnisonError):
        assert all(capacity >= 0 for capacity in capacities(parse(text, mean_live_tokens=1000.0)))


def test_an_imported_corpus_gets_its_six_shares():
    envelopes = share_envelopes(1_000_000.0, COSTS)
    assert [e.name for e in envelopes] == ["x1/8", "x1/4", "x1/2", "x3/4", "x1", "x3/2"]
    assert [e.total_tokens for e in envelopes] == [125_000, 250_000, 500_000, 750_000, 1_000_000, 1_500_000]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("edgee", r"unknown envelope 'edgee'; did you mean 'edge'\?.*12000,48000.*GiB"),
        ("", r"unknown envelope ''"),
        ("nan", r"unknown envelope 'nan'"),
        ("inf,1", r"unknown envelope 'inf,1'"),
        ("1,2,3,4", r"4 tiers, expected 1 to 3"),
        ("1 GiB,1 GiB,1 GiB,1 GiB", r"4 tiers, expected 1 to 3"),
        ("-5,10", r"'-5,10': capacities and shares are 0 or more"),
        ("5, -10", r"capacities and shares are 0 or more"),
        ("x-1", r"capacities and shares are 0 or more"),
        ("edge-2", r"unknown envelope 'edge-2'; did you mean 'edge'"),
        ("x1/0", r"'x1/0': division by 0"),
        ("1 GB,2 GB", r"not all in tokens, or not all in GiB or MiB"),
        ("1 GiB,2000", r"not all in tokens, or not all in GiB or MiB"),
        ("12e3,48e3", r"not all in tokens"),
        ("12000,", r"not all in tokens"),
        (f"{2**62},1", r"4611686018427387905 tokens in all, expected at most 2\*\*62"),
        ("9" * 101, r"101 characters"),
        ("x" + "9" * 30, r"tokens in all, expected at most 2\*\*62"),
    ],
)
def test_a_mistake_is_told(text: str, told: str):
    with pytest.raises(UnisonError, match=told):
        parse(text, mean_live_tokens=1000.0)


def test_a_share_without_a_corpus_is_told():
    with pytest.raises(UnisonError, match=r"'x1/4': a share needs a corpus"):
        parse("x1/4")


def test_an_unknown_model_is_told():
    with pytest.raises(UnisonError, match=r"unknown model 'qwen4'; did you mean 'qwen3'"):
        parse_envelope("edge", model="qwen4")


@pytest.mark.parametrize("mean", [0.0, -1.0, math.nan, math.inf])
def test_a_mean_out_of_range_is_told(mean: float):
    with pytest.raises(UnisonError, match=r"mean live tokens, expected a finite number above 0"):
        share_envelope(Fraction(1, 2), mean, COSTS)


def test_a_share_below_zero_is_told():
    with pytest.raises(UnisonError, match=r"a share of -1/2, expected 0 or more"):
        share_envelope(Fraction(-1, 2), 1000.0, COSTS)


@pytest.mark.parametrize(
    ("capacity", "read", "told"),
    [
        (-1, 1.0, r"tier 'hbm': capacity -1, expected whole tokens"),
        (1.5, 1.0, r"capacity 1.5, expected whole tokens"),
        (math.nan, 1.0, r"capacity nan"),
        (True, 1.0, r"capacity True"),
        (1, -1.0, r"read cost -1.0"),
        (1, math.nan, r"read cost nan"),
        (1, math.inf, r"read cost inf"),
    ],
)
def test_a_tier_out_of_range_is_refused(capacity: int, read: float, told: str):
    with pytest.raises(UnisonError, match=told):
        Tier("hbm", capacity, read)


SRAM, HBM = Tier("sram", 1, 1.0), Tier("hbm", 1, 2.0)


@pytest.mark.parametrize(
    ("tiers", "slots", "dma", "told"),
    [
        ((), 1, 1, r"0 tiers, expected 1 to 3"),
        ((SRAM, HBM, Tier("host", 1, 3.0), Tier("disk", 1, 4.0)), 1, 1, r"4 tiers"),
        ((SRAM, SRAM), 1, 1, r"tiers sram, sram: each name once"),
        ((Tier("sram", MAX_CAPACITY_TOKENS, 1.0), HBM), 1, 1, r"expected at most 2\*\*62"),
        ((SRAM,), 0, 1, r"0 slots, expected at least 1"),
        ((SRAM,), 1, 0, r"dma_ps_per_token 0, expected at least 1"),
    ],
)
def test_a_chain_out_of_range_is_refused(tiers: tuple[Tier, ...], slots: int, dma: int, told: str):
    with pytest.raises(UnisonError, match=told):
        Envelope("mine", tiers, slots, dma)


def test_the_largest_chain_is_allowed():
    assert Envelope("mine", (Tier("sram", MAX_CAPACITY_TOKENS, 1.0),), 1, 1).total_tokens == 2**62
