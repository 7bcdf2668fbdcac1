"""Spawn records: the task of a sub-agent in words, of which some say how long it will take."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from unison.flash.segments import SpawnRecord

KINDS = (
    ("locate", ("search",)),
    ("summarise", ("search", "read")),
    ("compare", ("read",)),
    ("check", ("read", "shell")),
    ("trace", ("search", "read", "shell")),
    ("patch", ("read", "edit")),
    ("reproduce", ("shell",)),
    ("benchmark", ("shell", "edit")),
    ("migrate", ("read", "edit", "shell")),
)
"""First word of a task with the tools it is given, the shorter kinds of work first."""

SCOPES = ("a single function", "one file", "one package", "every caller", "the whole repository")
"""Last words of a task, by growing scope."""

_SUBJECTS = ("parser", "scheduler", "cache", "importer", "schema", "client", "index", "report")


@cache
def effects() -> tuple[float, ...]:
    """Effect of each pair of kind and scope on the log of the work, mean 0 and variance 1.

    The rank of the kind and the rank of the scope weigh the same; pair ``kind * len(SCOPES) + scope``.
    """
    kind = np.repeat(np.arange(len(KINDS)) / (len(KINDS) - 1), len(SCOPES))
    scope = np.tile(np.arange(len(SCOPES)) / (len(SCOPES) - 1), len(KINDS))
    kind, scope = (kind - kind.mean()) / kind.std(), (scope - scope.mean()) / scope.std()
    return tuple(float(value) for value in (kind + scope) / np.sqrt(2))


def draw_tasks(rng: np.random.Generator, size: int) -> NDArray[np.int64]:
    """Tasks as pairs of kind and scope and a subject, which says nothing [size].

    Task ``(kind * len(SCOPES) + scope) * len(subjects) + subject``, all alike frequent.
    """
    return rng.integers(0, len(KINDS) * len(SCOPES) * len(_SUBJECTS), size=size)


def effect_of(task: int) -> float:
    """Effect of a task on the log of its work; see `effects`."""
    return effects()[task // len(_SUBJECTS)]


def record_of(role: str, task: int, parent_turn: int, sibling: int, siblings: int) -> SpawnRecord:
    """The record of a task."""
    pair, subject = divmod(task, len(_SUBJECTS))
    kind, scope = divmod(pair, len(SCOPES))
    word, tools = KINDS[kind]
    text = f"{word} the {_SUBJECTS[subject]} in {SCOPES[scope]}"
    return SpawnRecord(role, text, tools, parent_turn, sibling, siblings)
