"""Faults of what a policy knows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import unison.policies  # noqa: F401 (registers the policies)
from unison.checks.causality import check_causality
from unison.checks.hazards import check_hazard
from unison.faults.planting import patched
from unison.faults.registry import fault
from unison.hazard import estimator
from unison.policies import registry
from unison.policies.ranking import Ranking
from unison.signals import Signals

POLICY = "spear"


def _spear(_: Path) -> tuple[str]:
    return (POLICY,)


@fault("a leaked future column", "signals", check_causality, arguments=_spear)
def leaked_future_column(folder: Path) -> Iterator[None]:
    """Spear, which declares F0, adds the time to the next request where there is one to its score."""
    entry = registry.get_policy(POLICY)

    def leaking(signals: Signals, **parameters: Any) -> Ranking:
        ranking: Ranking = entry.build(signals, **parameters)
        comes_back = ~signals.trace.corpus.is_last
        wait = np.where(comes_back, signals.trace.next_arrival_ns - signals.pause_ns, 0)
        return replace(ranking, base=ranking.base + wait)

    with patched(registry, "_POLICIES", registry._POLICIES | {POLICY: replace(entry, build=leaking)}):
        yield


@fault("a gap counted before it closes", "signals", check_causality, arguments=_spear)
def gap_counted_before_it_closes(folder: Path) -> Iterator[None]:
    """The EMA at a pause holds the gap that the pause begins."""
    ema = vars(Signals)["gap_ema_ns"].func

    def early(self: Signals) -> NDArray[np.int64]:
        later: NDArray[np.int64] = ema(self)
        return np.where(self.trace.corpus.is_last, later, np.roll(later, -1))

    with patched(Signals, "gap_ema_ns", property(early)):
        yield


@fault("a declared class too low", "signals", check_causality, arguments=lambda _: ("lru",))
def declared_class_too_low(folder: Path) -> Iterator[None]:
    """LRU, which reads idle time, declares that it does not (F0)."""
    entry = replace(registry.get_policy("lru"), info=registry.InfoClass.F0)
    with patched(registry, "_POLICIES", registry._POLICIES | {"lru": entry}):
        yield


@fault("a cut-off session counted as ended", "hazard", check_hazard)
def cut_off_session_counted_as_ended(folder: Path) -> Iterator[None]:
    """The hazard counts every session as completed."""
    check_flags = vars(estimator)["check_flags"]

    def all_ended(*arguments: Any) -> Any:
        return np.ones_like(check_flags(*arguments))

    with patched(estimator, "check_flags", all_ended):
        yield
