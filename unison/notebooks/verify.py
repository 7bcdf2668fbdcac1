"""Comparing the committed products with fresh ones, byte for byte."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from unison.notebooks.layout import Layout

NOT_REMADE = ("real", "rtl")
"""Folders of figures/ that come from inputs outside the project, or from `make rtl-full`."""


@dataclass(frozen=True)
class Difference:
    """One product that is not as committed.

    Attributes
    ----------
    kind : str
        ``"differs"``, ``"missing"`` (made now, not committed) or ``"extra"`` (committed, not made now).
    name : str
        Its path within the project.
    """

    kind: str
    name: str


def compare(committed: Layout, fresh: Layout) -> list[Difference]:
    """Every product in which two layouts disagree, by name.

    Hidden files and the folders `NOT_REMADE` are left out.
    """
    found = []
    for label, old, new in (
        ("figures", committed.figures, fresh.figures),
        ("notebooks/rendered", committed.rendered, fresh.rendered),
    ):
        before, after = _files(old), _files(new)
        for name in sorted(before.keys() | after.keys()):
            if name not in before:
                found.append(Difference("missing", f"{label}/{name}"))
            elif name not in after:
                found.append(Difference("extra", f"{label}/{name}"))
            elif before[name].read_bytes() != after[name].read_bytes():
                found.append(Difference("differs", f"{label}/{name}"))
    return found


def _files(folder: Path) -> dict[str, Path]:
    """The files below a folder by their name in it."""
    found = {}
    for path in folder.rglob("*"):
        name = path.relative_to(folder)
        hidden = any(part.startswith(".") for part in name.parts)
        if path.is_file() and not hidden and name.parts[0] not in NOT_REMADE:
            found[name.as_posix()] = path
    return found
