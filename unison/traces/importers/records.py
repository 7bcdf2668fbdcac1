"""What importers produce: turns and sessions as numbers, and the problems found on the way."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

MAX_PROBLEMS_PER_FILE = 20
"""Problems of one file that are told in full; the rest are counted."""


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """One turn of a session as its log gives it.

    Attributes
    ----------
    prompt_tokens, new_prompt_tokens, output_tokens : int
        Prompt length, the part of it that the previous turn's context does not cover, reply length [tokens].
    arrival_ns : int or None
        When the request was sent, on any clock that the whole session shares [ns].
    service_ns, gap_ns : int or None
        Arrival to completion, and previous completion to arrival [ns]; a clock that stepped back gives a
        negative value, which is clamped and counted where the corpus is built.
    tool : str
        Clean name (see `unison.traces.importers.names`) of what was awaited before this turn.
    role : str
        Clean name of the agent's role.
    tokens_estimated, timing_estimated : bool
        The numbers are not measured.
    """

    prompt_tokens: int
    new_prompt_tokens: int
    output_tokens: int
    arrival_ns: int | None = None
    service_ns: int | None = None
    gap_ns: int | None = None
    tool: str = ""
    role: str = ""
    tokens_estimated: bool = False
    timing_estimated: bool = False


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One session: its turns in order, whether it ended, and where it was read (for errors only).

    Attributes
    ----------
    turns : list of TurnRecord
        At least one.
    completed : bool or None
        True it ended, False it was cut off, None unknown.
    place : str
        Line or record of the file it came from; it is named in errors and never written to the corpus.
    """

    turns: list[TurnRecord]
    completed: bool | None = None
    place: str = ""


class BadRecord(Exception):
    """A value that is not what the format promises; it stops the session (or record) that holds it.

    Parameters
    ----------
    field : str
        Dotted name of the field, or an empty string for the record as a whole.
    found : str
        What is there, without quoting text of the log.
    expected : str
        What the format promises.
    place : str
        Line, row or record.
    """

    def __init__(self, field: str, found: str, expected: str, place: str = "") -> None:
        super().__init__(field, found, expected, place)
        self.field = field
        self.found = found
        self.expected = expected
        self.place = place


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that was left out of the corpus: the file, the place, the field, and what was expected."""

    file: str
    place: str
    field: str
    found: str
    expected: str

    def __str__(self) -> str:
        where = ", ".join(
            part for part in (self.file, self.place, self.field and f"field {self.field}") if part
        )
        return f"{where}: found {self.found}; expected {self.expected}"


@dataclass(slots=True)
class ImportLog:
    """The notes of one import: problems by file, and what was dropped as a repetition.

    Attributes
    ----------
    problems : list of Problem
        At most ``MAX_PROBLEMS_PER_FILE`` of each file.
    unlisted : dict of str to int
        File names with the number of problems beyond those listed.
    repeated_turns : int
        Turns found again in a second file (a resumed session carries its history along) and dropped there.
    """

    problems: list[Problem] = field(default_factory=list)
    unlisted: dict[str, int] = field(default_factory=dict)
    repeated_turns: int = 0
    _listed: dict[str, int] = field(default_factory=dict)
    _first_file: dict[str, str] = field(default_factory=dict)

    def report(self, path: Path, bad: BadRecord, place: str = "") -> None:
        """Note a problem of a file; the record's own place wins over `place`."""
        name = shown(path)
        count = self._listed.get(name, 0)
        if count == MAX_PROBLEMS_PER_FILE:
            self.unlisted[name] = self.unlisted.get(name, 0) + 1
            return
        self._listed[name] = count + 1
        self.problems.append(Problem(name, bad.place or place, bad.field, bad.found, bad.expected))

    def is_repeated(self, path: Path, key: str) -> bool:
        """True if another file already held this key; otherwise the key now belongs to `path`."""
        return self._first_file.setdefault(key, str(path)) != str(path)

    def lines(self) -> list[str]:
        """One line a problem, then one a file whose list was cut."""
        more = [f"{name}: {count} more problems, not listed" for name, count in self.unlisted.items()]
        return [*map(str, self.problems), *more]

    @property
    def n_problems(self) -> int:
        """Number of problems, listed or not."""
        return len(self.problems) + sum(self.unlisted.values())


def shown(path: Path) -> str:
    """A path as printable text, whatever bytes its name is made of."""
    text = os.fsencode(path).decode("utf-8", "replace")
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)
