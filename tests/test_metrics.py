"""Metrics: every definition on outcomes worked by hand, and what holds of any replay."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from support.corpora import few
from support.worlds import MS, World, drawn_worlds, idle_ranking, make_envelope, make_trace

from unison.device import Costs
from unison.errors import UnisonError
from unison.metrics import METRICS, Measured, measure, metric
from unison.replay.engine import replay
from unison.replay.outcomes import MISS, Cause, Counter, Outcomes
from unison.schemas import load_schema
from unison.traces.trace import Trace

READ_NS = (10.0, 100.0)  # of the tiers of make_envelope
PREFILL_NS = 1000.0
COSTS = Costs("made", 1, *READ_NS, 100.0, PREFILL_NS, 1000)
DEAR = Costs("made", 1, *READ_NS, 1000.0, 10_000.0, 1000)
"""A prefill that costs more than a read from any tier of a random world."""


def made_outcomes(
    tiers: list[int], reused: list[int], causes: list[Cause], lost_ms: list[int], **totals: int
) -> Outcomes:
    counters = np.zeros(len(Counter), dtype=np.int64)
    for name, total in totals.items():
        counters[Counter[name.upper()]] = total
    return Outcomes(
        hit_tier=np.asarray(tiers, dtype=np.int8),
        reused_tokens=np.asarray(reused, dtype=np.int64),
        placed_tier=np.zeros(len(tiers), dtype=np.int8),
        cause=np.asarray(causes, dtype=np.int8),
        lost_ns=np.asarray([-1 if lost < 0 else lost * MS for lost in lost_ms], dtype=np.int64),
        lost_by=np.full(len(tiers), -1, dtype=np.int64),
        counters=counters,
        used_token_ns=400.0,
        running_token_ns=100.0,
    )


def measured(outcomes: Outcomes, trace: Trace, costs: Costs = COSTS) -> Measured:
    return Measured(outcomes, trace, make_envelope(200, 200), costs)


def hand_worked() -> Measured:
    """Three sessions of 3, 2 and 1 turns.

    ===  =======  ====  ======  ===  ======  ===  ==============  ======
    row  session  turn  prompt  new  prefix  out  found           reused
    ===  =======  ====  ======  ===  ======  ===  ==============  ======
    0    0        0     100     100  -       10   miss, first     0
    1    0        1     120     10   110     10   hit in tier 0   110
    2    0        2     150     20   130     10   hit in tier 1   130
    3    1        0     50      50   -       0    miss, first     0
    4    1        1     80      30   50      0    miss, evicted   0
    5    2        0     20      20   -       0    miss, first     0
    ===  =======  ====  ======  ===  ======  ===  ==============  ======
    """
    trace = make_trace(
        [
            {"start": 0, "turns": [(0, 5, 100, 100, 10), (10, 5, 120, 10, 10), (10, 5, 150, 20, 10)]},
            {"start": 1, "turns": [(0, 5, 50, 50, 0), (40, 5, 80, 30, 0)]},  # row 4 arrives at 46 ms
            {"start": 2, "turns": [(0, 5, 20, 20, 0)]},
        ]
    )
    first, hit = Cause.FIRST_TURN, Cause.HIT
    outcomes = made_outcomes(
        [MISS, 0, 1, MISS, MISS, MISS],
        [0, 110, 130, 0, 0, 0],
        [first, hit, hit, first, Cause.EVICTED, first],
        [-1, -1, -1, -1, 16, -1],
        evictions=4, bypasses=3, promotions=2, useful_promotions=1, moved_tokens=300, decisions=9,
    )  # fmt: skip
    return measured(outcomes, trace)


WORKED = {
    "hit_rate": 2 / 6,
    "hit_rate_after_first": 2 / 3,
    # Sessions hit 2 of 3, 0 of 2 and 0 of 1 turns.
    "hit_rate_per_session": (2 / 3 + 0 + 0) / 3,
    # 2 of 2 and 0 of 1; the third session has no turn after its first.
    "hit_rate_per_session_after_first": (1 + 0) / 2,
    "sram_hit_rate": 1 / 6,
    "token_hit_rate": (110 + 130) / (110 + 130 + 50),
    "prefill_reduction": (110 + 130) / (100 + 120 + 150 + 50 + 80 + 20),
    # Misses prefill 100 + 50 + 80 + 20 = 250 tokens; the hits read 120 from tier 0 and 150 from tier 1.
    "amat_ns": (250 * 1000 + 120 * 10 + 150 * 100) / 6,
    # The hits read 110 and 130 and prefill 10 and 20.
    "amat_suffix_ns": (250 * 1000 + 110 * 10 + 10 * 1000 + 130 * 100 + 20 * 1000) / 6,
    # Requests are at least 1 ms apart and take at most 0.1 ms, so none waits: 11.1, 20, 33, 50, 80, 100 us.
    "ttft_p50_s": (33e-6 + 50e-6) / 2,
    # 0.99 of the five steps between six values is 4.95.
    "ttft_p99_s": 80e-6 + 0.95 * 20e-6,
    "bypass_share": 3 / 6,
    "running_share": 100 / 400,
    "miss_first_turn": 3 / 6,
    "miss_shrunk_prefix": 0.0,
    "miss_evicted": 1 / 6,
    "miss_timeout": 0.0,
    "miss_bypassed": 0.0,
    "regret_p50_s": (46 - 16) * 1e-3,
    "prefetch_accuracy": 1 / 2,
    "evictions": 4,
    "promotions": 2,
    "moved_tokens": 300,
    "decisions": 9,
}


def test_every_metric_is_worked_by_hand_here():
    assert list(WORKED) == [entry.name for entry in METRICS]


@pytest.mark.parametrize("name", WORKED)
def test_definition_gives_the_value_worked_by_hand(name: str):
    assert measure(hand_worked(), (name,)) == {name: pytest.approx(WORKED[name], rel=1e-12)}


def test_misses_by_timeout_bypass_and_shrunk_prefix_are_told_apart():
    # One session of 8 turns: first, three shrunk prefixes, two timeouts, one bypass, one hit.
    trace = make_trace([{"start": 0, "turns": [(1, 1, 10, 0, 0)] * 8}])
    causes = [Cause.FIRST_TURN, *[Cause.SHRUNK_PREFIX] * 3, *[Cause.TIMEOUT] * 2, Cause.BYPASSED, Cause.HIT]
    outcomes = made_outcomes([*[MISS] * 7, 0], [0] * 7 + [10], causes, [-1] * 8)
    found = measure(measured(outcomes, trace))
    shares = [
        found[f"miss_{cause}"] for cause in ("first_turn", "shrunk_prefix", "evicted", "timeout", "bypassed")
    ]
    assert shares == [1 / 8, 3 / 8, 0, 2 / 8, 1 / 8]


def test_regret_is_the_median_over_misses_after_an_eviction_only():
    # Rows 1, 2, 3 arrive at 11, 22 and 33 ms: evicted 1 ms, 8 ms and, by timeout, 30 ms before.
    trace = make_trace([{"start": 0, "turns": [(10, 1, 10, 0, 0)] * 4}])
    causes = [Cause.FIRST_TURN, Cause.EVICTED, Cause.EVICTED, Cause.TIMEOUT]
    outcomes = made_outcomes([MISS] * 4, [0] * 4, causes, [-1, 10, 14, 3])
    assert measure(measured(outcomes, trace), ("regret_p50_s",)) == {"regret_p50_s": 0.0045}


def test_prefix_that_was_never_held_is_not_reusable():
    # The second prompt claims a prefix of 90 tokens, but the first turn left only 10 + 5.
    trace = make_trace([{"start": 0, "turns": [(0, 1, 10, 10, 5), (1, 1, 100, 10, 0)]}])
    outcomes = made_outcomes([MISS, 0], [0, 15], [Cause.FIRST_TURN, Cause.HIT], [-1, -1])
    assert measured(outcomes, trace).reusable_tokens.tolist() == [0, 15]
    assert measure(measured(outcomes, trace), ("token_hit_rate",)) == {"token_hit_rate": 1.0}


def test_one_trace_and_one_lru_have_a_different_hit_rate_by_each_definition():
    # One tier of 100 tokens. Session 0 (four turns, 10 to 40 tokens) hits at 11, 22 and 33 ms. Session 1
    # (60, 90 and 95 tokens) hits at 6 ms, is evicted at 11 ms, since 20 + 90 do not fit, and misses at 47 ms.
    trace = make_trace(
        [
            {"start": 0, "turns": [(10, 1, prompt, 10, 0) for prompt in (10, 20, 30, 40)]},
            {"start": 2, "turns": [(0, 1, 60, 60, 0), (3, 1, 90, 30, 0), (40, 1, 95, 25, 0)]},
        ]
    )
    envelope = make_envelope(100)
    outcomes = replay(trace, idle_ranking(trace), envelope)
    assert outcomes.is_hit.tolist() == [False, True, True, True, False, True, False]
    names = tuple(entry.name for entry in METRICS if "hit_rate" in entry.name and "sram" not in entry.name)
    rates = measure(Measured(outcomes, trace, envelope, COSTS), names)
    assert rates == pytest.approx(
        {
            "hit_rate": 4 / 7,
            "hit_rate_after_first": 4 / 5,
            "hit_rate_per_session": (3 / 4 + 1 / 3) / 2,
            "hit_rate_per_session_after_first": (3 / 3 + 1 / 2) / 2,
            "token_hit_rate": (10 + 20 + 30 + 60) / (10 + 20 + 30 + 60 + 70),
        }
    )
    assert len(set(rates.values())) == len(rates)


# --- edge cases -----------------------------------------------------------------------------------------

ONE_TURN = make_trace([{"start": 3, "turns": [(0, 1, 7, 7, 1)]}])
ALL_REUSED = make_trace([{"start": 0, "turns": [(1, 1, 10 * k, 10, 0) for k in range(1, 6)]}])
NO_PROMPT = make_trace(
    [{"start": 0, "turns": [(1, 1, 0, 0, 4)] * 3}, {"start": 1, "turns": [(1, 1, 0, 0, 0)]}]
)


@pytest.mark.parametrize("capacity", [0, 1000])
@pytest.mark.parametrize("trace", [ONE_TURN, ALL_REUSED, NO_PROMPT], ids=["one turn", "reused", "no prompt"])
def test_edge_cases_give_numbers_that_json_can_hold(trace: Trace, capacity: int):
    envelope = make_envelope(capacity)
    found = measure(Measured(replay(trace, idle_ranking(trace), envelope), trace, envelope, COSTS))
    assert json.loads(json.dumps(found, allow_nan=False)) == found


def test_one_session_of_one_turn_has_no_rate_after_the_first():
    envelope = make_envelope(1000)
    found = measure(Measured(replay(ONE_TURN, idle_ranking(ONE_TURN), envelope), ONE_TURN, envelope, COSTS))
    assert found["miss_first_turn"] == 1
    for name in ("hit_rate_after_first", "hit_rate_per_session_after_first", "token_hit_rate"):
        assert found[name] == 0
    assert found["amat_ns"] == found["amat_suffix_ns"] == 7 * PREFILL_NS


def test_all_turns_after_the_first_hit_where_everything_fits():
    envelope = make_envelope(1000)
    outcomes = replay(ALL_REUSED, idle_ranking(ALL_REUSED), envelope)
    found = measure(Measured(outcomes, ALL_REUSED, envelope, COSTS))
    assert found["hit_rate"] == 4 / 5
    for name in ("hit_rate_after_first", "hit_rate_per_session_after_first", "token_hit_rate"):
        assert found[name] == 1
    assert found["prefill_reduction"] == (10 + 20 + 30 + 40) / (10 + 20 + 30 + 40 + 50)


def test_nothing_hits_where_nothing_fits():
    envelope = make_envelope(0)
    outcomes = replay(ALL_REUSED, idle_ranking(ALL_REUSED), envelope)
    found = measure(Measured(outcomes, ALL_REUSED, envelope, COSTS))
    assert [value for name, value in found.items() if "hit_rate" in name] == [0] * 6
    assert found["bypass_share"] == 1
    assert found["miss_bypassed"] == 4 / 5
    assert found["running_share"] == 0


def test_turns_without_prompt_cost_nothing():
    envelope = make_envelope(1000)
    outcomes = replay(NO_PROMPT, idle_ranking(NO_PROMPT), envelope)
    found = measure(Measured(outcomes, NO_PROMPT, envelope, COSTS))
    for name in ("prefill_reduction", "amat_ns", "amat_suffix_ns", "ttft_p50_s", "ttft_p99_s"):
        assert found[name] == 0


# --- any replay -----------------------------------------------------------------------------------------


def replayed(world: World) -> Measured:
    outcomes = replay(world.trace, world.ranking, world.envelope, world.tiering)
    return Measured(outcomes, world.trace, world.envelope, DEAR)


@few
@given(drawn_worlds())
def test_hits_and_misses_by_cause_sum_to_one(world: World):
    found = measure(replayed(world))
    misses = [value for name, value in found.items() if name.startswith("miss_")]
    assert len(misses) == len(Cause) - 1
    assert math.isclose(found["hit_rate"] + sum(misses), 1, rel_tol=1e-12)


@few
@given(drawn_worlds())
def test_every_metric_lies_in_the_range_of_the_published_schema(world: World):
    properties = load_schema("replay")["properties"]
    for name, value in measure(replayed(world)).items():
        assert 0 <= value <= properties[name].get("maximum", math.inf), name
        assert isinstance(value, int) == (properties[name]["type"] == "integer"), name


@few
@given(drawn_worlds())
def test_definitions_are_ordered(world: World):
    found = measure(replayed(world))
    assert found["sram_hit_rate"] <= found["hit_rate"] <= found["hit_rate_after_first"]
    assert found["prefill_reduction"] <= found["token_hit_rate"]
    assert found["ttft_p50_s"] <= found["ttft_p99_s"]
    # A prefilled suffix costs more than its read.
    assert found["amat_ns"] <= found["amat_suffix_ns"] * (1 + 1e-12)


@few
@given(drawn_worlds())
def test_infinite_cache_reuses_every_reusable_token(world: World):
    envelope = make_envelope(1 << 40)
    outcomes = replay(world.trace, idle_ranking(world.trace), envelope)
    whole = Measured(outcomes, world.trace, envelope, COSTS)
    expected = 1 if whole.reusable_tokens.sum() else 0
    assert measure(whole, ("token_hit_rate",)) == {"token_hit_rate": expected}


@few
@given(drawn_worlds())
def test_sums_by_session_add_up(world: World):
    whole = replayed(world)
    by_session = whole.per_session(whole.outcomes.is_hit)
    plain = [
        int(whole.outcomes.is_hit[whole.trace.corpus.session == session].sum())
        for session in range(whole.trace.corpus.n_sessions)
    ]
    assert by_session.tolist() == plain


# --- names ----------------------------------------------------------------------------------------------


def test_all_metrics_are_measured_by_default_in_their_order():
    assert list(measure(hand_worked())) == [entry.name for entry in METRICS]


def test_unknown_metric_names_the_nearest():
    with pytest.raises(UnisonError, match=r"unknown metric 'hitrate'; did you mean 'hit_rate'"):
        measure(hand_worked(), ("hitrate",))


def test_names_are_unique_and_every_metric_says_what_it_is():
    assert len({entry.name for entry in METRICS}) == len(METRICS)
    for entry in METRICS:
        assert metric(entry.name) is entry
        assert entry.meaning
        assert entry.unit in {"1", "ns", "s", "tokens"}


def test_published_schema_defines_exactly_the_metrics():
    schema = load_schema("replay")
    properties = schema["properties"]
    names = [entry.name for entry in METRICS]
    assert list(properties)[-len(names) :] == names
    assert schema["required"] == list(properties)
    for entry in METRICS:
        unit = "." if entry.unit == "1" else f" [{entry.unit}]."
        meaning = properties[entry.name]["description"]
        assert meaning == entry.meaning[0].upper() + entry.meaning[1:] + unit
