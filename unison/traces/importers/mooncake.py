"""Mooncake JSON Lines: one request a line, without session ids.

Sessions are rebuilt from the prefix: a request continues the session whose last request's full blocks (512
tokens each; a last, partly filled block is not one) are all a prefix of its own blocks, at least two of them
since the first block is the system prompt that all share. It must be sent later and be longer. Of several
such sessions the one with the longest prefix is continued, of equals the one seen last.

New prompt tokens: the prompt less those shared full blocks. Replies have no times, so service and gap are
unknown; arrivals are logged in milliseconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unison.traces.corpus import HUMAN_TOOL
from unison.traces.importers.fields import JsonObject, described
from unison.traces.importers.files import json_lines
from unison.traces.importers.records import BadRecord, ImportLog, SessionRecord, TurnRecord
from unison.traces.importers.registry import importer

BLOCK_TOKENS = 512
MIN_SHARED_BLOCKS = 2
MAX_CANDIDATES = 64
"""Sessions with one and the same prefix that are tried, from the one seen last."""

_NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class _Request:
    sent_ms: int
    prompt: int
    output: int
    prefix_keys: list[int]

    @property
    def full_blocks(self) -> int:
        return min(len(self.prefix_keys), self.prompt // BLOCK_TOKENS)


@dataclass(slots=True)
class _Session:
    turns: list[TurnRecord]
    sent_ms: int
    prompt: int
    place: str


@importer(
    "mooncake",
    title="a Mooncake request log",
    path_help="a JSON Lines file of requests, or a folder of such files",
    patterns=("*.jsonl",),
)
def read_mooncake(path: Path, log: ImportLog) -> Iterator[SessionRecord]:
    """The rebuilt sessions of one file, in the order of their first request; bad lines are left out."""
    sessions: list[_Session] = []
    waiting: dict[tuple[int, int], list[_Session]] = {}
    for number, value, _ in json_lines(path):
        place = f"line {number}"
        try:
            request = _request(value)
        except BadRecord as bad:
            log.report(path, bad, place)
            continue
        session, shared = _continued(request, waiting)
        if session is None:
            session = _Session([], request.sent_ms, request.prompt, place)
            sessions.append(session)
        _extend(session, request, shared)
        if request.full_blocks >= MIN_SHARED_BLOCKS:
            key = (request.full_blocks, request.prefix_keys[request.full_blocks - 1])
            waiting.setdefault(key, []).append(session)
    for session in sessions:
        yield SessionRecord(session.turns, None, session.place)


def _request(value: Any) -> _Request:
    """The facts of a line; each prefix of its blocks becomes one chained key."""
    if isinstance(value, BadRecord):
        raise value
    record = JsonObject.of(value)
    ids = record.get("hash_ids")
    if not isinstance(ids, list) or not all(isinstance(block, int) for block in ids):
        raise BadRecord("hash_ids", described(ids), "a list of whole numbers")
    keys, key = [], 0
    for block in ids:
        key = hash((key, block))
        keys.append(key)
    return _Request(
        record.whole("timestamp"), record.whole("input_length"), record.whole("output_length"), keys
    )


def _continued(
    request: _Request, waiting: dict[tuple[int, int], list[_Session]]
) -> tuple[_Session | None, int]:
    """The session that the request continues, taken out of `waiting`, and how many blocks they share."""
    for shared in range(len(request.prefix_keys), MIN_SHARED_BLOCKS - 1, -1):
        candidates = waiting.get((shared, request.prefix_keys[shared - 1]), [])
        for position in range(len(candidates) - 1, max(-1, len(candidates) - 1 - MAX_CANDIDATES), -1):
            session = candidates[position]
            if session.sent_ms < request.sent_ms and session.prompt < request.prompt:
                return candidates.pop(position), shared
    return None, 0


def _extend(session: _Session, request: _Request, shared: int) -> None:
    session.turns.append(
        TurnRecord(
            prompt_tokens=request.prompt,
            new_prompt_tokens=max(0, request.prompt - BLOCK_TOKENS * shared),
            output_tokens=request.output,
            arrival_ns=request.sent_ms * _NS_PER_MS,
            tool=HUMAN_TOOL,
        )
    )
    session.sent_ms = request.sent_ms
    session.prompt = request.prompt
