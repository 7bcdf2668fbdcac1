"""Random and hand-made traces, rankings and envelopes for the replay tests."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

from unison.checks.engines import check_engines_agree, check_same_outcomes
from unison.policies.ranking import Ranking
from unison.replay.envelope import Envelope, Tier
from unison.replay.outcomes import Action, Outcomes
from unison.replay.tiering import UNLIMITED_SWAPS, Placement, Tiering
from unison.traces.corpus import Corpus
from unison.traces.trace import Trace

MS = 1_000_000
NS_PER_TOKEN = 1000
"""``dma_ps`` that moves a token in 1 ns; a million times that moves it in 1 ms."""

TOOLS = ("bash", "web", "user")
ROLES = ("planner", "coder", "tester")

Choose = Callable[[Sequence[Any]], Any]
"""Takes one of some values: ``random.Random(seed).choice``, or a draw of hypothesis."""


def make_trace(sessions: list[dict]) -> Trace:
    """A trace from sessions given as ``{"start": ms, "turns": [(gap_ms, service_ms, prompt, new, out)]}``.

    Optional: ``completed`` (1 ended, 0 cut off, -1 unknown), ``tools`` and ``roles``, a name for each turn.
    """
    names = ("session", "turn", "gap", "service", "prompt", "new", "out", "tool", "role")
    columns: dict[str, list] = {name: [] for name in names}
    arrival, end, completed = [], [], []
    for number, session in enumerate(sessions):
        now = session["start"]
        completed.append(session.get("completed", 1))
        columns["tool"] += session.get("tools", [""] * len(session["turns"]))
        columns["role"] += session.get("roles", [""] * len(session["turns"]))
        for turn, (gap, service, prompt, new, output) in enumerate(session["turns"]):
            now += gap if turn else 0
            arrival.append(now * MS)
            now += service
            end.append(now * MS)
            values = (number, turn, gap * MS if turn else 0, service * MS, prompt, new, output)
            for name, value in zip(names[:7], values, strict=True):
                columns[name].append(value)
    turns = len(arrival)
    tools = tuple(sorted({"", "user", *columns["tool"]}))
    roles = tuple(sorted({"", *columns["role"]}))
    corpus = Corpus(
        name="made",
        session=np.asarray(columns["session"], dtype=np.int32),
        turn=np.asarray(columns["turn"], dtype=np.int32),
        gap_ns=np.asarray(columns["gap"], dtype=np.int64),
        service_ns=np.asarray(columns["service"], dtype=np.int64),
        arrival_ns=np.full(turns, -1, dtype=np.int64),
        prompt_tokens=np.asarray(columns["prompt"], dtype=np.int64),
        new_prompt_tokens=np.asarray(columns["new"], dtype=np.int64),
        output_tokens=np.asarray(columns["out"], dtype=np.int64),
        tool=np.asarray([tools.index(name) for name in columns["tool"]], dtype=np.int16),
        tools=tools,
        role=np.asarray([roles.index(name) for name in columns["role"]], dtype=np.int16),
        roles=roles,
        completed=np.asarray(completed, dtype=np.int8),
        tokens_estimated=np.zeros(turns, dtype=np.bool_),
        timing_estimated=np.zeros(turns, dtype=np.bool_),
    )
    arrivals, ends = np.asarray(arrival, dtype=np.int64), np.asarray(end, dtype=np.int64)
    return Trace(corpus, arrivals, ends, left_out=0, concurrency=1.0, load=1.0, seed=0)


def turn(gap: int, service: int, length: int, reuse: int = 0) -> tuple[int, int, int, int, int]:
    """A turn (times in ms) whose length is its prompt, all of it new but `reuse`."""
    return (gap, service, length, length - reuse, 0)


def session(start: int, *turns: tuple[int, int, int, int, int], completed: int = 1) -> dict:
    """A session for `make_trace` that starts at that ms."""
    return {"start": start, "turns": list(turns), "completed": completed}


def make_envelope(*capacities: int, slots: int = 64, dma_ps: int = NS_PER_TOKEN) -> Envelope:
    """An envelope with tiers t0, t1, ... of the given capacities [tokens]."""
    tiers = tuple(Tier(f"t{i}", c, float(10 ** (i + 1))) for i, c in enumerate(capacities))
    return Envelope("made", tiers, slots, dma_ps)


def idle_ranking(trace: Trace, *, sees_completion: bool = False, **columns: Any) -> Ranking:
    """Least recently used, the plainest ranking."""
    turns = trace.corpus.n_turns
    return Ranking(
        np.zeros(turns, np.int64), np.ones(turns), np.zeros(turns, np.int64), sees_completion, **columns
    )


def scored(trace: Trace, scores: list[int], *, sees_completion: bool = True, **columns: list) -> Ranking:
    """A ranking with the given score of each turn's pause; other columns in ms."""
    given = {name: np.asarray(values, np.int64) * MS for name, values in columns.items()}
    return Ranking(
        base=np.asarray(scores, np.int64),
        slope=np.zeros(len(scores)),
        gap_estimate_ns=np.zeros(len(scores), np.int64),
        sees_completion=sees_completion,
        **given,
    )


@dataclass(frozen=True, eq=False)
class World:
    """Everything that a replay needs."""

    trace: Trace
    ranking: Ranking
    envelope: Envelope
    tiering: Tiering


def seeded_world(seed: int, max_sessions: int = 8, *, is_static: bool | None = None) -> World:
    """The world of that seed."""
    return make_world(random.Random(seed).choice, max_sessions, is_static=is_static)


@st.composite
def drawn_worlds(draw: st.DrawFn, max_sessions: int = 8) -> World:
    """The same worlds, chosen and shrunk by hypothesis."""
    return make_world(lambda values: draw(st.sampled_from(values)), max_sessions)


def make_world(choose: Choose, max_sessions: int = 8, *, is_static: bool | None = None) -> World:
    """A world with many ties and corner cases.

    Times are a few milliseconds, with zero gaps and simultaneous events; prompts shrink and vanish; sessions
    outgrow the store; tiers of capacity 0 and single slots occur; rankings have every form.
    """
    trace = make_trace([_session(choose) for _ in range(choose(range(1, max_sessions + 1)))])
    scale = max(1, max_sessions // 8)
    capacities = [scale * choose((0, 3, 8, 15, 25, 60)) for _ in range(choose((1, 2, 2, 3)))]
    envelope = make_envelope(
        *capacities, slots=scale * choose((1, 2, 3, 64)), dma_ps=choose((1, 70 * MS, 300 * MS, 333_333_334))
    )
    max_swaps = choose((0, 1, 1, 2, UNLIMITED_SWAPS))
    tiering = Tiering(
        tide=choose((False, True, True)),
        max_swaps=max_swaps,
        guard=max_swaps > 1 or choose((False, True)),
        placement=choose(list(Placement)),
        partial=choose((False, False, True)),
        admission=choose((False, False, True)),
    )
    return World(trace, _ranking(choose, trace.corpus.n_turns, is_static), envelope, tiering)


def _session(choose: Choose) -> dict:
    turns = []
    for _ in range(choose(range(1, 7))):
        prompt = choose(range(13))
        new = choose((prompt, 0, *range(prompt + 1)))
        turns.append((choose((0, 0, 1, 2, 3, 5, 9)), choose((1, 1, 2, 4)), prompt, new, choose(range(4))))
    return {
        "start": choose(range(13)),
        "completed": choose((1, 1, 1, 0, -1)),
        "turns": turns,
        "tools": ["", *(choose(TOOLS) for _ in turns[1:])],
        "roles": [choose(ROLES) for _ in turns],
    }


def _ranking(choose: Choose, turns: int, is_static: bool | None) -> Ranking:
    def column(values: Sequence, dtype: type = np.int64) -> np.ndarray:
        return np.asarray([choose(values) for _ in range(turns)], dtype=dtype)

    def maybe(values: Sequence, dtype: type = np.int64) -> np.ndarray | None:
        return column(values, dtype) if choose((False, False, False, True)) else None

    times = (0, 1 * MS, 2 * MS, 5 * MS)
    form = "static" if is_static else choose(("static", "moving", "moving", "table"))
    columns: dict[str, np.ndarray | None] = {}
    if form == "static":
        columns["slope"] = np.full(turns, choose((-1.0, 0.0, 1.0)))
    else:
        columns["slope"] = column((-1.5, 0.0, 0.5, 1.0), np.float64)
        columns |= {"lo": maybe(times), "hi": maybe(times), "weight": maybe(range(4), np.float64)}
        columns["pin_ns"] = maybe(times)
        if columns["hi"] is not None:
            columns["late"] = column(times) if choose((False, True)) else None
    if form == "table":
        columns["table"] = np.asarray([[(7 * b + 3 * c) % 5 for b in range(64)] for c in range(2)], float)
        columns["table_class"] = column((0, 1), np.int16)
    return Ranking(
        base=column(times),
        gap_estimate_ns=column((0, 1 * MS, 5 * MS, 1 << 62)),
        sees_completion=choose((False, True)),
        drop_after_ns=maybe((0, 1 * MS, 3 * MS, 1 << 62)),
        keep=maybe((False, True), np.bool_),
        **columns,  # type: ignore[arg-type]
    )


assert_same = check_same_outcomes
run_both = check_engines_agree


def actions_of(outcomes: Outcomes) -> list[tuple[str, int, int, int]]:
    """The recorded actions as ``(name, session, tier before, tier after)``."""
    assert outcomes.actions is not None
    return [(Action(a).name, s, before, after) for _, a, s, before, after in outcomes.actions.tolist()]
