"""Claude Code session logs: JSON Lines, one line a content block, sub-agents beside or inside the session.

A turn is the group of assistant lines with one ``message.id``; lines of the model ``<synthetic>`` are none.
Arrival is the latest tool result or user message between the previous reply's first line and this one's;
completion is the group's latest line. A reply that follows another with nothing between is taken to arrive
when that one ended, marked as estimated. Lines are taken in file order, parents before children.

Prompt: ``input_tokens + cache_creation_input_tokens + cache_read_input_tokens`` of the group's last line
(the output of a streamed reply is a lower bound). New prompt tokens: see `unison.traces.importers.tokens`,
with ``cache_read_input_tokens`` as what is common after a compaction.

A sub-agent (``isSidechain``) is a session of its own, told apart by ``agentId`` or by the root of its
parents.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from unison.traces.corpus import HUMAN_TOOL
from unison.traces.importers.clock import gap_and_service
from unison.traces.importers.fields import JsonObject
from unison.traces.importers.files import json_lines
from unison.traces.importers.names import UNKNOWN_TOOL, clean_tool, join_tools
from unison.traces.importers.records import BadRecord, ImportLog, SessionRecord, TurnRecord
from unison.traces.importers.registry import importer
from unison.traces.importers.tokens import new_tokens

MAIN_ROLE = "main"
SUBAGENT_ROLE = "subagent"
COMPACT_TOOL = "compact"
_SYNTHETIC = "<synthetic>"
_ENDS = {"end_turn": True, "stop_sequence": True, "tool_use": False}


@dataclass(frozen=True, slots=True)
class _Line:
    """The facts of one user or assistant line; its text is not kept."""

    number: int
    uuid: str | None
    parent: str | None
    agent: str | None
    is_sidechain: bool
    time_ns: int | None = None
    bad: BadRecord | None = None
    message_id: str | None = None  # assistant only
    usage: tuple[int, int, int] | None = None  # prompt, output, cache read
    stop: str | None = None
    calls: tuple[tuple[str, str], ...] = ()  # id and name of each tool called
    results: tuple[str, ...] = ()  # ids of the calls answered
    input_kind: str | None = None  # user only: human, meta or compact


@dataclass(slots=True)
class _Reply:
    """One group of assistant lines, and the input lines before it."""

    lines: list[_Line]
    inputs: list[_Line]


@dataclass(slots=True)
class _Chain:
    """The lines of one agent."""

    is_sidechain: bool
    lines: list[_Line] = field(default_factory=list)


@importer(
    "claude-code",
    title="a Claude Code session",
    path_help="a session's .jsonl file, or a folder such as a project's under .claude/projects",
    patterns=("*.jsonl",),
)
def read_claude_code(path: Path, log: ImportLog) -> Iterator[SessionRecord]:
    """The main session of one file and the sub-agents logged in it."""
    lines: list[_Line] = []
    is_cut = False
    for number, value, is_last in json_lines(path):
        try:
            if isinstance(value, BadRecord):
                raise value
            line = _line(JsonObject.of(value), number)
        except BadRecord as bad:
            log.report(path, bad, f"line {number}")
            if not is_last:
                return
            is_cut = True
            continue
        if line is not None:
            lines.append(line)
    for chain in _chains(lines):
        yield from _session(path, chain, is_cut and chain.lines[-1] is lines[-1], log)


def _session(path: Path, chain: _Chain, is_cut: bool, log: ImportLog) -> Iterator[SessionRecord]:
    """The session of one agent, none if a line of it is bad or all of it was read before."""
    bad_line = next((line for line in chain.lines if line.bad is not None), None)
    if bad_line is not None and bad_line.bad is not None:
        log.report(path, bad_line.bad, f"line {bad_line.number}")
        return
    replies = _replies(_parents_first(chain.lines))
    names = {call: name for line in chain.lines for call, name in line.calls}
    fresh = [reply for reply in replies if not log.is_repeated(path, reply.lines[0].message_id or "")]
    log.repeated_turns += len(replies) - len(fresh)
    if not fresh:
        return
    try:
        turns = _turns(fresh, names, SUBAGENT_ROLE if chain.is_sidechain else MAIN_ROLE)
    except BadRecord as bad:
        log.report(path, bad)
        return
    yield SessionRecord(turns, False if is_cut else _completed(fresh[-1]), f"line {fresh[0].lines[0].number}")


def _line(record: JsonObject, number: int) -> _Line | None:
    """The facts of a line, None if it is neither a user's nor a model's."""
    kind = record.get("type")
    if kind not in ("user", "assistant"):
        return None
    shared: dict[str, Any] = {
        "number": number,
        "uuid": record.text("uuid"),
        "parent": record.text("parentUuid"),
        "agent": record.text("agentId"),
        "is_sidechain": record.get("isSidechain") is True,
    }
    try:
        message = record.object("message")
        content = message.get("content")
        blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
        shared["time_ns"] = record.instant("timestamp")
        if kind == "user":
            return _Line(**shared, **_user_facts(record, blocks))
        if message.get("model") == _SYNTHETIC:
            return None
        return _Line(**shared, **_assistant_facts(record, message, blocks))
    except BadRecord as bad:
        return _Line(**shared, bad=bad)


def _user_facts(record: JsonObject, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    results = tuple(str(block.get("tool_use_id")) for block in blocks if block.get("type") == "tool_result")
    input_kind = None
    if record.get("isCompactSummary") is True:
        input_kind = COMPACT_TOOL
    elif record.get("isMeta") is True:
        input_kind = "meta"
    elif not results:
        input_kind = HUMAN_TOOL
    return {"results": results, "input_kind": input_kind}


def _assistant_facts(record: JsonObject, message: JsonObject, blocks: list[dict[str, Any]]) -> dict[str, Any]:
    usage = message.maybe_object("usage")
    message_id = message.text("id") or record.text("requestId") or record.text("uuid")
    if not message_id:
        raise BadRecord("message.id", "nothing", "the id of the reply")
    return {
        "message_id": message_id,
        "usage": None if usage is None else _usage(usage),
        "stop": message.text("stop_reason"),
        "calls": tuple(
            (str(block.get("id")), clean_tool(block.get("name")))
            for block in blocks
            if block.get("type") == "tool_use"
        ),
    }


def _usage(usage: JsonObject) -> tuple[int, int, int]:
    cached = usage.whole("cache_read_input_tokens", 0)
    prompt = usage.whole("input_tokens") + usage.whole("cache_creation_input_tokens", 0) + cached
    return prompt, usage.whole("output_tokens"), cached


def _chains(lines: Iterable[_Line]) -> list[_Chain]:
    """The lines split by agent, in the order of each agent's first line."""
    known = _by_uuid(lines)
    chains: dict[str, _Chain] = {}
    roots: dict[str, str] = {}
    latest = "side"
    seen: set[str] = set()
    for line in lines:
        if line.uuid is not None and line.uuid in seen:
            continue
        seen.add(line.uuid or "")
        key = "main"
        if line.is_sidechain:
            key = latest = f"agent {line.agent}" if line.agent else _root(line, known, roots, latest)
        chains.setdefault(key, _Chain(line.is_sidechain)).lines.append(line)
    return list(chains.values())


def _by_uuid(lines: Iterable[_Line]) -> dict[str | None, _Line]:
    return {line.uuid: line for line in lines if line.uuid}


def _root(line: _Line, known: dict[str | None, _Line], roots: dict[str, str], latest: str) -> str:
    """Key of the sub-agent whose root the line's parents lead to; `latest` where they are missing."""
    path: dict[str, None] = {}
    at, key = line, latest
    while at.uuid is not None and at.uuid not in path:
        if at.uuid in roots:
            key = roots[at.uuid]
            break
        path[at.uuid] = None
        parent = known.get(at.parent) if at.parent is not None else None
        if parent is None or not parent.is_sidechain:
            is_root = at.parent is None or parent is not None
            key = f"root {at.uuid}" if is_root else latest
            break
        at = parent
    roots.update(dict.fromkeys(path, key))
    return key


def _parents_first(lines: list[_Line]) -> Iterator[_Line]:
    """The lines in file order, except that a line logged before its parent waits for it."""
    known = _by_uuid(lines)
    done: set[int] = set()
    for line in lines:
        above = [line]
        visited = {line.number}
        while (parent := known.get(above[-1].parent)) is not None:
            if parent.number in done or parent.number in visited:
                break
            above.append(parent)
            visited.add(parent.number)
        for ready in reversed(above):
            if ready.number not in done:
                done.add(ready.number)
                yield ready


def _replies(lines: Iterable[_Line]) -> list[_Reply]:
    """The replies in order of their first line, each with the input lines before it."""
    replies: dict[str, _Reply] = {}
    inputs: list[_Line] = []
    for line in lines:
        if line.message_id is None:
            inputs.append(line)
        elif line.message_id in replies:
            replies[line.message_id].lines.append(line)
        else:
            replies[line.message_id] = _Reply([line], inputs)
            inputs = []
    return list(replies.values())


def _turns(replies: list[_Reply], names: dict[str, str], role: str) -> list[TurnRecord]:
    turns: list[TurnRecord] = []
    previous: tuple[int, int] | None = None
    previous_end: int | None = None
    for reply in replies:
        usage = next((line.usage for line in reversed(reply.lines) if line.usage is not None), None)
        if usage is None:
            place = f"line {reply.lines[-1].number}"
            raise BadRecord("message.usage", "nothing", "the token counts of the reply", place)
        prompt, output, cached = usage
        follows_directly = not reply.inputs and bool(turns)
        arrival = previous_end if follows_directly else _latest(reply.inputs)
        end = _latest(reply.lines)
        gap, service = gap_and_service(arrival, end, previous_end)
        turns.append(
            TurnRecord(
                prompt_tokens=prompt,
                new_prompt_tokens=new_tokens(prompt, previous, cached),
                output_tokens=output,
                arrival_ns=arrival,
                service_ns=service,
                gap_ns=gap,
                tool=_awaited(reply.inputs, names),
                role=role,
                timing_estimated=follows_directly,
            )
        )
        previous, previous_end = (prompt, output), end
    return turns


def _latest(lines: list[_Line]) -> int | None:
    return max((line.time_ns for line in lines if line.time_ns is not None), default=None)


def _awaited(inputs: list[_Line], names: dict[str, str]) -> str:
    """Tools whose results came, ``user`` for a human's message; text the client adds counts only if alone."""
    awaited = [names.get(call, UNKNOWN_TOOL) for line in inputs for call in line.results]
    awaited += [line.input_kind for line in inputs if line.input_kind in (HUMAN_TOOL, COMPACT_TOOL)]
    if not awaited and inputs:
        return HUMAN_TOOL
    return join_tools(awaited)


def _completed(last: _Reply) -> bool | None:
    """Whether the last reply ended by itself (True) or waits for a tool (False)."""
    if any(line.calls for line in last.lines):
        return False
    stop = next((line.stop for line in reversed(last.lines) if line.stop is not None), "")
    return _ENDS.get(stop)
