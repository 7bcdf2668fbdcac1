"""Tables of the hardware that need no simulation: checks, modules, slots and registers."""

from __future__ import annotations

import pandas as pd

from unison.experiments.tab11_checks import (
    CONTRACT,
    check_table,
    finding_table,
    module_table,
    register_table,
    slot_table,
)
from unison.rtl.checks import Finding, Outcome
from unison.rtl.config import VARIANTS, default_config
from unison.rtl.cosim.toolchain import SKIPPED
from unison.rtl.csr_map import registers

FOUND = Finding("no latch", "unison_csr", "word", "keeps its value")


def outcomes() -> dict[str, list[Outcome]]:
    return {
        "a": [
            Outcome.of("P", "no latch", 5, "signals", []),
            Outcome.of("V", "lint", 2, "modules", [], "1 waivers"),
        ],
        "b": [
            Outcome.of("P", "no latch", 7, "signals", [FOUND]),
            Outcome.skipped("V", "lint", "no Verilator"),
        ],
    }


def test_a_check_is_as_good_as_its_worst_variant():
    latch, lint = check_table(outcomes()).to_dict("records")
    assert (latch["result"], latch["variants"], latch["looked_at"], latch["findings"]) == ("FAILED", 2, 12, 1)
    # what ran on one variant and not on the other has not passed
    assert (lint["result"], lint["variants"], lint["looked_at"]) == (SKIPPED, 1, 2)


def test_every_finding_is_listed_with_its_variant():
    table = finding_table(outcomes())
    assert table.to_dict("records") == [
        {"variant": "b", "tool": "P", "check": "no latch", "module": "unison_csr", "subject": "word",
         "detail": "keeps its value"},
    ]  # fmt: skip
    assert list(finding_table({"a": outcomes()["a"]}).columns) == list(table.columns)


def test_a_module_is_there_once_for_each_text():
    size = {"lines": 10, "memory_bits": 0}
    parts = pd.DataFrame(
        [
            {"variant": "a", "module": "fifo", "text": "x", "register_bits": 10, **size},
            {"variant": "a", "module": "fifo", "text": "x", "register_bits": 13, **size},
            {"variant": "b", "module": "fifo", "text": "x", "register_bits": 10, **size},
            {"variant": "a", "module": "csr", "text": "y", "register_bits": 5, **size},
            {"variant": "b", "module": "csr", "text": "z", "register_bits": 6, **size},
        ]
    )
    found = module_table(parts)[["module", "variants", "instances", "register_bits"]]
    assert found.to_numpy().tolist() == [
        ["csr", "a", 1, 5],
        ["csr", "b", 1, 6],
        ["fifo", "all", 2, 23],
    ]


def test_the_contract_has_the_papers_slot_and_a_variant_what_it_keeps():
    # flags 4, turn 6, length 20, gap 32, score 64
    state = {
        "u_table": {
            "held_q": (8, 1), "flags_q": (4, 8), "turn_q": (6, 8), "length_q": (20, 8), "ema_q": (32, 8),
            "score0_q": (32, 8), "score1_q": (7, 8), "clear_q": (3, 1),
        }
    }  # fmt: skip
    contract, own = slot_table({"v": state}, 8).to_dict("records")
    assert contract == {
        "variant": CONTRACT, "held": 0, "flags": 4, "turn": 6, "length": 20, "ema": 32, "score": 64,
        "bits": 126,
    }  # fmt: skip
    assert (own["held"], own["score"], own["bits"]) == (1, 39, 1 + 4 + 6 + 20 + 32 + 39)


def test_every_register_of_every_variant_is_in_the_map():
    table = register_table(64)
    for variant in VARIANTS:
        for register in registers(default_config(variant)):
            rows = table[(table["register"] == register.name) & (table["access"] == register.access)]
            (row,) = rows.to_dict("records")
            assert row["address"] == f"0x{register.address:03X}"
            assert row["variants"] == "all" or variant in row["variants"].split(", ")
            assert all(field.name in row["fields"] for field in register.fields)
    assert table["address"].is_monotonic_increasing
    # the two that differ between variants say so
    assert table[table["register"] == "VERSION"]["reset"].isna().all()
