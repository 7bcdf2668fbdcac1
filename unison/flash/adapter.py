"""Segments from an ordinary corpus: what the columns of any imported log say about boundaries."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.flash.segments import SegmentClass, SpawnRecord, Timeline
from unison.traces.calibration import default_calibration
from unison.traces.draws import stream
from unison.traces.trace import Trace

HUMAN_TOOLS = ("user", "user_text", "mixed")
"""Values of `tool` at turns that a message of the user begins."""

SUB_AGENT = "sub"
"""Roles that begin so are sub-agents, each a session of its own in the log; a lead is not named there."""

_PERMILLE = 1000


def segments_of(trace: Trace, seed: int = 0) -> Timeline:
    """A timeline from a scheduled corpus.

    A session whose role begins with ``sub`` is one worker. Any other has a surviving segment, which a turn
    with a shorter prompt than before ends (compaction), and a thinking segment from each message of the user
    to the next. The log does not tell thinking tokens: a share of the turn's output, uniform over sessions in
    the published range, is taken for it.

    Parameters
    ----------
    trace : Trace
        With times; see `unison.traces.trace.schedule`.
    seed : int
        Of the shares.

    Returns
    -------
    Timeline

    Raises
    ------
    UnisonError
        If no turn of the trace writes a token.
    """
    corpus = trace.corpus
    low, high = default_calibration().integers("flash.temporal.reasoning_permille")
    shares = stream(seed, f"flash/adapter/{corpus.name}").integers(low, high + 1, size=corpus.n_sessions)
    parts = _Parts()
    for session in range(corpus.n_sessions):
        rows = np.arange(corpus.first_row[session], corpus.first_row[session + 1])
        role = corpus.roles[corpus.role[rows[0]]]
        if role.startswith(SUB_AGENT):
            _worker(parts, trace, session, rows, role)
        else:
            _single(parts, trace, session, rows, int(shares[session]))
    if not parts.writes:
        raise UnisonError(f"corpus {corpus.name!r}: no turn writes a token, so there is nothing to place")
    return parts.timeline(corpus.name)


class _Parts:
    """Segments and writes as they are found."""

    def __init__(self) -> None:
        self.segments: list[list[int]] = []
        self.writes: list[tuple[int, int, int, int, bool, bool, int]] = []
        self.records: list[SpawnRecord] = []

    def open(self, kind: SegmentClass, session: int, time: int) -> int:
        self.segments.append([int(kind), session, -1, time, 0])
        return len(self.segments) - 1

    def write(
        self,
        segment: int,
        time: int,
        tokens: int,
        turn: int,
        context: int,
        *,
        is_prompt: bool,
        ends: bool = False,
    ) -> None:
        if tokens > 0:
            self.writes.append((time, segment, tokens, turn, is_prompt, ends, context))

    def timeline(self, name: str) -> Timeline:
        writes = np.array(sorted(self.writes), dtype=np.int64)
        used, segment = np.unique(writes[:, 1], return_inverse=True)
        columns = np.array(self.segments, dtype=np.int64)[used]
        start = int(columns[:, 3].min())
        return Timeline(
            name=name,
            duration_ns=int(columns[:, 4].max()) - start,
            seg_class=columns[:, 0].astype(np.int8),
            session=columns[:, 1].astype(np.int32),
            parent=np.full(used.size, -1, dtype=np.int32),
            record=columns[:, 2].astype(np.int32),
            spawn_ns=columns[:, 3] - start,
            free_ns=columns[:, 4] - start,
            records=tuple(self.records),
            write_ns=writes[:, 0] - start,
            segment=segment.astype(np.int32),
            tokens=writes[:, 2],
            turn=writes[:, 3].astype(np.int32),
            is_prompt=writes[:, 4].astype(np.bool_),
            awaits_user=writes[:, 5].astype(np.bool_),
            context=writes[:, 6],
        ).check()


def _worker(parts: _Parts, trace: Trace, session: int, rows: NDArray[np.int64], role: str) -> None:
    corpus = trace.corpus
    segment = parts.open(SegmentClass.WORKER, session, int(trace.arrival_ns[rows[0]]))
    parts.segments[segment][2] = len(parts.records)
    parts.records.append(SpawnRecord("worker", role.replace(":", " "), (), 1, 0, 1))
    for turn, row in enumerate(rows.tolist(), start=1):
        arrival, end = int(trace.arrival_ns[row]), int(trace.end_ns[row])
        prompt = int(corpus.prompt_tokens[row])
        fresh = int(corpus.new_prompt_tokens[row])
        parts.write(segment, arrival, fresh, turn, prompt - fresh, is_prompt=True)
        parts.write(segment, end, int(corpus.output_tokens[row]), turn, prompt, is_prompt=False)
    parts.segments[segment][4] = int(trace.end_ns[rows[-1]]) + 1


def _single(parts: _Parts, trace: Trace, session: int, rows: NDArray[np.int64], share: int) -> None:
    corpus = trace.corpus
    tools = [corpus.tools[tool] for tool in corpus.tool[rows]]
    kept = parts.open(SegmentClass.SURVIVING, session, int(trace.arrival_ns[rows[0]]))
    thought, message, length = -1, 0, 0
    for place, row in enumerate(rows.tolist()):
        arrival, end = int(trace.arrival_ns[row]), int(trace.end_ns[row])
        prompt, output = int(corpus.prompt_tokens[row]), int(corpus.output_tokens[row])
        fresh = int(corpus.new_prompt_tokens[row])
        if place == 0 or tools[place] in HUMAN_TOOLS:
            if thought >= 0:
                parts.segments[thought][4] = arrival
            message += 1
            thought = parts.open(SegmentClass.REASONING, session, arrival)
        if prompt < length:
            parts.segments[kept][4] = arrival
            kept = parts.open(SegmentClass.SURVIVING, session, arrival)
            fresh = prompt
        length = prompt
        thinking = output * share // _PERMILLE
        answers = place + 1 == rows.size or tools[place + 1] in HUMAN_TOOLS
        parts.write(kept, arrival, fresh, message, prompt - fresh, is_prompt=True)
        parts.write(thought, end, thinking, message, prompt, is_prompt=False)
        parts.write(kept, end, output - thinking, message, prompt + thinking, is_prompt=False, ends=answers)
    for segment in (thought, kept):
        parts.segments[segment][4] = int(trace.end_ns[rows[-1]]) + 1
