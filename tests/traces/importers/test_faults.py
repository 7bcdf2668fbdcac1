"""Broken logs: what is named, what is still imported, and that nothing but UnisonError comes out."""

from __future__ import annotations

import json
import os
import tracemalloc
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import logs
from support.logs import SAMPLES, Sample

from unison.errors import UnisonError
from unison.traces.importers import Imported, get_importer, import_traces
from unison.traces.importers.records import MAX_PROBLEMS_PER_FILE

BY_NAME = {sample.name: sample for sample in SAMPLES}


def imported(path: Path, log_format: str, content: bytes) -> Imported:
    path.write_bytes(content)
    return import_traces(log_format, path, name="x")


def only_problem(outcome: Imported) -> tuple[str, str, str]:
    """Place, field and what was found of the one problem."""
    (problem,) = outcome.log.problems
    return problem.place, problem.field, problem.found


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"\xff\xfe\x00garbage\x00",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"null",
        b"[]",
        b"{}",
        b"1" * 5000,
        b"PAR1PAR1",
    ],
)
def test_file_that_is_no_log_is_named(content: bytes, sample: Sample, tmp_path: Path):
    outcome = imported(tmp_path / sample.name, sample.log_format, content)
    assert outcome.corpus is None
    assert sample.name in outcome.log.lines()[0]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_valid_neighbours_of_a_broken_file_are_imported(sample: Sample, tmp_path: Path):
    folder = tmp_path / "deep" / "deeper"
    folder.mkdir(parents=True)
    (folder / sample.name).write_bytes(sample.content)
    pattern = get_importer(sample.log_format).patterns[-1 if sample.name.endswith(".csv") else 0]
    (tmp_path / pattern.replace("*", "")).write_bytes(b"\x00\x01")
    outcome = import_traces(sample.log_format, tmp_path, name="x")
    assert outcome.corpus is not None
    assert outcome.corpus.n_sessions == sample.sessions
    assert len(outcome.log.problems) == 1


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_sessions_are_numbered_in_the_order_of_the_file_names(sample: Sample, tmp_path: Path):
    suffix = sample.name.partition(".")[2]
    stem = "trajectory" if sample.log_format == "atif" else ""
    for name in ("b", "a", "c"):
        content = sample.content.replace(b"m1", name.encode()).replace(b"m2", name.encode() + b"2")
        content = content.replace(b"m3", name.encode() + b"3").replace(b"sm1", name.encode() + b"4")
        if sample.name.endswith("parquet"):
            content = sample.content
        (tmp_path / f"{stem}{name}.{suffix}").write_bytes(content)
    first = import_traces(sample.log_format, tmp_path, name="x")
    second = import_traces(sample.log_format, tmp_path, name="x")
    assert first.corpus is not None
    assert second.corpus is not None
    assert first.corpus.n_sessions == 3 * sample.sessions
    assert np.array_equal(first.corpus.prompt_tokens, second.corpus.prompt_tokens)


@pytest.mark.parametrize(
    "prepare",
    [
        lambda content: b"\xef\xbb\xbf" + content,
        lambda content: content.replace(b"\n", b"\r\n"),
        lambda content: content.rstrip(b"\n"),
        lambda content: content + b"\n\n",
    ],
    ids=["bom", "crlf", "no-final-newline", "blank-lines"],
)
@pytest.mark.parametrize(
    "sample", [s for s in SAMPLES if not s.name.endswith("parquet")], ids=lambda sample: sample.name
)
def test_text_may_have_any_line_ends_and_a_byte_order_mark(sample: Sample, prepare, tmp_path: Path):
    outcome = imported(tmp_path / sample.name, sample.log_format, prepare(sample.content))
    assert outcome.log.lines() == []
    assert outcome.corpus is not None
    assert outcome.corpus.n_turns == sample.turns


def test_half_written_last_line_leaves_the_session_so_far(tmp_path: Path):
    records = logs.claude_code_records()[:9]
    content = logs.json_lines(records) + b'{"type":"user","uuid":"u9","mess'
    outcome = imported(tmp_path / "a.jsonl", "claude-code", content)
    assert only_problem(outcome)[0] == "line 10"
    assert "half-written" in outcome.log.lines()[0]
    assert outcome.corpus is not None
    assert outcome.corpus.turns_per_session.tolist() == [2, 1]
    # The session that was being written is cut off; the sub-agent had ended.
    assert outcome.corpus.completed.tolist() == [0, 1]


def test_broken_line_in_the_middle_skips_the_file_and_names_the_line(tmp_path: Path):
    lines = logs.json_lines(logs.claude_code_records()).splitlines(keepends=True)
    lines[4] = lines[4][:30] + b"\n"
    outcome = imported(tmp_path / "a.jsonl", "claude-code", b"".join(lines))
    assert outcome.corpus is None
    assert only_problem(outcome)[0] == "line 5"


@pytest.mark.parametrize("value", [-1, 1.5, 2**53, float("nan"), float("inf"), "12", None, True, [1], {}])
def test_token_count_that_is_none_skips_only_its_session(value: Any, tmp_path: Path):
    records = logs.claude_code_records()
    records[3]["message"]["usage"]["input_tokens"] = value
    outcome = imported(tmp_path / "a.jsonl", "claude-code", logs.json_lines(records))
    place, field, _ = only_problem(outcome)
    assert (place, field) == ("line 4", "message.usage.input_tokens")
    assert outcome.corpus is not None
    assert outcome.corpus.prompt_tokens.tolist() == [300]


@pytest.mark.parametrize(
    ("name", "path", "value", "field"),
    [
        ("quixote.json", ["requests", 1, "in"], "7", "requests[1].in"),
        ("quixote.json", ["requests", 1, "t"], -1, "requests[1].t"),
        ("quixote.json", ["requests", 1, "api_time"], float("nan"), "requests[1].api_time"),
        ("quixote.json", ["requests", 1, "hash_ids"], ["a"], "requests[1].hash_ids"),
        ("quixote.json", ["requests", 1, "input_types"], "text", "requests[1].input_types"),
        ("two.traj.json", ["messages", 2, "extra", "response"], None, "messages[2].extra.response"),
        ("two.traj.json", ["messages", 2, "extra", "timestamp"], "noon", "messages[2].extra.timestamp"),
        ("two.traj.json", ["messages", 3], "text", "messages[3]"),
        ("trajectory.json", ["steps", 2, "metrics"], 5, "steps[2].metrics"),
        ("trajectory.json", ["steps", 3, "timestamp"], 12, "steps[3].timestamp"),
        ("trajectory.json", ["steps", 3, "metrics", "prompt_tokens"], None, "steps[3].metrics.prompt_tokens"),
    ],
)
def test_wrong_field_is_named_by_its_place_in_the_record(
    name: str, path: list[Any], value: Any, field: str, tmp_path: Path
):
    sample = BY_NAME[name]
    record = json.loads(sample.content)
    inner = record
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    outcome = imported(tmp_path / name, sample.log_format, json.dumps(record).encode())
    assert only_problem(outcome)[1] == field
    # A nested sub-agent is a session of its own and is still there.
    assert (outcome.corpus is not None) == (sample.sessions == 2)


def test_fault_of_a_nested_sub_agent_leaves_the_main_session(tmp_path: Path):
    record = logs.weka()
    record["requests"][2]["requests"][1]["out"] = -4
    outcome = imported(tmp_path / "a.json", "weka", json.dumps(record).encode())
    place, field, found = only_problem(outcome)
    assert (place, field, found) == ("record requests[2]", "requests[2].requests[1].out", "-4")
    assert outcome.corpus is not None
    assert outcome.corpus.turns_per_session.tolist() == [3]


@pytest.mark.parametrize("is_nested", [False, True])
def test_blocks_of_no_tokens_are_refused(tmp_path: Path, is_nested: bool):
    record = logs.weka()
    (record["requests"][2] if is_nested else record)["block_size"] = 0
    outcome = imported(tmp_path / "a.json", "weka", json.dumps(record).encode())
    _, field, found = only_problem(outcome)
    assert (field, found) == ("requests[2].block_size" if is_nested else "block_size", "0")
    assert (outcome.corpus is not None) == is_nested


def test_bad_request_of_a_mooncake_log_is_left_out_alone(tmp_path: Path):
    records = logs.mooncake_records()
    records[1]["output_length"] = "many"
    outcome = imported(tmp_path / "a.jsonl", "mooncake", logs.json_lines(records) + b'{"timestamp": 99')
    assert [problem.place for problem in outcome.log.problems] == ["line 2", "line 6"]
    assert outcome.corpus is not None
    assert outcome.corpus.n_turns == 4


@pytest.mark.parametrize(
    ("column", "values", "place", "field"),
    [
        ("turn", [0, 2, 0, 1], "row 2", "turn"),
        ("turn", [0, 0, 0, 1], "row 2", "turn"),
        ("turn", [1, 2, 0, 1], "row 1", "turn"),
        ("turn", [0, 1.5, 0, 1], "row 2", "turn"),
        ("prompt_tokens", [1000, -1, 10, 30], "row 2", "prompt_tokens"),
        ("prompt_tokens", [1000, None, 10, 30], "row 2", "prompt_tokens"),
        ("output_tokens", [2**60, 1, 10, 30], "row 1", "output_tokens"),
        ("new_prompt_tokens", [1001, 5, 10, 15], "row 1", "new_prompt_tokens"),
        ("gap_s", [None, -0.5, None, None], "row 2", "gap_s"),
        ("service_s", [float("inf"), 1.0, 1.0, 1.0], "row 1", "service_s"),
        ("arrival_s", [0.0, 1e12, 0.0, 1.0], "row 2", "arrival_s"),
        ("last", [True, True, False, True], "row 1", "last"),
        ("last", [False, False, False, True], "row 2", "last"),
        ("completed", [True, False, True, True], "row 2", "completed"),
    ],
)
def test_table_skips_the_session_with_the_fault(
    column: str, values: list[Any], place: str, field: str, tmp_path: Path
):
    content = logs.table_parquet(logs.table_columns() | {column: values})
    outcome = imported(tmp_path / "a.parquet", "table", content)
    assert only_problem(outcome)[:2] == (place, field)
    assert outcome.corpus is not None
    assert outcome.corpus.prompt_tokens.tolist() == [10, 30]


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("prompt_tokens", ["a", "b", "c", "d"]),
        ("prompt_tokens", [True, True, False, True]),
        ("service_s", ["1", "2", "3", "4"]),
        ("completed", [1, 1, 0, 0]),
        ("tool", [1, 2, 3, 4]),
        ("turn", [[0], [1], [0], [1]]),
    ],
)
def test_table_with_a_column_of_the_wrong_type_is_refused(column: str, values: list[Any], tmp_path: Path):
    content = logs.table_parquet(logs.table_columns() | {column: values})
    outcome = imported(tmp_path / "a.parquet", "table", content)
    assert outcome.corpus is None
    assert only_problem(outcome)[1] == column


@pytest.mark.parametrize("column", ["session_id", "turn", "prompt_tokens", "output_tokens"])
@pytest.mark.parametrize("write", [logs.table_parquet, logs.table_csv])
def test_table_without_a_required_column_is_refused(column: str, write, tmp_path: Path):
    columns = logs.table_columns()
    del columns[column]
    name = "a.parquet" if write is logs.table_parquet else "a.csv"
    outcome = imported(tmp_path / name, "table", write(columns))
    assert only_problem(outcome)[1:] == (column, "no such column")


def test_csv_cell_that_is_no_number_is_named_by_its_line(tmp_path: Path):
    columns = logs.table_columns() | {"prompt_tokens": [1000, "zanzibar", 10, 30]}
    outcome = imported(tmp_path / "a.csv", "table", logs.table_csv(columns))
    assert only_problem(outcome)[:2] == ("line 3", "prompt_tokens")
    assert "zanzibar" not in outcome.log.lines()[0]
    assert outcome.corpus is not None
    assert outcome.corpus.n_sessions == 1


def test_half_written_csv_row_skips_its_session(tmp_path: Path):
    outcome = imported(tmp_path / "a.csv", "table", logs.table_csv()[:-45])
    assert [problem.place for problem in outcome.log.problems] == ["line 5", "line 4"]
    assert outcome.corpus is not None
    assert outcome.corpus.n_sessions == 1


def test_session_on_two_clocks_is_refused(tmp_path: Path):
    lines = logs.claude_code_records()
    lines[-2]["timestamp"] = "2036-01-01T00:00:00Z"
    outcome = imported(tmp_path / "a.jsonl", "claude-code", logs.json_lines(lines))
    assert only_problem(outcome)[2] == "a session of more than a year"
    assert outcome.corpus is not None
    assert outcome.corpus.n_sessions == 1


def test_many_problems_of_one_file_are_counted_not_listed(tmp_path: Path):
    bad = [{"timestamp": -1}] * (MAX_PROBLEMS_PER_FILE + 5)
    outcome = imported(tmp_path / "a.jsonl", "mooncake", logs.json_lines([*bad, *logs.mooncake_records()]))
    assert outcome.log.n_problems == MAX_PROBLEMS_PER_FILE + 5
    assert outcome.log.lines()[-1].endswith("5 more problems, not listed")


def test_unreadable_file_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "a.jsonl").write_bytes(BY_NAME["5e551071.jsonl"].content)
    (tmp_path / "b.jsonl").write_bytes(b"")
    opened = Path.open

    def denied(path: Path, *args: Any, **options: Any) -> Any:
        if path.name == "b.jsonl":
            raise PermissionError(13, "Permission denied")
        return opened(path, *args, **options)

    monkeypatch.setattr(Path, "open", denied)
    outcome = import_traces("claude-code", tmp_path, name="x")
    assert only_problem(outcome)[2] == "Permission denied"
    assert outcome.corpus is not None


def test_folders_named_like_logs_pipes_and_loops_of_links_are_passed(tmp_path: Path):
    folder = tmp_path / "folder.jsonl"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(BY_NAME["5e551071.jsonl"].content)
    (folder / "again").symlink_to(tmp_path)
    (tmp_path / "loop.jsonl").symlink_to(tmp_path / "loop.jsonl")
    os.mkfifo(tmp_path / "pipe.jsonl")
    outcome = import_traces("claude-code", tmp_path, name="x")
    assert outcome.corpus is not None
    assert outcome.corpus.n_sessions == 2
    assert len(outcome.log.problems) == 2


@pytest.mark.parametrize("name", ["missing", "loop", "pipe"])
def test_path_that_is_neither_file_nor_folder_is_an_error(name: str, tmp_path: Path):
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(UnisonError, match="no such file or folder"):
        import_traces("weka", tmp_path / name, name="x")


def test_folder_without_a_file_of_the_format_is_an_error(tmp_path: Path):
    (tmp_path / "notes.txt").write_text("nothing")
    with pytest.raises(UnisonError, match=r"no file named \*\.jsonl"):
        import_traces("claude-code", tmp_path, name="x")


def test_unknown_format_is_an_error_with_the_nearest_name(tmp_path: Path):
    with pytest.raises(UnisonError, match="did you mean 'claude-code'"):
        import_traces("claude_code", tmp_path, name="x")


def test_long_log_is_read_line_by_line(tmp_path: Path):
    path = tmp_path / "a.jsonl"
    filler = "x" * 200_000
    with path.open("w") as stream:
        for at in range(100):
            user = logs.claude_user(f"u{at}", None, at)
            user["message"]["content"] = filler
            reply = logs.claude_reply(f"a{at}", f"u{at}", at + 0.5, f"m{at}", (at + 1, 0, 0, 1))
            stream.write(json.dumps(user) + "\n" + json.dumps(reply) + "\n")
    tracemalloc.start()
    outcome = import_traces("claude-code", path, name="x")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert outcome.corpus is not None
    assert outcome.corpus.n_turns == 100
    assert peak < path.stat().st_size / 4
