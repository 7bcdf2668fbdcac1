"""Damaged logs: the importer raises nothing but UnisonError and writes no unsound corpus."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from support import logs
from support.logs import SAMPLES, Sample

from unison.traces.corpus import UNKNOWN
from unison.traces.importers import Imported, import_traces

JSON_SAMPLES = [sample for sample in SAMPLES if sample.log_format != "table"]

EXAMPLES = 20

EDITS = st.tuples(
    st.floats(0, 1, exclude_max=True),
    st.sampled_from(["set", "cut", "add", "copy"]),
    st.binary(max_size=6),
)
"""Where (a share of the file), what is done there, and with which bytes."""


def imported(path: Path, log_format: str, content: bytes) -> Imported:
    path.write_bytes(content)
    return import_traces(log_format, path, name="x")


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(edits=st.lists(EDITS, min_size=1, max_size=4))
def test_damaged_bytes_give_a_sound_corpus_or_a_named_problem(sample: Sample, edits, tmp_path: Path):
    content = bytearray(sample.content)
    for share, kind, data in edits:
        at = int(share * len(content))
        if kind == "set":
            content[at : at + len(data)] = data
        elif kind == "cut":
            del content[at : len(content) if len(data) == 6 else at + 1 + len(data)]
        elif kind == "add":
            content[at:at] = data
        else:
            content[at:at] = content[at : at + 40]
    _check_sound(imported(tmp_path / sample.name, sample.log_format, bytes(content)))


ODD = st.sampled_from(
    [None, True, -1, 0, 1, 2**53, 2**80, 1e308, -0.5, "", "text", "user", [], [1], {}, {"a": 1}, float("nan")]
)


@pytest.mark.parametrize("sample", JSON_SAMPLES, ids=lambda sample: sample.name)
@settings(max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_odd_values_give_a_sound_corpus_or_a_named_problem(sample: Sample, data, tmp_path: Path):
    is_lines = sample.name.endswith(".jsonl")
    texts = sample.content.splitlines() if is_lines else [sample.content]
    records: Any = [json.loads(text) for text in texts]
    for _ in range(data.draw(st.integers(1, 3))):
        at = records
        while True:
            keys = list(at) if isinstance(at, dict) else list(range(len(at)))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            if isinstance(at[key], dict | list) and data.draw(st.integers(0, 5)):
                at = at[key]
                continue
            at[key] = copy.deepcopy(data.draw(ODD))
            break
    content = logs.json_lines(records) if is_lines else json.dumps(records[0]).encode()
    _check_sound(imported(tmp_path / sample.name, sample.log_format, content))


def _check_sound(outcome: Imported) -> None:
    """Either there is a corpus, which was validated when it was built, or a problem says why not."""
    if outcome.corpus is None:
        assert outcome.log.problems
        return
    corpus = outcome.corpus
    assert (corpus.new_prompt_tokens <= corpus.prompt_tokens).all()
    assert (corpus.gap_ns >= UNKNOWN).all()
    assert (corpus.turns_per_session > 0).all()
