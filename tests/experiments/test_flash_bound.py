"""The bound holds for what is counted, which begins after HBM has filled."""

import numpy as np
import pytest

from unison.config import load_defaults
from unison.experiments.flash_cells import BOUND, MAIN, Cell, Prepared
from unison.experiments.tab12_flash_corpora import SHOWN, flash_corpora
from unison.flash.bound import packing_bound
from unison.flash.policies import all_placements


@pytest.fixture(scope="module")
def prepared() -> Prepared:
    return Prepared(Cell("mixed", "llama-4-maverick", "hbm4", "tight", seed=1, profile="smoke"))


def test_a_part_of_the_run_is_not_counted(prepared):
    whole = prepared.setting.timeline
    assert 0 < prepared.warm_ns < whole.duration_ns
    placed = prepared.run(prepared.build(MAIN[0]))
    counted = whole.write_ns >= prepared.warm_ns
    assert placed.books.written == int(whole.blocks(prepared.setting.block_tokens)[counted].sum())
    assert placed.books.written < int(whole.blocks(prepared.setting.block_tokens).sum())


def test_no_placement_writes_less_of_what_is_counted(prepared):
    best = prepared.run(prepared.build(BOUND)).books.flash
    others = [prepared.run(entry.build(prepared.setting)).books.flash for entry in all_placements()]
    assert best == min(others)


def test_the_bound_keeps_as_many_counted_blocks_as_the_linear_programme_allows(prepared):
    run = prepared.setting.timeline
    counted = np.flatnonzero(run.write_ns >= prepared.warm_ns)
    blocks = run.blocks(prepared.setting.block_tokens)[counted]
    ends = run.free_ns[run.segment][counted]
    most = packing_bound(run.write_ns[counted], ends, blocks, prepared.setting.capacity)
    assert prepared.run(prepared.build(BOUND)).books.kept == pytest.approx(most)


def test_on_ordinary_corpora_every_case_has_a_row_and_the_bound_the_longest_life():
    table = flash_corpora("smoke", jobs=1)
    cases = table["corpus"].nunique() * len(load_defaults("smoke").flash_study.corpus_shares)
    assert table["policy"].value_counts().to_dict() == dict.fromkeys(SHOWN, cases)
    best = table.loc[table.groupby(["corpus", "share"])["improvement"].idxmax(), "policy"]
    assert set(best) == {BOUND}
