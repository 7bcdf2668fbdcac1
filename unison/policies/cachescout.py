"""CacheScout: survival by the agents' transition graph, times recency, times size."""

from __future__ import annotations

import math
from collections import Counter, defaultdict

from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.policies.registry import InfoClass, policy
from unison.policies.stateful import StatefulPolicy
from unison.signals import Signals
from unison.traces.trace import Trace

CITATION = "CacheScout (arXiv 2608.14624), constants of its replication in UNISON section V"
CONSTANTS = {name: f"cachescout.{name}" for name in ("epsilon", "tau", "max_hops", "decay_per_step", "delta")}


class AgentGraph:
    """Which agent follows which, counted online: an edge a -> b where p(b | a) >= tau.

    ``p(b | a) = (c[a, b] + epsilon) / (sum over b of c[a, b] + epsilon K)``, with K agents seen so far.

    Parameters
    ----------
    epsilon : float
        Added to every count.
    tau : float
        Least probability of an edge.
    """

    def __init__(self, epsilon: float, tau: float) -> None:
        self.epsilon = epsilon
        self.tau = tau
        self._agents: set[int] = set()
        self._followers: defaultdict[int, Counter[int]] = defaultdict(Counter)

    def see(self, agent: int, previous: int | None) -> None:
        """Count a turn of an agent, and the agent of the session's turn before if there was one."""
        self._agents.add(agent)
        if previous is not None:
            self._followers[previous][agent] += 1

    def successors(self, agent: int) -> set[int]:
        """The agents that an edge leads to from this one."""
        counts = self._followers[agent]
        total = counts.total() + self.epsilon * len(self._agents)
        if self.epsilon / total >= self.tau:
            return self._agents
        return {follower for follower, count in counts.items() if (count + self.epsilon) / total >= self.tau}

    def hops_from(self, agent: int, max_hops: int) -> dict[int, int]:
        """Fewest edges to every agent that is less than `max_hops` away, this one (0) included."""
        hops = {agent: 0}
        frontier = {agent}
        for distance in range(1, max_hops):
            frontier = {b for a in frontier for b in self.successors(a)} - hops.keys()
            if not frontier:
                break
            hops |= dict.fromkeys(frontier, distance)
        return hops


@policy(
    "cachescout",
    title="the least agent survival times recency times size; the agent is the turn's role",
    citation=CITATION,
    info=InfoClass.F3,
    sees_completion=True,
    is_stateful=True,
    is_ablation=False,
    **CONSTANTS,
)
class CacheScout(StatefulPolicy):
    """CacheScout: evicts the least ``(p_surv + delta) (exp(-lambda age) + delta) size``.

    The agent of a session is the role of its latest turn, the current agent that of the latest request;
    ``p_surv = max(1 - hops / E_max, 0)`` with hops from the current agent in the `AgentGraph`. Size is the
    session's length in tokens, and age is counted in steps: requests served, of all sessions, since the
    session's own latest. On a trace with one role p_surv is 1, and recency times size is left.

    Parameters
    ----------
    signals : Signals
    epsilon, tau : float
        Of the `AgentGraph`.
    max_hops : int
        E_max, hops at which the survival is 0.
    decay_per_step : float
        lambda.
    delta : float
        Added to both factors.

    Raises
    ------
    UnisonError
        If a parameter is out of range.

    Notes
    -----
    Deviations: no prefetch of the likeliest successor, since a session that was evicted has no copy to bring
    back and Tide is the harness's only mover; and the survival is not averaged over recent sessions.
    """

    def __init__(
        self,
        signals: Signals,
        *,
        epsilon: float,
        tau: float,
        max_hops: int,
        decay_per_step: float,
        delta: float,
    ) -> None:
        super().__init__(signals)
        given = {"epsilon": epsilon, "tau": tau, "decay_per_step": decay_per_step, "delta": delta}
        for name, value in given.items():
            if not 0 <= value < math.inf:
                raise UnisonError(f"cachescout: {name} must be finite and at least 0; given {value}")
        if epsilon == 0:
            raise UnisonError("cachescout: epsilon must be above 0, for agents that nobody followed yet")
        if max_hops < 1:
            raise UnisonError(f"cachescout: max_hops must be at least 1; given {max_hops}")
        self.epsilon = epsilon
        self.tau = tau
        self.max_hops = max_hops
        self.decay_per_step = decay_per_step
        self.delta = delta

    def agents_of(self, trace: Trace) -> NDArray:
        """The agent of each turn, known at its request [turns]."""
        return trace.corpus.role

    def start(self, trace: Trace) -> None:
        """Forget any earlier replay."""
        self._agent: list[int] = self.agents_of(trace).tolist()
        self._is_first: list[bool] = (trace.corpus.turn == 0).tolist()
        self._length: list[int] = trace.corpus.length.tolist()
        self._touched = [0] * trace.corpus.n_turns
        self._graph = AgentGraph(self.epsilon, self.tau)
        self._step = 0
        self._current = 0
        self._hops: dict[int, int] | None = None

    def on_request(self, row: int, now_ns: int) -> None:
        """Count a step and a transition; the request's agent becomes the current one."""
        self._step += 1
        self._touched[row] = self._step
        self._current = self._agent[row]
        self._graph.see(self._current, None if self._is_first[row] else self._agent[row - 1])
        self._hops = None

    def on_end(self, row: int, now_ns: int, completes: bool) -> None:
        """Nothing to learn from the end of a turn."""

    def score(self, row: int, idle_ns: int) -> float:
        """Minus the utility of the session whose current turn is `row`."""
        if self._hops is None:
            self._hops = self._graph.hops_from(self._current, self.max_hops)
        hops = self._hops.get(self._agent[row], self.max_hops)
        survival = 1 - hops / self.max_hops
        recency = math.exp(-self.decay_per_step * (self._step - self._touched[row]))
        return -(survival + self.delta) * (recency + self.delta) * self._length[row]


@policy(
    "cachescout_tools",
    title="CacheScout with the tool that a turn answers as its agent",
    citation=f"{CITATION}; tools as pseudo-roles are ours",
    info=InfoClass.F3,
    sees_completion=True,
    is_stateful=True,
    is_ablation=False,
    **CONSTANTS,
)
class CacheScoutTools(CacheScout):
    """CacheScout on pseudo-roles, so that traces with one role are a fair test of it.

    The agent of a turn is the tool whose wait preceded it.
    """

    def agents_of(self, trace: Trace) -> NDArray:
        """The tool that each turn answers [turns]."""
        return trace.corpus.tool
