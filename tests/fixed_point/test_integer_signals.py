"""A trace as the hardware sees it, worked by hand, and the ranking that the replay runs."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.contracts import drawn_contracts
from support.worlds import MS, drawn_worlds, make_envelope, make_trace, run_both

from unison.errors import UnisonError
from unison.experiments.runner import signals_of
from unison.fixed_point import Contract, arithmetic, integer_ranking, integer_signals, paper_contract
from unison.hazard import fit_corpus
from unison.policies.registry import build_policy
from unison.replay.engine import replay
from unison.replay.reference import MAX_GAP_NS
from unison.replay.tiering import Tiering
from unison.traces.library import load_corpus
from unison.traces.synthetic import base_schedule

LOCKED = paper_contract()


def gaps_trace(*sessions: tuple[int, list[int]]):
    """Sessions (start, gaps), in ms, with services of 1 ms."""
    return make_trace(
        [
            {"start": start, "turns": [(0, 1, 5, 5, 1), *((g, 1, 8, 2, 1) for g in gaps)]}
            for start, gaps in sessions
        ]
    )


def reference_columns(signals, contract):
    """Prior, average and score of each pause, row by row in plain whole numbers."""
    corpus = signals.trace.corpus
    hazard = arithmetic.hazard_codes(signals.hazard.hazard_.tolist(), contract)
    emas, scores = [], []
    for row, turn in enumerate(corpus.turn.tolist()):
        gap = arithmetic.gap_code(int(corpus.gap_ns[row]), contract)
        if turn == 0:
            emas.append(arithmetic.gap_code(int(signals.first_gap_median_ns[row]), contract))
        else:
            emas.append(arithmetic.next_ema(gap, emas[-1], is_first=turn == 1))
        at = arithmetic.turn_code(turn + 1, len(hazard)) - 1
        scores.append(arithmetic.live_score(emas[-1], hazard[at], contract))
    return emas, scores


def test_averages_start_from_the_prior_and_the_first_gap_sets_them():
    # 5 s before any gap; the first session's first gap closes at 1 + 3700 ms, before the second pauses.
    signals = signals_of(gaps_trace((0, [3700, 1, 9000, 4000]), (5000, [2])))
    columns = integer_signals(signals, LOCKED)
    assert columns.ema.tolist() == [5_000_000, 3_700_000, 2_590_300, 4_513_210, 4_359_247, 3_700_000, 2_000]
    assert columns.gap.tolist() == [0, 3_700_000, 1_000, 9_000_000, 4_000_000, 0, 2_000]
    assert columns.prior.tolist()[0] == 5_000_000
    assert columns.prior.tolist()[5] == 3_700_000
    assert columns.turn.tolist() == [1, 2, 3, 4, 5, 1, 2]


def test_stored_gaps_saturate_before_they_are_averaged():
    # 16 bits of ms end at 65.535 s: (3 * 10,000 + 7 * 65,535) / 10 = 48,874.5
    contract = Contract(12, 16, 64, MS, 500_000)
    columns = integer_signals(signals_of(gaps_trace((0, [100_000, 10_000]))), contract)
    assert columns.ema.tolist() == [5000, 65_535, 48_874]


def test_turns_beyond_the_table_share_its_last_hazard():
    signals = signals_of(gaps_trace((0, [5] * 59)))
    columns = integer_signals(signals, LOCKED)
    assert columns.hazard.size == 50
    assert columns.turn.tolist()[48:] == [49] + [50] * 11


@given(world=drawn_worlds(), contract=drawn_contracts())
@settings(max_examples=60, deadline=None)
def test_columns_are_those_of_the_plain_numbers(world, contract):
    signals = signals_of(world.trace)
    columns = integer_signals(signals, contract)
    emas, scores = reference_columns(signals, contract)
    assert columns.ema.tolist() == emas
    assert columns.score.tolist() == scores


@given(world=drawn_worlds(), contract=drawn_contracts())
@settings(max_examples=60, deadline=None)
def test_the_ranking_orders_as_the_scores_do_ties_included(world, contract):
    columns = integer_signals(signals_of(world.trace), contract)
    try:
        ranking = integer_ranking(columns, 10**6)
    except UnisonError:
        return  # no rate for that unit
    score, base = columns.score.tolist(), ranking.base.tolist()
    for i in range(len(score)):
        for j in range(i):
            assert (score[i] > score[j], score[i] == score[j]) == (base[i] > base[j], base[i] == base[j])


@given(
    ema=st.lists(st.sampled_from([0, 2**64 - 1]) | st.integers(0, 2**64 - 1), min_size=1, max_size=10),
    dma_ps=st.sampled_from([1000, 1001, 1_536_000]) | st.integers(1000, 10**9),
)
@example(ema=[2**64 - 1], dma_ps=1000)
@settings(max_examples=200, deadline=None)
def test_the_replay_computes_the_hardwares_budget(ema, dma_ps):
    trace = gaps_trace((0, [1] * (len(ema) - 1)))
    wide = Contract(12, 64, 64, 1000, 5 * 10**8)
    columns = dataclasses.replace(integer_signals(signals_of(trace), wide), ema=np.asarray(ema, np.uint64))
    rate = arithmetic.dma_rate(dma_ps, wide)
    in_replay = np.minimum(integer_ranking(columns, dma_ps).gap_estimate_ns, MAX_GAP_NS) * 1000 // dma_ps
    largest = MAX_GAP_NS * 1000 // dma_ps
    assert in_replay.tolist() == [min(largest, arithmetic.token_budget(code, rate)) for code in ema]


def test_both_engines_replay_the_integer_ranking_alike():
    trace = gaps_trace(*((7 * i, [3 + i % 5, 11, 2 * i + 1]) for i in range(12)))
    envelope = make_envelope(20, 30, dma_ps=10**9)
    ranking = integer_ranking(integer_signals(signals_of(trace), LOCKED), envelope.dma_ps_per_token)
    run_both(trace, ranking, envelope, Tiering(tide=True))


def test_a_wide_contract_decides_as_the_float_ranking():
    trace = base_schedule(load_corpus("gaia-gemma4"))
    signals = signals_of(trace)
    envelope = make_envelope(12_000, 48_000, dma_ps=1_536_000)
    widest = Contract(16, 64, 64, 1, 5 * 10**11)
    exact = replay(trace, build_policy("spear", signals), envelope, Tiering())
    near = replay(trace, integer_ranking(integer_signals(signals, widest), 1_536_000), envelope, Tiering())
    assert abs(exact.is_hit.mean() - near.is_hit.mean()) < 0.002


@pytest.mark.parametrize(
    "change",
    [{"alpha": 0.5}, {"ema_init": "zero"}, {"hazard": None}],
    ids=["alpha", "start", "hazard"],
)
def test_signals_that_the_hardware_does_not_have_are_refused(change):
    with pytest.raises(UnisonError, match="integer_signals"):
        integer_signals(dataclasses.replace(signals_of(gaps_trace((0, [1]))), **change), LOCKED)


def test_a_cumulative_hazard_is_refused():
    trace = gaps_trace((0, [1]))
    with pytest.raises(UnisonError, match="surv='local'"):
        integer_signals(signals_of(trace, hazard=fit_corpus(trace.corpus, surv="cumulative")), LOCKED)


def test_a_dma_faster_than_a_token_a_nanosecond_is_refused():
    columns = integer_signals(signals_of(gaps_trace((0, [1]))), LOCKED)
    with pytest.raises(UnisonError, match="at least 1000"):
        integer_ranking(columns, 999)
