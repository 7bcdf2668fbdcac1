"""The bound holds for what is counted, which begins after HBM has filled."""

import numpy as np
import pytest

from unison.experiments.flash_cells import BOUND, MAIN, Cell, Prepared
from unison.experiments.tab12_flash_corpora import SHARES, SHOWN, flash_corpora
from unison.flash.bound import packing_bound
from unison.flash.policies import all_placements
from unison.flash.policies.on_evict import EvictLongest


class FlushedFirst(EvictLongest):
    """Empties HBM before counting begins, and knows the future then; writes every other block to flash."""

    def __init__(self, setting) -> None:
        run = setting.timeline
        super().__init__(run.free_ns[run.segment].astype(np.float64), run.n_segments, admits_all=False)
        self._from = setting.counted_ns

    def prefers_hbm(self, now, segment, need, write) -> bool:
        return now >= self._from and super().prefers_hbm(now, segment, need, write)


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
    assert best == prepared.run(FlushedFirst(prepared.setting)).books.flash


def test_the_bound_keeps_as_many_counted_blocks_as_the_linear_programme_allows(prepared):
    run = prepared.setting.timeline
    counted = np.flatnonzero(run.write_ns >= prepared.warm_ns)
    blocks = run.blocks(prepared.setting.block_tokens)[counted]
    ends = run.free_ns[run.segment][counted]
    most = packing_bound(run.write_ns[counted], ends, blocks, prepared.setting.capacity)
    assert prepared.run(prepared.build(BOUND)).books.kept == pytest.approx(most)


def test_on_ordinary_corpora_every_case_has_a_row_and_the_bound_the_longest_life():
    table = flash_corpora("smoke", jobs=1)
    cases = table["corpus"].nunique() * len(SHARES)
    assert table["policy"].value_counts().to_dict() == dict.fromkeys(SHOWN, cases)
    best = table.loc[table.groupby(["corpus", "share"])["improvement"].idxmax(), "policy"]
    assert set(best) == {BOUND}
