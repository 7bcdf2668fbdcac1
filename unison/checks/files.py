"""A write that is cut off leaves the old file, whole, and nothing else."""

from __future__ import annotations

from pathlib import Path

import unison.files as files
from unison.checks.failed import CheckFailed

OLD, NEW = "old\n" * 3, "new\n" * 3


class _CutOff(BaseException):
    """Stands for a kill."""


def check_whole_files(folder: Path) -> None:
    """Write a file, begin to write it again, stop half-way.

    Raises
    ------
    CheckFailed
        If the file is not the old one, or another file is left.
    """
    path = folder / "table.csv"
    files.write_text(path, OLD)
    try:
        with files.atomic_path(path) as temporary:
            temporary.write_text(NEW[: len(NEW) // 2], encoding="utf-8")
            raise _CutOff
    except _CutOff:
        pass
    left = sorted(each.name for each in folder.iterdir())
    if left != [path.name]:
        raise CheckFailed(f"a write cut off half-way leaves {', '.join(left) or 'no file'}")
    if path.read_text(encoding="utf-8") != OLD:
        raise CheckFailed(f"a write cut off half-way leaves half a file: {path.name} is not the old one")
