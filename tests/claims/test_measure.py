"""Measures: which number comes from which rows, by hand, and what a table must not lack."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.corpora import fewer

from unison.claims.measure import Measure, parse_measure, value_of
from unison.claims.tables import Tables, UnreadableTable

TABLE = """corpus,policy,load,rate,wins
swe-a,lru,1,0.2,True
swe-a,spear,1,0.5,True
swe-b,lru,1,0.4,False
swe-b,spear,1,0.3,True
gaia-c,lru,1,0.8,False
gaia-c,spear,1,0.8,
swe-a,lru,2,0.1,True
"""


@pytest.fixture
def tables(tmp_path: Path) -> Tables:
    (tmp_path / "tab02_x.csv").write_text(TABLE, encoding="utf-8")
    return Tables.of(tmp_path)


def select(**parts: object) -> dict[str, object]:
    return {"table": "tab02_x", "column": "rate", **parts}


def measure(spec: object) -> Measure:
    return parse_measure(spec, "here")


LRU = {"load": 1, "policy": "lru"}
SPEAR = {"load": 1, "policy": "spear"}


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        (select(where={"load": 2}), 0.1),
        (select(where=LRU, reduce="min"), 0.2),
        (select(where=LRU, reduce="max"), 0.8),
        (select(where=LRU, reduce="sum"), 1.4),
        (select(where=LRU, reduce="mean"), 1.4 / 3),
        (select(where=LRU, reduce="median"), 0.4),
        (select(where=LRU, reduce="geomean"), 0.4),  # cube root of .2 x .4 x .8 = .064
        (select(where=LRU, reduce="first"), 0.2),
        (select(where=LRU, reduce="last"), 0.8),
        (select(where=LRU, reduce="least_step"), 0.2),
        (select(where={"corpus": "swe-a", "policy": "lru"}, order="load", reduce="least_step"), -0.1),
        (select(where=LRU, minus=0.5, reduce="max_abs"), 0.3),
        (select(where=LRU, holds=">= 0.4", reduce="count"), 2),
        (select(where={"load": 1}, column="corpus", reduce="count"), 6),
        (select(column="corpus", reduce="distinct"), 3),
        (select(where={"corpus": {"prefix": "swe-"}, "load": 1}, reduce="sum"), 1.4),
        (select(where={"corpus": {"not": "swe-a"}, "policy": "lru"}, reduce="sum"), 1.2),
        (select(where={"corpus": {"not": ["swe-a", "swe-b"]}, "policy": "lru"}), 0.8),
        (select(where={"rate": {"above": 0.5}, "policy": "lru"}), 0.8),
        (select(where={"rate": {"below": 0.2}}), 0.1),
        (select(where={"policy": ["lru", "none"], "load": 2}), 0.1),
        (select(where={"rate": {"late": 0.5}, "load": 1}, reduce="count"), 4),  # at least half of .8
        (select(where={"corpus": "swe-a"}, column="wins", reduce="sum"), 3),
        ({"fold": select(where=LRU, by=["corpus"]), "reduce": "count", "holds": "> 0.3"}, 2),
        ({"fold": select(where=LRU, by=["corpus"]), "minus": 1, "reduce": "mean"}, 1.4 / 3 - 1),
    ],
)
def test_a_measure_is_what_it_says(tables: Tables, spec: object, value: float):
    assert value_of(measure(spec), tables) == pytest.approx(value)


def test_late_rows_are_those_of_their_own_group(tables: Tables):
    spec = select(where={"rate": {"late": 1}}, by=["corpus"], reduce="count")
    assert measure(spec).groups(tables) == {("swe-a",): 1, ("swe-b",): 1, ("gaia-c",): 2}


def test_a_difference_goes_group_by_group(tables: Tables):
    pair = [select(where=SPEAR, by=["corpus"]), select(where=LRU, by=["corpus"])]
    groups = measure({"difference": pair}).groups(tables)
    assert groups == pytest.approx({("swe-a",): 0.3, ("swe-b",): -0.1, ("gaia-c",): 0.0})
    assert value_of(measure({"fold": {"ratio": pair}, "reduce": "max"}), tables) == pytest.approx(2.5)


def test_one_number_goes_with_every_group(tables: Tables):
    whole, groups = select(where=LRU, reduce="max"), select(where=LRU, by=["corpus"])
    assert value_of(measure({"fold": {"ratio": [groups, whole]}, "reduce": "min"}), tables) == pytest.approx(
        0.25
    )
    assert value_of(measure({"fold": {"ratio": [whole, groups]}, "reduce": "max"}), tables) == pytest.approx(
        4
    )


def test_a_setting_is_the_projects_constant(tables: Tables):
    assert value_of(measure({"setting": "spear.alpha"}), tables) == 0.3


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        (select(table="tab09_y"), r"tab09_y\.csv is missing"),
        (select(column="rat"), r"unknown column of tab02_x\.csv 'rat'; did you mean 'rate'"),
        (select(where={"polcy": "lru"}), r"'polcy'; did you mean 'policy'"),
        (select(where={"policy": "fifo"}), r"has no rows with policy=fifo"),
        (select(where=LRU), r"3 rows are selected where one is meant"),
        (
            select(where=LRU, rows=6, reduce="min"),
            r"has 3 rows with load=1.0 and policy=lru; the claim is about 6",
        ),
        (select(column="corpus", reduce="max"), r"column corpus: swe-a is no number"),
        (
            select(where={"corpus": "gaia-c"}, column="wins", reduce="sum"),
            r"column wins: an empty field is no number",
        ),
        (select(where=LRU, minus=1, reduce="geomean"), r"needs numbers above 0"),
        (select(where=LRU, holds="> 5", reduce="max"), r"no number to take the max of"),
        (select(where={"load": 2}, reduce="least_step"), r"two rows or more"),
        (select(where=LRU, by=["corpus"]), r"3 groups are left where one is meant"),
        (
            {"ratio": [select(where=LRU, by=["corpus"]), select(where={"load": 2}, by=["corpus"])]},
            r"only one side",
        ),
        (
            {"ratio": [select(where=LRU, reduce="max"), select(where={"load": 2}, minus=0.1)]},
            r"a divisor is 0",
        ),
        ({"setting": "spear.alfa"}, r"has no number spear\.alfa"),
        ({"setting": "replay.envelope"}, r"has no number replay\.envelope"),
    ],
)
def test_what_a_table_lacks_is_told(tables: Tables, spec: object, message: str):
    with pytest.raises(UnreadableTable, match=message):
        value_of(measure(spec), tables)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no rows"),
        (b"a,b\n", "has no rows"),
        (b"a,b\n1\n", "line 2 has 1 fields, its header 2"),
        (b"\xff\xfe,b\n1,2\n", "is no CSV file"),
        (b'a,b\n"1,2\n', "is no CSV file"),
    ],
)
def test_a_damaged_table_is_told(tmp_path: Path, content: bytes, message: str):
    (tmp_path / "tab02_x.csv").write_bytes(content)
    with pytest.raises(UnreadableTable, match=message):
        value_of(measure(select(column="a")), Tables.of(tmp_path))


def test_a_number_that_is_not_finite_is_no_number(tmp_path: Path):
    (tmp_path / "tab02_x.csv").write_text("rate\ninf\n")
    with pytest.raises(UnreadableTable, match="inf is no number"):
        value_of(measure(select()), Tables.of(tmp_path))


def test_tables_on_real_traces_come_from_the_folders_own_or_else_the_committed_ones(tmp_path: Path):
    own, committed = tmp_path / "own", tmp_path / "committed"
    for folder, value in ((own, 1), (committed, 2)):
        (folder / "real").mkdir(parents=True)
        (folder / "real" / "real_x.csv").write_text(f"rate\n{value}\n")
    one = measure(select(table="real/real_x"))
    assert value_of(one, Tables.of(own, otherwise=committed)) == 1
    assert value_of(one, Tables.of(tmp_path, otherwise=committed)) == 2


@fewer
@given(rates=st.lists(st.floats(0.001, 1e6), min_size=1, max_size=8))
def test_means_lie_between_the_ends_and_a_measure_is_even_with_itself(tmp_path: Path, rates: list[float]):
    (tmp_path / "tab02_x.csv").write_text("rate\n" + "".join(f"{rate!r}\n" for rate in rates))
    found = Tables.of(tmp_path)

    def of(reduce: str) -> float:
        return value_of(measure(select(reduce=reduce)), found)

    slack = 1e-12 * of("max")
    assert of("min") - slack <= of("geomean") <= of("mean") + slack <= of("max") + 2 * slack
    same = [select(reduce="mean"), select(reduce="mean")]
    assert value_of(measure({"difference": same}), found) == 0
    assert value_of(measure({"ratio": same}), found) == 1
