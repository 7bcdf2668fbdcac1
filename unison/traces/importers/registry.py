"""The list of log formats that the command line, the tests and the docs read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from unison.errors import UnisonError, unknown_name
from unison.traces.importers.records import ImportLog, SessionRecord

Reader: TypeAlias = Callable[[Path, ImportLog], Iterator[SessionRecord]]
"""``read(file, log)``: the sessions of one file; what is not usable goes to the log."""


@dataclass(frozen=True)
class ImporterEntry:
    """One registered log format.

    Attributes
    ----------
    name : str
        Name on the command line.
    read : callable
        The sessions of one file, see `Reader`.
    title : str
        What the format is.
    path_help : str
        One line: what PATH is.
    patterns : tuple of str
        File name patterns looked for in a folder.
    """

    name: str
    read: Reader
    title: str
    path_help: str
    patterns: tuple[str, ...]


_IMPORTERS: dict[str, ImporterEntry] = {}


def importer(
    name: str, *, title: str, path_help: str, patterns: tuple[str, ...]
) -> Callable[[Reader], Reader]:
    """Register the reader of a format under a name.

    Raises
    ------
    UnisonError
        If the name is taken.
    """

    def register(read: Reader) -> Reader:
        if name in _IMPORTERS:
            raise UnisonError(f"format {name!r} is registered twice; choose another name")
        _IMPORTERS[name] = ImporterEntry(name, read, title, path_help, patterns)
        return read

    return register


def get_importer(name: str) -> ImporterEntry:
    """The registered format of that name.

    Raises
    ------
    UnisonError
        If there is none; the message names the nearest.
    """
    if name not in _IMPORTERS:
        raise unknown_name("format", name, _IMPORTERS)
    return _IMPORTERS[name]


def all_importers() -> list[ImporterEntry]:
    """Every registered format, in the order of registration."""
    return list(_IMPORTERS.values())
