"""Planting each fault and seeing whether its check catches it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from unison.errors import UnisonError
from unison.faults.registry import Fault


@dataclass(frozen=True)
class Finding:
    """What a check said with and without a fault.

    Attributes
    ----------
    fault : Fault
    before : str
        Its message without the fault; empty, as it should be, if it passed.
    message : str
        Its message with the fault; empty if it passed, so that the fault is uncaught.
    """

    fault: Fault
    before: str
    message: str

    @property
    def is_caught(self) -> bool:
        """The check passes without the fault and fails with it."""
        return bool(self.message) and not self.before


def run_faults(faults: Iterable[Fault]) -> Iterator[Finding]:
    """Run each fault's check without it, plant it, run the check again.

    Raises
    ------
    UnisonError
        If what a check looks at is missing, so that it cannot be run.
    """
    for fault in faults:
        with tempfile.TemporaryDirectory(prefix="unison-fault-") as name:
            folder = Path(name)
            fault.prepare(folder)
            before = _message(fault, folder)
            with fault.plant(folder):
                message = _message(fault, folder)
        yield Finding(fault, before, message)


def _message(fault: Fault, folder: Path) -> str:
    """What the check says, on one line; empty if it passes."""
    try:
        fault.check(*fault.arguments(folder))
    except (AssertionError, UnisonError) as error:
        told = " ".join(str(error).split()).replace(f"{folder}/", "")
        return told or type(error).__name__
    return ""
