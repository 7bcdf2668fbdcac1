"""Segments of an imported corpus."""

from __future__ import annotations

import numpy as np
import pytest
from support.segments import place, setting_of

from unison.flash.adapter import segments_of
from unison.flash.policies import get_placement
from unison.flash.segments import SegmentClass
from unison.traces.corpus import Corpus
from unison.traces.trace import schedule


def corpus(tools: list[str], prompts: list[int], role: str = "main") -> Corpus:
    """One session of a turn a second, each with 100 tokens of output."""
    count = len(tools)
    names = tuple(sorted({"", *tools}))
    prompt = np.array(prompts, dtype=np.int64)
    fresh = np.maximum(np.diff(prompt, prepend=0) - np.where(np.arange(count) > 0, 100, 0), 1)
    zero = np.zeros(count, dtype=np.int64)
    return Corpus(
        name="log",
        session=zero.astype(np.int32),
        turn=np.arange(count, dtype=np.int32),
        gap_ns=np.where(np.arange(count) > 0, 1_000_000_000, 0),
        service_ns=np.full(count, 1_000_000_000, dtype=np.int64),
        arrival_ns=2_000_000_000 * np.arange(count),
        prompt_tokens=prompt,
        new_prompt_tokens=fresh,
        output_tokens=np.full(count, 100, dtype=np.int64),
        tool=np.array([names.index(tool) for tool in tools], dtype=np.int16),
        tools=names,
        role=zero.astype(np.int16),
        roles=(role,),
        completed=np.ones(1, dtype=np.int8),
        tokens_estimated=np.zeros(count, dtype=np.bool_),
        timing_estimated=np.zeros(count, dtype=np.bool_),
    )


def segments(*args, **options):
    return segments_of(schedule(corpus(*args, **options), concurrency=1.0, seed=0))


def test_thinking_ends_at_the_users_next_message():
    run = segments(["", "Bash", "user", "Bash"], [1000, 1200, 1400, 1600])
    kinds = run.seg_class.tolist()
    assert kinds.count(SegmentClass.REASONING) == 2
    assert kinds.count(SegmentClass.SURVIVING) == 1
    thinking = np.flatnonzero(run.seg_class == SegmentClass.REASONING)
    # The third turn, 4 s after the first, is the user's.
    assert (run.free_ns - run.spawn_ns)[thinking[0]] == 4_000_000_000
    share = run.tokens[np.isin(run.segment, thinking)].sum() / 400
    assert 0.65 <= share <= 0.83


def test_every_written_token_is_in_a_segment():
    run = segments(["", "Bash", "user"], [1000, 1200, 1400])
    assert run.tokens.sum() == 1000 + 100 + 100 + 3 * 100


def test_a_shrunk_prompt_ends_the_surviving_segment():
    run = segments(["", "Bash", "Bash"], [1000, 1200, 300])
    assert run.seg_class.tolist().count(SegmentClass.SURVIVING) == 2


def test_a_sub_agent_is_one_worker():
    run = segments(["", "Bash"], [1000, 1200], role="sub:Explore")
    assert run.seg_class.tolist() == [SegmentClass.WORKER]
    assert run.records[0].text == "sub Explore"


@pytest.mark.parametrize("name", ["hbm_first", "lachesis_deterministic", "remaining_life", "bound"])
def test_an_imported_run_can_be_placed(name):
    run = segments(["", "Bash", "user", "Bash"], [1000, 1200, 1400, 1600])
    books = place(run, get_placement(name).build(setting_of(run, 40)), 40).books
    assert books.written == run.blocks(16).sum()
