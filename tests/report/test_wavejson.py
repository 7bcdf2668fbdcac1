"""WaveJSON of a waveform: lanes by hand, and WaveDrom draws them."""

import json
import xml.etree.ElementTree as ET

import pandas as pd
import pytest
import wavedrom

from unison.report.wavejson import wave_json


def lane(signal: str, label: str, values: list[int], texts: list[str | None] | None = None) -> list[dict]:
    return [
        {"cycle": at - 1, "signal": signal, "label": label, "is_bus": texts is not None, "value": value,
         "text": texts[at] if texts else None}
        for at, value in enumerate(values)
    ]  # fmt: skip


@pytest.fixture
def frame() -> pd.DataFrame:
    rows = lane("psel_i", "PSEL", [0, 1, 1, 0, 1])
    rows += lane("slot", "slot read", [0, 3, 3, 4, 4], [None, "3", "3", "4", None])
    return pd.DataFrame(rows)


def test_a_level_is_written_when_it_changes_and_a_bus_when_it_says_something_else(frame):
    document = wave_json(frame, "one event")
    assert document["head"] == {"text": "one event", "tick": -1}
    assert document["signal"] == [
        {"name": "clock", "wave": "p...."},
        {"name": "PSEL", "wave": "01.01"},
        {"name": "slot read", "wave": "z=.=z", "data": ["3", "4"]},
    ]


def test_a_value_that_comes_again_after_silence_is_told_again():
    rows = lane("slot", "slot read", [3, 0, 3], ["3", None, "3"])
    (_, bus) = wave_json(pd.DataFrame(rows), "x")["signal"]
    assert bus == {"name": "slot read", "wave": "=z=", "data": ["3", "3"]}


def test_wavedrom_draws_every_lane_and_value(frame):
    drawn = wavedrom.render(json.dumps(wave_json(frame, "one event"))).tostring()
    texts = {element.text for element in ET.fromstring(drawn).iter() if element.text}
    assert {"PSEL", "slot read", "3", "4", "one event", "-1"} <= texts
