"""Random and hand-made traces, rankings and envelopes for the replay tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from unison.policies.ranking import Ranking
from unison.replay.envelope import Envelope, Tier
from unison.replay.tiering import Placement, Tiering
from unison.traces.corpus import Corpus
from unison.traces.trace import Trace

MS = 1_000_000


def make_trace(sessions: list[dict]) -> Trace:
    """A trace from sessions given as ``{"start": ms, "turns": [(gap_ms, service_ms, prompt, new, out)]}``."""
    columns: dict[str, list] = {k: [] for k in ("session", "turn", "gap", "service", "prompt", "new", "out")}
    arrival, end, completed = [], [], []
    for number, session in enumerate(sessions):
        now = session["start"]
        completed.append(session.get("completed", 1))
        for turn, (gap, service, prompt, new, output) in enumerate(session["turns"]):
            now += gap if turn else 0
            arrival.append(now * MS)
            now += service
            end.append(now * MS)
            for key, value in zip(
                columns, (number, turn, gap * MS if turn else 0, service * MS, prompt, new, output), strict=True
            ):
                columns[key].append(value)
    turns = len(arrival)
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
        tool=np.zeros(turns, dtype=np.int16),
        tools=("", "user"),
        role=np.zeros(turns, dtype=np.int16),
        roles=("",),
        completed=np.asarray(completed, dtype=np.int8),
        tokens_estimated=np.zeros(turns, dtype=np.bool_),
        timing_estimated=np.zeros(turns, dtype=np.bool_),
    )
    return Trace(
        corpus, np.asarray(arrival, dtype=np.int64), np.asarray(end, dtype=np.int64), 0, 1.0, 1.0, 0
    )


def make_envelope(*capacities: int, slots: int = 64, dma_ps: int = 1000) -> Envelope:
    """An envelope with tiers t0, t1, ... of the given capacities [tokens]."""
    tiers = tuple(Tier(f"t{i}", c, float(10 ** (i + 1))) for i, c in enumerate(capacities))
    return Envelope("made", tiers, slots, dma_ps)


def idle_ranking(trace: Trace, *, sees_completion: bool = False) -> Ranking:
    """Least recently used, the plainest ranking."""
    turns = trace.corpus.n_turns
    return Ranking(np.zeros(turns, np.int64), np.ones(turns), np.zeros(turns, np.int64), sees_completion)


@st.composite
def _turn(draw: st.DrawFn) -> tuple[int, int, int, int, int]:
    prompt = draw(st.integers(0, 12))
    return (
        draw(st.sampled_from((0, 0, 1, 2, 3, 5, 9))),
        draw(st.sampled_from((1, 1, 2, 4))),
        prompt,
        draw(st.integers(0, prompt)),
        draw(st.integers(0, 3)),
    )


@st.composite
def traces(draw: st.DrawFn, max_sessions: int = 8) -> Trace:
    """Traces with many ties: times of a few milliseconds, zero gaps, shrinking prompts, sessions larger
    than the store."""
    session = st.fixed_dictionaries(
        {
            "start": st.integers(0, 12),
            "completed": st.sampled_from((1, 1, 1, 0, -1)),
            "turns": st.lists(_turn(), min_size=1, max_size=6),
        }
    )
    return make_trace(draw(st.lists(session, min_size=1, max_size=max_sessions)))


@st.composite
def envelopes(draw: st.DrawFn) -> Envelope:
    """Envelopes of one to three tiers, capacity 0 and a single slot among them."""
    tiers = draw(st.integers(1, 3))
    capacities = [draw(st.sampled_from((0, 3, 8, 15, 25, 60))) for _ in range(tiers)]
    return make_envelope(
        *capacities,
        slots=draw(st.sampled_from((1, 2, 3, 64))),
        dma_ps=draw(st.sampled_from((1, 70_000_000, 300_000_000))),
    )


def tierings() -> st.SearchStrategy[Tiering]:
    """Every combination of the tiering options."""
    return st.builds(
        Tiering,
        tide=st.booleans(),
        max_swaps=st.sampled_from((0, 1, 2, 1 << 30)),
        guard=st.booleans(),
        placement=st.sampled_from(list(Placement)),
    )


@st.composite
def rankings(draw: st.DrawFn, trace: Trace) -> Ranking:
    """Rankings of every form: static, clipped, late, weighted, tabled; with pins, drops and no-keeps."""
    turns = trace.corpus.n_turns

    def column(values: st.SearchStrategy[int], dtype: type = np.int64) -> np.ndarray:
        return np.asarray(draw(st.lists(values, min_size=turns, max_size=turns)), dtype=dtype)

    def maybe(values: st.SearchStrategy[int], dtype: type = np.int64) -> np.ndarray | None:
        return column(values, dtype) if draw(st.integers(0, 3)) == 0 else None

    times = st.sampled_from((0, 1 * MS, 2 * MS, 5 * MS))
    form = draw(st.sampled_from(("static", "moving", "moving", "table")))
    columns: dict[str, np.ndarray | None] = {}
    if form == "static":
        columns["slope"] = np.full(turns, draw(st.sampled_from((-1.0, 0.0, 1.0))))
    else:
        columns["slope"] = column(st.sampled_from((-1.5, 0.0, 0.5, 1.0)), np.float64)
        columns |= {"lo": maybe(times), "hi": maybe(times), "weight": maybe(st.integers(0, 3), np.float64)}
        columns["pin_ns"] = maybe(times)
        if columns["hi"] is not None:
            columns["late"] = maybe(times)
    if form == "table":
        columns["table"] = np.asarray([[(7 * b + 3 * c) % 5 for b in range(64)] for c in range(2)], dtype=float)
        columns["table_class"] = column(st.integers(0, 1), np.int16)
    return Ranking(
        base=column(times),
        gap_estimate_ns=column(st.sampled_from((0, 1 * MS, 5 * MS, 1 << 62))),
        sees_completion=draw(st.booleans()),
        drop_after_ns=maybe(st.sampled_from((0, 1 * MS, 3 * MS, 1 << 62))),
        keep=maybe(st.booleans(), np.bool_),
        **columns,  # type: ignore[arg-type]
    )
