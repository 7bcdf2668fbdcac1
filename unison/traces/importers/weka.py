"""kv-cache-tester (Weka) traces: one JSON file a session, with sub-agents nested in its requests.

Times are taken as they are logged: `t` is when the request was sent, `api_time` its service, `think_time`
the gap before it; where `think_time` is missing the gap is `t` minus the previous request's end. Only
differences of `t` within one agent matter, so a sub-agent's `t` may restart at 0 or be absolute.

New prompt tokens: ``in - block_size * (common prefix of hash_ids with the previous request)``.

The tool awaited is the kind of input: ``tool_result``, ``user`` (text), both joined with ``+``, or
``unknown``.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from unison.traces.corpus import HUMAN_TOOL
from unison.traces.importers.fields import JsonObject, described
from unison.traces.importers.files import read_json
from unison.traces.importers.names import TOOL_RESULT, clean_role, clean_tool, join_tools
from unison.traces.importers.records import BadRecord, ImportLog, SessionRecord, TurnRecord
from unison.traces.importers.registry import importer
from unison.traces.importers.tokens import common_blocks

MAIN_ROLE = "main"
_SUBAGENT = "subagent"
_INPUT_TOOLS = {"text": HUMAN_TOOL, TOOL_RESULT: TOOL_RESULT}
_ENDS = {"end_turn": True, "tool_use": False}


@importer(
    "weka",
    title="a kv-cache-tester (Weka) session",
    path_help="a JSON file of one session, or a folder of such files",
    patterns=("*.json",),
)
def read_weka(path: Path, log: ImportLog) -> Iterator[SessionRecord]:
    """The session of one file, then its sub-agents' sessions, each judged on its own."""
    root = JsonObject.of(read_json(path))
    block_size = _block_size(root)
    pending = [(root, MAIN_ROLE)]
    while pending:
        agent, role = pending.pop(0)
        place = f"record {agent.at}" if agent.at else ""
        try:
            requests = agent.objects("requests", required=True)
            nested = [request for request in requests if request.get("type") == _SUBAGENT]
            pending += [(child, clean_role(child.get("subagent_type"), "sub:")) for child in nested]
            own = [request for request in requests if request.get("type") != _SUBAGENT]
            if own:
                size = _block_size(agent, block_size)
                yield SessionRecord(_turns(own, size, role), _completed(agent, own[-1]), place)
        except BadRecord as bad:
            log.report(path, bad, place)


def _block_size(agent: JsonObject, default: int | None = None) -> int:
    """Tokens of a block; blocks of none would make every prompt all new."""
    size = agent.whole("block_size", default)
    if size < 1:
        raise BadRecord(agent.name("block_size"), described(size), "a whole number of 1 or more")
    return size


def _turns(requests: list[JsonObject], block_size: int, role: str) -> list[TurnRecord]:
    turns: list[TurnRecord] = []
    previous_ids: list[int] = []
    previous_end: int | None = None
    for request in requests:
        sent = request.seconds("t", required=True)
        service = request.seconds("api_time")
        gap = request.seconds("think_time")
        if gap is None and sent is not None and previous_end is not None:
            gap = sent - previous_end
        prompt = request.whole("in")
        ids = _hash_ids(request)
        turns.append(
            TurnRecord(
                prompt_tokens=prompt,
                new_prompt_tokens=max(0, prompt - block_size * common_blocks(ids, previous_ids)),
                output_tokens=request.whole("out"),
                arrival_ns=sent,
                service_ns=service,
                gap_ns=gap,
                tool=_tool(request),
                role=role,
            )
        )
        previous_ids = ids
        previous_end = None if sent is None or service is None else sent + service
    return turns


def _hash_ids(request: JsonObject) -> list[int]:
    ids = request.get("hash_ids")
    if not isinstance(ids, list) or not all(isinstance(block, int) for block in ids):
        raise BadRecord(request.name("hash_ids"), described(ids), "a list of whole numbers")
    return ids


def _tool(request: JsonObject) -> str:
    kinds = request.get("input_types")
    if kinds is None:
        return join_tools([])
    if not isinstance(kinds, list):
        raise BadRecord(request.name("input_types"), described(kinds), "a list of input kinds")
    return join_tools(
        _INPUT_TOOLS[kind] if isinstance(kind, str) and kind in _INPUT_TOOLS else clean_tool(kind)
        for kind in kinds
    )


def _completed(agent: JsonObject, last: JsonObject) -> bool | None:
    """A sub-agent ended if its status says so; an agent ended if it stopped of itself, not at a tool call."""
    if agent.get("status") == "completed":
        return True
    return _ENDS.get(last.text("stop") or "")
