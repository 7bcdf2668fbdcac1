"""What commands share in their output: the ``--format`` option, JSON and plain tables."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

format_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["table", "json"]),
    default="table",
    show_default=True,
    help="A table to read, or JSON with a published schema.",
)
"""Option ``--format table|json``, given to the command as ``output_format``."""


def show_json(document: object) -> None:
    """Write a document as JSON to standard output.

    Raises
    ------
    ValueError
        If it holds NaN or an infinity, which JSON has no form for.
    """
    click.echo(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False))


def show_table(headers: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """Write rows as a table of left-aligned columns under their headers to standard output."""
    lines = [list(headers), *([str(cell) for cell in row] for row in rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(headers))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(cells).rstrip())


def progress(line: str) -> None:
    """Say on standard error how far a long command is."""
    click.echo(line, err=True)
