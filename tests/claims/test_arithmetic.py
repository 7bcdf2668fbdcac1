"""The paper's numbers against each other, worked by hand."""

from __future__ import annotations

import pytest

from unison.claims import Rule, Verdict, evaluate, load_ledger
from unison.claims.arithmetic import ARITHMETIC
from unison.claims.tables import Tables
from unison.errors import UnisonError

COUNTS = {"text": 1415, "figure": 1451, "of": 33596, "quotient": 23.7}
SCAN = {"clock_mhz": 150, "extra_cycles": 5, "slots": [16, 64, 256], "mean_us": [0.30, 2.00, 3.95]}
SLACK = {"clock_mhz": 150, "slack_ns": 0.01, "fmax_mhz": 153.4}
ORDERS = {"worst_us": 3.14, "shortest_s": 0.001, "medians_s": [3.7, 7.2], "least": 4, "most": 6}


@pytest.mark.parametrize(
    ("name", "stated", "value"),
    [
        ("share", {"part": 43415, "whole": 53200}, 81.607),
        ("ratio", {"part": 33596, "whole": 1415}, 23.743),
        ("points", {"high": 0.438, "low": 0.207}, 23.1),
        ("reduction", {"is_least": True, "ratios": [0.65, 0.78, 0.49]}, 22),
        ("reduction", {"is_least": False, "ratios": [0.65, 0.78, 0.49]}, 51),
        ("share_of_gap", {"decision_us": 3.14, "gap_s": 0.001}, 0.314),
        ("at_clock", {"time_us": 3.14, "clock_mhz": 150, "other_mhz": 15}, 31.4),
        ("in_steps", {"time_s": 500, "step_ns": 1000}, 5e8),
        # 512 GB x 1e5 / (48 GB/s x 1.02) is 1,045,752 s, of 86,400 a day
        ("write_through",
         {"capacity_gb": 512, "cycles": 1e5, "write_gb_per_s": 48, "amplification": 1.02}, 12.104),
    ],
)  # fmt: skip
def test_a_check_comes_to_its_value(name: str, stated: dict, value: float):
    finding = ARITHMETIC[name](stated)
    assert finding.value == pytest.approx(value, rel=1e-4)
    assert not finding.contradicts


@pytest.mark.parametrize(
    ("name", "stated", "mended", "words"),
    [
        ("two_counts", COUNTS, {"figure": 1415}, ["36 apart", "23.74 and 23.15", "fits 1415"]),
        ("multiple", {"count": 180, "group": [3, 3, 3]}, {"group": [3, 3, 4]}, ["6 x 27 + 18", "3 x 3 x 3"]),
        ("multiple", {"count": 1937, "group": [2]}, {"count": 1936}, ["1,937 = 968 x 2 + 1"]),
        ("scan_latency", SCAN, {"mean_us": [0.14, 0.46, 1.74]},
         ["21 cycles are 0.14 us", "69 cycles are 0.46 us", "261 cycles are 1.74 us", "300.0 cycles"]),
        ("slack_and_fmax", SLACK, {"fmax_mhz": 150.2}, ["allows 150.2 MHz", "needs 0.148 ns"]),
        ("headroom", ORDERS, {"least": 2.5}, ["2.5 orders", "6.1 to 6.4", "4 to 6"]),
    ],
)  # fmt: skip
def test_a_contradiction_is_shown_with_its_numbers_and_goes_when_mended(
    name: str, stated: dict, mended: dict, words: list[str]
):
    finding = ARITHMETIC[name](stated)
    assert finding.contradicts
    for word in words:
        assert word in finding.text
    assert not ARITHMETIC[name]({**stated, **mended}).contradicts


def test_every_inconsistency_of_the_ledger_is_borne_out(tables: Tables):
    chosen = {name: claim for name, claim in load_ledger().items() if claim.rule == Rule.INCONSISTENT}
    assert len(chosen) >= 6
    for result in evaluate(chosen, tables):
        assert (result.verdict, result.is_failed) == (Verdict.INCONSISTENT, False), result.claim.id


def test_every_check_of_the_papers_own_arithmetic_holds(tables: Tables):
    chosen = {
        name: claim
        for name, claim in load_ledger().items()
        if claim.arithmetic and claim.rule != Rule.INCONSISTENT
    }
    assert chosen
    for result in evaluate(chosen, tables):
        assert result.verdict == Verdict.REPRODUCED, (result.claim.id, result.why)


def test_a_stated_number_that_is_not_there_is_told(read):
    with pytest.raises(UnisonError, match="unknown claim"):
        read(
            '[[claim]]\nid = "a.b"\nplace = "x"\nstatement = "x"\npaper = "x"\nunit = "1"\ngrade = ["P"]\n'
            'rule = "inconsistent"\ncommand = "x"\narithmetic = "multiple"\nstated = { count = "a.c" }\n'
        )
