"""Corpora and traces of given turn counts and gaps for the tests of tables and statistics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from unison.traces.corpus import Corpus
from unison.traces.trace import Trace

SECOND = 1_000_000_000


def make_corpus(
    lengths: Sequence[int],
    completed: Sequence[int] | None = None,
    *,
    gaps_s: Sequence[float] | float = 1.0,
    services_s: Sequence[float] | float = 1.0,
    tools: Sequence[str] | None = None,
    name: str = "made",
) -> Corpus:
    """Sessions of the given numbers of turns.

    Gaps (one for each turn after a session's first), services and tools (one for each turn) are given in row
    order; -1 s is unknown. Prompts grow from 1000 by 100 tokens a turn, all of them new; replies have 10.
    """
    sizes = np.asarray(lengths)
    turn = np.concatenate([np.arange(n, dtype=np.int32) for n in sizes])
    gap = np.zeros(turn.size)
    gap[turn > 0] = gaps_s
    service = np.full(turn.size, services_s, dtype=np.float64)
    names = sorted({""} if tools is None else {*tools, ""})
    codes = [names.index(tool) for tool in (tools or [""] * turn.size)]
    prompt = 1000 + 100 * turn.astype(np.int64)
    return Corpus(
        name=name,
        session=np.repeat(np.arange(sizes.size, dtype=np.int32), sizes),
        turn=turn,
        gap_ns=np.where(gap < 0, -1, np.rint(gap * SECOND)).astype(np.int64),
        service_ns=np.where(service < 0, -1, np.rint(service * SECOND)).astype(np.int64),
        arrival_ns=np.full(turn.size, -1, dtype=np.int64),
        prompt_tokens=prompt,
        new_prompt_tokens=np.where(turn == 0, prompt, 100),
        output_tokens=np.full(turn.size, 10, dtype=np.int64),
        tool=np.asarray(codes, dtype=np.int16),
        tools=tuple(names),
        role=np.zeros(turn.size, dtype=np.int16),
        roles=("",),
        completed=np.asarray([1] * sizes.size if completed is None else completed, dtype=np.int8),
        tokens_estimated=np.zeros(turn.size, dtype=np.bool_),
        timing_estimated=np.zeros(turn.size, dtype=np.bool_),
    )


def start_together(corpus: Corpus) -> Trace:
    """A trace in which all sessions start at 0."""
    spent = corpus.gap_ns + corpus.service_ns
    within = np.cumsum(spent)
    end = within - (within - spent)[corpus.first_row[:-1]][corpus.session]
    return Trace(corpus, end - corpus.service_ns, end, left_out=0, concurrency=1.0, load=1.0, seed=0)
