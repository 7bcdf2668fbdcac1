"""The study of the integer form on the two smallest corpora."""

from __future__ import annotations

import dataclasses

import pandas as pd
import pytest

from unison.errors import UnisonError
from unison.experiments import tab10_quantization as study_of
from unison.experiments.inputs import SMOKE_CORPORA
from unison.fixed_point import Contract, paper_contract
from unison.fixed_point.study import Gates, load_study
from unison.traces.library import load_corpus

STUDY = load_study()
CORPORA = [load_corpus(name) for name in SMOKE_CORPORA]
FINE = Contract(16, 64, 64, 1, 5 * 10**11)
PAPER = paper_contract()
OVERFLOWING = Contract(12, 24, 32, 1, 5 * 10**11)
CONTRACTS = [PAPER, dataclasses.replace(PAPER, score_bits=32), OVERFLOWING, FINE]


@pytest.fixture(scope="module")
def cells():
    return study_of.quantization_cells(CORPORA, CONTRACTS, STUDY, jobs=1)


@pytest.fixture(scope="module")
def grid(cells):
    return study_of.quantization_grid(cells, CONTRACTS, STUDY).set_index("point")


def test_there_is_a_cell_for_each_point_corpus_and_envelope(cells):
    assert len(cells) == len(CONTRACTS) * len(CORPORA) * len(STUDY.snapshots.envelopes)
    assert set(cells["envelope"]) == set(STUDY.snapshots.envelopes)
    assert not cells.isna().any().any()


def test_the_float_replay_is_common_to_all_points(cells):
    assert (cells.groupby(["corpus", "envelope"])[["hit_rate_float", "snapshots"]].nunique() == 1).all().all()


def test_the_drift_is_the_difference_from_the_float_replay(cells):
    pd.testing.assert_series_equal(
        cells["hit_drift"], cells["hit_rate"] - cells["hit_rate_float"], check_names=False
    )


def test_points_with_the_same_order_have_the_same_results(cells):
    # At 1 us no score of these corpora exceeds 32 bits: 4295 s of gap and penalty.
    same = cells[cells["point"] < 2].drop(columns="saturated_scores")
    one, two = (same[same["point"] == point].drop(columns="point").reset_index(drop=True) for point in (0, 1))
    pd.testing.assert_frame_equal(one, two)


def test_a_fine_form_agrees_better_than_one_that_overflows(grid):
    assert grid.loc[3, "top1"] > 0.998
    assert grid.loc[3, "tau_b"] > 0.998
    assert grid.loc[2, "top1"] < 0.95
    assert bool(grid.loc[2, "overflows"])
    assert not bool(grid.loc[3, "overflows"])


def test_the_gates_are_applied_to_the_worst_cell(cells):
    strict = dataclasses.replace(STUDY, gates=Gates(0.0, 0.0, 0.5))
    least = study_of.quantization_grid(cells, CONTRACTS, strict)
    worst = cells.groupby("point")["hit_drift"].apply(lambda drift: drift.abs().max())
    assert least["passes"].tolist() == [*(worst == 0).tolist()[:2], False, bool(worst[3] == 0)]


def test_the_preferred_of_the_passing_points_is_selected(cells):
    all_pass = dataclasses.replace(STUDY, gates=Gates(0.0, 100.0, 1.0))
    found = study_of.quantization_grid(cells[cells["point"] != 2], CONTRACTS, all_pass)
    assert found[found["is_selected"]]["point"].tolist() == [1]  # 76 bits against 108 and 144


def test_no_point_is_selected_if_none_passes(cells):
    none = dataclasses.replace(STUDY, gates=Gates(1.0, 0.0, 0.0))
    assert not study_of.quantization_grid(cells, CONTRACTS, none)["is_selected"].any()


def test_without_a_snapshot_nothing_passes(cells):
    counts = ["snapshots", "same_first", "live_snapshots", "live_same_first", "same_victim", "tau_b"]
    empty = study_of.quantization_grid(cells.assign(**dict.fromkeys(counts, 0)), CONTRACTS, STUDY)
    assert empty["top1"].isna().all()
    assert not empty["passes"].any()
    assert not empty["is_selected"].any()


def test_shares_pool_the_snapshots_of_all_cells(cells, grid):
    of_point = cells[cells["point"] == 2]  # the one at which first and victim disagree differently
    snapshots = of_point["snapshots"].sum()
    assert grid.loc[2, "top1"] == of_point["same_first"].sum() / snapshots
    assert grid.loc[2, "victim"] == of_point["same_victim"].sum() / snapshots
    assert grid.loc[2, "top1"] != grid.loc[2, "victim"]
    by_corpus = of_point.groupby("corpus")[["same_first", "snapshots"]].sum()
    assert grid.loc[2, "top1_least"] == (by_corpus["same_first"] / by_corpus["snapshots"]).min()


def test_drift_is_told_at_its_worst_and_on_average_by_size(cells, grid):
    sizes = cells[cells["point"] == 2]["hit_drift"].abs()
    assert grid.loc[2, "hit_drift_worst"] == sizes.max()
    assert grid.loc[2, "hit_drift_mean"] == pytest.approx(sizes.mean())
    assert sizes.max() > sizes.mean()


def test_the_table_by_corpus_ends_with_the_whole(cells, grid):
    chosen = grid.reset_index().assign(is_selected=[False, True, False, False])
    table = study_of.by_corpus(cells, chosen)
    assert table["which"].tolist() == ["paper"] * 3 + ["selected"] * 3
    assert table["corpus"].tolist() == [*SMOKE_CORPORA, "all"] * 2
    assert table["snapshots"].iloc[2] == table["snapshots"].iloc[:2].sum()


def test_other_seeds_are_counted_and_keep_the_worst():
    found = study_of.over_seeds(CORPORA[1:], [OVERFLOWING], STUDY, seeds=[0, 1], jobs=1).iloc[0]
    alone = [
        study_of.quantization_grid(
            study_of.quantization_cells(CORPORA[1:], [OVERFLOWING], STUDY, seeds=[seed], jobs=1),
            [OVERFLOWING],
            STUDY,
        ).iloc[0]
        for seed in (0, 1)
    ]
    drifts, shares = ([each[name] for each in alone] for name in ("hit_drift_worst", "top1"))
    assert len(set(drifts)) == len(set(shares)) == 2
    assert (found["seeds"], found["passed"]) == (2, 0)
    assert found["hit_drift_worst"] == max(drifts)
    assert found["top1_worst"] == min(shares)


def test_the_chosen_points_are_taken_at_every_hazard_width(grid):
    chosen = grid.reset_index().assign(is_selected=[False, True, False, False])
    found = study_of.at_all_hazard_bits(chosen, CONTRACTS, STUDY)
    assert [(c.hazard_bits, c.score_bits) for c in found] == [(b, s) for s in (64, 32) for b in (8, 10, 12)]


def test_an_unknown_envelope_is_refused():
    wrong = dataclasses.replace(
        STUDY, snapshots=dataclasses.replace(STUDY.snapshots, envelopes=("edge", "moon"))
    )
    with pytest.raises(UnisonError, match="moon"):
        study_of.quantization_cells(CORPORA[1:], CONTRACTS[:1], wrong, jobs=1)
