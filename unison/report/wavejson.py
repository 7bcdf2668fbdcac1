"""A simulation's waveform as WaveJSON, which WaveDrom and its editor draw."""

from __future__ import annotations

from typing import Any

import pandas as pd

_SAME = "."
_VALUE, _NOTHING = "=", "z"
_HSCALE = 2
"""Widths of a clock cycle, so that a bus can show a word in one."""


def wave_json(frame: pd.DataFrame, title: str) -> dict[str, Any]:
    """The clock and one lane for each signal; ticks count from the first clock cycle shown.

    Parameters
    ----------
    frame : pandas.DataFrame
        ``cycle``, ``signal``, ``label``, ``is_bus``, ``value``, ``text`` (what a bus shows; missing where it
        says nothing), of every cycle, as `unison.experiments.fig11_timing.place_with_a_victim` gives them.
    title : str
    """
    first, last = int(frame["cycle"].min()), int(frame["cycle"].max())
    lanes: list[dict[str, Any]] = [{"name": "clock", "wave": "p" + _SAME * (last - first)}]
    for _, rows in frame.groupby("signal", sort=False):
        own = rows.sort_values("cycle")
        lanes.append((_bus if own["is_bus"].iloc[0] else _level)(own))
    return {"signal": lanes, "head": {"text": title, "tick": first}, "config": {"hscale": _HSCALE}}


def _level(rows: pd.DataFrame) -> dict[str, Any]:
    return {"name": str(rows["label"].iloc[0]), "wave": _shortened([str(value) for value in rows["value"]])}


def _bus(rows: pd.DataFrame) -> dict[str, Any]:
    texts = [text if isinstance(text, str) else None for text in rows["text"]]
    data = [
        text
        for before, text in zip([None, *texts], texts, strict=False)
        if text is not None and text != before
    ]
    marks = [_NOTHING if text is None else f"{_VALUE}{text}" for text in texts]
    return {"name": str(rows["label"].iloc[0]), "wave": _shortened(marks), "data": data}


def _shortened(marks: list[str]) -> str:
    """The first letter of each mark, or that it is as before."""
    return "".join(
        _SAME if mark == before else mark[0] for before, mark in zip(["", *marks], marks, strict=False)
    )
