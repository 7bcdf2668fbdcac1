"""Time to first token: a stated queueing model over the outcomes of a replay.

One engine prefills requests first come, first served. A request's prefill takes the read of the tokens it
reuses, from the tier in which they were found, and the computation of the rest. Waiting does not move later
arrivals (an open queue), so that the schedule stays the trace's own.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unison.device import Costs
from unison.replay.envelope import Envelope
from unison.replay.jit import kernel
from unison.replay.outcomes import Outcomes
from unison.traces.trace import Trace


@kernel
def _first_come_first_served(arrival_ns, work_ns, order, ttft_ns):  # type: ignore[no-untyped-def]
    """Fill in each request's waiting plus service time (Lindley's recursion).

    A request waits for what is left of the time of the one before it, ``W = max(0, T' - (a - a'))``. No
    absolute time becomes a float, so that a long trace loses no digits.
    """
    last_arrival_ns = arrival_ns[order[0]]
    last_ttft_ns = 0.0
    for row in order:
        wait_ns = max(last_ttft_ns - (arrival_ns[row] - last_arrival_ns), 0.0)
        last_arrival_ns, last_ttft_ns = arrival_ns[row], wait_ns + work_ns[row]
        ttft_ns[row] = last_ttft_ns


def access_ns(outcomes: Outcomes, trace: Trace, envelope: Envelope, costs: Costs) -> NDArray[np.float64]:
    """Time to have each request's whole prompt in place: reads of what is reused, prefill of the rest.

    Parameters
    ----------
    outcomes : Outcomes
    trace : Trace
    envelope : Envelope
        Its tiers give the read costs.
    costs : Costs
        Gives the prefill cost.

    Returns
    -------
    float64 [turns]
        Nanoseconds.
    """
    read = np.asarray([tier.read_ns_per_token for tier in envelope.tiers])
    reused = outcomes.reused_tokens
    missing = trace.corpus.prompt_tokens - reused
    found = np.where(outcomes.is_hit, read[outcomes.hit_tier], 0.0)
    return reused * found + missing * costs.prefill_ns_per_token


def time_to_first_token(
    outcomes: Outcomes, trace: Trace, envelope: Envelope, costs: Costs
) -> NDArray[np.float64]:
    """Queueing delay plus prefill of each request [turns, ns]; the arguments are those of `access_ns`."""
    work = access_ns(outcomes, trace, envelope, costs)
    order = np.lexsort((trace.corpus.session, trace.arrival_ns))
    ttft = np.zeros(trace.corpus.n_turns)
    _first_come_first_served(trace.arrival_ns, work, order, ttft)
    return ttft
