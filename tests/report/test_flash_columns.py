"""Names in the tables of flash placement: titles to read, keys in the CSV file."""

from __future__ import annotations

import pandas as pd
import pytest

from unison.errors import UnisonError
from unison.experiments.tab12_flash_inputs import STATISTIC_TITLES
from unison.flash.policies import all_placements
from unison.report import flash_columns as flash
from unison.report.tables import markdown_table


def test_a_key_is_read_as_its_title_and_an_unknown_one_as_it_is():
    frame = pd.DataFrame({"policy": ["remaining_life", "bound"], "regime": ["inter_worker", "my corpus"]})
    table = markdown_table(frame, (flash.placement_column(), flash.regime_column()))
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()]
    assert rows[2:] == [["Remaining life (ours)", "inter-worker"], ["Bound", "my corpus"]]


def test_an_unknown_placement_has_no_title():
    with pytest.raises(UnisonError, match="did you mean 'lachesis'"):
        flash.placement_title("lachesiss")


def test_every_placement_is_listed():
    listed = flash.placements_listed()
    assert listed["title"].tolist() == [entry.title for entry in all_placements()]
    assert set(listed["knows"]) == set(flash.knows_listed()["knows"])


def test_a_long_frame_gets_a_column_for_each_placement_in_order():
    frame = pd.DataFrame(
        {
            "effect": ["b", "b", "a", "a"],
            "policy": ["lachesis", "bound"] * 2,
            "years": [1.0, 2.0, 3.0, 4.0],
        }
    )
    wide, names = flash.across(frame, ["effect"], "policy", "years")
    assert names == ["Lachesis", "Bound"]
    assert wide.to_numpy().tolist() == [["b", 1.0, 2.0], ["a", 3.0, 4.0]]


def test_regimes_in_a_frame_are_named_once():
    assert flash.regimes_in(pd.DataFrame({"regime": ["inter_worker", "mixed", "mixed"]})) == [
        "inter-worker",
        "mixed",
    ]


def test_every_statistic_of_the_input_has_a_title():
    column = next(column for column in flash.COLUMNS["inputs"] if column.name == "statistic")
    assert [column.cell(name) for name in STATISTIC_TITLES] == list(STATISTIC_TITLES.values())
