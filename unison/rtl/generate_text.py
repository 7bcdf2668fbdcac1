"""Small pieces of Verilog text."""

from __future__ import annotations

from collections.abc import Iterable


def bits(width: int) -> str:
    """The range of a vector; nothing for a single bit."""
    return f"[{width - 1}:0]" if width > 1 else ""


def zero(width: int) -> str:
    """A literal of 0."""
    return f"{width}'d0"


def zext(name: str, width: int, to: int) -> str:
    """An expression extended by zeros at the top."""
    return name if to == width else f"{{{to - width}'d0, {name}}}"


def join(names: Iterable[str], suffix: str = "") -> str:
    """A concatenation of names with a suffix; of one name, that name."""
    parts = [f"{name}{suffix}" for name in names]
    return parts[0] if len(parts) == 1 else f"{{{', '.join(parts)}}}"
