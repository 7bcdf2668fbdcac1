"""The compiled kernel does, action by action, what the reference engine does."""

from __future__ import annotations

import numpy as np

from unison.checks.cases import replay_cases
from unison.checks.failed import CheckFailed
from unison.policies.ranking import Ranking
from unison.replay.engine import replay
from unison.replay.envelope import Envelope
from unison.replay.outcomes import Action, Outcomes
from unison.replay.reference import ReferenceEngine
from unison.replay.tiering import Tiering
from unison.traces.trace import Trace

COLUMNS = ("hit_tier", "reused_tokens", "placed_tier", "cause", "lost_ns", "lost_by", "counters")


def check_same_outcomes(fast: Outcomes, plain: Outcomes) -> None:
    """Compare two recorded replays: every action, every column, both integrals.

    Raises
    ------
    CheckFailed
        Naming the first difference.
    """
    assert fast.actions is not None
    assert plain.actions is not None
    shared = min(len(fast.actions), len(plain.actions))
    unequal = np.flatnonzero((fast.actions[:shared] != plain.actions[:shared]).any(axis=1))
    if unequal.size or len(fast.actions) != len(plain.actions):
        at = int(unequal[0]) if unequal.size else shared
        raise CheckFailed(f"action {at}: kernel {_told(fast, at)}, reference {_told(plain, at)}")
    for name in COLUMNS:
        found, expected = getattr(fast, name), getattr(plain, name)
        wrong = np.flatnonzero(found != expected)
        if wrong.size:
            at = int(wrong[0])
            raise CheckFailed(f"{name}[{at}]: kernel {found[at]}, reference {expected[at]}")
    for name in ("used_token_ns", "running_token_ns"):
        if getattr(fast, name) != getattr(plain, name):
            raise CheckFailed(f"{name}: kernel {getattr(fast, name)}, reference {getattr(plain, name)}")


def _told(outcomes: Outcomes, at: int) -> str:
    assert outcomes.actions is not None
    if at >= len(outcomes.actions):
        return "none"
    event, action, session, before, after = outcomes.actions[at].tolist()
    return f"{Action(action).name} of session {session}, tier {before} to {after} at event {event}"


def check_engines_agree(
    trace: Trace, ranking: Ranking, envelope: Envelope, tiering: Tiering | None = None, *, heaps: bool = True
) -> Outcomes:
    """Replay in the reference, and in the kernel with scans and, where the order allows, with heaps.

    Returns
    -------
    Outcomes
        What the reference found.

    Raises
    ------
    CheckFailed
        If they differ.
    """
    tiering = Tiering() if tiering is None else tiering
    plain = ReferenceEngine(trace, ranking, envelope, tiering).run()
    for use_heap in (False, True) if heaps and ranking.is_static else (False,):
        fast = replay(trace, ranking, envelope, tiering, record=True, use_heap=use_heap)
        check_same_outcomes(fast, plain)
    return plain


def check_engines() -> None:
    """Compare the engines on every case of `replay_cases`.

    Raises
    ------
    CheckFailed
        If they differ in one.
    """
    for policy, trace, ranking, envelope, tiering in replay_cases():
        try:
            check_engines_agree(trace, ranking, envelope, tiering)
        except CheckFailed as error:
            tide = "+tide" if tiering.tide else ""
            raise CheckFailed(f"{policy}{tide}, {envelope.name}: {error}") from None
