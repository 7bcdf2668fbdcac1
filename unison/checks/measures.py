"""Every request is counted once: as a hit, or as a miss of one cause."""

from __future__ import annotations

import math

from unison.checks.cases import replay_cases
from unison.checks.failed import CheckFailed
from unison.device import costs_for
from unison.metrics import Measured, measure
from unison.replay.engine import replay
from unison.replay.outcomes import Cause

MODEL = "gemma4"


def check_counts(measured: Measured) -> None:
    """Hits and misses by cause sum to one, and the hit rate is what a plain count of hits gives.

    Raises
    ------
    CheckFailed
        If they do not.
    """
    found = measure(measured)
    misses = sum(value for name, value in found.items() if name.startswith("miss_"))
    if not math.isclose(found["hit_rate"] + misses, 1, rel_tol=1e-12):
        raise CheckFailed(f"hit_rate {found['hit_rate']:.6f} and the misses {misses:.6f} do not sum to 1")
    causes = measured.outcomes.cause.tolist()
    counted = sum(cause == Cause.HIT for cause in causes) / len(causes)
    if not math.isclose(found["hit_rate"], counted, rel_tol=1e-12):
        raise CheckFailed(f"hit_rate {found['hit_rate']:.6f}, but {counted:.6f} of the requests have hit")


def check_measures() -> None:
    """`check_counts` for every case of `replay_cases`."""
    costs = costs_for(MODEL)
    for policy, trace, ranking, envelope, tiering in replay_cases():
        outcomes = replay(trace, ranking, envelope, tiering)
        try:
            check_counts(Measured(outcomes, trace, envelope, costs))
        except CheckFailed as error:
            raise CheckFailed(f"{policy}, {envelope.name}: {error}") from None
