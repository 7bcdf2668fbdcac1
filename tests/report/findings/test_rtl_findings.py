"""Sentences on the hardware follow the numbers they are made from, and no skipped check reads as a pass."""

from __future__ import annotations

import pandas as pd

from unison.experiments.fig11_blocks import BLOCK, LINK
from unison.report.findings import rtl as findings


def test_blocks_are_counted_with_their_state():
    data = pd.DataFrame(
        [
            {"kind": BLOCK, "instance": "u_a", "module": "m", "register_bits": 10, "memory_bits": 0},
            {"kind": BLOCK, "instance": "u_b", "module": "m", "register_bits": 10, "memory_bits": 1000},
            {"kind": LINK, "instance": "u_a", "module": None, "register_bits": 0, "memory_bits": 0},
        ]
    )
    assert findings.blocks_finding(data) == (
        "2 instances of 1 modules hold 20 bits in registers and 1,000 in memories; u_b has the most, 99 %."
    )


def test_slots_tell_the_contracts_bits_and_each_variants():
    slots = pd.DataFrame({"variant": ["contract", "a", "b", "c"], "bits": [126, 63, 102, 63]})
    text = findings.slots_finding(slots)
    assert (
        "By the widths of the contract a slot has 126 bits. The tables keep 63 in a and c and 102 in b:"
        in text
    )


def check(**changes: object) -> dict[str, object]:
    return {"check": "no latch", "variants": 2, "findings": 0, "result": "passed", "note": None} | changes


def test_only_checks_that_passed_on_every_variant_count_as_passed():
    table = pd.DataFrame([check(), check(variants=1)])
    assert findings.checks_finding(table, 2) == "1 of 2 checks pass on all 2 variants."


def test_failed_and_skipped_checks_are_named():
    lint = check(check="lint", variants=0, result="SKIPPED", note="no Verilator")
    text = findings.checks_finding(pd.DataFrame([check(result="FAILED", findings=3), lint]), 2)
    assert text == (
        "0 of 2 checks pass on all 2 variants. Failed: no latch (3 findings). "
        "SKIPPED, which is no pass: lint (no Verilator)."
    )


PAPER = pd.DataFrame(
    [
        {"sessions": 16, "statistic": "mean", "us": 0.3},
        {"sessions": 256, "statistic": "mean", "us": 3.95},
        {"sessions": 16, "statistic": "worst", "us": 9.0},
    ]
)


def timed(**changes: object) -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"variant": variant, "sessions": 16, "what": what, "count": 5, "mean_us": 0.6,
             "worst_cycles": worst, "result": "PASS", "skipped": None} | changes
            for variant, worst in (("a", 21), ("b", 21), ("c", 9))
            for what in ("decision", "event", "deciding event")
        ]
    )  # fmt: skip


def test_cycles_are_told_by_the_slots_and_the_papers_means_beside_a_scan():
    text = findings.cycles_finding(timed(), PAPER, extra_cycles=5, clock_mhz=150)
    assert text.startswith(
        "A selection takes N + 5 cycles in a and b; N - 7 cycles in c. The paper prints means of "
    )
    # 21 cycles at 150 MHz; sizes that were not simulated are left out
    assert (
        "0.30 us at 16 slots, where a scan of N + 5 cycles takes 0.14 us and an event of a that decides 0.60"
        in text
    )
    assert "256" not in text
    assert text.endswith("In these simulations no response differs from the model's.")


def test_wrong_responses_are_told():
    text = findings.cycles_finding(timed(result="FAIL"), PAPER, extra_cycles=5, clock_mhz=150)
    assert text.endswith("In these simulations 9 rows have wrong responses.")


def test_nothing_is_said_of_cycles_that_were_not_measured():
    text = findings.cycles_finding(timed(skipped="no C++ compiler"), PAPER, extra_cycles=5, clock_mhz=150)
    assert text == "SKIPPED, so that nothing is known of cycles here: no C++ compiler."
    text = findings.cycles_finding(timed(count=0), PAPER, extra_cycles=5, clock_mhz=150)
    assert text == "No event of this corpus needs a selection."


def test_results_are_counted_and_skipped_ones_are_no_pass():
    table = pd.DataFrame({"result": ["PASS", "FAIL", "PASS"], "skipped": [None] * 3})
    assert findings.results_finding(table, "variants") == "Of 3 variants: 2 PASS and 1 FAIL."
    table = pd.DataFrame({"result": ["PASS", "SKIPPED"], "skipped": [None, "other Verilog"]})
    assert findings.results_finding(table, "variants") == (
        "1 of 2 variants are SKIPPED, which is no pass: other Verilog."
    )


def test_modules_without_a_proof_are_named_with_the_variants_that_lack_it():
    proofs = pd.DataFrame(
        [
            {"module": "a", "variants": "all", "result": "proved", "skipped": None},
            {"module": "d", "variants": "scan_div, dual", "result": "proved", "skipped": None},
        ]
    )
    modules = pd.DataFrame(
        {
            "module": ["a", "b", "c", "d", "d"],
            "variants": ["all", "dual", "all", "dual", "scan_div, score_scan"],
        }
    )
    text = findings.proofs_finding(proofs, modules, ("scan_div", "score_scan", "dual"))
    assert text.endswith("held by the simulation alone: b, c and d of score_scan.")
    skipped = proofs.assign(result="SKIPPED", skipped="there is none")
    assert findings.proofs_finding(skipped, modules, ("dual",)) == findings.results_finding(skipped, "proofs")
