"""What a parameters cell declares, and which values it takes."""

import pytest

from unison.errors import UnisonError
from unison.notebooks.parameters import (
    assigned,
    checked,
    declared_parameters,
    parse_value,
    uncommented,
    with_values,
)


def notebook(*sources: str, kind: str = "code") -> dict:
    return {
        "cells": [
            {"cell_type": kind, "source": source, "metadata": {"tags": ["parameters"]}} for source in sources
        ]
    }


def declared(source: str) -> dict:
    return declared_parameters(notebook(source), "01_x.ipynb")


ALL = """\
name = "a"
count = 3
factor = 0.5
is_on = True
seeds = [1, 2]
loads = [1, 2.5]
names: list[str] = []
"""


def test_the_default_declares_the_type() -> None:
    assert {p.name: p.type_name for p in declared(ALL).values()} == {
        "name": "str",
        "count": "int",
        "factor": "float",
        "is_on": "bool",
        "seeds": "list[int]",
        "loads": "list[float]",
        "names": "list[str]",
    }


@pytest.mark.parametrize(
    ("given", "result"),
    [
        ({"factor": 2}, {"factor": 2.0}),
        ({"loads": [1, 2]}, {"loads": [1.0, 2.0]}),
        ({"count": -4, "is_on": False}, {"count": -4, "is_on": False}),
        ({"names": ["a"], "seeds": []}, {"names": ["a"], "seeds": []}),
    ],
)
def test_values_of_the_declared_type_are_taken(given: dict, result: dict) -> None:
    taken = checked(declared(ALL), given, "01_x.ipynb")
    assert taken == result
    assert {name: repr(value) for name, value in taken.items()} == {n: repr(v) for n, v in result.items()}


@pytest.mark.parametrize(
    ("given", "allowed"),
    [
        ({"count": True}, "of type bool; allowed: int"),
        ({"count": 3.0}, "of type float; allowed: int"),
        ({"is_on": 1}, "of type int; allowed: bool"),
        ({"factor": "2"}, "of type str; allowed: float"),
        ({"factor": False}, "of type bool; allowed: float"),
        ({"name": None}, "of type NoneType; allowed: str"),
        ({"seeds": [1, "2"]}, r"of type list\[int \| str\]; allowed: list\[int\]"),
        ({"seeds": (1, 2)}, r"of type tuple; allowed: list\[int\]"),
        ({"seeds": [True]}, r"of type list\[bool\]; allowed: list\[int\]"),
    ],
)
def test_values_of_another_type_are_refused_with_what_is_allowed(given: dict, allowed: str) -> None:
    with pytest.raises(UnisonError, match=rf"01_x.ipynb: parameter '\w+' is .* {allowed}"):
        checked(declared(ALL), given, "01_x.ipynb")


def test_an_unknown_name_is_refused_with_the_nearest_and_every_type() -> None:
    with pytest.raises(UnisonError, match=r"'contu'; did you mean 'count'\?.*factor: float"):
        checked(declared(ALL), {"contu": 1}, "01_x.ipynb")


@pytest.mark.parametrize("sources", [(), ("a = 1", "b = 2")], ids=["none", "two"])
def test_exactly_one_cell_is_tagged(sources: tuple[str, ...]) -> None:
    with pytest.raises(UnisonError, match=f"01_x.ipynb: {len(sources)} cells are tagged 'parameters'"):
        declared_parameters(notebook(*sources), "01_x.ipynb")


def test_the_tagged_cell_is_code() -> None:
    with pytest.raises(UnisonError, match="tag exactly one code cell"):
        declared_parameters(notebook("a = 1", kind="markdown"), "01_x.ipynb")


@pytest.mark.parametrize(
    "source",
    [
        "a = 1\nb = a + 1",
        "a = 1\nimport os",
        "a = 1\nb = c = 2",
        "a = 1\nb, c = 1, 2",
        "a = 1\nb = []",
        "a = 1\nb = None",
        'a = 1\nb = {"k": 1}',
        "a = 1\nb: int = 1.5",
        "a = 1\nb: int",
        "a = 1\nb = = 2",
        'a = 1\nb = [1, "x"]',
    ],
)
def test_only_typed_literals_may_be_declared(source: str) -> None:
    with pytest.raises(UnisonError, match=r"01_x.ipynb: parameters cell, line 2"):
        declared(source)


def test_a_name_is_declared_once() -> None:
    with pytest.raises(UnisonError, match="'a' is declared twice"):
        declared("a = 1\na = 2")


def test_values_replace_defaults_and_comments_stay() -> None:
    source = 'é = "ü"  # one\n# above\nseeds = [\n    1,  # inner\n]  # two\nn = 3\n'
    assert (
        with_values(source, {"é": '"b"', "seeds": "[7]"})
        == 'é = "b"  # one\n# above\nseeds = [7]  # two\nn = 3\n'
    )


def test_assigned_reads_the_text_of_values() -> None:
    assert assigned("# Parameters\na = 'x'\nb = float('inf')\n") == {"a": "'x'", "b": "float('inf')"}


def test_a_parameter_without_a_comment_is_found() -> None:
    assert uncommented('a = 1  # said\n# said above\nb = 2\nc = "é"\nd = 4') == ["c", "d"]


@pytest.mark.parametrize(
    ("text", "value"), [("3", 3), ("[1, 2]", [1, 2]), ("smoke", "smoke"), ("True", True)]
)
def test_command_line_values_are_literals_or_text(text: str, value: object) -> None:
    assert parse_value(text) == value
