"""Every planted fault is caught by a check that passes without it, and the command tells if one is not."""

from __future__ import annotations

import json
from contextlib import nullcontext
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner, Result

import unison.faults as faults
from unison.checks import CheckFailed
from unison.checks.causality import check_causality
from unison.checks.engines import check_engines
from unison.cli.faults_command import faults_command
from unison.errors import UnisonError
from unison.faults.planting import another_digit, patched, rewritten
from unison.faults.registry import STAGES, Fault, all_faults, fault
from unison.faults.runner import Finding, run_faults
from unison.policies.registry import InfoClass, PolicyEntry, all_policies
from unison.schemas import load_schema

NAMED_IN_THE_ISSUE = {
    "a shifted gap",
    "a leaked future column",
    "a lost completion",
    "an off-by-one capacity",
    "a stale compiled kernel",
}
COLUMNAR = [entry for entry in all_policies() if not entry.is_stateful]


@pytest.fixture(scope="module")
def findings() -> dict[str, Finding]:
    return {finding.fault.name: finding for finding in run_faults(all_faults())}


@pytest.mark.parametrize("name", [each.name for each in all_faults()])
def test_the_check_passes_without_the_fault_and_catches_it(findings: dict[str, Finding], name: str) -> None:
    assert findings[name].before == ""
    assert findings[name].message != ""


def test_the_faults_leave_nothing_behind(findings: dict[str, Finding]) -> None:
    quick = [each for each in all_faults() if each.stage != "compiled kernel"]
    assert [finding.before for finding in run_faults(quick)] == [""] * len(quick)


def test_every_stage_and_every_fault_of_the_issue_is_there() -> None:
    assert {each.stage for each in all_faults()} == set(STAGES)
    assert {each.name for each in all_faults()} >= NAMED_IN_THE_ISSUE
    assert load_schema("faults")["items"]["properties"]["stage"]["enum"] == list(STAGES)


# --- the command ----------------------------------------------------------------------------------------


def _fails(message: str) -> None:
    raise CheckFailed(message)


def _fault(check, plant=nullcontext) -> Fault:
    return Fault(
        "a made-up fault", "files", "Nothing.", lambda _: plant(), check, lambda _: (), lambda _: None
    )


def call(monkeypatch: pytest.MonkeyPatch, made: list[Fault], *arguments: str) -> Result:
    monkeypatch.setattr(faults, "all_faults", lambda: made)
    return CliRunner().invoke(faults_command, arguments, catch_exceptions=False, standalone_mode=False)


def caught() -> Fault:
    is_planted = []

    class Planted(nullcontext):
        def __enter__(self) -> None:
            is_planted.append(True)

    return _fault(lambda: _fails("a file\nis cut off") if is_planted else None, Planted)


def test_a_caught_fault_is_told_with_its_check_and_message(monkeypatch: pytest.MonkeyPatch) -> None:
    result = call(monkeypatch, [caught()])
    assert result.return_value == 0
    assert "a file is cut off" in result.stdout
    assert "1 faults planted, 1 caught; every check passes without its fault." in result.stdout


def test_an_uncaught_fault_is_told_and_ends_with_status_1(monkeypatch: pytest.MonkeyPatch) -> None:
    result = call(monkeypatch, [caught(), _fault(lambda: None)])
    assert result.return_value == 1
    assert "NOT CAUGHT by <lambda>" in result.stdout
    assert "2 faults planted, 1 caught" in result.stdout


def test_a_check_that_always_fails_catches_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    result = call(monkeypatch, [_fault(lambda: _fails("always"))])
    assert result.return_value == 1
    assert "NOT TESTED: <lambda> fails without it" in result.stdout
    assert "1 faults planted, 0 caught; 1 checks fail without any." in result.stdout


def test_a_check_that_crashes_is_no_catch() -> None:
    with pytest.raises(ZeroDivisionError):
        list(run_faults([_fault(lambda: 1 // 0)]))


def test_the_json_follows_its_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = [each for each in all_faults() if each.stage in ("corpus", "hazard", "files")]
    listed = json.loads(call(monkeypatch, shown, "--format", "json").stdout)
    jsonschema.validate(listed, load_schema("faults"))
    assert [each["fault"] for each in listed] == [each.name for each in shown]
    assert all(each["caught"] and each["passes_without"] and each["planted"].endswith(".") for each in listed)


# --- planting and registering ---------------------------------------------------------------------------


class Owner:
    name = 1


def test_what_is_patched_or_rewritten_comes_back_after_an_error(tmp_path: Path) -> None:
    path = tmp_path / "tab.csv"
    path.write_text("x\n0.19\n")
    found = []

    def planted() -> None:
        with patched(Owner, "name", 2), rewritten(path, another_digit(path)):
            found.append((Owner.name, path.read_text()))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        planted()
    assert found == [(2, "x\n0.10\n")]
    assert (Owner.name, path.read_text()) == (1, "x\n0.19\n")


def test_a_table_without_a_digit_cannot_be_perturbed(tmp_path: Path) -> None:
    (tmp_path / "tab.csv").write_text("name\n")
    with pytest.raises(UnisonError, match="no digit to change"):
        another_digit(tmp_path / "tab.csv")


@pytest.mark.parametrize(
    ("name", "stage", "message"),
    [("a shifted gap", "corpus", "registered twice"), ("a new fault", "corpora", "allowed: corpus, trace")],
)
def test_a_double_name_and_an_unknown_stage_are_refused(name: str, stage: str, message: str) -> None:
    with pytest.raises(UnisonError, match=message):
        fault(name, stage, check_engines)


# --- the checks themselves ------------------------------------------------------------------------------


@pytest.mark.parametrize("entry", COLUMNAR, ids=lambda entry: entry.name)
def test_only_oracles_fail_the_check_of_causality(entry: PolicyEntry) -> None:
    if entry.info == InfoClass.ORACLE:
        with pytest.raises(CheckFailed, match=r"knows at .* s what comes after"):
            check_causality(entry.name)
    else:
        check_causality(entry.name)
