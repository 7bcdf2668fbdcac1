"""`unison corpora`."""

import json

import pytest
from click.testing import CliRunner

from unison.cli.corpora_command import corpora_command, describe
from unison.errors import UnisonError
from unison.traces.calibration import STATUSES, Calibration, default_calibration
from unison.traces.synthetic import CORPORA, synthesize


def test_json_lists_the_six_with_sizes_and_sources():
    result = CliRunner().invoke(corpora_command, ["--format", "json"], catch_exceptions=False)
    records = json.loads(result.stdout)
    assert [record["name"] for record in records] == list(CORPORA)
    for record in records:
        corpus = synthesize(record["name"])
        assert (record["sessions"], record["turns"]) == (corpus.n_sessions, corpus.n_turns)
        assert 1 <= record["max_live"] <= 64
        assert set(record["sources"]) == set(STATUSES)
    assert records[CORPORA.index("gaia-gemma4")]["median_gap_s"] == 7.2


def test_sources_count_only_what_a_corpus_reads():
    whole = default_calibration()
    kept = {key: q for key, q in whole.quantities.items() if not key.startswith("swe.tools.")}
    without_swe_tools = Calibration(kept)
    assert describe("gaia-qwen3", without_swe_tools) == describe("gaia-qwen3", whole)
    read = sum(describe("swe-qwen3", whole)["sources"].values())
    unread = {
        key for key in whole.quantities if key.startswith(("gaia.", "gaps.", "corpora.gaia", "models.g"))
    }
    assert read < len(whole.quantities) - len(unread)


def test_remeasure_from_an_empty_folder_is_told(tmp_path):
    result = CliRunner().invoke(corpora_command, ["--remeasure", str(tmp_path)])
    assert isinstance(result.exception, UnisonError)


@pytest.mark.parametrize(("different", "status"), [([], 0), (["x: measured 1, data/calibration has 2"], 1)])
def test_remeasure_exits_with_what_it_found(tmp_path, monkeypatch, different, status):
    monkeypatch.setattr("unison.traces.remeasure.differences", lambda traces, calibration: (3, different))
    result = CliRunner().invoke(corpora_command, ["--remeasure", str(tmp_path)])
    assert result.exit_code == status
    assert result.stdout.splitlines() == [
        *different,
        f"{3 - len(different)} of 3 numbers are as in data/calibration",
    ]


def test_table_has_one_line_a_corpus_under_its_headers():
    result = CliRunner().invoke(corpora_command, catch_exceptions=False)
    lines = result.stdout.splitlines()
    assert lines[0].split()[:3] == ["name", "sessions", "turns"]
    assert [line.split()[0] for line in lines[1:]] == list(CORPORA)
