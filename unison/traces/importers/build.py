"""From sessions of a log to a validated corpus."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unison.traces.corpus import FIRST_TOOL, MIN_SERVICE_NS, UNKNOWN, Corpus
from unison.traces.importers.files import find_files
from unison.traces.importers.names import OTHER, UNKNOWN_TOOL
from unison.traces.importers.records import BadRecord, ImportLog, SessionRecord, TurnRecord
from unison.traces.importers.registry import ImporterEntry, get_importer
from unison.traces.schema import corpus_from_frame

MAX_NAMES = 4096
"""Different tools (or roles) kept by name; those beyond become ``other``."""

MAX_SPAN_NS = 366 * 24 * 3600 * 1_000_000_000
"""Longest session accepted (a year) [ns]: a clock that is off by more is broken."""


_COLUMNS = (
    "session",
    "turn",
    "gap_ns",
    "service_ns",
    "arrival_ns",
    "prompt_tokens",
    "new_prompt_tokens",
    "output_tokens",
    "tool",
    "role",
    "completed",
    "tokens_estimated",
    "timing_estimated",
)


@dataclass(slots=True)
class CorpusBuilder:
    """Collects sessions as columns, renumbered from 0, and builds the corpus.

    Attributes
    ----------
    clamped_gaps, clamped_services : int
        Turns whose gap was below 0 or whose service was below 1 ms, raised to that bound.
    """

    clamped_gaps: int = 0
    clamped_services: int = 0
    _columns: dict[str, array[int]] = field(default_factory=lambda: {name: array("q") for name in _COLUMNS})
    _tools: dict[str, int] = field(default_factory=lambda: {OTHER: 0})
    _roles: dict[str, int] = field(default_factory=lambda: {OTHER: 0})
    _n_sessions: int = 0

    @property
    def n_sessions(self) -> int:
        """Sessions added so far."""
        return self._n_sessions

    def add(self, session: SessionRecord) -> None:
        """Append a session.

        Raises
        ------
        BadRecord
            If it has no turn or spans more than a year; nothing is added then.
        """
        turns = session.turns
        if not turns:
            raise BadRecord("", "no turn", "at least one model reply with its token counts", session.place)
        origin = turns[0].arrival_ns
        rows = [_times(turn, index, origin) for index, turn in enumerate(turns)]
        span = sum(max(0, gap) + max(0, service) for gap, service, _ in rows)
        if max(span, *(arrival for _, _, arrival in rows)) > MAX_SPAN_NS:
            raise BadRecord(
                "", "a session of more than a year", "times of one session on one clock", session.place
            )
        completed = UNKNOWN if session.completed is None else int(session.completed)
        for index, (turn, times) in enumerate(zip(turns, rows, strict=True)):
            self._append(turn, times, index, completed)
            self.clamped_gaps += index > 0 and turn.gap_ns is not None and turn.gap_ns != times[0]
            self.clamped_services += turn.service_ns is not None and turn.service_ns != times[1]
        self._n_sessions += 1

    def build(self, name: str) -> Corpus:
        """The corpus of all sessions added; UnisonError if there are none."""
        value = {
            key: np.frombuffer(column, dtype=np.int64) for key, column in self._columns.items() if column
        }
        if not value:
            return corpus_from_frame(pd.DataFrame(), name, "the import")

        def nullable(key: str) -> pd.arrays.IntegerArray:
            return pd.arrays.IntegerArray(value[key].copy(), value[key] == UNKNOWN)

        frame = pd.DataFrame(
            {
                "session": value["session"].astype(np.int32),
                "turn": value["turn"].astype(np.int32),
                "gap_ns": nullable("gap_ns"),
                "service_ns": nullable("service_ns"),
                "arrival_ns": nullable("arrival_ns"),
                "prompt_tokens": value["prompt_tokens"],
                "new_prompt_tokens": value["new_prompt_tokens"],
                "output_tokens": value["output_tokens"],
                "tool": _spelled(self._tools, value["tool"]),
                "agent_role": _spelled(self._roles, value["role"]),
                "completed": pd.arrays.BooleanArray(value["completed"] == 1, value["completed"] == UNKNOWN),
                "tokens_estimated": value["tokens_estimated"] == 1,
                "timing_estimated": value["timing_estimated"] == 1,
            }
        )
        return corpus_from_frame(frame, name, "the import")

    def _append(self, turn: TurnRecord, times: tuple[int, int, int], index: int, completed: int) -> None:
        tool = FIRST_TOOL if index == 0 else turn.tool or UNKNOWN_TOOL
        row = (
            self._n_sessions,
            index,
            *times,
            turn.prompt_tokens,
            turn.new_prompt_tokens,
            turn.output_tokens,
            _code(self._tools, tool),
            _code(self._roles, turn.role),
            completed,
            int(turn.tokens_estimated),
            int(turn.timing_estimated),
        )
        for column, number in zip(self._columns.values(), row, strict=True):
            column.append(number)


@dataclass(frozen=True)
class Imported:
    """The outcome of an import.

    Attributes
    ----------
    corpus : Corpus or None
        None if nothing was importable.
    log : ImportLog
        What was left out, and why.
    clamped_gaps, clamped_services : int
        As counted by `CorpusBuilder`.
    """

    corpus: Corpus | None
    log: ImportLog
    clamped_gaps: int
    clamped_services: int

    def summary(self) -> dict[str, str | int]:
        """Counts for the user: sessions, turns, what is timed, ended, estimated, clamped and left out."""
        corpus = self.corpus
        counts: dict[str, str | int] = {} if corpus is None else _counts(corpus)
        return counts | {
            "clamped_gaps": self.clamped_gaps,
            "clamped_services": self.clamped_services,
            "repeated_turns": self.log.repeated_turns,
            "problems": self.log.n_problems,
        }


def import_traces(format_name: str, path: Path, *, name: str, exclude: Path | None = None) -> Imported:
    """Read a log file, or a folder of them, as a corpus.

    Parameters
    ----------
    format_name : str
        A registered format.
    path : pathlib.Path
        A file, or a folder that is searched for the format's files in sorted order.
    name : str
        Name of the corpus.
    exclude : pathlib.Path, optional
        A file that is not read: the output of the import.

    Returns
    -------
    Imported

    Raises
    ------
    UnisonError
        If the format is unknown, or there is no such file or folder, or no file of the format in it.
    """
    entry = get_importer(format_name)
    log, builder = ImportLog(), CorpusBuilder()
    for file in find_files(path, entry.patterns, log, exclude):
        before = (builder.n_sessions, log.n_problems, log.repeated_turns)
        _import_file(entry, file, log, builder)
        if before == (builder.n_sessions, log.n_problems, log.repeated_turns):
            log.report(file, BadRecord("", "no session", f"{entry.title} with at least one model reply"))
    corpus = builder.build(name) if builder.n_sessions else None
    return Imported(corpus, log, builder.clamped_gaps, builder.clamped_services)


def _import_file(entry: ImporterEntry, file: Path, log: ImportLog, builder: CorpusBuilder) -> None:
    if not file.is_file():
        log.report(file, BadRecord("", "something that is not a regular file", "a file"))
        return
    try:
        for session in entry.read(file, log):
            try:
                builder.add(session)
            except BadRecord as bad:
                log.report(file, bad, session.place)
    except BadRecord as bad:
        log.report(file, bad)
    except OSError as error:
        log.report(file, BadRecord("", error.strerror or "an error of the system", "a file that can be read"))


def _times(turn: TurnRecord, index: int, origin: int | None) -> tuple[int, int, int]:
    """Gap, service and arrival of a turn within their bounds, ``UNKNOWN`` where the log has none."""
    gap = service = arrival = UNKNOWN
    if index == 0:
        gap = 0
    elif turn.gap_ns is not None:
        gap = max(0, turn.gap_ns)
    if turn.service_ns is not None:
        service = max(MIN_SERVICE_NS, turn.service_ns)
    if turn.arrival_ns is not None and origin is not None:
        arrival = max(0, turn.arrival_ns - origin)
    return gap, service, arrival


def _counts(corpus: Corpus) -> dict[str, str | int]:
    return {
        "corpus": corpus.name,
        "sessions": corpus.n_sessions,
        "turns": corpus.n_turns,
        "timed_sessions": int(corpus.is_timed.sum()),
        "completed_sessions": int((corpus.completed == 1).sum()),
        "censored_sessions": int((corpus.completed == 0).sum()),
        "unknown_completion_sessions": int((corpus.completed == UNKNOWN).sum()),
        "tokens_estimated_turns": int(corpus.tokens_estimated.sum()),
        "timing_estimated_turns": int(corpus.timing_estimated.sum()),
    }


def _code(codes: dict[str, int], name: str) -> int:
    if name not in codes and len(codes) >= MAX_NAMES:
        return codes[OTHER]
    return codes.setdefault(name, len(codes))


def _spelled(codes: dict[str, int], values: NDArray[np.int64]) -> NDArray[np.object_]:
    return np.array(list(codes), dtype=object)[values]
