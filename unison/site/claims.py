"""The claims ledger as the site shows it: every claim with its verdict, read from the produced table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from unison.claims.show import number_text
from unison.errors import UnisonError
from unison.report.figures import read_csv
from unison.site.markup import render
from unison.site.pages import Page, fill
from unison.site.sources import Sources

TABLE = "claims.csv"
ADDRESS = "claims.html"
ORDER = ("differs", "direction only", "reproduced", "inconsistent in the source", "not run")
"""Verdicts as the page groups them: what a reader looks for first comes first."""

_COLUMNS = ("id", "place", "statement", "paper", "ours", "unit", "rule", "verdict", "why", "tables")


@dataclass(frozen=True)
class ClaimRow:
    """One claim.

    Attributes
    ----------
    id, place, statement, paper, ours, unit, rule, verdict, why : str
        As in the table; empty where it has nothing.
    tables : tuple of str
        Stems of the products that it rests on.
    """

    id: str
    place: str
    statement: str
    paper: str
    ours: str
    unit: str
    rule: str
    verdict: str
    why: str
    tables: tuple[str, ...]


def read_claims(figures: Path) -> list[ClaimRow]:
    """The claims of a run; none if it has no ledger.

    Parameters
    ----------
    figures : pathlib.Path
        Folder of the products.

    Raises
    ------
    UnisonError
        If the table lacks a column.
    """
    path = figures / TABLE
    if not path.is_file():
        return []
    frame = read_csv(path)
    missing = [name for name in _COLUMNS if name not in frame.columns]
    if missing:
        raise UnisonError(f"{TABLE}: no column {missing[0]!r}; make it again with `unison reproduce`")
    return [_claim(row) for _, row in frame[list(_COLUMNS)].iterrows()]


def _claim(row: pd.Series) -> ClaimRow:
    texts = {name: _text(row[name]) for name in _COLUMNS if name != "tables"}
    stems = (part.partition("=")[0] for part in _text(row["tables"]).split())
    return ClaimRow(**texts, tables=tuple(stems))


def _text(value: object) -> str:
    if value is None or value != value:
        return ""
    return number_text(value) if isinstance(value, float) else str(value)


def verdict_counts(claims: Iterable[ClaimRow]) -> dict[str, int]:
    """How many claims have which verdict, in the order of `ORDER`."""
    counts = Counter(claim.verdict for claim in claims)
    known = [verdict for verdict in ORDER if verdict in counts]
    return {verdict: counts[verdict] for verdict in [*known, *sorted(counts.keys() - set(ORDER))]}


def claims_page(claims: Sequence[ClaimRow], sources: Sources) -> Page:
    """The ledger as a page: the counts, then every claim under its verdict."""
    context = sources.context("figures/claims.md")
    counts = verdict_counts(claims)
    groups = [
        {
            "verdict": verdict,
            "anchor": verdict.replace(" ", "-"),
            "rows": [
                {
                    "claim": claim,
                    "statement": render(claim.statement, context).body,
                    "why": render(claim.why, context).body,
                }
                for claim in claims
                if claim.verdict == verdict
            ],
        }
        for verdict in counts
    ]
    body = fill("claims.html.j2", groups=groups, counts=counts, total=len(claims))
    return Page(ADDRESS, "Claims", body, is_wide=True)
