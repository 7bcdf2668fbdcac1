"""Spear: one score from the session's own gaps and the turn-indexed completion hazard."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.policies.ranking import Ranking
from unison.policies.registry import InfoClass, policy
from unison.signals import Signals

NS_PER_S = 1_000_000_000
CITATION = "UNISON (arXiv 2609.09643) section III"


def _hazard_penalty(signals: Signals, penalty_s: float) -> NDArray[np.float64]:
    if not 0 <= penalty_s < 1e8:
        raise UnisonError(f"spear: penalty_s (P) must be at least 0 and below 1e8 s; given {penalty_s}")
    return (1 - signals.sigma) * (penalty_s * NS_PER_S)


def _whole(values: NDArray[np.float64]) -> NDArray[np.int64]:
    return np.rint(values).astype(np.int64)


@policy(
    "spear",
    title="the largest gap EMA over survival, plus the hazard times P",
    citation=f"{CITATION}, eq. (7)",
    info=InfoClass.F0,
    sees_completion=True,
    penalty_s="spear.penalty_s",
)
def spear(signals: Signals, *, penalty_s: float) -> Ranking:
    """Spear: score = ema / sigma(t) + (1 - sigma(t)) P, with P = `penalty_s` (EQUATIONS eq. 7)."""
    return Ranking(
        base=_whole(signals.gap_ema_ns / signals.sigma + _hazard_penalty(signals, penalty_s)),
        slope=np.zeros(signals.turn.size),
        gap_estimate_ns=signals.gap_ema_ns,
        sees_completion=True,
    )


@policy(
    "spear_idle_max",
    title="Spear with a gap that has outlasted its EMA counted as it is",
    citation=f"{CITATION}, the elapsed-idle signal; form (a), a reconstruction",
    info=InfoClass.F1,
    sees_completion=True,
    is_ablation=True,
    penalty_s="spear.penalty_s",
)
def spear_idle_max(signals: Signals, *, penalty_s: float) -> Ranking:
    """Spear with max(ema, idle) in place of ema: the float form of UNISON eq. (4)-(7)."""
    return Ranking(
        base=_whole(_hazard_penalty(signals, penalty_s)),
        slope=1 / signals.sigma,
        lo=signals.gap_ema_ns,
        gap_estimate_ns=signals.gap_ema_ns,
        sees_completion=True,
    )


@policy(
    "spear_idle_remaining",
    title="Spear on what is left of the gap's EMA",
    citation=f"{CITATION}, the elapsed-idle signal; form (b), a reconstruction",
    info=InfoClass.F1,
    sees_completion=True,
    is_ablation=True,
    penalty_s="spear.penalty_s",
)
def spear_idle_remaining(signals: Signals, *, penalty_s: float) -> Ranking:
    """Spear with max(ema - idle, 0) in place of ema."""
    return Ranking(
        base=_whole(signals.gap_ema_ns / signals.sigma + _hazard_penalty(signals, penalty_s)),
        slope=-1 / signals.sigma,
        hi=signals.gap_ema_ns,
        gap_estimate_ns=signals.gap_ema_ns,
        sees_completion=True,
    )


@policy(
    "spear_idle_additive",
    title="Spear plus the elapsed idle time",
    citation=f"{CITATION}, the elapsed-idle signal; form (c), a reconstruction",
    info=InfoClass.F1,
    sees_completion=True,
    is_ablation=True,
    penalty_s="spear.penalty_s",
)
def spear_idle_additive(signals: Signals, *, penalty_s: float) -> Ranking:
    """Spear + idle time."""
    return Ranking(
        base=_whole(signals.gap_ema_ns / signals.sigma + _hazard_penalty(signals, penalty_s)),
        slope=np.ones(signals.turn.size),
        gap_estimate_ns=signals.gap_ema_ns,
        sees_completion=True,
    )


@policy(
    "spear_no_hazard",
    title="the largest gap EMA, the hazard left out",
    citation=f"{CITATION}, leave-one-out (Figure 6)",
    info=InfoClass.F0,
    sees_completion=True,
    is_ablation=True,
)
def spear_no_hazard(signals: Signals) -> Ranking:
    """Spear without its hazard: score = ema (an ablation of UNISON)."""
    return Ranking(
        base=signals.gap_ema_ns,
        slope=np.zeros(signals.turn.size),
        gap_estimate_ns=signals.gap_ema_ns,
        sees_completion=True,
    )


@policy(
    "spear_no_gap",
    title="the largest hazard, the gap EMA left out",
    citation=f"{CITATION}, leave-one-out (Figure 6)",
    info=InfoClass.F0,
    sees_completion=True,
    is_ablation=True,
    penalty_s="spear.penalty_s",
)
def spear_no_gap(signals: Signals, *, penalty_s: float) -> Ranking:
    """Spear without its gap: score = (1 - sigma(t)) P; Tide's budget keeps the EMA."""
    return Ranking(
        base=_whole(_hazard_penalty(signals, penalty_s)),
        slope=np.zeros(signals.turn.size),
        gap_estimate_ns=signals.gap_ema_ns,
        sees_completion=True,
    )
