"""Verdicts: what each rule makes of a number, and that no perturbed or missing table passes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest
from support.claims import RULES, TABLES

from unison.claims import Ledger, Result, Tables, Verdict, evaluate, read_record
from unison.claims.measure import parse_measure
from unison.claims.record import PRODUCT
from unison.errors import UnisonError
from unison.report.claims import claims_frame
from unison.report.figures import csv_text, rounded

REPRODUCED, DIRECTION, DIFFERS, NOT_RUN = (
    Verdict.REPRODUCED, Verdict.DIRECTION_ONLY, Verdict.DIFFERS, Verdict.NOT_RUN,
)  # fmt: skip


def results(ledger: Ledger, figures: Path, **options) -> dict[str, Result]:
    found = evaluate(ledger, Tables.of(figures), **options)
    return {result.claim.id.removeprefix("a."): result for result in found}


def rewrite(figures: Path, rule: str, text: str) -> None:
    (figures / f"{RULES[rule]}.csv").write_text(text, encoding="utf-8")


def write_record(ledger: Ledger, figures: Path) -> None:
    """claims.csv as the notebook saves it."""
    frame = claims_frame(evaluate(ledger, Tables.of(figures)))
    (figures / f"{PRODUCT}.csv").write_text(csv_text(rounded(frame)), encoding="utf-8")


def with_record(ledger: Ledger, figures: Path) -> dict[str, Result]:
    return results(ledger, figures, record=read_record(Tables.of(figures)))


def test_each_rule_has_its_verdict(ledger, figures):
    found = results(ledger, figures)
    assert {name: result.verdict for name, result in found.items()} == {
        "exact": REPRODUCED,  # 1 + 2 is 3
        "gate": REPRODUCED,  # .9 >= .9
        "direction": DIRECTION,  # 2 > 0, and not .5
        "hardware": DIRECTION,  # 30 <= 40
        "inconsistent": Verdict.INCONSISTENT,  # 3 is odd
    }
    assert found["exact"].ours == 3
    assert not any(result.is_failed for result in found.values())


@pytest.mark.parametrize(
    ("rule", "text", "verdict", "is_failed"),
    [
        ("exact", "n\n1\n3\n", DIFFERS, True),
        ("gate", "rate\n0.95\n0.89999\n", DIFFERS, True),
        ("direction", "gain\n-1\n", DIFFERS, False),
        ("direction", "gain\n0.54\n", REPRODUCED, False),
        ("direction", "gain\n0.56\n", DIRECTION, False),
        ("hardware", "lut\n41\n", DIFFERS, False),
        ("hardware", "lut\n40\n", REPRODUCED, False),
    ],
)
def test_another_number_has_another_verdict(ledger, figures, rule, text, verdict, is_failed):
    rewrite(figures, rule, text)
    result = results(ledger, figures)[rule]
    assert (result.verdict, result.is_failed) == (verdict, is_failed)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "damage",
    [
        pytest.param(
            lambda path: path.write_text(path.read_text().replace(".0", ".1") + "7,7\n"), id="row more"
        ),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-2] + b"1\n"), id="digit changed"),
        pytest.param(lambda path: path.write_text(path.read_text() + "\n"), id="byte more"),
        pytest.param(lambda path: path.write_text("other\n1\n"), id="column gone"),
        pytest.param(lambda path: path.write_text(""), id="emptied"),
        pytest.param(lambda path: path.unlink(), id="removed"),
    ],
)
def test_a_table_that_is_not_the_recorded_one_fails_the_claim_that_reads_it_and_no_other(
    ledger, figures, rule, damage
):
    write_record(ledger, figures)
    assert not any(result.is_failed for result in with_record(ledger, figures).values())
    damage(figures / f"{RULES[rule]}.csv")
    found = with_record(ledger, figures)
    assert [name for name, result in found.items() if result.is_failed] == [rule]
    assert found[rule].verdict == NOT_RUN
    assert RULES[rule] in found[rule].why
    assert found[rule].ours is None


def test_an_inconsistency_that_is_mended_fails_the_claim(ledger, figures):
    inconsistent = ledger["a.inconsistent"]
    mended = {**ledger, "a.inconsistent": replace(inconsistent, stated={"count": 4.0, "group": [2]})}
    result = results(mended, figures)["inconsistent"]
    assert (result.verdict, result.is_failed) == (DIFFERS, True)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(
    "text", ["other\n1\n", "n,rate,gain,lut\n", "n,rate,gain,lut\nx,x,x,x\n", "n\n1,2\n"]
)
def test_without_a_record_a_table_that_cannot_be_read_fails_too(ledger, figures, rule, text):
    rewrite(figures, rule, text)
    result = results(ledger, figures)[rule]
    assert (result.verdict, result.is_failed) == (NOT_RUN, True)


@pytest.mark.parametrize("rule", RULES)
def test_a_missing_table_is_not_run_and_fails_only_where_it_is_due(ledger, figures, rule):
    (figures / f"{RULES[rule]}.csv").unlink()
    result = results(ledger, figures)[rule]
    assert (result.verdict, result.is_failed) == (NOT_RUN, False)
    assert RULES[rule] in result.why
    due = results(ledger, figures, due={RULES[rule]})[rule]
    assert (due.verdict, due.is_failed) == (NOT_RUN, True)
    assert "is missing; run make tab02" in due.why


def test_what_needs_a_product_is_not_run_until_the_product_comes_and_then_asks_for_its_measure(
    ledger, figures
):
    waiting = {"a.direction": replace(ledger["a.direction"], ours=None, needs="tab08_later")}
    result = results(waiting, figures)["direction"]
    assert (result.verdict, result.is_failed) == (NOT_RUN, False)
    assert "needs tab08_later" in result.why
    assert results(waiting, figures, due={"tab08_later"})["direction"].is_failed
    (figures / "tab08_later.csv").write_text("n\n1\n")
    result = results(waiting, figures)["direction"]
    assert (result.verdict, result.is_failed) == (NOT_RUN, True)
    assert "say in data/claims.toml how" in result.why


def test_what_is_blocked_says_why(ledger, figures):
    blocked = {"a.gate": replace(ledger["a.gate"], ours=None, blocked="needs a GPU")}
    result = results(blocked, figures)["gate"]
    assert (result.verdict, result.why, result.is_failed) == (NOT_RUN, "needs a GPU", False)


def test_why_tells_what_was_expected_and_the_reasons_that_fit_the_verdict(ledger, figures):
    claim = replace(ledger["a.direction"], reason="made up", differs_because="bad luck")
    assert results({"a": claim}, figures)["direction"].why == "made up"
    rewrite(figures, "direction", "gain\n-1\n")
    assert results({"a": claim}, figures)["direction"].why == "expected > 0; made up; bad luck"


def test_a_second_measure_is_compared_with(read, figures):
    text = """[[claim]]
id = "a.order"
place = "x"
statement = "x"
paper = "below"
unit = "1"
grade = ["P"]
rule = "direction"
command = "x"
expect = "< than"
ours = { table = "tab01_count", column = "n", reduce = "min" }
than = { table = "tab01_count", column = "n", reduce = "max" }
"""
    assert results(read(text), figures)["order"].why == "compared with 2"
    swapped = read(text.replace("<", ">"))
    assert results(swapped, figures)["order"].why == "expected > 2"


def test_a_decimal_is_near_in_decimals_and_no_further(ledger, figures):
    """0.9 - 0.6 is a hair off 0.3 in binary; 1e-6 is not a hair."""
    claim = replace(ledger["a.exact"], paper=0.3)
    rewrite(figures, "exact", f"n\n{0.9 - 0.6!r}\n")
    assert results({"a": claim}, figures)["exact"].verdict == REPRODUCED
    rewrite(figures, "exact", "n\n0.300001\n")
    assert results({"a": claim}, figures)["exact"].verdict == DIFFERS


def test_a_record_that_is_none_is_refused(ledger, figures):
    for text in ("a,b\n1,2\n", "id,tables\na.exact,no digest\n"):
        (figures / f"{PRODUCT}.csv").write_text(text)
        with pytest.raises(UnisonError, match=r"claims\.csv: no record of claims"):
            read_record(Tables.of(figures))


def test_a_record_without_the_digest_of_a_table_fails_the_claim_that_reads_it(ledger, figures):
    write_record(ledger, figures)
    path = figures / f"{PRODUCT}.csv"
    record = pd.read_csv(path)
    record.loc[record["id"] == "a.gate", "tables"] = None
    record.to_csv(path, index=False)
    found = with_record(ledger, figures)
    assert [name for name, result in found.items() if result.is_failed] == ["gate"]
    assert "does not say which" in found["gate"].why


def test_a_new_claim_is_evaluated_beside_an_older_record(ledger, figures):
    write_record({name: claim for name, claim in ledger.items() if name != "a.gate"}, figures)
    assert with_record(ledger, figures)["gate"].verdict == REPRODUCED


def test_the_tables_of_the_test_are_the_ones_that_rules_read():
    assert set(RULES.values()) == set(TABLES)


@pytest.mark.parametrize("rule", RULES)
def test_a_row_that_was_skipped_is_no_number_and_no_failure_and_says_why(ledger, figures, rule):
    columns = TABLES[RULES[rule]].splitlines()[0]
    rewrite(figures, rule, f"{columns},skipped\n{',' * columns.count(',')},no compiler\n")
    result = results(ledger, figures)[rule]
    assert (result.verdict, result.ours, result.is_failed) == (NOT_RUN, None, False)
    assert result.why == "SKIPPED: no compiler"
    # the record has the table all the same, so that altering it later is noticed
    write_record(ledger, figures)
    assert not with_record(ledger, figures)[rule].is_failed
    rewrite(figures, rule, f"{columns},skipped\n{',' * columns.count(',')},other reason\n")
    assert with_record(ledger, figures)[rule].is_failed


def test_a_row_that_was_not_skipped_is_read_beside_one_that_was(ledger, figures):
    claim = ledger["a.hardware"]
    one = replace(
        claim, ours=parse_measure({"table": "tab07_area", "column": "lut", "where": {"v": "a"}}, "x")
    )
    rewrite(figures, "hardware", "v,lut,skipped\na,40,\nb,,no compiler\n")
    assert results({**ledger, "a.hardware": one}, figures)["hardware"].ours == 40
    assert results(ledger, figures)["hardware"].verdict == NOT_RUN
