"""Evaluating the ledger: our number of each claim from the produced tables, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from unison import paths
from unison.claims.arithmetic import ARITHMETIC
from unison.claims.ledger import PAPER, STRICT, Claim, Expectation, Ledger, Rule
from unison.claims.measure import value_of
from unison.claims.record import Record
from unison.claims.selection import COMPARE
from unison.claims.tables import REAL, NotMeasured, Tables, UnreadableTable
from unison.notebooks.series import load_series


class Verdict(StrEnum):
    """What became of a claim."""

    REPRODUCED = "reproduced"
    DIRECTION_ONLY = "direction only"
    DIFFERS = "differs"
    NOT_RUN = "not run"
    INCONSISTENT = "inconsistent in the source"


@dataclass(frozen=True)
class Result:
    """A claim with what became of it.

    Attributes
    ----------
    claim : Claim
    verdict : Verdict
    ours : float or None
        Our number in the claim's unit; None where there is none.
    why : str
        What the verdict rests on, where it is not plain from the two numbers.
    is_failed : bool
        Whether it fails the ledger: an exact or gate rule that is not met, an inconsistency that the
        arithmetic does not show, or a table that should be there as recorded and is not.
    tables : mapping of str to str
        SHA-256 of the tables that it was evaluated from.
    """

    claim: Claim
    verdict: Verdict
    ours: float | None = None
    why: str = ""
    is_failed: bool = False
    tables: Mapping[str, str] = field(default_factory=dict)


def evaluate(
    ledger: Ledger, tables: Tables, *, due: Collection[str] = (), record: Record | None = None
) -> list[Result]:
    """Every claim with its verdict.

    Parameters
    ----------
    ledger : Ledger
    tables : Tables
        What was produced.
    due : collection of str
        Stems of the products that should be there. A claim that needs one of them and does not find it
        fails; a claim that needs any other product is only not run.
    record : Record, optional
        What claims were evaluated from before (`unison.claims.record`); a table that is not the recorded
        one, or not recorded beside a recorded claim, fails its claims.

    Returns
    -------
    list of Result
        In the order of the ledger.
    """
    known = record or {}
    return [_result(claim, tables, due, known.get(claim.id)) for claim in ledger.values()]


def due_products(notebooks: Path = paths.NOTEBOOKS) -> set[str]:
    """Stems of the products that the notebooks declare; empty where there are no notebooks."""
    if not any(notebooks.glob("*.ipynb")):
        return set()
    return {stem for entry in load_series(notebooks) for stem in entry.products}


def _result(claim: Claim, tables: Tables, due: Collection[str], recorded: Mapping[str, str] | None) -> Result:
    if claim.arithmetic:
        return _checked_arithmetic(claim)
    if claim.blocked:
        return Result(claim, Verdict.NOT_RUN, why=claim.blocked)
    if claim.needs:
        return _awaited(claim, tables, due)
    problem = _missing(claim, tables, due, recorded) or _changed(claim, tables, recorded)
    if problem:
        return problem
    try:
        return _judged(claim, tables)
    except NotMeasured as error:
        digests = {stem: tables.digest(stem) for stem in claim.stems}
        return Result(claim, Verdict.NOT_RUN, why=str(error), tables=digests)
    except UnreadableTable as error:
        return _broken(claim, str(error))


def _checked_arithmetic(claim: Claim) -> Result:
    """The paper's numbers against each other."""
    finding = ARITHMETIC[claim.arithmetic](claim.stated or {})
    if claim.rule == Rule.INCONSISTENT:
        if finding.contradicts:
            return Result(claim, Verdict.INCONSISTENT, why=finding.text)
        return Result(
            claim,
            Verdict.DIFFERS,
            why=f"the arithmetic shows no contradiction: {finding.text}",
            is_failed=True,
        )
    value = _or_nan(finding.value)
    unmet = _unmet(claim, value, None)
    verdict = Verdict.DIFFERS if unmet else Verdict.REPRODUCED
    return Result(claim, verdict, finding.value, "; ".join([finding.text, *unmet]), bool(unmet))


def _awaited(claim: Claim, tables: Tables, due: Collection[str]) -> Result:
    """A claim on a product that nothing makes yet, unless it has come."""
    if tables.exists(claim.needs) or claim.needs in due:
        return _broken(
            claim, f"{claim.needs} is made now; say in data/claims.toml how the claim is read from it"
        )
    return Result(claim, Verdict.NOT_RUN, why=f"needs {claim.needs}, which nothing makes yet")


def _missing(
    claim: Claim, tables: Tables, due: Collection[str], recorded: Mapping[str, str] | None
) -> Result | None:
    for stem in claim.stems:
        if not tables.exists(stem):
            if stem in due or stem in (recorded or {}):
                return _broken(claim, f"{stem}.csv is missing; run {claim.command}")
            return Result(claim, Verdict.NOT_RUN, why=f"needs {stem}, which is not here; run {claim.command}")
    return None


def _changed(claim: Claim, tables: Tables, recorded: Mapping[str, str] | None) -> Result | None:
    if recorded is None:
        return None
    for stem in claim.stems:
        if stem not in recorded:
            return _broken(
                claim, f"claims.csv does not say which {stem}.csv it was made from; run make claims"
            )
        if tables.digest(stem) != recorded[stem]:
            return _broken(
                claim, f"{stem}.csv is not the one that claims.csv was made from; run {_remake(stem)}"
            )
    return None


def _remake(stem: str) -> str:
    return "make real, then make claims" if stem.startswith(REAL) else "make reproduce"


def _broken(claim: Claim, why: str) -> Result:
    return Result(claim, Verdict.NOT_RUN, why=why, is_failed=True)


def _judged(claim: Claim, tables: Tables) -> Result:
    """The verdict on a claim whose tables are all there."""
    assert claim.ours is not None
    ours = value_of(claim.ours, tables) * claim.scale
    than = None if claim.than is None else value_of(claim.than, tables) * claim.scale
    unmet = _unmet(claim, ours, than)
    is_strict = claim.rule in STRICT
    verdict = Verdict.REPRODUCED if is_strict or _is_near(claim, ours) else Verdict.DIRECTION_ONLY
    return Result(
        claim,
        Verdict.DIFFERS if unmet else verdict,
        ours,
        _why(claim, unmet, than),
        is_strict and bool(unmet),
        {stem: tables.digest(stem) for stem in claim.stems},
    )


def _unmet(claim: Claim, ours: float, than: float | None) -> list[str]:
    """What is expected of our number and is not true of it; without expectations, that it is the paper's."""
    if not claim.expect:
        return [] if _is_near(claim, ours) else [f"expected the paper's, within {claim.tolerance:g}"]
    bounds = [(each.sign, _bound(each, claim, than)) for each in claim.expect]
    return [f"expected {sign} {bound:.4g}" for sign, bound in bounds if not COMPARE[sign](ours, bound)]


def _bound(expectation: Expectation, claim: Claim, than: float | None) -> float:
    """What our number is compared with."""
    if isinstance(expectation.bound, float):
        return expectation.bound
    return claim.number if expectation.bound == PAPER else _or_nan(than)


def _or_nan(value: float | None) -> float:
    """The value, or a number that no comparison is true of."""
    return math.nan if value is None else value


def _is_near(claim: Claim, ours: float) -> bool:
    """Whether our number is the paper's within the tolerance, where the paper's is one.

    A ten-billionth of slack is for decimals that no binary fraction is equal to.
    """
    if isinstance(claim.paper, str):
        return True
    slack = 1e-10 * max(1.0, abs(claim.paper))
    return abs(ours - claim.paper) <= (claim.tolerance or 0.0) + slack


def _why(claim: Claim, unmet: list[str], than: float | None) -> str:
    compared = [f"compared with {than:.4g}"] if than is not None and not unmet else []
    known = [claim.reason, claim.differs_because if unmet else ""]
    return "; ".join([*compared, *unmet, *filter(None, known)])
