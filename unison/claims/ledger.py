"""The ledger: every claim of the papers, with its place, its number, and the rule it is held to.

data/claims.toml is the one place where numbers of the papers are written down to be set beside ours.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from difflib import get_close_matches
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from unison.claims.arithmetic import ARITHMETIC
from unison.claims.measure import Measure, as_number, parse_measure
from unison.claims.selection import COMPARE
from unison.constants import read_toml
from unison.errors import UnisonError, unknown_name
from unison.paths import DATA

LEDGER_FILE = DATA / "claims.toml"


class Rule(StrEnum):
    """What a claim is held to."""

    EXACT = "exact"
    GATE = "gate"
    DIRECTION = "direction"
    HARDWARE = "hardware"
    INCONSISTENT = "inconsistent"


STRICT = (Rule.EXACT, Rule.GATE)
"""Rules whose failure fails the whole ledger."""

GRADES = ("C", "P", "R", "N1", "N2", "N3", "N4", "L1")
"""How well the paper's side is known: C, by a note on the full text; P, printed in the running text; R,
reconstructed; N1 to N4 and L1, the third-party reading notes it is from."""

PAPER, THAN = "paper", "than"
"""What an expectation may compare with besides a number: the paper's value, or the claim's second measure."""

_ID = re.compile(r"[a-z0-9]+(\.[a-z0-9_+-]+)+")
_NEEDED = ("id", "place", "statement", "paper", "unit", "grade", "rule", "command")
_OURS = ("ours", "arithmetic", "needs", "blocked")
_OPTIONAL = ("tolerance", "scale", "expect", "than", "stated", "reason", "differs_because")


@dataclass(frozen=True)
class Expectation:
    """What has to be true of our number: a sign, and what it is compared with.

    Attributes
    ----------
    sign : str
        One of `unison.claims.selection.COMPARE`.
    bound : float or str
        A number, `PAPER` or `THAN`.
    """

    sign: str
    bound: float | str


@dataclass(frozen=True)
class Claim:
    """One claim of a paper.

    Attributes
    ----------
    id : str
        Stable dotted name, as ``tab02.hit_gain.least``.
    place : str
        Where in the paper.
    statement : str
        What it says, in our words.
    paper : float or str
        Its value; text where it is no number.
    unit : str
        ``"1"`` for a pure number, ``"pp"`` for percentage points.
    grade : tuple of str
        Of `GRADES`.
    rule : Rule
    command : str
        What makes the tables that it is evaluated from.
    tolerance : float or None
        Distance from the paper's value, in its unit, within which ours is the same.
    scale : float
        Factor from the tables' unit to the claim's.
    expect : tuple of Expectation
        All have to be true of our number.
    ours, than : Measure or None
        Our number, and a second one that expectations may compare it with.
    arithmetic : str
        Name of a check of the paper's own numbers, one of `unison.claims.arithmetic.ARITHMETIC`.
    stated : mapping of str to object
        The paper's numbers that the arithmetic is about.
    needs : str
        The product without which it cannot be evaluated, where nothing makes that product yet.
    blocked : str
        Why it cannot be evaluated here.
    reason : str
        What has to be known to read the verdict, whichever it is.
    differs_because : str
        The reason found why it does not hold; shown with that verdict only.
    """

    id: str
    place: str
    statement: str
    paper: float | str
    unit: str
    grade: tuple[str, ...]
    rule: Rule
    command: str
    tolerance: float | None = None
    scale: float = 1.0
    expect: tuple[Expectation, ...] = ()
    ours: Measure | None = None
    than: Measure | None = None
    arithmetic: str = ""
    stated: Mapping[str, Any] | None = None
    needs: str = ""
    blocked: str = ""
    reason: str = ""
    differs_because: str = ""

    @property
    def number(self) -> float:
        """The paper's value.

        Raises
        ------
        UnisonError
            If it is text.
        """
        if isinstance(self.paper, str):
            raise UnisonError(f"claim {self.id}: the paper's value is no number but {self.paper!r}")
        return self.paper

    @property
    def stems(self) -> tuple[str, ...]:
        """The tables it is evaluated from, each once."""
        measures = [measure for measure in (self.ours, self.than) if measure is not None]
        return tuple(dict.fromkeys(stem for measure in measures for stem in measure.stems()))


Ledger = Mapping[str, Claim]
"""Claims by id, in the order of the file."""


@cache
def load_ledger() -> Ledger:
    """The claims of data/claims.toml, read once."""
    return read_ledger(LEDGER_FILE)


def read_ledger(path: Path) -> Ledger:
    """Claims from a file in the form of data/claims.toml.

    Raises
    ------
    UnisonError
        If a claim lacks a key, has an unknown one, breaks a rule of its kind, or an id is taken twice; the
        message has the claim and what is allowed.
    """
    document = read_toml(path)
    tables = document.get("claim")
    if set(document) != {"claim"} or not isinstance(tables, list):
        raise UnisonError(f"{path}: found {', '.join(document) or 'nothing'}; expected [[claim]] tables only")
    claims: dict[str, Claim] = {}
    for position, table in enumerate(tables, start=1):
        claim = _parse(table, f"{path}: claim {table.get('id', f'number {position}')}")
        if claim.id in claims:
            raise UnisonError(f"{path}: claim {claim.id}: the id is taken twice; give each claim its own")
        claims[claim.id] = claim
    return {name: _resolved(claim, claims, str(path)) for name, claim in claims.items()}


def claim_of(ledger: Ledger, name: str) -> Claim:
    """The claim of that id.

    Raises
    ------
    UnisonError
        If there is none; the message names the nearest.
    """
    if name not in ledger:
        raise _unknown_claim(name, ledger)
    return ledger[name]


def _unknown_claim(name: str, claims: Mapping[str, Claim]) -> UnisonError:
    """The error for an id that is not taken; there are too many ids to list."""
    near = get_close_matches(name, claims, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return UnisonError(f"unknown claim {name!r}{hint} `unison claims` lists all")


def paper_claim(name: str) -> Claim:
    """The claim of that id in the project's ledger, for its number, unit, place and grade.

    Raises
    ------
    UnisonError
        If there is none; the message names the nearest.
    """
    return claim_of(load_ledger(), name)


def _parse(table: Mapping[str, Any], where: str) -> Claim:
    """A claim from its TOML table, checked by itself."""
    _check_keys(table, where)
    claim = Claim(
        **{key: str(table[key]) for key in ("id", "place", "statement", "unit", "command")},
        paper=_paper(table["paper"], where),
        grade=_grade(table["grade"], where),
        rule=_one_of("rule", table["rule"], tuple(Rule), where),
        tolerance=_tolerance(table, where),
        scale=_finite("scale", table.get("scale", 1), where),
        expect=tuple(_expectation(text, where) for text in _listed(table.get("expect", []))),
        ours=parse_measure(table["ours"], f"{where}: ours") if "ours" in table else None,
        than=parse_measure(table["than"], f"{where}: than") if "than" in table else None,
        arithmetic=str(table.get("arithmetic", "")),
        stated=table.get("stated"),
        needs=str(table.get("needs", "")),
        blocked=str(table.get("blocked", "")),
        reason=str(table.get("reason", "")),
        differs_because=str(table.get("differs_because", "")),
    )
    _check_claim(claim, where)
    return claim


def _check_keys(table: Mapping[str, Any], where: str) -> None:
    allowed = (*_NEEDED, *_OURS, *_OPTIONAL)
    for key in table:
        if key not in allowed:
            raise UnisonError(f"{where}: {unknown_name('key', key, allowed)}")
    for key in _NEEDED:
        if table.get(key) in (None, ""):
            raise UnisonError(f"{where}: {key} is missing; a claim has {', '.join(_NEEDED)}")
    if sum(key in table for key in _OURS) != 1:
        raise UnisonError(
            f"{where}: give exactly one of {', '.join(_OURS)}: where our side comes from, or why not"
        )
    if not _ID.fullmatch(str(table["id"])):
        raise UnisonError(f"{where}: the id is written in lower case with dots, as tab02.hit_gain.least")


def _check_claim(claim: Claim, where: str) -> None:
    """Refuse a claim whose parts do not make a rule that can be judged."""
    is_number = not isinstance(claim.paper, str)
    bounds = {each.bound for each in claim.expect}
    if claim.rule == Rule.INCONSISTENT and not claim.arithmetic:
        raise UnisonError(
            f"{where}: an inconsistency is shown by its arithmetic; name one: {', '.join(ARITHMETIC)}"
        )
    if claim.arithmetic:
        _one_of("arithmetic", claim.arithmetic, tuple(ARITHMETIC), where)
    if bool(claim.arithmetic) != (claim.stated is not None):
        raise UnisonError(f"{where}: arithmetic and stated, the numbers it is about, go together")
    if THAN in bounds and claim.than is None:
        raise UnisonError(f"{where}: expect compares with 'than'; give that measure")
    if PAPER in bounds and not is_number:
        raise UnisonError(f"{where}: expect compares with the paper's value, which is text")
    if claim.ours is None and not (claim.arithmetic and claim.rule != Rule.INCONSISTENT):
        return
    if is_number and claim.tolerance is None:
        raise UnisonError(f"{where}: tolerance is missing; say how near is the same as the paper's number")
    if not claim.expect and not is_number:
        raise UnisonError(f"{where}: expect is missing; say what has to be true of our number, as '> 0'")


def _resolved(claim: Claim, claims: Mapping[str, Claim], path: str) -> Claim:
    """The claim with each stated text, which is a claim's id, replaced by the number of that claim."""
    if claim.stated is None:
        return claim

    def number(value: object) -> object:
        if isinstance(value, list):
            return [number(each) for each in value]
        if not isinstance(value, str):
            return value
        if value not in claims:
            raise UnisonError(f"{path}: claim {claim.id}: stated: {_unknown_claim(value, claims)}")
        return claims[value].number

    return replace(claim, stated={name: number(value) for name, value in claim.stated.items()})


def _paper(value: object, where: str) -> float | str:
    return value if isinstance(value, str) else _finite("paper", value, where)


def _grade(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not value:
        raise UnisonError(f"{where}: grade is {value!r}; give a list of {', '.join(GRADES)}")
    return tuple(_one_of("grade", each, GRADES, where) for each in value)


def _expectation(text: object, where: str) -> Expectation:
    sign = next((sign for sign in COMPARE if str(text).startswith(sign)), "")
    word = str(text).removeprefix(sign).strip()
    bound = word if word in (PAPER, THAN) else as_number(word)
    if not sign or bound is None:
        raise UnisonError(
            f"{where}: expect {text!r}: write a sign ({', '.join(COMPARE)}) and a number, {PAPER} or {THAN}"
        )
    return Expectation(sign, bound)


def _tolerance(table: Mapping[str, Any], where: str) -> float | None:
    if "tolerance" not in table:
        return None
    value = _finite("tolerance", table["tolerance"], where)
    if value < 0:
        raise UnisonError(f"{where}: tolerance is {value:g}; it cannot be below 0")
    return value


def _finite(key: str, value: object, where: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise UnisonError(f"{where}: {key} is {value!r}; give a finite number")
    return float(value)


def _one_of(kind: str, value: object, allowed: tuple[Any, ...], where: str) -> Any:
    if value not in allowed:
        raise UnisonError(f"{where}: {unknown_name(kind, str(value), map(str, allowed))}")
    return allowed[allowed.index(value)]


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]
