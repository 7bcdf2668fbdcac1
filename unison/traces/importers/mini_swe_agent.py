"""mini-swe-agent trajectories: one .traj.json file a session, versions 1 and 2.

Version 2 stamps each message when it is made: completion is the reply's ``extra.timestamp``, arrival that of
the latest message before it. Its first turn has no stamped message before it, so that its arrival is the
response's ``created`` (whole seconds, taken as the start of the reply) and is marked as estimated.

Version 1 has only ``created``. Gaps and services cannot be told apart from it and stay unknown; the arrivals
are kept as a record, marked as estimated.

Prompt and output are the response's usage. New prompt tokens: see `unison.traces.importers.tokens`, with
``prompt_tokens_details.cached_tokens`` as what is common after the history was shortened.

The tool awaited is ``bash:<program>`` of the previous reply's command; ``format_error`` if it had none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unison.traces.importers.clock import gap_and_service
from unison.traces.importers.fields import JsonObject, seconds_to_ns
from unison.traces.importers.files import read_json
from unison.traces.importers.names import bash_tool, join_tools
from unison.traces.importers.records import ImportLog, SessionRecord, TurnRecord
from unison.traces.importers.registry import importer
from unison.traces.importers.tokens import new_tokens

FORMAT_ERROR = "format_error"
_COMMAND = re.compile(r"```(?:bash|sh|mswea_bash_command)[ \t]*\r?\n(.*?)(?:\r?\n)?```", re.DOTALL)


@importer(
    "mini-swe-agent",
    title="a mini-swe-agent trajectory",
    path_help="a .traj.json file, or a folder of a run with such files",
    patterns=("*.traj.json",),
)
def read_mini_swe_agent(path: Path, log: ImportLog) -> Iterator[SessionRecord]:
    """The session of one file."""
    root = JsonObject.of(read_json(path))
    turns = _turns(root.objects("messages", required=True))
    if turns:
        yield SessionRecord(turns, _completed(root))


def _turns(messages: list[JsonObject]) -> list[TurnRecord]:
    turns: list[TurnRecord] = []
    previous: tuple[int, int] | None = None
    previous_end: int | None = None
    input_ns: int | None = None
    tool = ""
    for message in messages:
        stamp = _stamp(message)
        if message.get("role") != "assistant":
            input_ns = input_ns if stamp is None else stamp
            continue
        response = message.object("extra").object("response")
        created = response.seconds("created")
        prompt, output, cached = _usage(response.object("usage"))
        is_estimated = stamp is None or input_ns is None
        arrival = created if is_estimated else input_ns
        gap, service = (None, None) if stamp is None else gap_and_service(arrival, stamp, previous_end)
        turns.append(
            TurnRecord(
                prompt_tokens=prompt,
                new_prompt_tokens=new_tokens(prompt, previous, cached),
                output_tokens=output,
                arrival_ns=arrival,
                service_ns=service,
                gap_ns=gap,
                tool=tool,
                timing_estimated=is_estimated and created is not None,
            )
        )
        previous, previous_end, input_ns = (prompt, output), stamp, None
        tool = _tool(message)
    return turns


def _stamp(message: JsonObject) -> int | None:
    """When the message was made [ns], by its own clock, None in version 1."""
    extra = message.maybe_object("extra")
    value = None if extra is None else extra.get("timestamp")
    if extra is None or value is None:
        return None
    if isinstance(value, str):
        return extra.instant("timestamp")
    return seconds_to_ns(value, extra.name("timestamp"))


def _usage(usage: JsonObject) -> tuple[int, int, int]:
    """Prompt, output and cached tokens, by the names of either OpenAI interface."""
    prompt, output = "prompt_tokens", "completion_tokens"
    if usage.get(prompt) is None and usage.get("input_tokens") is not None:
        prompt, output = "input_tokens", "output_tokens"
    details = usage.maybe_object(f"{prompt}_details")
    cached = 0 if details is None else details.whole("cached_tokens", 0)
    return usage.whole(prompt), usage.whole(output), cached


def _tool(message: JsonObject) -> str:
    commands = [*_acted(message)] or [*_called(message)] or [*_written(message)]
    return join_tools(map(bash_tool, commands)) if commands else FORMAT_ERROR


def _acted(message: JsonObject) -> Iterator[Any]:
    """Commands as version 2 parsed them."""
    extra = message.maybe_object("extra")
    for action in [] if extra is None else extra.objects("actions"):
        yield action.get("command")


def _called(message: JsonObject) -> Iterator[Any]:
    """Commands in the arguments of tool calls."""
    for call in message.objects("tool_calls"):
        try:
            arguments = json.loads(call.object("function").text("arguments") or "")
        except (ValueError, RecursionError):
            arguments = None
        yield arguments.get("command") if isinstance(arguments, dict) else None


def _written(message: JsonObject) -> Iterator[str]:
    """The command in the reply's code block."""
    match = _COMMAND.search(message.text("content") or "")
    if match:
        yield match.group(1)


def _completed(root: JsonObject) -> bool | None:
    """Whether the agent submitted; another exit status (a limit, an error) cut it off."""
    info = root.maybe_object("info")
    status = None if info is None else info.text("exit_status")
    return None if not status else status.lower() == "submitted"
