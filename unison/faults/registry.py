"""The list of faults, and the decorator that adds one.

::

    @fault("an off-by-one capacity", "replay", check_engines)
    def off_by_one_capacity(folder: Path) -> Iterator[None]:
        \"\"\"Every tier of the kernel holds one token more than it has room for.\"\"\"
        ...  # plant it
        yield
        ...  # take it away
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unison.errors import UnisonError

STAGES = ("corpus", "trace", "signals", "hazard", "replay", "compiled kernel", "metrics", "files", "products",
          "claims")  # fmt: skip

Plant = Callable[[Path], AbstractContextManager[None]]


def _nothing(folder: Path) -> tuple[Any, ...]:
    return ()


@dataclass(frozen=True)
class Fault:
    """A mistake that is made on purpose.

    Attributes
    ----------
    name : str
        As ``a lost completion``.
    stage : str
        One of `STAGES`.
    planted : str
        What is done, in a sentence.
    plant : callable
        ``plant(folder)`` is a context within which the fault is there; no source on disk is touched.
    check : callable
        Raises `CheckFailed` or `UnisonError` if it finds the fault.
    arguments : callable
        ``arguments(folder)`` gives those of `check`.
    prepare : callable
        ``prepare(folder)`` makes in an empty folder what the check looks at.
    """

    name: str
    stage: str
    planted: str
    plant: Plant
    check: Callable[..., object]
    arguments: Callable[[Path], tuple[Any, ...]]
    prepare: Callable[[Path], object]

    @property
    def check_name(self) -> str:
        """Dotted name of the check."""
        return f"{self.check.__module__}.{self.check.__name__}"


_FAULTS: dict[str, Fault] = {}


def fault(
    name: str,
    stage: str,
    check: Callable[..., object],
    *,
    arguments: Callable[[Path], tuple[Any, ...]] = _nothing,
    prepare: Callable[[Path], object] = _nothing,
) -> Callable[[Callable[[Path], Iterator[None]]], Plant]:
    """Register a generator that plants a fault, yields, and takes it away; its docstring says what it does.

    Raises
    ------
    UnisonError
        If the name is taken or there is no such stage.
    """
    if name in _FAULTS:
        raise UnisonError(f"fault {name!r} is registered twice; choose another name")
    if stage not in STAGES:
        raise UnisonError(f"fault {name!r}: stage {stage!r}; allowed: {', '.join(STAGES)}")

    def register(planting: Callable[[Path], Iterator[None]]) -> Plant:
        plant = contextmanager(planting)
        planted = " ".join((planting.__doc__ or "").split())
        _FAULTS[name] = Fault(name, stage, planted, plant, check, arguments, prepare)
        return plant

    return register


def all_faults() -> list[Fault]:
    """Every fault, by stage."""
    package = importlib.import_module("unison.faults.planted")
    for module in pkgutil.iter_modules(package.__path__):
        importlib.import_module(f"unison.faults.planted.{module.name}")
    return sorted(_FAULTS.values(), key=lambda each: STAGES.index(each.stage))
