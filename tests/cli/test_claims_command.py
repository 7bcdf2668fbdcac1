"""``unison claims``: the ledger on the command line, its schema and its exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from support.claims import LEDGER, RULES, write_tables

from unison.claims import ledger as ledger_module
from unison.cli import main
from unison.errors import UnisonError
from unison.schemas import load_schema


@pytest.fixture
def figures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small ledger in place of the project's, with its tables and no notebooks."""
    path = tmp_path / "claims.toml"
    path.write_text(LEDGER, encoding="utf-8")
    monkeypatch.setattr("unison.claims.load_ledger", lambda: ledger_module.read_ledger(path))
    monkeypatch.setattr("unison.paths.NOTEBOOKS", tmp_path / "notebooks")
    write_tables(tmp_path / "figures")
    return tmp_path / "figures"


def run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["claims", *arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_the_table_shows_paper_ours_and_verdict_and_counts_each(figures: Path):
    status, out, err = run("--figures", str(figures))
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert lines[0].split() == ["claim", "paper", "ours", "unit", "rule", "verdict"]
    assert lines[1].split() == ["a.exact", "3", "3", "1", "exact", "reproduced"]
    assert lines[-1] == (
        "5 claims: 2 reproduced, 2 direction only, 0 differs, 0 not run, 1 inconsistent in the source. "
        "None of them fail the ledger."
    )


@pytest.mark.parametrize("rule", ["exact", "gate"])
def test_a_strict_claim_that_differs_ends_with_status_1(figures: Path, rule: str):
    (figures / f"{RULES[rule]}.csv").write_text("n,rate\n0,0\n")
    status, out, _ = run("--figures", str(figures))
    assert status == 1
    assert "FAILED differs: expected" in out
    assert out.splitlines()[-1].endswith("1 of them fails the ledger.")


@pytest.mark.parametrize("rule", ["direction", "hardware"])
def test_another_claim_that_differs_does_not(figures: Path, rule: str):
    (figures / f"{RULES[rule]}.csv").write_text("corpus,gain,lut\nx,-1,99\n")
    status, out, _ = run("--figures", str(figures))
    assert status == 0
    assert "1 differs" in out


def test_json_follows_its_schema_whatever_the_verdicts(figures: Path):
    schema = load_schema("claims")
    for stem in (None, *RULES.values()):
        if stem is not None:
            (figures / f"{stem}.csv").unlink()
        _, out, _ = run("--figures", str(figures), "--format", "json")
        found = json.loads(out)
        jsonschema.validate(found, schema)
        assert [claim["id"] for claim in found] == [f"a.{rule}" for rule in (*RULES, "inconsistent")]


def test_the_committed_ledger_follows_the_schema(tmp_path: Path):
    status, out, _ = run("--figures", str(tmp_path), "--format", "json")
    jsonschema.validate(json.loads(out), load_schema("claims"))
    assert status == 1, "every table that notebooks declare is missing there"


def test_a_missing_record_is_told_where_a_notebook_declares_it(figures: Path, monkeypatch):
    monkeypatch.setattr("unison.claims.due_products", lambda notebooks: {"claims"})
    status, _, err = run("--figures", str(figures))
    assert status == 1
    assert "claims.csv is missing: no table could be compared with it" in err


def test_a_folder_that_is_none_is_an_error(tmp_path: Path):
    status, _, err = run("--figures", str(tmp_path / "none"))
    assert status == 2
    assert "none" in err


def test_a_broken_ledger_is_one_line(figures: Path, monkeypatch):
    def broken():
        raise UnisonError("claims.toml: claim a.b: rule is missing")

    monkeypatch.setattr("unison.claims.load_ledger", broken)
    assert run("--figures", str(figures)) == (
        2,
        "",
        "unison: error: claims.toml: claim a.b: rule is missing\n",
    )


def test_it_answers_without_loading_what_takes_seconds():
    heavy = "{'pandas', 'numpy', 'numba', 'matplotlib', 'scipy'}"
    script = (
        "import sys; from unison.cli import main; sys.argv = ['unison', 'claims'];\n"
        "try: main()\nexcept SystemExit: pass\n"
        f"print('loaded:', sorted({heavy} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded: []"
