"""The register map: one table that is whole, free of overlaps, and the same in every form."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from unison.rtl.config import VARIANTS, default_config
from unison.rtl.csr_map import (
    ADDRESS_BITS,
    IP_ID,
    WORD_BITS,
    WORD_BYTES,
    Address,
    Register,
    registers,
    template_data,
)
from unison.rtl.csr_markdown import EVENTS, markdown
from unison.rtl.csr_types import Opcode


def named(variant: str, address: Address, **options: object) -> Register | None:
    found = [r for r in registers(default_config(variant, **options)) if r.address == address]  # type: ignore[arg-type]
    return found[0] if found else None


@pytest.mark.parametrize("variant", VARIANTS)
def test_no_two_registers_overlap(variant: str) -> None:
    config = default_config(variant)
    spans = sorted((int(r.address), r.end) for r in registers(config))
    assert all(low % WORD_BYTES == 0 for low, _ in spans)
    assert all(end <= following for (_, end), (following, _) in pairwise(spans))
    assert spans[-1][1] <= 1 << ADDRESS_BITS


@pytest.mark.parametrize("variant", VARIANTS)
def test_fields_fit_their_register_and_do_not_overlap(variant: str) -> None:
    for register in registers(default_config(variant)):
        assert sum(field.width for field in register.fields) == register.mask.bit_count(), register.name
        assert register.mask < 1 << (WORD_BITS * register.words), register.name
        assert register.reset & ~register.mask == 0, register.name


def test_the_identity_says_which_configuration_it_is() -> None:
    config = default_config("score_tree", 128)
    values = {r.name: r.reset for r in registers(config)}
    # "UNIS"; N = 128 with variant 4 in bits 19:16
    assert values["ID"] == IP_ID == int.from_bytes(b"UNIS", "big")
    assert values["VERSION"] == config.hash32
    assert values["CONFIG"] == 128 | 4 << 16


def test_registers_exist_where_their_variant_uses_them() -> None:
    assert named("dual", Address.SYNC_PERIOD) is not None
    assert named("score_scan", Address.SYNC_PERIOD) is None
    assert named("scan_div_recip", Address.RECIP) is not None
    assert named("scan_div", Address.RECIP) is None
    assert named("scan_div_lut", Address.PENALTY) is not None
    assert named("scan_div_lut", Address.PENALTY_LO) is None
    assert all(named(variant, Address.HAZARD) is not None for variant in VARIANTS)


def test_the_denominator_of_the_budget_can_be_written_in_the_dividing_family_only() -> None:
    for variant, access in {"scan_div": "RW", "scan_div_lut": "RW", "score_scan": "RO", "dual": "RO"}.items():
        register = named(variant, Address.DMA_DIV)
        assert register is not None
        assert (register.access, register.reset) == (access, 1 << 16)


def test_a_high_word_that_is_not_needed_is_read_only() -> None:
    # P_Z = 5e8 has 29 bits and a gap 32
    for address in (Address.PENALTY_HI, Address.EV_DATA_HI):
        register = named("score_scan", address)
        assert register is not None
        assert (register.access, register.reset) == ("RO", 0)


def test_template_data_is_plain_and_whole() -> None:
    config = default_config("scan_div_recip")
    data = template_data(config)
    assert json.loads(json.dumps(data)) == data
    assert [row["name"] for row in data["registers"]] == [r.name for r in registers(config)]
    assert data["by_name"]["RECIP"]["end"] == 0x200 + 50 * 2 * 4
    assert data["opcodes"]["GAP_START"] == 5
    assert data["statuses"]["NO_CANDIDATE"] == 5
    assert data["kinds"] == {"VICTIM": 1, "MOVE": 2, "DONE": 3}


def test_the_markdown_names_every_register_and_field() -> None:
    configs = tuple(default_config(variant) for variant in VARIANTS)
    text = markdown(configs)
    for config in configs:
        for register in registers(config):
            assert f"| {register.name} |" in text
            assert all(f"| {field.name} |" in text for field in register.fields)
    assert text.count("| VERSION |") == 1
    assert "(dual)" in text


def test_the_markdown_says_what_it_is_of_and_every_event() -> None:
    text = markdown((default_config("score_tree", 32),))
    assert "Of variant score_tree, 32 slots, table in" in text
    assert {opcode for opcode, _, _ in EVENTS} == set(Opcode)
    fields = {field.name for register in registers(default_config("dual")) for field in register.fields}
    for _, used, _ in EVENTS:
        assert set(filter(None, used.split(", "))) <= fields | {"EV_DATA"}
