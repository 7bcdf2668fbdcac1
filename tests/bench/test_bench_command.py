"""``unison bench`` on the command line."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from click.testing import CliRunner

from unison.bench import report
from unison.cli import main
from unison.schemas import load_schema


def run(monkeypatch: pytest.MonkeyPatch, document: dict[str, Any], *arguments: str) -> Any:
    monkeypatch.setattr(report, "bench", lambda plan: document)
    return CliRunner().invoke(main, ["bench", *arguments])


def test_json_follows_its_schema(monkeypatch: pytest.MonkeyPatch, document: dict[str, Any]) -> None:
    result = run(monkeypatch, document, "--format", "json")
    jsonschema.validate(json.loads(result.stdout), load_schema("bench"))


def test_table_tells_what_was_not_measured(monkeypatch: pytest.MonkeyPatch, document: dict[str, Any]) -> None:
    result = run(monkeypatch, document, "--quick")
    assert result.exit_code == 0
    (line,) = (line for line in result.stdout.splitlines() if line.startswith("Table II in full"))
    assert "not measured" in line
    assert line.endswith("SKIPPED")


def test_a_missing_libcachesim_is_told_as_skipped(
    monkeypatch: pytest.MonkeyPatch, document: dict[str, Any]
) -> None:
    skipped = document | {"libcachesim": {"status": "SKIPPED", "reason": "cannot be imported"}}
    result = run(monkeypatch, skipped)
    assert result.exit_code == 0
    assert "SKIPPED: cannot be imported" in result.stdout


def test_unequal_hits_fail_the_command(monkeypatch: pytest.MonkeyPatch, document: dict[str, Any]) -> None:
    row = {"policy": "lru", "requests": 9, "hits": 3, "libcachesim_hits": 4, "equal": False}
    measured = {"status": "measured", "version": "0", "requests": 9, "capacity_tokens": 1}
    unequal = document | {"libcachesim": measured | {"speeds": [], "aligned": [row], "differences": []}}
    result = run(monkeypatch, unequal)
    assert result.exit_code == 1


def test_quick_measures_less(monkeypatch: pytest.MonkeyPatch, document: dict[str, Any]) -> None:
    plans: list[report.Plan] = []
    monkeypatch.setattr(report, "bench", lambda plan: plans.append(plan) or document)
    CliRunner().invoke(main, ["bench", "--quick"])
    CliRunner().invoke(main, ["bench"])
    assert plans == [report.QUICK, report.FULL]
