"""Showing the ledger: rows of text for the command line, and JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from unison.claims.evaluate import Result, Verdict

HEADERS = ("claim", "paper", "ours", "unit", "rule", "verdict")
_DIGITS = 4
_ENTIRE = 1e6


def counts(results: Sequence[Result]) -> dict[str, int]:
    """How many claims have which verdict, every verdict named."""
    return {verdict: sum(result.verdict == verdict for result in results) for verdict in Verdict}


def counts_sentence(results: Sequence[Result]) -> str:
    """The counts in a sentence, with how many fail."""
    parts = ", ".join(f"{number} {verdict}" for verdict, number in counts(results).items())
    failed = sum(result.is_failed for result in results)
    verb = "fails" if failed == 1 else "fail"
    return f"{len(results)} claims: {parts}. {failed or 'None'} of them {verb} the ledger."


def table_rows(results: Sequence[Result]) -> list[tuple[str, ...]]:
    """A row of text for each claim, under `HEADERS`."""
    return [
        (
            result.claim.id,
            number_text(result.claim.paper),
            number_text(result.ours),
            result.claim.unit,
            str(result.claim.rule),
            verdict_text(result),
        )
        for result in results
    ]


def verdict_text(result: Result) -> str:
    """The verdict, with its reason after a colon, and ``FAILED`` before it if it fails the ledger."""
    text = f"{result.verdict}: {result.why}" if result.why else str(result.verdict)
    return f"FAILED {text}" if result.is_failed else text


def number_text(value: float | str | None) -> str:
    """A number to read: whole ones in full, others to four significant digits; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    if value == round(value) and abs(value) < _ENTIRE:
        return f"{value:.0f}"
    return f"{value:.{_DIGITS}g}"


def as_json(result: Result) -> dict[str, Any]:
    """A result as a JSON object of schema ``claims``."""
    claim = result.claim
    return {
        "id": claim.id,
        "place": claim.place,
        "statement": claim.statement,
        "paper": claim.paper,
        "ours": result.ours,
        "unit": claim.unit,
        "grade": list(claim.grade),
        "rule": str(claim.rule),
        "tolerance": claim.tolerance,
        "verdict": str(result.verdict),
        "why": result.why,
        "failed": result.is_failed,
        "command": claim.command,
    }
