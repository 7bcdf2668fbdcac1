"""`unison rtl check`, `formal` and `mutants`: options, exit statuses, progress, and JSON by its schema."""

import json

import jsonschema
import pandas as pd
import pytest
from click.testing import CliRunner

from unison.cli import main
from unison.report.tables import read_table
from unison.rtl import formal, full, mutants
from unison.rtl.checks.findings import Verdict
from unison.rtl.cosim.toolchain import Skipped
from unison.rtl.formal import Result
from unison.rtl.mutants import Caught
from unison.schemas import load_schema

SMALL = ["--variant", "score_scan", "--sessions", "4"]


def run(*words: str):
    return CliRunner().invoke(main, ["rtl", *words])


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> dict[str, Verdict]:
    """Proofs and mutants that end at once, as the test says."""
    given = {"verdict": Verdict.PASSED}

    def formal_answer(plan, *, tell):
        tell("[1/1] told")
        return [(config, Result(proof, given["verdict"])) for config, proof in plan]

    def mutants_answer(every, *, tell):
        tell("[1/1] told")
        return [Caught(mutant, given["verdict"]) for mutant in every]

    monkeypatch.setattr(formal, "run_formal", formal_answer)
    monkeypatch.setattr(mutants, "run_mutants", mutants_answer)
    return given


@pytest.mark.parametrize(
    ("name", "words"), [("formal", SMALL), ("mutants", ["--module", "unison_apb"]), ("check", SMALL)]
)
def test_json_follows_its_schema_which_refuses_a_field_too_many(answers, name, words):
    del answers
    result = run(name, *words, "--format", "json")
    rows = json.loads(result.stdout)
    schema = load_schema(f"rtl_{name}")
    assert rows
    jsonschema.validate(rows, schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate([rows[0] | {"more": 1}], schema)


@pytest.mark.parametrize("words", [["formal", *SMALL], ["mutants", "--module", "unison_apb"]])
@pytest.mark.parametrize(("verdict", "status"), [("passed", 0), ("FAILED", 1), ("SKIPPED", 3)])
def test_the_exit_status_is_of_the_verdicts_and_progress_goes_to_stderr(answers, words, verdict, status):
    answers["verdict"] = Verdict(verdict)
    result = run(*words)
    assert result.exit_code == status
    assert result.stderr == "[1/1] told\n"
    assert verdict in result.stdout


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["formal", "--module", "unison_apb"], "name it with --variant"),
        (["formal", "--sessions", "16"], "name it with --variant"),
        (["formal", "--save", *SMALL], "leave --variant out"),
        (["formal", "--variant", "score_scn"], "did you mean 'score_scan'"),
        (["formal", "--variant", "score_scan", "--sessions", "63"], "64"),
        (["mutants", "--save", "--module", "unison_apb"], "leave --module out"),
        (["mutants", "--module", "unison_abp"], "did you mean 'unison_apb'"),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_line(answers, words, told):
    del answers
    result = run(*words)
    assert result.exit_code == 2
    assert told in result.stderr.splitlines()[-1]
    assert not result.stdout


def test_every_variant_is_proved_where_none_is_named(answers, monkeypatch):
    del answers
    saved = []
    monkeypatch.setattr(formal, "save_formal", saved.append)
    result = run("formal", "--save")
    assert result.exit_code == 0
    (table,) = saved
    assert set(table["variant"]) == {config.variant for config, _ in formal.full_plan()}


@pytest.fixture
def summary(monkeypatch: pytest.MonkeyPatch) -> pd.DataFrame:
    """The committed results of the long cosimulation as if they had just been made, one of them failed."""
    table = read_table(full.SUMMARY, out=full.FOLDER)
    table.loc[0, "result"] = "FAIL"
    monkeypatch.setattr(full, "run_full", lambda *, tell: table)
    return table


def test_the_long_cosimulation_fails_with_one_variant_and_its_json_follows_its_schema(summary):
    result = run("full", "--format", "json")
    document = json.loads(result.stdout)
    jsonschema.validate(document, load_schema("rtl_full"))
    assert (result.exit_code, document["result"]) == (1, "FAIL")
    assert [row["variant"] for row in document["variants"]] == summary["variant"].tolist()
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(document | {"more": 1}, load_schema("rtl_full"))


def test_a_long_cosimulation_that_is_skipped_says_why(monkeypatch):
    monkeypatch.setattr(full, "run_full", lambda *, tell: Skipped("no compiler"))
    result = run("full", "--format", "json")
    document = json.loads(result.stdout)
    jsonschema.validate(document, load_schema("rtl_full"))
    assert (result.exit_code, document) == (3, {"result": "SKIPPED", "reason": "no compiler"})
