"""What the command line prints as JSON follows the published schemas."""

from __future__ import annotations

import json

import jsonschema
import pytest
from click.testing import CliRunner

from unison.cli import main
from unison.schemas import load_schema


@pytest.mark.parametrize("name", ["corpora", "policies"])
def test_list_follows_its_schema(name: str):
    result = CliRunner().invoke(main, [name, "--format", "json"])
    assert result.exit_code == 0
    listed = json.loads(result.stdout)
    assert listed
    jsonschema.validate(listed, load_schema(name))


@pytest.mark.parametrize("name", ["corpora", "policies"])
def test_schema_refuses_an_entry_that_lacks_or_adds_a_field(name: str):
    listed = json.loads(CliRunner().invoke(main, [name, "--format", "json"]).stdout)
    for broken in ({**listed[0], "more": 1}, {k: v for k, v in listed[0].items() if k != "name"}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate([broken], load_schema(name))
