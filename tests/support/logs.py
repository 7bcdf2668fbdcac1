"""Tiny made-up agent logs of every format, with secrets planted in every field of free text."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as arrow
import pyarrow.parquet as parquet

PROMPT = "zanzibar prompt text"
PLACE = "/home/quixote/vault"
USER = "quixote"
MAIL = "quixote@example.org"
IDENTITY = "5e551071-dead-beef"
SECRETS = ("zanzibar", "/home", "quixote", "vault", "example.org", "5e551071", "gpt-hush")
MODEL = "gpt-hush"

S = 1_000_000_000


@dataclass(frozen=True)
class Sample:
    """A log file: the format that reads it, its name, its bytes, and what must come out."""

    log_format: str
    name: str
    content: bytes
    sessions: int
    turns: int


def json_lines(records: Iterable[Any]) -> bytes:
    """Records as JSON Lines."""
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def clock(seconds: float) -> str:
    """An ISO 8601 time so many seconds into the first of January 2026."""
    ms = round(seconds * 1000)
    return f"2026-01-01T{ms // 3_600_000:02}:{ms // 60_000 % 60:02}:{ms // 1000 % 60:02}.{ms % 1000:03}Z"


def claude_user(uuid: str, parent: str | None, at: float, *results: str, **more: Any) -> dict[str, Any]:
    """A user line: results of the named calls, or a human's message if none is named."""
    content: Any = PROMPT
    if results:
        content = [{"type": "tool_result", "tool_use_id": call, "content": PROMPT} for call in results]
    return {
        "type": "user",
        "uuid": uuid,
        "parentUuid": parent,
        "isSidechain": False,
        "sessionId": IDENTITY,
        "cwd": PLACE,
        "gitBranch": USER,
        "timestamp": clock(at),
        "message": {"role": "user", "content": content},
        "toolUseResult": {"stdout": PROMPT, "filePath": PLACE},
    } | more


def claude_reply(
    uuid: str,
    parent: str | None,
    at: float,
    message: str,
    usage: tuple[int, int, int, int],
    *calls: tuple[str, str],
    stop: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """An assistant line; usage is (input, cache creation, cache read, output), calls are (id, tool)."""
    blocks = [
        {"type": "tool_use", "id": call, "name": tool, "input": {"command": PROMPT, "email": MAIL}}
        for call, tool in calls
    ]
    fresh, created, read, output = usage
    return {
        "type": "assistant",
        "uuid": uuid,
        "parentUuid": parent,
        "isSidechain": False,
        "sessionId": IDENTITY,
        "cwd": PLACE,
        "requestId": f"req_{IDENTITY}",
        "timestamp": clock(at),
        "message": {
            "id": message,
            "model": MODEL,
            "content": blocks or [{"type": "text", "text": PROMPT}],
            "stop_reason": stop,
            "usage": {
                "input_tokens": fresh,
                "cache_creation_input_tokens": created,
                "cache_read_input_tokens": read,
                "output_tokens": output,
                "service_tier": PLACE,
            },
        },
    } | more


def claude_code_records() -> list[dict[str, Any]]:
    """Main session of three turns (two tools at once, then a human) and a sub-agent of one turn."""
    side = {"isSidechain": True, "agentId": IDENTITY}
    return [
        {"type": "summary", "summary": PROMPT, "leafUuid": IDENTITY},
        claude_user("u1", None, 0),
        claude_reply("a1", "u1", 3, "m1", (10, 990, 0, 1), ("c1", "Read")),
        claude_reply("a2", "a1", 4, "m1", (10, 990, 0, 50), ("c2", "Bash"), stop="tool_use"),
        claude_user("s1", None, 4.25, **side),
        claude_reply("s2", "s1", 6, "sm1", (300, 0, 0, 20), stop="end_turn", **side),
        claude_user("u2", "a1", 4.5, "c1"),
        claude_user("u3", "a2", 7, "c2"),
        claude_reply("a3", "u3", 9, "m2", (5, 195, 1000, 30), ("c3", f"rm {PLACE}"), stop="end_turn"),
        claude_reply("x1", "a3", 9.5, "mx", (0, 0, 0, 0)) | {"message": {"id": "mx", "model": "<synthetic>"}},
        claude_user("u4", "a3", 60),
        claude_reply("a4", "u4", 62.5, "m3", (20, 0, 400, 40), stop="end_turn"),
        {"type": "system", "content": PROMPT, "uuid": "z1"},
    ]


def mini_swe_agent_v2() -> dict[str, Any]:
    """Three turns with a timestamp on each message."""

    def reply(at: float, prompt: int, output: int, **message: Any) -> dict[str, Any]:
        usage = {"prompt_tokens": prompt, "completion_tokens": output}
        response = {"created": int(at) - 2, "usage": usage, "model": MODEL, "id": IDENTITY}
        extra = {"response": response, "timestamp": at, **message.pop("extra", {})}
        return {"role": "assistant", "content": PROMPT, "extra": extra} | message

    def observation(at: float) -> dict[str, Any]:
        return {"role": "tool", "content": PROMPT, "extra": {"timestamp": at, "raw_output": PLACE}}

    command = f"cd {PLACE} && /usr/bin/python3.11 -c '{PROMPT}'"
    called = {"function": {"name": "bash", "arguments": json.dumps({"command": f"{USER}-tool {PROMPT}"})}}
    return {
        "info": {"exit_status": "Submitted", "submission": PROMPT, "config": {"user": MAIL}},
        "messages": [
            {"role": "system", "content": PROMPT},
            {"role": "user", "content": f"{PROMPT} {PLACE}"},
            reply(1_700_000_005.5, 1000, 100, extra={"actions": [{"command": command}]}),
            observation(1_700_000_006.25),
            reply(1_700_000_010.25, 1200, 50, tool_calls=[called]),
            observation(1_700_000_020.25),
            reply(1_700_000_021.25, 1300, 10),
        ],
        "trajectory_format": "mini-swe-agent-1.1",
        "instance_id": IDENTITY,
    }


def mini_swe_agent_v1() -> dict[str, Any]:
    """Two turns that have only whole-second `created`, and a reply without a command between."""

    def reply(created: int, prompt: int, output: int, content: str) -> dict[str, Any]:
        usage = {
            "prompt_tokens": prompt,
            "completion_tokens": output,
            "prompt_tokens_details": {"cached_tokens": 700},
        }
        response = {"created": created, "usage": usage, "model": MODEL}
        return {"role": "assistant", "content": content, "extra": {"response": response}}

    return {
        "info": {"exit_status": "LimitsExceeded"},
        "messages": [
            {"role": "system", "content": PROMPT},
            {"role": "user", "content": PROMPT},
            reply(1_763_500_000, 900, 30, f"THOUGHT {PROMPT}\n```bash\nFOO=1 grep -rn {PROMPT} {PLACE}\n```"),
            {"role": "user", "content": PROMPT},
            reply(1_763_500_004, 1000, 20, PROMPT),
            {"role": "user", "content": PROMPT},
            reply(1_763_500_009, 800, 10, PROMPT),
        ],
        "trajectory_format": "mini-swe-agent-1",
        "instance_id": IDENTITY,
    }


def weka() -> dict[str, Any]:
    """A session of three requests with a sub-agent of two, whose times restart at 0."""

    def request(t: float, tokens: int, out: int, ids: list[int], **more: Any) -> dict[str, Any]:
        record = {"t": t, "type": "n", "model": MODEL, "in": tokens, "out": out, "hash_ids": ids}
        return record | {"output_types": ["tool_use"], "stop": "tool_use", "note": PROMPT} | more

    child = {
        "t": 9.0,
        "type": "subagent",
        "agent_id": IDENTITY,
        "subagent_type": "Explore",
        "status": "completed",
        "requests": [
            request(0.0, 100, 5, [7], api_time=1.0, think_time=0.0, input_types=["text"]),
            request(2.5, 170, 5, [7, 8], api_time=1.0, input_types=["tool_result"]),
        ],
        "models": [MODEL],
    }
    return {
        "id": IDENTITY,
        "models": [MODEL],
        "block_size": 64,
        "requests": [
            request(0.0, 200, 80, [1, 2, 3, 4], api_time=3.2, think_time=0.0, input_types=["text"]),
            request(9.0, 300, 90, [1, 2, 3, 5, 6], api_time=2.0, think_time=5.5, input_types=["tool_result"]),
            child,
            request(
                21.0, 400, 10, [1, 2, 3, 5, 6, 9, 9], type="s", ttft=0.5, input_types=["tool_result", "text"]
            )
            | {"stop": "end_turn"},
        ],
        "totals": {"user": MAIL},
    }


def atif() -> dict[str, Any]:
    """Three turns, the second split over two steps, and an embedded sub-agent of one turn."""

    def agent(at: float, prompt: int, output: int, cached: int, *tools: str) -> dict[str, Any]:
        step: dict[str, Any] = {
            "timestamp": clock(at),
            "source": "agent",
            "message": PROMPT,
            "model_name": MODEL,
            "reasoning_content": PROMPT,
            "metrics": {"prompt_tokens": prompt, "completion_tokens": output, "cached_tokens": cached},
        }
        if tools:
            step["tool_calls"] = [{"function_name": tool, "arguments": {"path": PLACE}} for tool in tools]
            step["observation"] = {"results": [{"content": PROMPT}]}
        return step

    def user(at: float) -> dict[str, Any]:
        return {"timestamp": clock(at), "source": "user", "message": f"{PROMPT} {MAIL}"}

    rest = {
        "source": "agent",
        "timestamp": clock(14),
        "message": PROMPT,
        "tool_calls": [{"function_name": "edit"}],
    }
    child = {"agent": {"name": "scout"}, "session_id": IDENTITY, "steps": [user(6), agent(7, 50, 5, 0)]}
    return {
        "schema_version": "ATIF-v1.7",
        "session_id": IDENTITY,
        "notes": PROMPT,
        "agent": {"name": f"{USER}'s agent", "version": PLACE, "model_name": MODEL},
        "steps": [
            {"source": "system", "message": PROMPT},
            user(0),
            agent(2, 500, 60, 0, "bash", "search"),
            agent(12, 700, 40, 500),
            rest,
            user(20),
            agent(21.5, 600, 30, 450),
        ],
        "subagent_trajectories": [child],
    }


def mooncake_records() -> list[dict[str, Any]]:
    """Two sessions of two requests that share their first block, and a retry that continues neither."""
    return [
        {"timestamp": 0, "input_length": 1100, "output_length": 500, "hash_ids": [0, 1, 2], "user": MAIL},
        {"timestamp": 100, "input_length": 1100, "output_length": 40, "hash_ids": [0, 5, 6], "text": PROMPT},
        {"timestamp": 100, "input_length": 1800, "output_length": 1, "hash_ids": [0, 5, 7, 8]},
        {"timestamp": 9000, "input_length": 1800, "output_length": 30, "hash_ids": [0, 1, 3, 4]},
        {"timestamp": 9500, "input_length": 2000, "output_length": 20, "hash_ids": [0, 5, 9, 10]},
    ]


def table_columns() -> dict[str, list[Any]]:
    """Two sessions of two turns, with every column."""
    return {
        "trace": [PLACE] * 4,
        "session_id": [MAIL, MAIL, IDENTITY, IDENTITY],
        "turn": [0, 1, 0, 1],
        "arrival_s": [0.0, 8.5, 0.0, 3.0],
        "service_s": [7.5, 0.0001, 2.0, 1.0],
        "gap_s": [None, 1.0, None, None],
        "prompt_tokens": [1000, 1500, 10, 30],
        "new_prompt_tokens": [1000, 400, 10, 15],
        "output_tokens": [100, 50, 5, 5],
        "tool": ["", "user_text", "", f"see {PLACE}"],
        "agent_role": ["main", "main", f"{USER} the agent", f"{USER} the agent"],
        "last": [False, True, False, True],
        "tokens_estimated": [False, False, True, True],
        "timing_estimated": [False, True, False, False],
        "completed": [True, True, None, None],
    }


def table_parquet(columns: dict[str, Any] | None = None) -> bytes:
    """Columns as a Parquet file."""
    sink = io.BytesIO()
    parquet.write_table(arrow.table(table_columns() if columns is None else columns), sink)
    return sink.getvalue()


def table_csv(columns: dict[str, list[Any]] | None = None) -> bytes:
    """Columns as a CSV file."""
    values = table_columns() if columns is None else columns
    rows = [",".join(values)] + [
        ",".join("" if cell is None else str(cell) for cell in row)
        for row in zip(*values.values(), strict=True)
    ]
    return ("\n".join(rows) + "\n").encode()


def dumped(make: Callable[[], Any]) -> bytes:
    """A record as a JSON file."""
    return json.dumps(make(), indent=1).encode()


SAMPLES = (
    Sample("claude-code", "5e551071.jsonl", json_lines(claude_code_records()), 2, 4),
    Sample("mini-swe-agent", "two.traj.json", dumped(mini_swe_agent_v2), 1, 3),
    Sample("mini-swe-agent", "one.traj.json", dumped(mini_swe_agent_v1), 1, 3),
    Sample("weka", "quixote.json", dumped(weka), 2, 5),
    Sample("atif", "trajectory.json", dumped(atif), 2, 4),
    Sample("mooncake", "quixote.jsonl", json_lines(mooncake_records()), 3, 5),
    Sample("table", "quixote.parquet", table_parquet(), 2, 4),
    Sample("table", "quixote.csv", table_csv(), 2, 4),
)
