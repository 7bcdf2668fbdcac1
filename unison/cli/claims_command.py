"""``unison claims``: the ledger of claims, the papers' numbers beside ours."""

from __future__ import annotations

from pathlib import Path

import click

from unison.cli.output import format_option, show_json, show_table


@click.command("claims")
@format_option
@click.option(
    "--figures",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    show_default="figures",
    help="Folder of the produced tables.",
)
def claims_command(output_format: str, figures: Path | None) -> int:
    """Evaluate every claim of data/claims.toml from the produced tables: paper, ours, verdict.

    Ends with status 1 if an exact or gate rule is not met, an inconsistency of the source is not borne out,
    or a table is missing or not the one that claims.csv was made from.
    """
    from unison import paths
    from unison.claims import Tables, due_products, evaluate, load_ledger, read_record
    from unison.claims.record import PRODUCT
    from unison.claims.show import HEADERS, as_json, counts_sentence, table_rows

    tables = Tables.of(figures or paths.FIGURES, otherwise=paths.FIGURES)
    due, record = due_products(paths.NOTEBOOKS), read_record(tables)
    results = evaluate(load_ledger(), tables, due=due, record=record)
    is_unrecorded = record is None and PRODUCT in due
    if output_format == "json":
        show_json([as_json(result) for result in results])
    else:
        show_table(HEADERS, table_rows(results))
        click.echo(counts_sentence(results))
    if is_unrecorded:
        click.echo(f"unison: {PRODUCT}.csv is missing: no table could be compared with it", err=True)
    return int(is_unrecorded or any(result.is_failed for result in results))
