"""The fluid steady state: what class-blind and lifetime-aware placement keep in HBM."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from unison.errors import UnisonError


@dataclass(frozen=True)
class Flow:
    """One class of segments.

    Attributes
    ----------
    rate : float
        Bytes, or blocks, written a second.
    life_s : float
        Mean life [s].
    """

    rate: float
    life_s: float


def hbm_first_share(flows: Sequence[Flow], capacity: float) -> float:
    """Share of the writes that HBM-first keeps in HBM, of every class alike: ``min(1, C / sum(rate life))``.

    Raises
    ------
    UnisonError
        If there is no class, or a rate or life is not positive.
    """
    _check(flows, capacity)
    return min(1.0, capacity / sum(flow.rate * flow.life_s for flow in flows))


def lifetime_aware_share(flows: Sequence[Flow], capacity: float) -> float:
    """Share of the writes that the best placement by class keeps: a fractional knapsack, shortest life first.

    ``max sum f_c rate_c`` subject to ``sum f_c rate_c life_c <= C``. A byte is a byte, so that neither the
    size of a segment nor how often it is read enters.

    Raises
    ------
    UnisonError
        As `hbm_first_share`.
    """
    _check(flows, capacity)
    room, kept = capacity, 0.0
    for flow in sorted(flows, key=lambda flow: flow.life_s):
        share = min(1.0, room / (flow.rate * flow.life_s))
        kept += share * flow.rate
        room -= share * flow.rate * flow.life_s
    return kept / sum(flow.rate for flow in flows)


def fluid_improvement(flows: Sequence[Flow], capacity: float) -> float:
    """``(1 - f_HF) / (1 - f_L)``; infinite if everything fits by class.

    Raises
    ------
    UnisonError
        As `hbm_first_share`.
    """
    spared = 1 - lifetime_aware_share(flows, capacity)
    return (1 - hbm_first_share(flows, capacity)) / spared if spared > 0 else float("inf")


def _check(flows: Sequence[Flow], capacity: float) -> None:
    if not flows or capacity < 0 or any(flow.rate <= 0 or flow.life_s <= 0 for flow in flows):
        raise UnisonError(
            f"steady state: {list(flows)} in {capacity}; rates and lives are positive, room is at least 0"
        )
