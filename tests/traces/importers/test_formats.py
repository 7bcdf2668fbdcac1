"""What each format's sample becomes, worked by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support import logs
from support.logs import SAMPLES, S, Sample

from unison.traces.corpus import UNKNOWN, Corpus
from unison.traces.importers import Imported, all_importers, import_traces


def imported(folder: Path, log_format: str, content: bytes, name: str = "log.jsonl") -> Imported:
    file = folder / name
    file.write_bytes(content)
    return import_traces(log_format, file, name="made_up")


def corpus_of(folder: Path, log_format: str, content: bytes, name: str = "log.jsonl") -> Corpus:
    outcome = imported(folder, log_format, content, name)
    assert outcome.log.lines() == []
    assert outcome.corpus is not None
    return outcome.corpus


def rows(corpus: Corpus, session: int, column: str) -> list[Any]:
    values = getattr(corpus, column)[corpus.session == session].tolist()
    return [corpus.tools[code] for code in values] if column == "tool" else values


def roles(corpus: Corpus) -> list[str]:
    return [corpus.roles[code] for code in corpus.role[corpus.first_row[:-1]]]


def test_every_registered_format_has_a_sample():
    assert {sample.log_format for sample in SAMPLES} == {entry.name for entry in all_importers()}


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_sample_becomes_its_sessions(sample: Sample, tmp_path: Path):
    corpus = corpus_of(tmp_path, sample.log_format, sample.content, sample.name)
    assert (corpus.n_sessions, corpus.n_turns) == (sample.sessions, sample.turns)


def test_claude_code_times_run_from_the_latest_input_to_the_last_line_of_the_reply(tmp_path: Path):
    corpus = corpus_of(tmp_path, "claude-code", logs.json_lines(logs.claude_code_records()))
    # m1: asked at 0, lines at 3 and 4. m2: results at 4.5 and 7, reply at 9. m3: asked at 60, reply at 62.5.
    assert rows(corpus, 0, "arrival_ns") == [0, 7 * S, 60 * S]
    assert rows(corpus, 0, "service_ns") == [4 * S, 2 * S, 2.5 * S]
    assert rows(corpus, 0, "gap_ns") == [0, 3 * S, 51 * S]
    assert rows(corpus, 0, "tool") == ["", "Bash+Read", "user"]


def test_claude_code_tokens_are_those_of_the_last_line_and_compaction_keeps_what_was_cached(tmp_path: Path):
    corpus = corpus_of(tmp_path, "claude-code", logs.json_lines(logs.claude_code_records()))
    assert rows(corpus, 0, "prompt_tokens") == [1000, 1200, 420]
    assert rows(corpus, 0, "output_tokens") == [50, 30, 40]
    # 1200 - (1000 + 50); then the prompt shrank and 400 of it came from the cache.
    assert rows(corpus, 0, "new_prompt_tokens") == [1000, 150, 20]


def test_claude_code_sub_agent_is_a_session_of_its_own(tmp_path: Path):
    corpus = corpus_of(tmp_path, "claude-code", logs.json_lines(logs.claude_code_records()))
    assert roles(corpus) == ["main", "subagent"]
    assert rows(corpus, 1, "service_ns") == [1.75 * S]
    assert corpus.completed.tolist() == [1, 1]


@pytest.mark.parametrize(
    ("stop", "calls", "completed"),
    [("end_turn", [], 1), ("tool_use", [("c", "Bash")], 0), (None, [], UNKNOWN), ("max_tokens", [], UNKNOWN)],
)
def test_claude_code_completion_follows_the_last_stop_reason(stop, calls, completed, tmp_path: Path):
    lines = [
        logs.claude_user("u", None, 0),
        logs.claude_reply("a", "u", 1, "m", (5, 0, 0, 1), *calls, stop=stop),
    ]
    assert corpus_of(tmp_path, "claude-code", logs.json_lines(lines)).completed.tolist() == [completed]


def test_claude_code_sub_agents_without_ids_are_told_apart_by_their_roots(tmp_path: Path):
    side = {"isSidechain": True}
    lines = [
        logs.claude_user("r1", None, 0, **side),
        logs.claude_user("r2", None, 1, **side),
        logs.claude_reply("b2", "r2", 3, "m2", (20, 0, 0, 1), **side),
        logs.claude_reply("b1", "r1", 4, "m1", (10, 0, 0, 1), **side),
        logs.claude_reply("b3", "lost", 5, "m3", (13, 0, 0, 1), **side),
    ]
    corpus = corpus_of(tmp_path, "claude-code", logs.json_lines(lines))
    # The line whose parent is lost belongs to the sub-agent that wrote last.
    assert [rows(corpus, s, "prompt_tokens") for s in (0, 1)] == [[10, 13], [20]]
    assert rows(corpus, 0, "timing_estimated") == [False, True]


def test_claude_code_lines_logged_before_their_parents_are_put_in_order(tmp_path: Path):
    lines = logs.claude_code_records()
    swapped = [lines[1], lines[2], lines[3], lines[6], lines[8], lines[7], *lines[10:]]
    straight = [*lines[1:4], *lines[6:9], *lines[10:]]
    first = corpus_of(tmp_path, "claude-code", logs.json_lines(swapped))
    second = corpus_of(tmp_path, "claude-code", logs.json_lines(straight))
    assert rows(first, 0, "gap_ns")[1] == 3 * S
    for column in ("gap_ns", "service_ns", "prompt_tokens", "tool"):
        assert rows(first, 0, column) == rows(second, 0, column)


def test_claude_code_parents_in_a_circle_do_no_harm(tmp_path: Path):
    lines = [
        logs.claude_user("u", "a", 0, isSidechain=True),
        logs.claude_reply("a", "u", 1, "m", (5, 0, 0, 1), isSidechain=True),
    ]
    assert corpus_of(tmp_path, "claude-code", logs.json_lines(lines)).n_turns == 1


def test_claude_code_line_logged_twice_counts_once(tmp_path: Path):
    first, last = (logs.claude_reply(m, "gone", at, m, (5, 0, 0, 1)) for m, at in (("m1", 1), ("m2", 3)))
    user = logs.claude_user("u", None, 0)
    corpus = corpus_of(tmp_path, "claude-code", logs.json_lines([user, first, user, last]))
    # Nothing new came between the replies: the second counts from the end of the first.
    assert rows(corpus, 0, "arrival_ns") == [0, S]


def test_claude_code_history_carried_into_a_second_file_counts_once(tmp_path: Path):
    records = logs.claude_code_records()
    (tmp_path / "a.jsonl").write_bytes(logs.json_lines(records[:9]))
    (tmp_path / "b.jsonl").write_bytes(logs.json_lines(records))
    outcome = import_traces("claude-code", tmp_path, name="x")
    assert outcome.corpus is not None
    # Of the second file only m3 is new; m1, m2 and the sub-agent's reply are repetitions.
    assert outcome.corpus.turns_per_session.tolist() == [2, 1, 1]
    assert outcome.log.repeated_turns == 3


def test_claude_code_input_logged_before_the_reply_ended_is_a_clamped_gap(tmp_path: Path):
    lines = [
        logs.claude_user("u", None, 0),
        logs.claude_reply("a", "u", 2, "m", (5, 0, 0, 1), ("c", "Bash")),
        logs.claude_user("v", "a", 3, "c"),
        logs.claude_reply("b", "a", 4, "m", (5, 0, 0, 1)),
        logs.claude_reply("d", "v", 9, "n", (9, 0, 0, 1)),
    ]
    outcome = imported(tmp_path, "claude-code", logs.json_lines(lines))
    assert outcome.corpus is not None
    # The tool's result (3 s) precedes the reply's last line (4 s): no gap, and service counts from 4 s.
    assert rows(outcome.corpus, 0, "gap_ns") == [0, 0]
    assert rows(outcome.corpus, 0, "service_ns") == [4 * S, 5 * S]
    assert (outcome.clamped_gaps, outcome.clamped_services) == (1, 0)


def test_claude_code_clock_that_steps_back_is_clamped_and_counted(tmp_path: Path):
    lines = [
        logs.claude_user("u", None, 100),
        logs.claude_reply("a", "u", 101, "m", (5, 0, 0, 1), ("c", "Bash")),
        logs.claude_user("v", "a", 50, "c"),
        logs.claude_reply("b", "v", 49, "n", (9, 0, 0, 1)),
    ]
    outcome = imported(tmp_path, "claude-code", logs.json_lines(lines))
    assert outcome.corpus is not None
    assert rows(outcome.corpus, 0, "gap_ns") == [0, 0]
    assert rows(outcome.corpus, 0, "service_ns") == [S, 1_000_000]
    assert (outcome.clamped_gaps, outcome.clamped_services) == (1, 1)


def test_mini_swe_agent_v2_is_timed_by_its_messages(tmp_path: Path):
    corpus = corpus_of(tmp_path, "mini-swe-agent", logs.dumped(logs.mini_swe_agent_v2))
    # Turn 0 starts at `created` (…003), replies end at …005.5, …010.25, …021.25, tools at …006.25, …020.25.
    assert rows(corpus, 0, "service_ns") == [2.5 * S, 4 * S, S]
    assert rows(corpus, 0, "gap_ns") == [0, 0.75 * S, 10 * S]
    assert rows(corpus, 0, "timing_estimated") == [True, False, False]
    assert rows(corpus, 0, "tool") == ["", "bash:python", "bash:other"]
    assert rows(corpus, 0, "new_prompt_tokens") == [1000, 100, 50]
    assert corpus.completed.tolist() == [1]


def test_mini_swe_agent_v1_keeps_arrivals_and_invents_no_gap(tmp_path: Path):
    corpus = corpus_of(tmp_path, "mini-swe-agent", logs.dumped(logs.mini_swe_agent_v1))
    assert rows(corpus, 0, "arrival_ns") == [0, 4 * S, 9 * S]
    assert rows(corpus, 0, "service_ns") == [UNKNOWN] * 3
    assert rows(corpus, 0, "gap_ns") == [0, UNKNOWN, UNKNOWN]
    assert rows(corpus, 0, "tool") == ["", "bash:grep", "format_error"]
    assert rows(corpus, 0, "new_prompt_tokens") == [900, 70, 100]
    assert rows(corpus, 0, "timing_estimated") == [True] * 3
    assert corpus.completed.tolist() == [0]


def test_weka_gap_is_think_time_and_new_tokens_are_beyond_the_shared_blocks(tmp_path: Path):
    corpus = corpus_of(tmp_path, "weka", logs.dumped(logs.weka))
    assert rows(corpus, 0, "service_ns") == [3.2 * S, 2 * S, UNKNOWN]
    # The third has no think_time, so its gap is from 9 + 2 to 21.
    assert rows(corpus, 0, "gap_ns") == [0, 5.5 * S, 10 * S]
    # 300 - 3 * 64, 400 - 5 * 64.
    assert rows(corpus, 0, "new_prompt_tokens") == [200, 108, 80]
    assert rows(corpus, 0, "tool") == ["", "tool_result", "tool_result+user"]


@pytest.mark.parametrize("offset", [0.0, 9.0])
def test_weka_sub_agent_times_may_restart_or_be_absolute(offset: float, tmp_path: Path):
    record = logs.weka()
    for request in record["requests"][2]["requests"]:
        request["t"] += offset
    corpus = corpus_of(tmp_path, "weka", json.dumps(record).encode())
    assert roles(corpus) == ["main", "sub:Explore"]
    assert rows(corpus, 1, "arrival_ns") == [0, 2.5 * S]
    assert rows(corpus, 1, "gap_ns") == [0, 1.5 * S]
    assert corpus.completed.tolist() == [1, 1]


def test_atif_times_only_what_its_timestamps_bound(tmp_path: Path):
    corpus = corpus_of(tmp_path, "atif", logs.dumped(logs.atif))
    # After tools the arrival is unknown; the second reply ends at 14, with its second step.
    assert rows(corpus, 0, "service_ns") == [2 * S, UNKNOWN, 1.5 * S]
    assert rows(corpus, 0, "gap_ns") == [0, UNKNOWN, 6 * S]
    assert rows(corpus, 0, "tool") == ["", "bash+search", "edit+user"]
    # 700 - 560; then the prompt shrank and 450 of it came from the cache.
    assert rows(corpus, 0, "new_prompt_tokens") == [500, 140, 150]
    assert roles(corpus) == ["main", "sub:scout"]
    assert corpus.completed.tolist() == [1, 1]


def test_mooncake_sessions_are_rebuilt_from_the_prefix(tmp_path: Path):
    corpus = corpus_of(tmp_path, "mooncake", logs.json_lines(logs.mooncake_records()))
    # The third request comes at the same instant as the second and so continues nothing.
    assert corpus.turns_per_session.tolist() == [2, 2, 1]
    assert rows(corpus, 0, "arrival_ns") == [0, 9 * S]
    assert rows(corpus, 1, "arrival_ns") == [0, 9.4 * S]
    # 1800 and 2000 less two full blocks of 512.
    assert rows(corpus, 0, "new_prompt_tokens") == [1100, 776]
    assert rows(corpus, 1, "new_prompt_tokens") == [1100, 976]
    assert rows(corpus, 0, "tool") == ["", "user"]
    assert not corpus.is_timed.any()


def test_mooncake_first_block_alone_joins_nothing(tmp_path: Path):
    records = [
        {"timestamp": 0, "input_length": 600, "output_length": 5, "hash_ids": [0, 1]},
        {"timestamp": 9, "input_length": 900, "output_length": 5, "hash_ids": [0, 2]},
    ]
    assert corpus_of(tmp_path, "mooncake", logs.json_lines(records)).n_sessions == 2


@pytest.mark.parametrize("sample", [s for s in SAMPLES if s.log_format == "table"], ids=lambda s: s.name)
def test_table_keeps_its_numbers(sample: Sample, tmp_path: Path):
    corpus = corpus_of(tmp_path, "table", sample.content, sample.name)
    assert rows(corpus, 0, "arrival_ns") == [0, 8.5 * S]
    assert rows(corpus, 0, "service_ns") == [7.5 * S, 1_000_000]
    assert rows(corpus, 0, "gap_ns") == [0, S]
    assert rows(corpus, 1, "gap_ns") == [0, UNKNOWN]
    assert corpus.new_prompt_tokens.tolist() == [1000, 400, 10, 15]
    assert rows(corpus, 0, "tool") + rows(corpus, 1, "tool") == ["", "user", "", "other"]
    assert roles(corpus) == ["main", "other"]
    assert corpus.completed.tolist() == [1, UNKNOWN]
    assert corpus.tokens_estimated.tolist() == [False, False, True, True]
    assert corpus.timing_estimated.tolist() == [False, True, False, False]


def test_table_needs_only_four_columns(tmp_path: Path):
    columns = {
        "session_id": [4, 4, 2],
        "turn": [1, 0, 0],
        "prompt_tokens": [50, 20, 7],
        "output_tokens": [3, 10, 1],
    }
    corpus = corpus_of(tmp_path, "table", logs.table_parquet(columns), "t.parquet")
    assert corpus.prompt_tokens.tolist() == [20, 50, 7]
    # Of the 50, the first turn's 20 and 10 are not new.
    assert corpus.new_prompt_tokens.tolist() == [20, 20, 7]
    assert rows(corpus, 0, "tool") == ["", "unknown"]
    assert (corpus.service_ns == UNKNOWN).all()
    assert corpus.completed.tolist() == [UNKNOWN, UNKNOWN]
    assert not corpus.tokens_estimated.any()


def test_table_seconds_are_rounded_to_the_nearest_nanosecond(tmp_path: Path):
    columns = logs.table_columns() | {"arrival_s": [0.0, 94880.120000001, 0.0, 0.3]}
    corpus = corpus_of(tmp_path, "table", logs.table_parquet(columns), "t.parquet")
    assert corpus.arrival_ns[[1, 3]].tolist() == [94_880_120_000_001, 300_000_000]


def test_same_log_gives_the_same_corpus(tmp_path: Path):
    content = logs.json_lines(logs.claude_code_records())
    first, second = (corpus_of(tmp_path, "claude-code", content) for _ in range(2))
    assert np.array_equal(first.service_ns, second.service_ns)
    assert first.tools == second.tools
