"""No policy but an oracle knows the future: another future leaves what was said before it unchanged."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from support import worlds
from support.policies import CAUSAL, assert_same_columns, build, by_name, columns_of, run
from support.worlds import MS, ROLES, TOOLS

from unison.policies.ranking import Ranking
from unison.policies.registry import PolicyEntry, get_policy
from unison.replay.tiering import Tiering
from unison.traces.trace import Trace

SEEDS = range(60)


def _random_turns(rng: random.Random, count: int, session: dict[str, Any], first_gap: int) -> None:
    for index in range(count):
        prompt = rng.randrange(1, 13)
        gap = first_gap if index == 0 else rng.choice((0, 1, 3, 8))
        turn = (gap, rng.choice((1, 2, 4)), prompt, rng.randrange(prompt + 1), rng.randrange(4))
        session["turns"].append(turn)
        session["tools"].append(rng.choice(TOOLS) if len(session["turns"]) > 1 else "")
        session["roles"].append(rng.choice(ROLES))


def _random_session(rng: random.Random, start: int) -> dict[str, Any]:
    session: dict[str, Any] = {"start": start, "turns": [], "tools": [], "roles": []}
    _random_turns(rng, rng.randrange(1, 9), session, first_gap=0)
    session["completed"] = rng.choice((1, 1, 0, -1))
    return session


def _with_another_future(rng: random.Random, session: dict[str, Any], now: int) -> tuple[dict[str, Any], int]:
    """The session with everything at or after `now` (ms) drawn again, and its pauses up to `now`.

    Known by then, and kept: the requests before `now`, and the tool awaited at a pause up to `now`.
    """
    other: dict[str, Any] = {"start": session["start"], "turns": [], "tools": [], "roles": []}
    end, pauses = session["start"], 0
    for index, (gap, service, *tokens) in enumerate(session["turns"]):
        arrival = end + (gap if index else 0)
        if arrival >= now:
            break
        runs_on = arrival + service > now
        end = max(arrival + service, now + 1 + rng.randrange(5)) if runs_on else arrival + service
        other["turns"].append((gap, end - arrival, *tokens))
        other["tools"].append(session["tools"][index])
        other["roles"].append(session["roles"][index])
        if runs_on:
            break
        pauses += 1
    done = len(other["turns"])
    other["completed"] = rng.choice((1, 0, -1))
    if done == len(session["turns"]) and pauses == done:
        other["completed"] = session["completed"]
    elif pauses < done:
        _random_turns(rng, rng.randrange(4), other, first_gap=rng.randrange(4))
    elif done == 0:
        return _random_session(rng, now + rng.randrange(9)), 0
    else:
        _random_turns(rng, 1 + rng.randrange(4), other, first_gap=now - end + rng.randrange(6))
        other["tools"][done] = session["tools"][done]
    return other, pauses


def _two_futures(seed: int) -> tuple[Trace, Trace, NDArray[np.int64], NDArray[np.int64], int]:
    """Two traces equal up to an instant, the rows of their pauses up to it, and the instant [ns]."""
    rng = random.Random(seed)
    sessions = [_random_session(rng, rng.randrange(20)) for _ in range(rng.randrange(1, 9))]
    now = rng.randrange(5, 40)
    changed = [_with_another_future(rng, session, now) for session in sessions]
    news = [_random_session(rng, now + rng.randrange(5)) for _ in range(rng.randrange(3))]
    trace = worlds.make_trace(sessions)
    other = worlds.make_trace([*(session for session, _ in changed), *news])
    pauses = [count for _, count in changed]
    rows = [
        np.concatenate([first + np.arange(n) for first, n in zip(t.corpus.first_row, pauses, strict=False)])
        for t in (trace, other)
    ]
    return trace, other, rows[0].astype(np.int64), rows[1].astype(np.int64), now * MS


def _differs(entry: PolicyEntry, seed: int) -> bool:
    trace, other, rows, other_rows, _ = _two_futures(seed)
    mine, theirs = build(entry, trace), build(entry, other)
    assert isinstance(mine, Ranking)
    assert isinstance(theirs, Ranking)
    try:
        assert_same_columns(columns_of(theirs, other_rows), columns_of(mine, rows))
    except AssertionError:
        return True
    return False


def test_the_two_futures_agree_up_to_the_instant_and_differ_after() -> None:
    differ = 0
    for seed in SEEDS:
        trace, other, rows, other_rows, now = _two_futures(seed)
        np.testing.assert_array_equal(trace.end_ns[rows], other.end_ns[other_rows])
        assert rows.size == (trace.end_ns <= now).sum() == (other.end_ns <= now).sum()
        assert (trace.arrival_ns < now).sum() == (other.arrival_ns < now).sum()
        np.testing.assert_array_equal(trace.ends_session[rows], other.ends_session[other_rows])
        differ += trace.corpus.n_turns != other.corpus.n_turns
    assert differ > len(SEEDS) // 2


@pytest.mark.parametrize("entry", [e for e in CAUSAL if not e.is_stateful], ids=by_name)
def test_the_columns_of_a_pause_do_not_depend_on_what_comes_after(entry: PolicyEntry) -> None:
    assert [seed for seed in SEEDS if _differs(entry, seed)] == []


def test_an_oracle_would_be_found_out() -> None:
    assert sum(_differs(get_policy("belady"), seed) for seed in SEEDS) > len(SEEDS) // 2


@pytest.mark.parametrize("entry", [e for e in CAUSAL if e.is_stateful], ids=by_name)
def test_the_decisions_before_an_instant_do_not_depend_on_what_comes_after(entry: PolicyEntry) -> None:
    decided = 0
    for seed in SEEDS:
        trace, other, _, _, now = _two_futures(seed)
        envelope, tiering = worlds.make_envelope(12, 20, slots=4), Tiering(tide=True)
        found = [run(entry, t, envelope, tiering).actions for t in (trace, other)]
        events = int((trace.arrival_ns < now).sum() + (trace.end_ns < now).sum())
        early = [actions[actions[:, 0] < events] for actions in found if actions is not None]
        np.testing.assert_array_equal(early[0], early[1], err_msg=f"seed {seed}")
        decided += len(early[0])
    assert decided > len(SEEDS)
