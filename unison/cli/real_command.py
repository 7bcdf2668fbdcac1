"""`unison real`: Table II on real traces."""

from __future__ import annotations

from pathlib import Path

import click

from unison.cli.output import show_table


@click.command("real")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--out", type=click.Path(path_type=Path), show_default="figures/real", help="Folder of the products."
)
def real_command(folder: Path, out: Path | None) -> None:
    """Replay every corpus of FOLDER and write figures/real/.

    FOLDER holds Parquet or CSV files: imported corpora (unison import) or common tables. Committed results
    whose input is not there are kept and listed as not re-run.
    """
    from unison.config import load_defaults
    from unison.paths import FIGURES
    from unison.report.real import reproduce_real

    statuses = reproduce_real(folder, out or FIGURES / "real", load_defaults())
    show_table(("corpus", "input sha256", "status"), [(s.corpus, s.sha256, s.status) for s in statuses])
