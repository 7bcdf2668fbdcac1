"""Replaying a trace: the public entry, which chooses the engine."""

from __future__ import annotations

from unison.policies.ranking import Ranking
from unison.policies.stateful import StatefulPolicy
from unison.replay.envelope import Envelope
from unison.replay.outcomes import Outcomes
from unison.replay.prepared import prepare
from unison.replay.reference import ReferenceEngine
from unison.replay.state import N_ACTIONS
from unison.replay.tiering import Tiering
from unison.traces.trace import Trace


def replay(
    trace: Trace,
    policy: Ranking | StatefulPolicy,
    envelope: Envelope,
    tiering: Tiering | None = None,
    *,
    record: bool = False,
    use_heap: bool | None = None,
) -> Outcomes:
    """Replay a trace under a policy: the compiled kernel for a ranking, the reference for a stateful policy.

    Parameters
    ----------
    trace : Trace
    policy : Ranking or StatefulPolicy
        Made from the same trace.
    envelope : Envelope
    tiering : Tiering, optional
        No Tide by default.
    record : bool
        Keep the actions taken.
    use_heap : bool, optional
        Order the candidates by heaps or by scans; the answers are the same. By default the faster.

    Returns
    -------
    Outcomes

    Raises
    ------
    UnisonError
        If ranking and trace differ in length, or a heap is asked for an order that changes with time.
    """
    tiering = Tiering() if tiering is None else tiering
    if isinstance(policy, StatefulPolicy):
        return ReferenceEngine(trace, policy, envelope, tiering).run()
    prepared = prepare(trace, policy, envelope, tiering, use_heap=use_heap)
    room = 0
    if record:
        counted = prepared.start()
        prepared.run(counted)
        room = int(counted.state.scalars[N_ACTIONS])
    work = prepared.start(room)
    prepared.run(work)
    return prepared.outcomes(work, record=record)
