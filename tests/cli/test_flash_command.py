"""`unison flash`."""

import copy
import json
import math

import jsonschema
import pytest
from click.testing import CliRunner

from unison.cli.flash_command import flash_command
from unison.errors import UnisonError
from unison.experiments import flash_cells
from unison.flash.plans import REGIME_ABOUT
from unison.flash.policies import Knows, all_placements
from unison.schemas import load_schema

ONE = ["--regime", "temporal", "--smoke"]


@pytest.fixture(scope="module")
def document():
    result = CliRunner().invoke(flash_command, [*ONE, "--format", "json"], catch_exceptions=False)
    return json.loads(result.stdout)


def test_json_follows_its_schema_and_has_every_placement(document):
    jsonschema.validate(document, load_schema("flash"))
    assert [row["policy"] for row in document["regimes"]] == [entry.name for entry in all_placements()]
    assert {row["regime"] for row in document["regimes"]} == {"temporal"}


def test_schema_refuses_a_row_that_lacks_or_adds_a_field(document):
    for change in ({"more": 1}, {"policy": None}):
        broken = copy.deepcopy(document)
        broken["regimes"][0].update(change)
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(broken, load_schema("flash"))


def test_the_baseline_is_one_and_the_bound_the_best(document):
    found = {row["policy"]: row["improvement"] for row in document["regimes"]}
    assert found["hbm_first"] == 1.0
    assert found["bound"] == max(found.values())


def test_table_has_a_line_for_each_placement():
    result = CliRunner().invoke(flash_command, ONE, catch_exceptions=False)
    _, *lines, _ = result.stdout.splitlines()  # between the headers and the profile
    titles = [entry.title for entry in all_placements()]
    assert [
        line.removeprefix("temporal").strip()[: len(t)] for line, t in zip(lines, titles, strict=True)
    ] == titles


def test_help_lists_every_placement_with_its_rule_and_what_it_knows():
    told = "".join(CliRunner().invoke(flash_command, ["--help"]).stdout.split())
    listed = [f"{entry.name} {entry.title} ({entry.knows}): {entry.rule}" for entry in all_placements()]
    listed += [f"{knows} {knows.about}" for knows in Knows]
    listed += [f"{regime} {about}" for regime, about in REGIME_ABOUT.items()]
    assert [text for text in listed if text.replace(" ", "") not in told] == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--model", "llama"], "unknown model"),
        (["--config", "hbm9"], "unknown memory configuration"),
        (["--slo", "tigt"], "unknown service level"),
        (["--regime", "temporl"], "did you mean 'temporal'"),
    ],
)
def test_a_wrong_name_is_told(arguments, told):
    result = CliRunner().invoke(flash_command, [*arguments, "--smoke"])
    assert isinstance(result.exception, UnisonError)
    assert told in str(result.exception)


def test_an_ordinary_corpus_can_be_placed():
    arguments = ["--corpus", "gaia-gemma4", "--share", "0.2", "--format", "json"]
    result = CliRunner().invoke(flash_command, arguments, catch_exceptions=False)
    found = {row["policy"]: row for row in json.loads(result.stdout)["regimes"]}
    assert {row["regime"] for row in found.values()} == {"gaia-gemma4"}
    assert found["bound"]["improvement"] > found["remaining_life"]["improvement"] > 1


def run(*arguments):
    return CliRunner().invoke(flash_command, [*arguments])


@pytest.mark.parametrize("share", ["nan", "inf", "-inf", "5", "1.001", "0", "-1"])
def test_a_share_that_is_none_is_refused(share):
    result = run("--corpus", "gaia-gemma4", "--share", share)
    assert isinstance(result.exception, UnisonError)
    assert "a finite number above 0 and at most 1" in str(result.exception)


def test_options_that_a_corpus_would_ignore_are_refused_by_name():
    given = {"--regime": "mixed", "--config": "hbm2", "--slo": "tight", "--seed": "0"}
    for option, value in given.items():
        result = run("--corpus", "gaia-gemma4", option, value)
        assert isinstance(result.exception, UnisonError)
        assert f"with {option}, which" in str(result.exception)
    result = run("--corpus", "gaia-gemma4", "--smoke", *(word for pair in given.items() for word in pair))
    assert "with --regime, --config, --slo, --seed, --smoke, which" in str(result.exception)


def test_a_share_without_a_corpus_is_refused():
    result = run("--share", "0.1", *ONE)
    assert isinstance(result.exception, UnisonError)
    assert "--share counts with --corpus only" in str(result.exception)


@pytest.fixture(scope="module")
def placed():
    return json.loads(run("--corpus", "gaia-gemma4", "--share", "1", "--format", "json").stdout)


def test_the_years_of_a_corpus_are_not_told(placed):
    jsonschema.validate(placed, load_schema("flash"))
    assert {(row["device_years"], row["meets_warranty"]) for row in placed["regimes"]} == {(None, None)}
    unused = ("config", "slo", "seed", "profile")
    assert ([placed[name] for name in unused], placed["share"]) == ([None] * 4, 1)
    lines = run("--corpus", "gaia-gemma4").stdout.splitlines()
    assert all(line.split()[-2:] == ["-", "-"] for line in lines[1:-1])
    assert lines[-1] == "HBM of 0.1 of the live KV"


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_ratio_to_nothing_is_null(monkeypatch, value):
    # HBM-first may keep nothing in HBM for life, and a placement may write nothing to flash
    complete = flash_cells.Prepared.measured
    changed = {"kept_ratio": value, "improvement": value}
    monkeypatch.setattr(flash_cells.Prepared, "measured", lambda *given: {**complete(*given), **changed})
    found = json.loads(run("--corpus", "gaia-gemma4", "--format", "json").stdout)
    jsonschema.validate(found, load_schema("flash"))
    assert {(row["kept_ratio"], row["improvement"]) for row in found["regimes"]} == {(None, None)}


def test_a_regime_given_twice_is_run_once(document):
    twice = json.loads(run(*ONE, "--regime", "temporal", "--format", "json").stdout)
    assert twice == document


def test_the_profile_is_told(document):
    assert (document["profile"], document["share"]) == ("smoke", None)
    assert run(*ONE).stdout.splitlines()[-1] == "profile: smoke"
