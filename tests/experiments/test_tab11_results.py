"""Results of long runs: shown if they are about the present Verilog, else skipped with the reason."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from unison.experiments import tab11_results as results
from unison.rtl.committed import about
from unison.rtl.config import VARIANTS, default_config
from unison.rtl.cosim.toolchain import SKIPPED, Skipped
from unison.rtl.formal import run as formal
from unison.rtl.mutants import STEM, all_mutants

NO_TOOLS = Skipped("no C++ compiler")


@pytest.fixture
def tools(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine with a compiler, whether this one has it or not."""
    monkeypatch.setattr(results, "find_toolchain", object)


@pytest.fixture
def summary() -> pd.DataFrame:
    names = [column.name for column in results.SUMMARY_COLUMNS]
    row = dict.fromkeys(names, 1) | {"mismatches": 2, "random_mismatches": 3, "result": "FAIL"}
    return pd.DataFrame([row | {"variant": variant} for variant in VARIANTS])


def test_committed_results_are_shown_with_all_mismatches_together(monkeypatch, tools, summary):
    monkeypatch.setattr(results, "committed_results", lambda: summary)
    table = results.cosimulation_table()
    assert table[results.ALL_MISMATCHES].tolist() == [5] * len(VARIANTS)
    assert table["skipped"].isna().all()


def test_results_of_other_verilog_are_skipped_and_show_no_number(monkeypatch, tools):
    monkeypatch.setattr(results, "committed_results", lambda: Skipped("it was run for other Verilog"))
    table = results.cosimulation_table()
    assert table["variant"].tolist() == list(VARIANTS)
    assert (table["result"] == SKIPPED).all()
    assert (table["skipped"] == "it was run for other Verilog").all()
    assert table.drop(columns=["variant", "result", "skipped"]).isna().all(axis=None)


def test_without_a_compiler_nothing_that_needs_one_claims_to_have_passed(monkeypatch, summary, folder):
    monkeypatch.setattr(results, "find_toolchain", lambda: NO_TOOLS)
    monkeypatch.setattr(results, "committed_results", lambda: summary)
    for table in (results.cosimulation_table(), results.mutant_table(folder)):
        assert (table["result"] == SKIPPED).all()
        assert (table["skipped"] == NO_TOOLS.reason).all()


def save(folder: Path, stem: str, rows: list[dict[str, object]]) -> None:
    pd.DataFrame(rows).to_csv(folder / f"{stem}.csv", index=False)


PROOF = {
    "variant": "scan_div",
    "module": "unison_tide",
    "size": None,
    "method": "induction",
    "depth": 2,
    "verdict": "passed",
}
FAULT = {
    "module": "unison_apb",
    "variant": "score_scan",
    "property": None,
    "caught_by": "formal",
    "verdict": "passed",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    own = about(default_config("scan_div", 64))
    save(
        tmp_path,
        formal.STEM,
        [
            {**PROOF, **own, "property": "p_budget"},
            {**PROOF, **own, "property": "p_room"},
            {**PROOF, **about(default_config("dual", 64)), "variant": "dual", "property": "p_budget"},
            {**PROOF, **own, "module": "unison_apb", "property": "p_error", "verdict": "FAILED"},
        ],
    )
    mutant = about(all_mutants()[0].config)
    save(
        tmp_path,
        STEM,
        [
            {**FAULT, **mutant, "fault": "late ready"},
            {**FAULT, **mutant, "fault": "lost write", "caught_by": "cosimulation, APB accesses"},
            {**FAULT, **mutant, "fault": "no error", "caught_by": None, "verdict": "FAILED"},
            {**FAULT, **mutant, "module": "unison_tide", "fault": "off by one"},
        ],
    )
    return tmp_path


def test_proofs_are_told_by_module_and_one_that_fails_is_no_proof(folder):
    tide, apb = results.proof_table(folder).to_dict("records")
    assert (tide["names"], tide["properties"], tide["proved"]) == ("budget, room", 2, 2)
    assert (tide["variants"], apb["variants"]) == ("scan_div, dual", "scan_div")
    assert (tide["result"], apb["result"], apb["proved"]) == ("proved", "FAILED", 0)


def test_a_property_that_fails_in_one_variant_is_not_proved(folder):
    path = folder / f"{formal.STEM}.csv"
    table = pd.read_csv(path)
    table.loc[table["variant"] == "dual", "verdict"] = "FAILED"
    table.to_csv(path, index=False)
    tide = results.proof_table(folder).iloc[0]
    assert (tide["properties"], tide["proved"], tide["result"]) == (2, 1, "FAILED")


def test_faults_are_counted_by_what_caught_them_and_those_missed_are_named(tools, folder):
    apb, tide = results.mutant_table(folder).to_dict("records")
    assert (apb["mutants"], apb["by_proof"], apb["by_cosimulation"], apb["uncaught"]) == (3, 1, 1, "no error")
    assert (apb["result"], tide["result"]) == ("FAILED", "all caught")


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("verilog", "sha256:0", "made with other Verilog"),
        ("configuration", "0x00000000", "made with other Verilog"),
        ("verilog", None, "does not say which Verilog"),
    ],
)
def test_one_row_about_other_verilog_makes_the_table_stale(tools, folder, column, value, why):
    for stem in (formal.STEM, STEM):
        path = folder / f"{stem}.csv"
        table = pd.read_csv(path)
        if value is None:
            table = table.drop(columns=column)
        else:
            table.loc[len(table) - 1, column] = value
        table.to_csv(path, index=False)
    for found in (results.proof_table(folder), results.mutant_table(folder)):
        (row,) = found.to_dict("records")
        assert (row["module"], row["result"]) == ("all", SKIPPED)
        assert why in row["skipped"]


def test_a_table_that_is_not_there_is_skipped(tmp_path):
    assert "there is no tab11_proofs.csv" in results.proof_table(tmp_path)["skipped"].iloc[0]
