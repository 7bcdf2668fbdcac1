"""Finding log files and reading them without trusting what is inside."""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from unison.errors import UnisonError
from unison.traces.importers.records import BadRecord, ImportLog, shown

MAX_LINE_BYTES = 256 * 2**20
"""Longest line read; a longer one is no record of a log."""

_BOM = b"\xef\xbb\xbf"


def find_files(
    path: Path, patterns: tuple[str, ...], log: ImportLog, exclude: Path | None = None
) -> list[Path]:
    """The files to import: `path` itself, or the matching files below it in sorted order.

    Links to folders are not followed, so that a loop of links ends.

    Parameters
    ----------
    path : pathlib.Path
        A file (of any name) or a folder.
    patterns : tuple of str
        File name patterns looked for in a folder.
    log : ImportLog
        Takes the folders that cannot be listed.
    exclude : pathlib.Path, optional
        A file to leave out: the output, when it lies in the folder.

    Returns
    -------
    list of pathlib.Path

    Raises
    ------
    UnisonError
        If `path` is neither file nor folder, or the folder holds no such file.
    """
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise UnisonError(
            f"{shown(path)}: no such file or folder; give the log file or the folder that holds them"
        )

    def unreadable(error: OSError) -> None:
        log.report(
            Path(error.filename), BadRecord("", error.strerror or "an error", "a folder that can be read")
        )

    found = [
        Path(folder, name)
        for folder, _, names in os.walk(path, onerror=unreadable)
        for name in names
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    ]
    skipped = exclude.resolve() if exclude is not None else None
    files = sorted((file for file in found if skipped is None or file.resolve() != skipped), key=os.fsencode)
    if not files:
        raise UnisonError(
            f"{shown(path)}: no file named {' or '.join(patterns)} in this folder; give another one"
        )
    return files


def read_json(path: Path) -> Any:
    """The content of a JSON file.

    Raises
    ------
    BadRecord
        If it is empty, not UTF-8 text or not JSON; the place is the line.
    """
    return parse_json(path.read_bytes(), 1)


def json_lines(path: Path) -> Iterator[tuple[int, Any | BadRecord, bool]]:
    """The records of a JSON Lines file, read line by line.

    Yields
    ------
    line : int
        Line number from 1; empty lines are passed over.
    value : object or BadRecord
        The record, or what is wrong with the line.
    is_last : bool
        Whether nothing follows (a bad last line is one that was half-written).
    """
    with path.open("rb") as stream:
        number, raw = 0, stream.readline(MAX_LINE_BYTES)
        while raw:
            number += 1
            following = stream.readline(MAX_LINE_BYTES)
            if raw.strip(b" \t\r\n" + _BOM):
                try:
                    value = parse_json(raw, number)
                except BadRecord as bad:
                    value = bad
                yield number, value, not following
            raw = following


def parse_json(raw: bytes, first_line: int) -> Any:
    """The value of JSON bytes; BadRecord, with the line, if they are none."""
    place = f"line {first_line}"
    try:
        text = raw.removeprefix(_BOM).decode("utf-8").rstrip()
    except UnicodeDecodeError as error:
        line = first_line + raw.count(b"\n", 0, error.start)
        raise BadRecord("", "bytes that are not UTF-8", "UTF-8 text", f"line {line}") from None
    if not text:
        raise BadRecord("", "nothing (the file is empty)", "a JSON value", place)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        line = first_line + error.lineno - 1
        raise BadRecord(
            "",
            f"broken JSON at column {error.colno} (half-written?)",
            "one complete JSON value",
            f"line {line}",
        ) from None
    except (ValueError, RecursionError):
        raise BadRecord(
            "", "JSON nested too deep or a number too long", "a record of the log", place
        ) from None
