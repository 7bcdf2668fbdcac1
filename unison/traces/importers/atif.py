"""ATIF (Agent Trajectory Interchange Format, Harbor) trajectories: one JSON file a session.

A turn is an agent step with ``metrics``; an agent step without them belongs to the reply before it. Steps
marked ``is_copied_context`` repeat another trajectory and are left out.

A step has one timestamp: an agent's is taken as the reply's completion. Observations have none, so after a
tool the arrival is unknown, and with it gap and service; only a turn that follows a stamped user or system
step is timed. No split of the interval is made up.

New prompt tokens: see `unison.traces.importers.tokens`, with ``cached_tokens`` as what is common after a
compaction. Embedded ``subagent_trajectories`` are sessions of their own with the role ``sub:<agent name>``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from unison.traces.corpus import HUMAN_TOOL
from unison.traces.importers.clock import gap_and_service
from unison.traces.importers.fields import JsonObject
from unison.traces.importers.files import read_json
from unison.traces.importers.names import clean_role, clean_tool, join_tools
from unison.traces.importers.records import BadRecord, ImportLog, SessionRecord, TurnRecord
from unison.traces.importers.registry import importer
from unison.traces.importers.tokens import new_tokens

MAIN_ROLE = "main"
_AGENT = "agent"


@dataclass(slots=True)
class _Reply:
    """One model reply: its steps, and the user and system steps before it."""

    inputs: list[JsonObject]
    steps: list[JsonObject] = field(default_factory=list)


@importer(
    "atif",
    title="an ATIF trajectory",
    path_help="a trajectory.json file, or a folder of jobs with such files",
    patterns=("trajectory*.json",),
)
def read_atif(path: Path, log: ImportLog) -> Iterator[SessionRecord]:
    """The session of one file, then the sub-agents embedded in it, each judged on its own."""
    pending = [(JsonObject.of(read_json(path)), MAIN_ROLE)]
    while pending:
        trajectory, role = pending.pop(0)
        place = f"record {trajectory.at}" if trajectory.at else ""
        try:
            for child in trajectory.objects("subagent_trajectories"):
                agent = child.maybe_object("agent")
                pending.append((child, clean_role(None if agent is None else agent.get("name"), "sub:")))
            replies = _replies(trajectory.objects("steps", required=True))
            if not replies:
                raise BadRecord(trajectory.name("steps"), "no agent step with metrics", "at least one")
            yield SessionRecord(_turns(replies, role), _completed(replies[-1]), place)
        except BadRecord as bad:
            log.report(path, bad, place)


def _replies(steps: list[JsonObject]) -> list[_Reply]:
    replies: list[_Reply] = []
    inputs: list[JsonObject] = []
    for step in steps:
        if step.get("is_copied_context") is True:
            continue
        if step.get("source") != _AGENT:
            inputs.append(step)
        elif step.get("metrics") is not None:
            replies.append(_Reply(inputs, [step]))
            inputs = []
        elif replies:
            replies[-1].steps.append(step)
    return replies


def _turns(replies: list[_Reply], role: str) -> list[TurnRecord]:
    turns: list[TurnRecord] = []
    previous: tuple[int, int] | None = None
    previous_end: int | None = None
    called: list[str] = []
    for reply in replies:
        metrics = reply.steps[0].object("metrics")
        prompt, output = metrics.whole("prompt_tokens"), metrics.whole("completion_tokens")
        human = [HUMAN_TOOL] if any(step.get("source") == "user" for step in reply.inputs) else []
        arrival = _latest(reply.inputs)
        end = _latest(reply.steps)
        gap, service = gap_and_service(arrival, end, previous_end)
        turns.append(
            TurnRecord(
                prompt_tokens=prompt,
                new_prompt_tokens=new_tokens(prompt, previous, metrics.whole("cached_tokens", 0)),
                output_tokens=output,
                arrival_ns=arrival,
                service_ns=service,
                gap_ns=gap,
                tool=join_tools([*called, *human]),
                role=role,
            )
        )
        previous, previous_end = (prompt, output), end
        calls = [call for step in reply.steps for call in step.objects("tool_calls")]
        called = [clean_tool(call.get("function_name")) for call in calls]
    return turns


def _latest(steps: list[JsonObject]) -> int | None:
    stamps = [step.instant("timestamp") for step in steps]
    return max((stamp for stamp in stamps if stamp is not None), default=None)


def _completed(last: _Reply) -> bool | None:
    """True if the last reply calls no tool, False if a call of it was never answered, else unknown."""
    if not any(step.objects("tool_calls") for step in last.steps):
        return True
    return None if any(step.get("observation") is not None for step in last.steps) else False
