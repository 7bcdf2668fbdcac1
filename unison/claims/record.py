"""The record: which tables the committed claims were evaluated from, so that a table that changed is noticed.

figures/claims.csv is a product like every other. Beside each verdict it holds the SHA-256 of the tables that
the claim was read from. A table that is not the recorded one fails its claims until the claims are made anew.
A table and the record altered together are for ``make verify`` to find, which makes both anew.
"""

from __future__ import annotations

from collections.abc import Mapping

from unison.claims.tables import Tables, UnreadableTable, cell
from unison.errors import UnisonError

PRODUCT = "claims"
"""Stem of the product."""

Record = Mapping[str, Mapping[str, str]]
"""SHA-256 of each table by stem, by claim."""


def read_record(tables: Tables) -> Record | None:
    """The record beside the tables; None if there is none.

    Raises
    ------
    UnisonError
        If it is there and cannot be read.
    """
    if not tables.exists(PRODUCT):
        return None
    try:
        return {
            str(cell(row, "id", PRODUCT)): parse_digests(str(cell(row, "tables", PRODUCT) or ""))
            for row in tables.rows(PRODUCT)
        }
    except (UnreadableTable, ValueError) as error:
        raise UnisonError(f"{tables.path(PRODUCT)}: no record of claims ({error}); run make claims") from None


def digests_text(digests: Mapping[str, str]) -> str:
    """Digests as one field: ``stem=sha256`` with blanks between."""
    return " ".join(f"{stem}={digest}" for stem, digest in digests.items())


def parse_digests(text: str) -> dict[str, str]:
    """The digests of `digests_text`.

    Raises
    ------
    ValueError
        If the text has another form.
    """
    return dict(part.split("=") for part in text.split())
