"""The ledger of claims as frames and columns, for the notebook that saves it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from unison.claims import Result, Tables, Verdict, evaluate, load_ledger
from unison.claims.record import digests_text
from unison.claims.show import as_json, counts, counts_sentence, number_text
from unison.report.products import Products
from unison.report.tables import MISSING, Column, SavedTable, show_table


@dataclass(frozen=True)
class ValueColumn(Column):
    """A column of numbers of any size, each shown to a few significant digits."""

    def cell(self, value: Any) -> str:
        """One value as text."""
        return MISSING if pd.isna(value) else number_text(value)


CLAIM_COLUMNS = (
    Column("id", "Claim"),
    Column("statement", "Statement"),
    Column("place", "Place"),
    Column("paper", "Paper"),
    ValueColumn("ours", "Ours"),
    Column("unit", "Unit"),
    Column("grade", "Grade"),
    Column("rule", "Rule"),
    Column("verdict", "Verdict"),
    Column("why", "Why"),
    Column("command", "Command"),
)
"""The ledger as it is read; the CSV has the digests of the tables as well."""


BESIDE_COLUMNS = tuple(column for column in CLAIM_COLUMNS if column.name not in ("place", "command"))
"""The ledger's columns beside the tables that it reads."""


def claims_on(products: Products) -> list[Result]:
    """The claims that are read from nothing but what a notebook has saved so far, evaluated on that."""
    mine = {
        name: claim
        for name, claim in load_ledger().items()
        if claim.stems and set(claim.stems) <= set(products.saved)
    }
    return evaluate(mine, Tables.of(products.folder))


def show_claims(products: Products) -> SavedTable:
    """The claims of `claims_on` as a table, with how many have which verdict."""
    results = claims_on(products)
    return show_table(claims_frame(results), BESIDE_COLUMNS, caption=counts_sentence(results))


def not_run_reasons(results: Sequence[Result]) -> pd.DataFrame:
    """Why claims are not run, and which.

    Returns
    -------
    pandas.DataFrame
        ``why``, ``claims`` (how many) and ``ids``, the first part of each with the number of them.
    """
    found: dict[str, Counter[str]] = {}
    for result in results:
        if result.verdict == Verdict.NOT_RUN:
            found.setdefault(result.why, Counter())[result.claim.id.rsplit(".", 1)[0]] += 1
    return pd.DataFrame(
        [
            {
                "why": why,
                "claims": groups.total(),
                "ids": ", ".join(f"{g}.* ({n})" for g, n in groups.items()),
            }
            for why, groups in found.items()
        ],
        columns=["why", "claims", "ids"],
    )


def claims_frame(results: Sequence[Result]) -> pd.DataFrame:
    """A row for each claim, with the SHA-256 of the tables that it rests on.

    Returns
    -------
    pandas.DataFrame
        ``id``, ``place``, ``statement``, ``paper`` (text), ``ours`` (a number or missing), ``unit``,
        ``grade``, ``rule``, ``tolerance``, ``verdict``, ``why``, ``failed``, ``command``, ``tables``.
    """
    frame = pd.DataFrame(
        [as_json(result) | {"tables": digests_text(result.tables)} for result in results]
    ).astype({"ours": float, "tolerance": float})
    frame["paper"] = [number_text(result.claim.paper) for result in results]
    frame["grade"] = frame["grade"].str.join(" ")
    return frame


def verdict_counts(results: Sequence[Result]) -> pd.DataFrame:
    """How many claims have which verdict, by rule.

    Returns
    -------
    pandas.DataFrame
        ``rule``, a column for each verdict, ``claims`` in all.
    """
    rules = dict.fromkeys(result.claim.rule for result in results)
    rows = []
    for rule in rules:
        mine = [result for result in results if result.claim.rule == rule]
        rows.append({"rule": str(rule), **counts(mine), "claims": len(mine)})
    return pd.DataFrame(rows)


def of_verdict(results: Sequence[Result], verdict: Verdict) -> pd.DataFrame:
    """The rows of `claims_frame` with one verdict."""
    frame = claims_frame(results)
    return frame[frame["verdict"] == verdict].reset_index(drop=True)
