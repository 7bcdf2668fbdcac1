"""The configurations of the IP: what is allowed, what is refused and with which hint, and their hashes."""

from __future__ import annotations

import dataclasses
import hashlib
import json

import pytest

from unison.errors import UnisonError
from unison.fixed_point import paper_contract
from unison.rtl.config import (
    GENERATOR_VERSION,
    RECIP_BITS,
    VARIANTS,
    Config,
    default_config,
    default_contract,
)


def test_the_default_is_the_paper_s_point_at_64_sessions() -> None:
    config = default_config("scan_div")
    assert (config.sessions, config.table, config.contract) == (64, "ff", paper_contract())
    assert (config.slot_bits, config.event_depth, config.response_depth) == (6, 8, 16)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_keeps_the_widths_of_the_paper(variant: str) -> None:
    contract, paper = default_contract(variant), paper_contract()
    for name in ("hazard_bits", "gap_bits", "score_bits", "tau_ns", "penalty"):
        assert getattr(contract, name) == getattr(paper, name)


def test_forms_belong_to_their_variant() -> None:
    assert default_contract("scan_div_recip").divider == "reciprocal"
    assert default_contract("scan_div_recip").recip_bits == RECIP_BITS
    assert default_contract("scan_div_lut").penalty_form == "table"
    assert default_config("scan_div_recip").has_reciprocals
    assert default_config("scan_div_lut").has_penalties
    with pytest.raises(UnisonError, match="'score_scan' has divider 'exact'; given 'reciprocal'"):
        Config("score_scan", contract=default_contract("scan_div_recip"))
    with pytest.raises(UnisonError, match="penalty_form 'affine' or 'shift'; given 'table'"):
        Config("score_tree", contract=default_contract("scan_div_lut"))


def test_a_shift_penalty_is_allowed_where_a_product_is() -> None:
    contract = dataclasses.replace(paper_contract(), penalty_form="shift")
    assert Config("score_scan", contract=contract).contract is contract


@pytest.mark.parametrize(
    ("sessions", "nearest"), [(0, 4), (2, 4), (5, 4), (6, 4), (7, 8), (63, 64), (100, 128), (5000, 1024)]
)
def test_a_number_of_sessions_is_a_power_of_two(sessions: int, nearest: int) -> None:
    # 6 is as far from 4 as from 8: the smaller one is named
    with pytest.raises(UnisonError, match=rf"given {sessions}, the nearest valid value is {nearest}$"):
        default_config("score_scan", sessions)


@pytest.mark.parametrize("sessions", [True, 64.0, "64"])
def test_a_number_of_sessions_is_a_whole_number(sessions: object) -> None:
    with pytest.raises(UnisonError, match="sessions must be a power of two from 4 to 1024; given"):
        Config(sessions=sessions)  # type: ignore[arg-type]


@pytest.mark.parametrize(("depth", "value"), [("event_depth", 128), ("response_depth", 2)])
def test_depths_have_bounds(depth: str, value: int) -> None:
    with pytest.raises(UnisonError, match=f"{depth} must be a power of two"):
        default_config("score_scan", **{depth: value})


def test_unknown_names_are_told_with_the_nearest() -> None:
    with pytest.raises(UnisonError, match="unknown variant 'score_tre'; did you mean 'score_tree'"):
        default_config("score_tre")
    with pytest.raises(UnisonError, match="unknown table 'lutrams'; did you mean 'lutram'"):
        default_config("score_scan", table="lutrams")


def test_the_hash_is_of_every_field() -> None:
    config = default_config("score_scan")
    others = [
        default_config("score_tree"),
        default_config("score_scan", 32),
        default_config("score_scan", table="ff"),
        default_config("score_scan", event_depth=16),
        default_config("score_scan", response_depth=32),
        default_config("score_scan", contract=dataclasses.replace(paper_contract(), gap_bits=33)),
    ]
    assert len({config.hash32, *(other.hash32 for other in others)}) == len(others) + 1
    assert default_config("score_scan").hash32 == config.hash32


def test_the_hash_is_the_start_of_the_sha_256_of_the_canonical_json() -> None:
    config = default_config("dual", 16)
    text = json.dumps(config.canonical(), sort_keys=True, separators=(",", ":"))
    assert f"{config.hash32:08x}" == hashlib.sha256(text.encode()).hexdigest()[:8]
    assert json.loads(text)["generator"] == GENERATOR_VERSION
    assert json.loads(text)["contract"]["tau_ns"] == 1000
