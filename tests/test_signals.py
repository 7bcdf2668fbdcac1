"""Signals: causal columns of a trace, worked by hand. Times are in ms unless they say otherwise."""

from __future__ import annotations

import numpy as np
import pytest
from support.policies import FixedHazard, make_signals
from support.worlds import MS, make_trace

from unison.errors import UnisonError
from unison.traces.trace import Trace

PRIOR_NS = 5_000_000_000
SECOND_MS = 1000


def trace_of(*sessions: tuple[int, list[int]], tools: list[list[str]] | None = None) -> Trace:
    """Sessions (start, gaps) with services of 1 ms; `tools` answered by each turn after the first."""
    made = []
    for number, (start, gaps) in enumerate(sessions):
        turns = [(0, 1, 5, 5, 1), *((gap, 1, 8, 2, 1) for gap in gaps)]
        names = ["" for _ in gaps] if tools is None else tools[number]
        made.append({"start": start, "turns": turns, "tools": ["", *names]})
    return make_trace(made)


def in_ms(column: np.ndarray) -> list[float]:
    return (column / MS).tolist()


def test_pause_turn_and_length_are_those_of_the_turn_that_ended() -> None:
    signals = make_signals(trace_of((3, [2])))
    assert in_ms(signals.pause_ns) == [4, 7]
    assert signals.turn.tolist() == [1, 2]
    assert signals.length.tolist() == [6, 9]


def test_sigma_is_read_at_the_turn_counted_from_one() -> None:
    signals = make_signals(trace_of((0, [2, 2])))
    np.testing.assert_array_equal(signals.sigma, FixedHazard().survival([1, 2, 3]))


@pytest.mark.parametrize(
    ("ema_init", "first", "expected_us"),
    [
        # By hand: gaps 3.7 s, 1 ms, 9 s, 4 s at alpha 0.3, the first gap taken as it is.
        ("first", 0, [3_700_000, 2_590_300, 4_513_210, 4_359_247]),
        ("prior", 5_000_000, [3_700_000, 2_590_300, 4_513_210, 4_359_247]),
        # 0.3 * 3.7 s = 1.11 s; 0.7 * 1.11 s + 0.3 ms = 0.7773 s; 0.54411 + 2.7; 2.270877 + 1.2.
        ("zero", 0, [1_110_000, 777_300, 3_244_110, 3_470_877]),
    ],
)
def test_gap_ema_by_its_start(ema_init: str, first: int, expected_us: list[int]) -> None:
    signals = make_signals(trace_of((0, [3700, 1, 9000, 4000])), ema_init=ema_init)
    assert (signals.gap_ema_ns / 1000).tolist() == [first, *expected_us]


def test_alpha_one_is_the_last_gap() -> None:
    signals = make_signals(trace_of((0, [7, 1, 30])), alpha=1.0)
    assert in_ms(signals.gap_ema_ns)[1:] == [7, 1, 30]


def test_before_its_first_gap_a_session_has_the_median_of_the_first_gaps_closed_before() -> None:
    # First gaps close at 5 (A, 4 long), at 9 (B, 8 long, though it began at 0) and at 21 (C).
    # D pauses at 5, when A's request comes, but a pause comes first: nothing is known. E at 6: [4].
    # F at 10: [4, 8] -> 6. C, which pauses at 11, has 6 as well.
    starts = [(0, [4]), (0, [8, 1]), (10, [10]), (4, []), (5, []), (9, [])]
    signals = make_signals(trace_of(*starts))
    firsts = signals.trace.corpus.first_row[:-1]
    prior = PRIOR_NS / MS
    assert in_ms(signals.first_gap_median_ns[firsts]) == [prior, prior, 6, prior, 4, 6]
    assert in_ms(signals.gap_ema_ns[firsts]) == [prior, prior, 6, prior, 4, 6]


def test_an_odd_number_of_first_gaps_has_its_middle_one_as_median() -> None:
    # First gaps 9, 1 and 5 close at 10, 2 and 6; the last session pauses at 31.
    signals = make_signals(trace_of((0, [9]), (0, [1]), (0, [5]), (30, [])))
    assert in_ms(signals.first_gap_median_ns)[-1] == 5


def test_tool_gap_mean_counts_only_gaps_closed_before_the_pause() -> None:
    # A awaits bash (gap 4) to 5 and bash (gap 8) to 14; B awaits web (gap 20) from 1 to 21.
    # C, D, E pause at 5, 6, 15 and await bash, for longer than all.
    trace = trace_of(
        (0, [4, 8]),
        (0, [20]),
        (4, [50]),
        (5, [50]),
        (14, [50]),
        tools=[["bash", "bash"], ["web"], ["bash"], ["bash"], ["bash"]],
    )
    signals = make_signals(trace)
    prior = PRIOR_NS / MS
    # A pauses at 1 (nothing known), at 6 (one gap of bash, 4), at 15 (awaits the user: all gaps, 4 and 8).
    # B pauses at 1 and at 22 (awaits the user: 4, 8 and 20 -> 10 2/3, rounded down to a ns).
    mean = in_ms(signals.tool_gap_mean_ns)
    assert mean[:4] == [prior, 4, 6, prior]
    assert mean[4] == (32 * MS // 3) / MS
    assert [mean[5], mean[7], mean[9]] == [prior, 4, 6]


def test_tool_residual_mean_is_of_the_overruns_alone() -> None:
    # Bash: A's gap 4 s is within the prior of 5 s; B's 8 s, forecast at 5 s (nothing known at 1 ms), is 3 s
    # over; C's, which began after both, at the mean of 6 s, is 10 s: 4 s over. D pauses last: 3.5 s.
    gaps = [(0, [4]), (0, [8]), (20, [10]), (100, [1])]
    trace = trace_of(
        *((start * SECOND_MS, [gap * SECOND_MS for gap in of]) for start, of in gaps), tools=[["bash"]] * 4
    )
    signals = make_signals(trace)
    last = trace.corpus.first_row[3]
    assert in_ms(signals.tool_residual_mean_ns)[last] == 3.5 * SECOND_MS
    assert in_ms(signals.tool_residual_mean_ns)[0] == PRIOR_NS / MS


@pytest.mark.parametrize("options", [{"alpha": 0.0}, {"alpha": 1.1}, {"ema_init": "prio"}])
def test_an_option_out_of_range_is_refused(options: dict) -> None:
    with pytest.raises(UnisonError, match=next(iter(options))):
        make_signals(trace_of((0, [])), **options)
