"""Tables as CSV and Markdown."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from unison import paths
from unison.errors import UnisonError
from unison.report import Column, Products, markdown_table, read_table, save_table

FRAME = pd.DataFrame(
    {
        "corpus": ["swe-qwen3", "a|b"],
        "turns": [33596, 7],
        "hit_rate": [0.43849999, np.nan],
        "change": [1.25, -0.001],
    }
)
COLUMNS = (
    Column("corpus", "Corpus"),
    Column("turns", "Turns"),
    Column("hit_rate", "Hit rate", unit="%", decimals=1),
    Column("change", "ΔAMAT", unit="ns", signed=True, decimals=2),
)


def test_markdown_is_aligned_with_units_and_fixed_formats() -> None:
    assert markdown_table(FRAME, COLUMNS, caption="Seed 7.").splitlines() == [
        "| Corpus    |  Turns | Hit rate [%] | ΔAMAT [ns] |",
        "| --------- | -----: | -----------: | ---------: |",
        "| swe-qwen3 | 33,596 |         43.8 |      +1.25 |",
        "| a\\|b      |      7 |            – |      +0.00 |",
        "",
        "Seed 7.",
    ]


def test_csv_keeps_every_column_and_integers_without_decimals(tmp_path: Path) -> None:
    save_table(FRAME, "tab02_main", out=tmp_path, columns=COLUMNS[:1])
    assert (tmp_path / "tab02_main.csv").read_text() == (
        "corpus,turns,hit_rate,change\nswe-qwen3,33596,0.4385,1.25\na|b,7,,-0.001\n"
    )
    assert read_table("tab02_main", out=tmp_path)["turns"].dtype == np.int64


def test_two_saves_are_the_same_bytes(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        save_table(FRAME.copy(), "tab02_main", out=tmp_path / folder, columns=COLUMNS)
    for name in ("tab02_main.csv", "tab02_main.md"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_a_column_that_is_not_there_is_named_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnisonError, match=r"hit_rat.*did you mean 'hit_rate'"):
        save_table(FRAME, "tab02_main", out=tmp_path, columns=[Column("hit_rat")])
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_was_not_made_is_an_error(tmp_path: Path) -> None:
    save_table(FRAME, "tab02_main", out=tmp_path)
    with pytest.raises(UnisonError, match=r"tab02_mian.*tab02_main"):
        read_table("tab02_mian", out=tmp_path)


def test_an_integer_with_missing_values_is_shown_without_decimals() -> None:
    frame = pd.DataFrame({"n": pd.array([1200, None], dtype="Int64")})
    assert markdown_table(frame).splitlines()[2:] == ["| 1,200 |", "|     – |"]


def test_products_go_to_the_smoke_folder_unless_told(tmp_path: Path) -> None:
    assert Products("").folder == paths.BUILD / "smoke" / "figures"
    assert Products("build/x").folder == paths.ROOT / "build" / "x"
    Products(str(tmp_path)).table(FRAME, "tab01_demo")
    assert {path.name for path in tmp_path.iterdir()} == {"tab01_demo.csv", "tab01_demo.md"}
