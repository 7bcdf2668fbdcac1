"""The ledger as frames: what is shown of each claim, and the counts by rule."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from support.claims import LEDGER, RULES, write_tables

from unison.claims import Result, Tables, Verdict, evaluate, read_ledger
from unison.claims.record import parse_digests
from unison.report.claims import (
    CLAIM_COLUMNS,
    claims_frame,
    claims_on,
    not_run_reasons,
    of_verdict,
    show_claims,
    verdict_counts,
)
from unison.report.products import Products
from unison.report.tables import markdown_table


@pytest.fixture
def results(tmp_path: Path) -> list[Result]:
    (tmp_path / "claims.toml").write_text(LEDGER, encoding="utf-8")
    write_tables(tmp_path / "figures")
    (tmp_path / "figures" / f"{RULES['hardware']}.csv").unlink()
    return evaluate(read_ledger(tmp_path / "claims.toml"), Tables.of(tmp_path / "figures"))


def test_each_claim_has_a_row_with_its_numbers_and_the_digests_of_its_tables(results: list[Result]):
    frame = claims_frame(results).set_index("id")
    assert frame.loc["a.exact", ["paper", "ours", "verdict"]].tolist() == ["3", 3.0, "reproduced"]
    assert pd.isna(frame.loc["a.inconsistent", "ours"])
    assert list(parse_digests(frame.loc["a.gate", "tables"])) == [RULES["gate"]]
    assert frame.loc["a.hardware", "tables"] == ""


def test_the_counts_of_a_rule_add_up_to_its_claims(results: list[Result]):
    counts = verdict_counts(results).set_index("rule")
    assert counts.loc["hardware", "not run"] == 1
    assert counts[list(Verdict)].sum(axis=1).tolist() == counts["claims"].tolist()
    assert counts["claims"].sum() == len(results)


def test_the_rows_of_one_verdict_are_those_and_no_others(results: list[Result]):
    assert of_verdict(results, Verdict.REPRODUCED)["id"].tolist() == ["a.exact", "a.gate"]
    assert of_verdict(results, Verdict.DIFFERS).empty


def test_numbers_of_any_size_are_shown_to_a_few_digits(results: list[Result]):
    shown = markdown_table(claims_frame(results), CLAIM_COLUMNS)
    assert "|  0.9 |" in shown
    assert "|    3 |" in shown
    assert "nan" not in shown


def test_what_is_not_run_is_told_by_reason(results: list[Result]):
    [row] = not_run_reasons(results).to_dict("records")
    assert row["claims"] == 1
    assert row["ids"] == "a.* (1)"
    assert f"needs {RULES['hardware']}, which is not here" in row["why"]
    assert not_run_reasons(results[:1]).empty


def test_a_notebook_shows_the_claims_on_what_it_has_saved_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "claims.toml").write_text(LEDGER, encoding="utf-8")
    monkeypatch.setattr("unison.report.claims.load_ledger", lambda: read_ledger(tmp_path / "claims.toml"))
    write_tables(tmp_path / "figures")
    products = Products(str(tmp_path / "figures"))
    assert claims_on(products) == []
    products.table(pd.read_csv(tmp_path / "figures" / f"{RULES['exact']}.csv"), RULES["exact"])
    [result] = claims_on(products)
    assert (result.claim.id, result.verdict) == ("a.exact", Verdict.REPRODUCED)
    assert "1 reproduced" in show_claims(products).markdown
