"""Ways to plant a fault and to take it away again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from unison.errors import UnisonError


@contextmanager
def patched(owner: object, name: str, value: object) -> Iterator[None]:
    """A module or class in which a name stands for something else."""
    kept = vars(owner)[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, kept)


@contextmanager
def rewritten(path: Path, content: bytes) -> Iterator[None]:
    """A file with other content."""
    kept = path.read_bytes()
    path.write_bytes(content)
    try:
        yield
    finally:
        path.write_bytes(kept)


def another_digit(path: Path) -> bytes:
    """The content of a table with its last digit changed.

    Raises
    ------
    UnisonError
        If it holds no digit.
    """
    text = path.read_text(encoding="utf-8")
    digits = list(re.finditer(r"\d", text))
    if not digits:
        raise UnisonError(f"{path.name}: no digit to change; choose a table of numbers")
    at = digits[-1].start()
    return f"{text[:at]}{(int(text[at]) + 1) % 10}{text[at + 1 :]}".encode()
