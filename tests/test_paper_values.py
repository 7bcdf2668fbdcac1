"""The paper's numbers: read with their place and grade, and malformed entries refused."""

from __future__ import annotations

import pytest

from unison.errors import UnisonError
from unison.paper_values import GRADES, load_paper_values, paper_value, read_paper_values
from unison.traces.synthetic import CORPORA

GOOD = '[tab.one]\nvalue = 2\nunit = "1"\nplace = "Table I"\ngrade = "notes"\n'


def test_every_committed_value_has_place_unit_and_grade():
    values = load_paper_values()
    assert all(value.place and value.unit and value.grade in GRADES for value in values.values())
    assert {f"amat_ratio.{name}" for name in CORPORA} <= set(values)


def test_an_unknown_name_is_refused_with_the_nearest():
    with pytest.raises(UnisonError, match=r"corpora\.sessions"):
        paper_value("corpora.session")


def test_a_whole_number_is_read_as_float(tmp_path):
    (tmp_path / "values.toml").write_text(GOOD)
    value = read_paper_values(tmp_path / "values.toml")["tab.one"]
    assert (value.value, value.place, value.grade) == (2.0, "Table I", "notes")


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('grade = "notes"', 'grade = "note"', "grade"),
        ('place = "Table I"\n', "", "place"),
        ("value = 2", 'value = "2"', "finite number"),
        ("value = 2", "value = nan", "finite number"),
        ("value = 2", "value = true", "finite number"),
        ("value = 2", "value = 2\nextra = 1", "exactly"),
    ],
)
def test_a_malformed_entry_is_refused(tmp_path, before, after, message):
    (tmp_path / "values.toml").write_text(GOOD.replace(before, after))
    with pytest.raises(UnisonError, match=message):
        read_paper_values(tmp_path / "values.toml")
