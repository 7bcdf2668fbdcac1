"""Small corpora for tests: one from a list of sessions, and random ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from unison.traces.corpus import UNKNOWN, Corpus

MS = 1_000_000

few = settings(max_examples=30, deadline=None)
fewer = settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def make_corpus(sessions: list[list[tuple[Any, ...]]], completed: list[bool | None] | None = None) -> Corpus:
    """A corpus from sessions of turns ``(gap_ms, service_ms, prompt, new, output, tool)``; None: unknown."""
    done = [True] * len(sessions) if completed is None else completed
    rows = [(s, t, *turn) for s, session in enumerate(sessions) for t, turn in enumerate(session)]
    session, turn, gap, service, prompt, new, output, tool = zip(*rows, strict=True)
    tools = tuple(sorted(set(tool)))

    def times(values: tuple[int | None, ...]) -> np.ndarray:
        return np.asarray([UNKNOWN if v is None else v * MS for v in values], dtype=np.int64)

    return Corpus(
        name="made",
        session=np.asarray(session, dtype=np.int32),
        turn=np.asarray(turn, dtype=np.int32),
        gap_ns=times(gap),
        service_ns=times(service),
        arrival_ns=np.full(len(rows), UNKNOWN, dtype=np.int64),
        prompt_tokens=np.asarray(prompt, dtype=np.int64),
        new_prompt_tokens=np.asarray(new, dtype=np.int64),
        output_tokens=np.asarray(output, dtype=np.int64),
        tool=np.asarray([tools.index(name) for name in tool], dtype=np.int16),
        tools=tools,
        role=np.zeros(len(rows), dtype=np.int16),
        roles=("",),
        completed=np.asarray([UNKNOWN if d is None else int(d) for d in done], dtype=np.int8),
        tokens_estimated=np.zeros(len(rows), dtype=np.bool_),
        timing_estimated=np.ones(len(rows), dtype=np.bool_),
    )


@st.composite
def random_corpora(draw: st.DrawFn, timed: bool = False) -> Corpus:
    """Corpora of 1-6 sessions of 1-5 turns, with zero gaps, and with unknown times unless `timed`."""
    time = st.integers(0, 20) if timed else st.one_of(st.none(), st.integers(0, 20))
    service = st.integers(1, 20) if timed else st.one_of(st.none(), st.integers(1, 20))
    prompt = st.integers(0, 50)
    sessions, completed = [], []
    for _ in range(draw(st.integers(1, 6))):
        turns = []
        for turn in range(draw(st.integers(1, 5))):
            length = draw(prompt)
            tool = draw(st.sampled_from(["bash", "web", "user"])) if turn else ""
            gap = draw(time) if turn else 0
            new = draw(st.integers(0, length))
            turns.append((gap, draw(service), length, new, draw(prompt), tool))
        sessions.append(turns)
        completed.append(draw(st.sampled_from([True, False, None])))
    return make_corpus(sessions, completed)


def assert_same_corpus(found: Corpus, expected: Corpus) -> None:
    """Fail unless both corpora are equal in every column, type and name."""
    for name, value in vars(expected).items():
        if name not in Corpus.__dataclass_fields__:
            continue
        other = getattr(found, name)
        if isinstance(value, np.ndarray):
            assert other.dtype == value.dtype, name
            np.testing.assert_array_equal(other, value, err_msg=name)
        else:
            assert other == value, name


__all__ = ["MS", "assert_same_corpus", "few", "fewer", "make_corpus", "random_corpora"]
