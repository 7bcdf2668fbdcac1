"""``unison import``: exit statuses, what is printed, what is written, and what never is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pyarrow.parquet as parquet
import pytest
from click.testing import CliRunner
from support import logs
from support.corpora import assert_same_corpus
from support.logs import SAMPLES, SECRETS, Sample

from unison.cli import main
from unison.schemas import load_schema
from unison.traces.importers import all_importers, import_traces
from unison.traces.schema import read_corpus

BROKEN = b'{"type":"assistant","mess'


def run(*arguments: Any) -> tuple[int, str, str]:
    result = CliRunner().invoke(main, ["import", *map(str, arguments)])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    """A folder with one good Claude Code session."""
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "good.jsonl").write_bytes(logs.json_lines(logs.claude_code_records()))
    return folder


def test_help_lists_every_format_with_its_path():
    status, out, _ = run("--help")
    assert status == 0
    words = " ".join(out.split())
    for entry in all_importers():
        assert f"{entry.name} {entry.path_help}" in words


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_written_file_is_the_imported_corpus(sample: Sample, tmp_path: Path):
    log, output = tmp_path / sample.name, tmp_path / "out" / "made_up.parquet"
    log.write_bytes(sample.content)
    assert run(sample.log_format, log, "-o", output)[0] == 0
    expected = import_traces(sample.log_format, log, name="made_up").corpus
    assert expected is not None
    assert_same_corpus(read_corpus(output), expected)


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_no_text_path_name_or_id_of_the_log_reaches_the_output(sample: Sample, tmp_path: Path):
    planted = str(logs.table_columns()) if sample.name.endswith("parquet") else sample.content.decode()
    assert sum(secret in planted for secret in SECRETS) >= 2
    log, output = tmp_path / sample.name, tmp_path / "made_up.parquet"
    log.write_bytes(sample.content)
    status, out, err = run(sample.log_format, log, "-o", output)
    assert (status, err) == (0, "")
    table = parquet.read_table(output)
    told = str(table.to_pydict()) + str(table.schema.metadata) + out
    for secret in SECRETS:
        assert secret.encode() not in output.read_bytes()
        assert secret not in told


def test_problems_do_not_quote_the_log(sessions: Path, tmp_path: Path):
    records = logs.claude_code_records()
    records[3]["message"]["usage"]["input_tokens"] = logs.PROMPT
    records[5]["timestamp"] = logs.MAIL
    (sessions / "good.jsonl").write_bytes(logs.json_lines(records) + logs.PROMPT.encode())
    status, _, err = run("claude-code", sessions, "-o", tmp_path / "o.parquet")
    assert status == 2
    assert err.count("left out: ") == 3
    assert not [secret for secret in SECRETS if secret in err.replace(str(sessions), "")]


def test_summary_counts_what_was_written(sessions: Path, tmp_path: Path):
    status, out, err = run("claude-code", sessions, "-o", tmp_path / "o.parquet", "--format", "json")
    assert (status, err) == (0, "")
    summary = json.loads(out)
    jsonschema.validate(summary, load_schema("import"))
    assert summary == {
        "format": "claude-code",
        "corpus": "o",
        "sessions": 2,
        "turns": 4,
        "timed_sessions": 2,
        "completed_sessions": 2,
        "censored_sessions": 0,
        "unknown_completion_sessions": 0,
        "tokens_estimated_turns": 0,
        "timing_estimated_turns": 0,
        "clamped_gaps": 0,
        "clamped_services": 0,
        "repeated_turns": 0,
        "problems": 0,
    }


def test_summary_as_a_table_has_a_line_a_count(sessions: Path, tmp_path: Path):
    _, out, _ = run("claude-code", sessions, "-o", tmp_path / "o.parquet")
    assert "sessions with every gap and service        2" in out.splitlines()


def test_partly_broken_folder_is_written_listed_and_exits_with_1(sessions: Path, tmp_path: Path):
    (sessions / "bad.jsonl").write_bytes(BROKEN)
    output = tmp_path / "o.parquet"
    status, out, err = run("claude-code", sessions, "-o", output, "--format", "json")
    assert status == 1
    assert json.loads(out)["problems"] == 1
    assert err.startswith(f"left out: {sessions / 'bad.jsonl'}, line 1: found broken JSON at column ")
    assert read_corpus(output).n_sessions == 2


def test_nothing_importable_exits_with_2_and_leaves_the_old_output(sessions: Path, tmp_path: Path):
    output = tmp_path / "o.parquet"
    run("claude-code", sessions, "-o", output)
    before = output.read_bytes()
    (sessions / "good.jsonl").write_bytes(BROKEN)
    status, out, err = run("claude-code", sessions, "-o", output)
    assert (status, out) == (2, "")
    assert "nothing to import" in err
    assert output.read_bytes() == before


def test_output_inside_the_folder_is_not_read_as_a_log(tmp_path: Path):
    (tmp_path / "a.parquet").write_bytes(logs.table_parquet())
    output = tmp_path / "b.parquet"
    for _ in range(2):
        assert run("table", tmp_path, "-o", output)[0] == 0
    assert read_corpus(output).n_sessions == 2


@pytest.mark.parametrize(
    ("stem", "name"), [("my logs @home!", "my_logs_home"), ("..", "corpus"), ("x" * 90, "x" * 64)]
)
def test_corpus_is_called_by_the_plain_part_of_the_stem(stem: str, name: str, sessions: Path, tmp_path: Path):
    output = tmp_path / f"{stem}.parquet"
    assert run("claude-code", sessions, "-o", output)[0] == 0
    assert read_corpus(output).name == name


def test_name_option_wins_and_must_be_plain(sessions: Path, tmp_path: Path):
    output = tmp_path / "o.parquet"
    assert run("claude-code", sessions, "-o", output, "--name", "mine-2")[0] == 0
    assert read_corpus(output).name == "mine-2"
    status, _, err = run("claude-code", sessions, "-o", output, "--name", "a b")
    assert status == 2
    assert "letters, digits" in err


def test_unknown_format_names_the_nearest(sessions: Path, tmp_path: Path):
    status, _, err = run("claudecode", sessions, "-o", tmp_path / "o.parquet")
    assert status == 2
    assert "did you mean 'claude-code'" in err


@pytest.mark.parametrize("output", ["o.csv", "folder.parquet", "file/o.parquet"])
def test_output_that_cannot_be_written_is_an_error(output: str, sessions: Path, tmp_path: Path):
    (tmp_path / "folder.parquet").mkdir()
    (tmp_path / "file").write_bytes(b"")
    status, _, err = run("claude-code", sessions, "-o", tmp_path / output)
    assert status == 2
    assert output in err


def test_log_itself_is_never_overwritten(tmp_path: Path):
    log = tmp_path / "a.parquet"
    log.write_bytes(logs.table_parquet())
    status, _, err = run("table", log, "-o", log)
    assert status == 2
    assert "the log itself" in err
    assert log.read_bytes() == logs.table_parquet()
