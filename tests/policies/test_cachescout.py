"""CacheScout: its graph of agents and its score, worked by hand."""

from __future__ import annotations

import math

import pytest
from support.policies import make_signals
from support.worlds import make_envelope, make_trace

from unison.errors import UnisonError
from unison.policies.cachescout import AgentGraph, CacheScout
from unison.policies.registry import build_policy, get_policy
from unison.replay.reference import ReferenceEngine
from unison.replay.resident import Decision
from unison.traces.trace import Trace

PLANNER, CODER, TESTER = range(3)


def decisions(
    trace: Trace, name: str = "cachescout", capacity: int = 10, **parameters: object
) -> list[Decision]:
    seen: list[Decision] = []
    built = build_policy(name, make_signals(trace), **parameters)
    ReferenceEngine(trace, built, make_envelope(capacity), observe=seen.append).run()
    return seen


def one_turn(start: int, length: int, role: str = "", *, completed: int = 0) -> dict:
    return {"start": start, "turns": [(0, 1, length, length, 0)], "roles": [role], "completed": completed}


def test_an_agent_that_nobody_followed_yet_may_be_followed_by_all() -> None:
    # p = epsilon / (epsilon K) = 1 / K: 1/2 with two agents, and 1/11 < tau with eleven.
    graph = AgentGraph(epsilon=0.01, tau=0.1)
    graph.see(PLANNER, None)
    graph.see(CODER, None)
    assert graph.successors(PLANNER) == {PLANNER, CODER}
    for agent in range(2, 11):
        graph.see(agent, None)
    assert graph.successors(PLANNER) == set()


def test_an_edge_needs_a_probability_of_tau() -> None:
    # The planner is followed 18 times by the coder and 2 times by the tester: 2.01 / 20.03 = 0.1003; once
    # more by the coder it is 2.01 / 21.03 = 0.0956.
    graph = AgentGraph(epsilon=0.01, tau=0.1)
    graph.see(PLANNER, None)
    for follower, count in ((CODER, 18), (TESTER, 2)):
        for _ in range(count):
            graph.see(follower, PLANNER)
    assert graph.successors(PLANNER) == {CODER, TESTER}
    graph.see(CODER, PLANNER)
    assert graph.successors(PLANNER) == {CODER}


def test_hops_are_the_fewest_edges_and_end_at_the_limit() -> None:
    # 0 -> 1 -> 2 -> 3 and 0 -> 2.
    graph = AgentGraph(epsilon=1e-6, tau=0.1)
    graph.see(0, None)
    for before, after in ((0, 1), (1, 2), (2, 3), (0, 2)):
        graph.see(after, before)
    graph.see(3, 3)
    assert graph.hops_from(0, 6) == {0: 0, 1: 1, 2: 1, 3: 2}
    assert graph.hops_from(0, 2) == {0: 0, 1: 1, 2: 1}
    assert graph.hops_from(3, 6) == {3: 0}


def test_the_score_is_minus_survival_times_recency_times_size() -> None:
    # A (planner, 4 tokens) is served in step 1, B (coder, 5) in step 2, C (planner, 6) in step 3, when one
    # has to go. From the planner, whom nobody has followed, the coder is one hop of 6 away.
    sessions = [one_turn(0, 4, "planner"), one_turn(2, 5, "coder"), one_turn(4, 6, "planner")]
    decision = decisions(make_trace(sessions))[0]
    delta, decay = 0.01, 0.005
    a = (1 + delta) * (math.exp(-2 * decay) + delta) * 4
    b = (1 - 1 / 6 + delta) * (math.exp(-1 * decay) + delta) * 5
    assert decision.scores == pytest.approx((-a, -b), rel=1e-12)  # exp may differ in the last place
    assert decision.sessions[decision.victim] == (0 if a < b else 1)


def test_an_agent_out_of_reach_goes_first() -> None:
    # The planner is always followed by the planner, so from it the coder cannot be reached: B goes, though A
    # is older. With one role for all it would be A.
    turns = [(0, 1, 4, 4, 0), (1, 1, 4, 0, 0)]

    def trace(role: str) -> Trace:
        first = {"start": 0, "turns": turns, "roles": ["planner"] * 2, "completed": 0}
        return make_trace([first, one_turn(5, 4, role), one_turn(8, 4, "planner")])

    assert decisions(trace("coder"))[0].victim == 1
    assert decisions(trace("planner"))[0].victim == 0


def test_transitions_are_counted_within_sessions_and_forgotten_at_the_start() -> None:
    # A goes planner -> coder -> planner; B, a tester, begins after A's first turn. B's survival after its own
    # request: 1. After A's second, from the coder, whom nobody has followed yet: one hop. After A's third,
    # from the planner, followed by the coder, and that by the planner: out of reach.
    turns = [(0, 1, 4, 4, 0), (9, 1, 4, 0, 0), (9, 1, 4, 0, 0)]
    first = {"start": 0, "turns": turns, "roles": ["planner", "coder", "planner"]}
    policy = build_policy(
        "cachescout", make_signals(make_trace([first, one_turn(5, 4, "tester")])), decay_per_step=0.0
    )
    assert isinstance(policy, CacheScout)
    for _ in range(2):
        policy.start(policy.signals.trace)
        policy.on_request(0, 0)
        survival = []
        for row in (3, 1, 2):
            policy.on_request(row, 0)
            survival.append(-policy.score(3, 0) / (4 * 1.01) - 0.01)
        assert survival == pytest.approx([1, 1 - 1 / 6, 0], abs=1e-12)


def test_with_one_role_the_smaller_and_older_goes_first() -> None:
    older = [one_turn(0, 5), one_turn(2, 5), one_turn(4, 5)]
    assert decisions(make_trace(older))[0].victim == 0
    smaller = [one_turn(0, 6), one_turn(2, 4), one_turn(4, 5)]
    assert decisions(make_trace(smaller))[0].victim == 1


def test_the_tools_variant_reads_tools_in_place_of_roles() -> None:
    # As in `test_an_agent_out_of_reach_goes_first`, with "web" for the coder; roles are all the same. Bash is
    # followed by bash; B's last turn answers web, which bash does not reach.
    def session(start: int, tool: str) -> dict:
        turns = [(0, 1, 4, 4, 0), (1, 1, 4, 0, 0), (1, 1, 4, 0, 0)]
        return {"start": start, "turns": turns, "tools": ["", tool, tool], "completed": 0}

    trace = make_trace([session(0, "bash"), session(10, "web"), session(20, "bash")])
    assert decisions(trace, capacity=8)[0].victim == 0
    last = trace.corpus.n_turns - 1
    policy = build_policy("cachescout_tools", make_signals(trace))
    assert isinstance(policy, CacheScout)
    policy.start(trace)
    for row in range(trace.corpus.n_turns):
        policy.on_request(row, 0)
    # From bash: bash 0 hops; web none, so delta alone is left of its survival.
    ratio = policy.score(5, 0) / policy.score(last, 0)
    recency = (math.exp(-0.005 * 3) + 0.01) / (1 + 0.01)
    assert ratio == pytest.approx(0.01 / 1.01 * recency, rel=1e-12)


def test_a_completed_session_goes_before_any_other() -> None:
    sessions = [one_turn(0, 1), one_turn(2, 5, completed=1), one_turn(4, 5)]
    assert decisions(make_trace(sessions))[0].victim == 1


@pytest.mark.parametrize(
    "given", [{"epsilon": 0.0}, {"tau": -1.0}, {"max_hops": 0}, {"decay_per_step": math.inf}, {"delta": -0.1}]
)
def test_a_parameter_out_of_range_is_refused(given: dict) -> None:
    trace = make_trace([one_turn(0, 1)])
    with pytest.raises(UnisonError, match=next(iter(given))):
        build_policy("cachescout", make_signals(trace), **given)


def test_both_variants_have_the_same_parameters() -> None:
    assert get_policy("cachescout").defaults() == get_policy("cachescout_tools").defaults()
