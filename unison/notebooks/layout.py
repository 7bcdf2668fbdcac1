"""Where a run of the series puts its files, and the locks and sweeps that keep that place whole."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from unison import paths
from unison.errors import UnisonError

_LEFTOVER = re.compile(r"\..+\.(\d+)\.tmp(\..+)?")


@dataclass(frozen=True)
class Layout:
    """The folders of one run of the series.

    Attributes
    ----------
    figures, rendered : pathlib.Path
        Products: figures with tables, and the notebooks as Markdown that links ``../../figures``.
    executed, html : pathlib.Path
        Executed notebooks and their web pages.
    stamps, staging : pathlib.Path
        What finished notebooks were made from, and notebooks at work.
    """

    figures: Path
    rendered: Path
    executed: Path
    html: Path
    stamps: Path
    staging: Path

    @classmethod
    def committed(cls) -> Layout:
        """The project's own figures/ and notebooks/rendered/, with everything else in build/."""
        build = paths.BUILD
        return cls(
            paths.FIGURES,
            paths.NOTEBOOKS / "rendered",
            build / "executed",
            build / "html",
            build / "stamps",
            build / "staging",
        )

    @classmethod
    def under(cls, folder: Path) -> Layout:
        """Everything below one folder, with figures/ and notebooks/rendered/ as in the project."""
        folder = folder.absolute()
        return cls(
            folder / "figures",
            folder / "notebooks" / "rendered",
            folder / "executed",
            folder / "html",
            folder / "stamps",
            folder / "staging",
        )

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Sole use of the folders, freed of what a killed run has left.

        Raises
        ------
        UnisonError
            If another run holds them.
        """
        self.staging.mkdir(parents=True, exist_ok=True)
        with (self.staging / "lock").open("w") as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                raise UnisonError(
                    f"another run is writing to {shown(self.figures)}; wait for it, or choose another --out"
                ) from error
            for folder in (self.figures, self.rendered, self.executed, self.html, self.stamps):
                _sweep(folder)
            yield


def shown(path: Path) -> str:
    """A path as messages show it: from the project's root if it is inside."""
    return str(path.relative_to(paths.ROOT)) if path.is_relative_to(paths.ROOT) else str(path)


def sha256(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _sweep(folder: Path) -> None:
    """Remove the temporary files of `unison.files` whose process is gone."""
    for path in folder.glob(".*"):
        match = _LEFTOVER.fullmatch(path.name)
        if match and not _is_alive(int(match.group(1))):
            path.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return pid != os.getpid()
