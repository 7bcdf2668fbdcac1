"""`unison flash`."""

import copy
import json

import jsonschema
import pytest
from click.testing import CliRunner

from unison.cli.flash_command import flash_command
from unison.errors import UnisonError
from unison.flash.policies import all_placements
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
    assert found["write_on_evict_oracle"] == max(found.values())


def test_table_has_a_line_for_each_placement():
    result = CliRunner().invoke(flash_command, ONE, catch_exceptions=False)
    assert len(result.stdout.splitlines()) == 1 + len(all_placements())


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
    assert found["write_on_evict_oracle"]["improvement"] > found["remaining_life"]["improvement"] > 1


def test_a_share_of_nothing_is_told():
    result = CliRunner().invoke(flash_command, ["--corpus", "gaia-gemma4", "--share", "0"])
    assert "a positive share" in str(result.exception)
