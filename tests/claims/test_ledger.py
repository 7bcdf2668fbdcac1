"""Reading the ledger: what is refused, and that the committed one is whole."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from unison.claims import Rule, claim_of, load_ledger, read_ledger
from unison.claims.ledger import LEDGER_FILE
from unison.errors import UnisonError

GOOD = {
    "id": '"a.b"', "place": '"here"', "statement": '"so"', "paper": "1", "unit": '"1"', "grade": '["P"]',
    "rule": '"direction"', "command": '"make tab02"', "tolerance": "0", "expect": '"> 0"',
    "ours": '{ table = "tab02_x", column = "y" }',
}  # fmt: skip


def text(**changes: str | None) -> str:
    lines = {**GOOD, **changes}
    return "[[claim]]\n" + "".join(f"{k} = {v}\n" for k, v in lines.items() if v is not None)


def test_a_claim_is_read_with_its_parts(read):
    claim = read(text(scale="100", reason='"made"'))["a.b"]
    assert (claim.rule, claim.paper, claim.tolerance, claim.scale) == (Rule.DIRECTION, 1.0, 0.0, 100.0)
    assert claim.stems == ("tab02_x",)
    assert claim.reason == "made"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": '"Tab02"'}, "the id is written in lower case with dots"),
        ({"id": None}, "claim number 1: id is missing"),
        ({"statement": '""'}, "statement is missing"),
        ({"verdict": '"reproduced"'}, "unknown key 'verdict'"),
        ({"rule": '"exakt"'}, "unknown rule 'exakt'; did you mean 'exact'"),
        ({"grade": '["Q"]'}, "unknown grade 'Q'"),
        ({"grade": "[]"}, "grade is .*; give a list"),
        ({"paper": "nan"}, "paper is nan; give a finite number"),
        ({"paper": "true"}, "paper is True"),
        ({"tolerance": "-1"}, "tolerance is -1; it cannot be below 0"),
        ({"tolerance": None}, "tolerance is missing"),
        ({"scale": '"x"'}, "scale is 'x'"),
        ({"expect": '"above 0"'}, "expect 'above 0': write a sign"),
        ({"expect": '"> than"'}, "compares with 'than'; give that measure"),
        ({"expect": '"> paper"', "paper": '"yes"'}, "the paper's value, which is text"),
        ({"expect": None, "paper": '"yes"'}, "expect is missing"),
        ({"ours": None}, "exactly one of ours, arithmetic, needs, blocked"),
        ({"needs": '"tab09_x"'}, "exactly one of ours, arithmetic, needs, blocked"),
        ({"rule": '"inconsistent"'}, "an inconsistency is shown by its arithmetic"),
        ({"ours": None, "arithmetic": '"ratio"'}, "arithmetic and stated"),
        (
            {"ours": None, "arithmetic": '"ration"', "stated": "{}"},
            "unknown arithmetic .*did you mean 'ratio'",
        ),
        ({"ours": None, "arithmetic": '"ratio"', "stated": '{ part = "a.c" }'}, "unknown claim 'a.c'"),
        ({"ours": "3"}, "ours: found 3; expected a table"),
        ({"ours": '{ table = "t" }'}, "key 'column' is missing"),
        ({"ours": '{ table = "t", column = "c", reduce = "avg" }'}, "unknown reduction 'avg'"),
        ({"ours": '{ table = "t", column = "c", was = 1 }'}, "unknown key 'was'"),
        ({"ours": '{ table = "t", column = "c", rows = 1.5 }'}, "rows is 1.5"),
        ({"ours": '{ table = "t", column = "c", holds = "big" }'}, "'big' is no comparison"),
        (
            {"ours": '{ table = "t", column = "c", where = { d = { prefx = "a" } } }'},
            "unknown predicate 'prefx'",
        ),
        ({"ours": '{ table = "t", column = "c", where = { d = {} } }'}, "one predicate at a time"),
        ({"ours": '{ ratio = [ { table = "t", column = "c" } ] }'}, "ratio takes a list of two"),
        ({"ours": '{ fold = { table = "t", column = "c" } }'}, "key 'reduce' is missing"),
    ],
)
def test_a_claim_out_of_order_is_refused_by_name(read, changes, message):
    with pytest.raises(UnisonError, match=message):
        read(text(**changes))


def test_an_id_is_given_once(read):
    with pytest.raises(UnisonError, match=r"a\.b: the id is taken twice"):
        read(text() + text())


@pytest.mark.parametrize("content", ["", "[claim]\n", "other = 1\n" + text()])
def test_a_file_of_another_form_is_refused(read, content):
    with pytest.raises(UnisonError, match=r"expected \[\[claim\]\] tables only"):
        read(content)


def test_stated_names_stand_for_the_numbers_of_their_claims(read):
    both = text() + text(
        id='"a.c"', ours=None, arithmetic='"ratio"', stated='{ part = "a.b", whole = [4, "a.b"] }'
    )
    assert read(both)["a.c"].stated == {"part": 1.0, "whole": [4, 1.0]}


def test_a_text_has_no_number(read):
    claim = claim_of(read(text(paper='"yes"')), "a.b")
    with pytest.raises(UnisonError, match="is no number but 'yes'"):
        _ = claim.number


def test_an_unknown_claim_is_refused_with_the_nearest(read):
    with pytest.raises(UnisonError, match=r"'a\.d'; did you mean 'a\.b'"):
        claim_of(read(text()), "a.d")


def test_the_committed_ledger_has_every_rule_and_every_part_of_the_targets():
    ledger = load_ledger()
    assert {claim.rule for claim in ledger.values()} == set(Rule)
    sections = {name.split(".")[0] for name in ledger}
    assert sections >= {
        "corpora", "protocol", "tab01", "tab02", "tab03", "tab04", "tab05", "fig05", "fig06", "fig07",
        "fixed", "hw", "lachesis", "real",
    }  # fmt: skip


def test_no_number_of_ours_is_written_into_the_ledger():
    document = tomllib.loads(LEDGER_FILE.read_text(encoding="utf-8"))
    allowed = {
        "id", "place", "statement", "paper", "unit", "grade", "rule", "command", "tolerance", "scale",
        "expect", "ours", "than", "arithmetic", "stated", "needs", "blocked", "reason", "differs_because",
    }  # fmt: skip
    for claim in document["claim"]:
        assert set(claim) <= allowed
        for key in ("reason", "differs_because"):
            assert not any(mark in claim.get(key, "") for mark in ("%", "pp", " 0.")), claim["id"]


def test_no_number_of_the_paper_is_written_down_twice():
    """Numbers that arithmetic is about are named by their claim, unless no other claim is about them."""
    document = tomllib.loads(LEDGER_FILE.read_text(encoding="utf-8"))
    papers = {claim["paper"] for claim in document["claim"] if isinstance(claim["paper"], float)}
    for claim in document["claim"]:
        stated = claim.get("stated", {}).values()
        flat = [each for value in stated for each in (value if isinstance(value, list) else [value])]
        assert not [each for each in flat if isinstance(each, float) and each in papers], claim["id"]


def test_a_missing_ledger_is_told(tmp_path: Path):
    with pytest.raises(UnisonError, match="no such file"):
        read_ledger(tmp_path / "claims.toml")
