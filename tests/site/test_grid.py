"""The data of the interactive page says what the tables say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pandas as pd
import pytest
from support.sites import grid_frame

from unison.errors import UnisonError
from unison.report.style import policy_look
from unison.site.grid import AXES, MEASURES, Grid, compact, read_grid


def written(folder: Path, frame: pd.DataFrame, name: str = "tab09_grid.csv") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    frame.to_csv(path, index=False)
    return folder


def loaded(folder: Path) -> Grid:
    grid = read_grid(folder)
    assert grid is not None
    return grid


def cells_frame() -> pd.DataFrame:
    rows = [
        {
            "corpus": "small",
            "load": load,
            "live_share": share,
            "policy": policy,
            "hit_rate": 0.5 + gain / load,
        }
        for load in (1, 2)
        for share in (0.5, 1.0)
        for policy, gain in (("lru", 0.0), ("spear", 0.1))
    ]
    return pd.DataFrame(rows)


def test_every_cell_of_the_table_is_in_the_data(tmp_path: Path) -> None:
    frame = grid_frame()
    data = compact(loaded(written(tmp_path, frame)))
    corpora = {corpus["name"]: corpus for corpus in data["corpora"]}
    names = [policy["name"] for policy in data["policies"]]
    for row in frame.itertuples():
        corpus = corpora[f"{row.corpus}, dispersion moved"]
        at = corpus["cells"]
        for axis in AXES:
            at = at[corpus["axes"][axis].index(getattr(row, axis))]
        expected = [round(getattr(row, measure) * data["scale"]) for measure in MEASURES]
        assert at[names.index(row.policy)] == expected


def test_policies_look_as_in_the_figures(tmp_path: Path) -> None:
    data = compact(loaded(written(tmp_path, grid_frame())))
    assert {policy["name"]: policy["color"] for policy in data["policies"]} == {
        name: policy_look(name).color for name in ("belady", "lru", "lru_completion", "spear+tide")
    }


def test_a_missing_cell_is_null_and_missing_measures_too(tmp_path: Path) -> None:
    frame = grid_frame().drop(columns=["low", "high"]).iloc[1:]
    data = compact(loaded(written(tmp_path, frame)))
    first = data["corpora"][0]["cells"][0][0][0]
    assert sum(cell is None for cell in first) == 1
    assert all(cell[1] is None and cell[2] is None for cell in first if cell)
    json.dumps(data, allow_nan=False)


def test_table_two_at_load_one_stands_in_for_the_grid(tmp_path: Path) -> None:
    grid = loaded(written(tmp_path, cells_frame(), "tab02_cells.csv"))
    assert grid.files == ("tab02_cells.csv",)
    assert len(grid.frame) == 4
    (corpus,) = compact(grid)["corpora"]
    assert corpus["axes"] == {"dispersion": [None], "session_share": [None], "capacity_share": [0.5, 1.0]}
    assert corpus["cells"][0][0][0][1][0] == 6000


def test_the_corpora_as_they_are_follow_those_of_the_grid(tmp_path: Path) -> None:
    written(tmp_path, cells_frame(), "tab02_cells.csv")
    grid = loaded(written(tmp_path, grid_frame()))
    assert grid.files == ("tab09_grid.csv", "tab02_cells.csv")
    assert grid.corpora == ["swe-small, dispersion moved", "gaia-small, dispersion moved", "small"]


def test_real_corpora_are_added_unless_they_are_tiny(tmp_path: Path) -> None:
    written(tmp_path, grid_frame())
    real = pd.DataFrame(
        [
            {
                "corpus": "mine",
                "sessions": 30,
                "live_share": 0.5,
                "policy": "lru",
                "hit_rate": 0.3,
                "hit_low": 0.2,
            }
        ]
    )
    written(tmp_path, real, "real/mine_cells.csv")
    written(tmp_path, real.assign(corpus="tiny", sessions=2), "real/tiny_cells.csv")
    grid = loaded(tmp_path)
    assert grid.corpora[2:] == ["mine (real)"]
    assert grid.frame.iloc[-1]["low"] == 0.2


def test_two_rows_for_a_cell_are_refused(tmp_path: Path) -> None:
    frame = grid_frame()
    written(tmp_path, pd.concat([frame, frame.tail(1)]))
    with pytest.raises(
        UnisonError, match=re.escape("two rows for one cell (gaia-small, 2.0, 1.0, 2.0, belady)")
    ):
        read_grid(tmp_path)


def test_a_missing_column_is_named(tmp_path: Path) -> None:
    written(tmp_path, grid_frame().drop(columns="hit_rate"))
    with pytest.raises(UnisonError, match="no column 'hit_rate'"):
        read_grid(tmp_path)


def test_without_tables_there_is_no_grid(tmp_path: Path) -> None:
    assert read_grid(tmp_path) is None
