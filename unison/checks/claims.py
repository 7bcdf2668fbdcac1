"""Every claim that was evaluated still rests on the tables that it was evaluated from."""

from __future__ import annotations

from pathlib import Path

from unison.checks.failed import CheckFailed
from unison.claims import Tables, evaluate, load_ledger


def claims_record(figures: Path) -> dict[str, dict[str, str]]:
    """SHA-256 of the tables of each claim that holds in a folder of products, by claim."""
    results = evaluate(load_ledger(), Tables.of(figures))
    return {
        result.claim.id: dict(result.tables) for result in results if result.tables and not result.is_failed
    }


def check_claims(figures: Path, record: dict[str, dict[str, str]]) -> None:
    """The recorded claims hold, read from their recorded tables.

    Raises
    ------
    CheckFailed
        Naming the first claim that fails.
    """
    for result in evaluate(load_ledger(), Tables.of(figures), record=record):
        if result.claim.id in record and result.is_failed:
            raise CheckFailed(f"claim {result.claim.id}: {result.verdict}: {result.why}")
