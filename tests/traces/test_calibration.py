"""Calibration files: every number has value, unit, source and status."""

import pytest

from unison.errors import UnisonError
from unison.traces.calibration import STATUSES, load_calibration

GOOD = 'value = [1, 2]\nunit = "s"\nsource = "the paper"\nstatus = "published"\n'


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "good.toml").write_text(f"[a.b]\n{GOOD}")
    return tmp_path


def test_names_are_file_then_tables(folder):
    calibration = load_calibration(folder)
    assert list(calibration.quantities) == ["good.a.b"]
    assert calibration.integers("good.a.b") == (1, 2)
    assert calibration.children("good") == ("a",)
    assert calibration.children("good.a") == ("b",)


def test_every_committed_number_has_unit_source_and_a_known_status():
    quantities = load_calibration().quantities
    assert len(quantities) > 50
    assert {q.status for q in quantities.values()} == set(STATUSES)
    assert all(q.unit and q.source for q in quantities.values())


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (GOOD.replace('unit = "s"\n', ""), "bad.x: has ['source', 'status', 'value'], expected exactly"),
        (GOOD + 'note = "x"\n', "expected exactly"),
        (GOOD.replace("published", "guessed"), "status 'guessed', expected one of published, measured on"),
        (GOOD.replace('"the paper"', '""'), "source must be a sentence"),
        (GOOD.replace("[1, 2]", "true"), "value True, expected a number"),
        (GOOD.replace("[1, 2]", "[1, 2.5]"), "expected a number, a list of integers"),
        ("y = 3\n", "bad.x.y: expected a table"),
        ("y = \n", "not valid TOML"),
    ],
)
def test_a_broken_entry_is_refused_with_file_and_name(folder, text, message):
    (folder / "bad.toml").write_text(f"[x]\n{text}")
    with pytest.raises(UnisonError) as error:
        load_calibration(folder)
    assert "bad.toml" in str(error.value)
    assert message in str(error.value)


def test_an_empty_folder_is_refused(tmp_path):
    with pytest.raises(UnisonError, match="no calibration there"):
        load_calibration(tmp_path)


@pytest.mark.parametrize(
    ("value", "read", "expected"),
    [
        ("1.5", "integer", "an integer"),
        ('"x"', "number", "a number"),
        ("3", "integers", "a non-decreasing list"),
        ("[2, 1]", "integers", "a non-decreasing list"),
        ("3", "text", "a string"),
    ],
)
def test_a_value_of_the_wrong_type_is_refused_with_its_name(folder, value, read, expected):
    (folder / "good.toml").write_text(f"[a]\n{GOOD.replace('[1, 2]', value)}")
    with pytest.raises(UnisonError, match=f"good.a is .* expected {expected}"):
        getattr(load_calibration(folder), read)("good.a")


def test_a_missing_number_is_told(folder):
    with pytest.raises(UnisonError, match=r"good\.z is missing"):
        load_calibration(folder).number("good.z")
