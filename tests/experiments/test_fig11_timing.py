"""The timing picture: sampled from a simulation, answers compared, cycles counted as the paper does."""

from __future__ import annotations

import pandas as pd
import pytest

from unison.errors import UnisonError
from unison.experiments import fig11_timing as timing
from unison.experiments.fig11_timing import place_with_a_victim, span_labels, spans
from unison.rtl.config import default_config
from unison.rtl.cosim.toolchain import Skipped, find_toolchain
from unison.rtl.model import Response

N = 8


@pytest.fixture(scope="module")
def waves() -> pd.DataFrame:
    tools = find_toolchain()
    if isinstance(tools, Skipped):
        pytest.skip(str(tools))
    found = place_with_a_victim(default_config("scan_div", N))
    assert isinstance(found, pd.DataFrame)
    return found


def high(frame: pd.DataFrame, signal: str) -> list[int]:
    return frame[(frame["signal"] == signal) & (frame["value"] == 1)]["cycle"].tolist()


def shown(frame: pd.DataFrame, signal: str) -> list[str]:
    return frame[(frame["signal"] == signal) & frame["text"].notna()]["text"].tolist()


def test_the_transfer_is_that_of_the_bus_and_the_scan_reads_every_slot(waves):
    # setup in cycle 0, access with one wait state in 1 and 2
    assert high(waves, "psel_i") == [0, 1, 2]
    assert high(waves, "penable_i") == [1, 2]
    assert high(waves, "pready_o") == [2]
    assert shown(waves, "paddr_i") == ["EV_PUSH"] * 3
    assert shown(waves, "scan_slot") == [str(slot) for slot in range(N)]


def test_a_selection_of_the_papers_family_takes_n_plus_5_cycles(waves):
    first, last = spans(waves)["selection"]
    assert last - first + 1 == N + 5
    assert "selection: 13 cycles = N + 5" in span_labels(waves, N)


def test_the_responses_are_a_victim_and_the_end(waves):
    assert shown(waves, "u_control.response_kind_o") == ["VICTIM", "DONE"]
    # the session with the largest score, by the model, and no slot is shown without an answer
    (victim,) = shown(waves, "max_slot")
    assert victim == "slot 5"
    pushed = high(waves, "response_push")
    assert spans(waves)["event"] == (high(waves, "event_pop")[0], pushed[-1])
    assert waves["cycle"].max() == pushed[-1] + timing.AFTER


def test_a_span_that_is_not_in_the_picture_is_an_error(waves):
    with pytest.raises(UnisonError, match="never has select_done high"):
        spans(waves[waves["signal"] != "select_done"])


def test_answers_that_differ_from_the_models_are_an_error():
    config = default_config("scan_div", N)
    settings, fill, last = timing._scene(config)
    answers = timing.modelled(timing.engine_for(config, settings), timing.EventStream.of([*fill, last]))
    right = [answers[len(answers) - 2], answers[len(answers) - 1]]
    timing._check(config, settings, [*fill, last], right)
    wrong = [Response(right[0].info ^ 1 << 8, right[0].data), right[1]]
    for bad in (wrong, right[:1], []):
        with pytest.raises(UnisonError, match=r"the PLACE is answered by .*; the model says VICTIM slot 5"):
            timing._check(config, settings, [*fill, last], bad)


def test_without_a_compiler_it_is_skipped(monkeypatch):
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "")
    found = place_with_a_victim(default_config("scan_div", N))
    assert isinstance(found, Skipped)
    assert "no C++ compiler" in found.reason
