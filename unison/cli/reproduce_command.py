"""``unison reproduce``, ``unison verify`` and ``unison targets``: the notebooks and what they make."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import click

from unison import paths
from unison.cli.output import format_option, show_json, show_table
from unison.errors import UnisonError
from unison.notebooks.layout import Layout, shown
from unison.notebooks.parameters import parse_value
from unison.notebooks.reproduce import Plan, corpus_layout, reproduce, resolved_corpus, summary
from unison.notebooks.series import PROFILES, load_series, select, short
from unison.notebooks.verify import compare


def _default_jobs() -> int:
    return min(2, os.cpu_count() or 1)


_jobs_option = click.option(
    "--jobs",
    type=click.IntRange(min=1),
    default=_default_jobs,
    help="Notebooks run at once (2, or 1 on one core).",
)


@click.command("reproduce")
@click.option(
    "--profile", type=click.Choice(PROFILES), default="full", show_default=True, help="Size of the runs."
)
@click.option(
    "--corpus", default="", metavar="NAME|FILE", help="One corpus in place of the six synthetic ones."
)
@click.option(
    "--only", multiple=True, metavar="STEM", help="Just what makes this figure or table (repeatable)."
)
@click.option(
    "--out", type=click.Path(file_okay=False, path_type=Path), help="Folder for everything it writes."
)
@click.option(
    "--set", "settings", multiple=True, metavar="NAME=VALUE", help="Another notebook parameter; needs --out."
)
@click.option("--force", is_flag=True, help="Run what is up to date as well.")
@_jobs_option
def reproduce_command(
    profile: str,
    corpus: str,
    only: tuple[str, ...],
    out: Path | None,
    settings: tuple[str, ...],
    force: bool,
    jobs: int,
) -> None:
    """Run the notebooks and write every figure and table.

    Without --corpus and --out the full profile writes figures/ and notebooks/rendered/, the smoke profile
    build/smoke/; a corpus writes build/NAME/. What is up to date is not run again.
    """
    if settings and out is None:
        raise UnisonError("--set changes what the figures show; name the folder for them with --out DIR")
    chosen = resolved_corpus(corpus) if corpus else ""
    layout = Layout.under(out) if out else corpus_layout(chosen, profile)
    entries = select(load_series(paths.NOTEBOOKS), only)
    plan = Plan(entries, profile, layout, chosen, _overrides(settings), jobs, force)
    expected = sum(entry.minutes[profile] for entry in entries)
    click.echo(f"{len(entries)} notebooks, profile {profile}: about {expected:.1f} min if all are run")
    outcomes = reproduce(plan, sys.stderr)
    click.echo(summary(outcomes, layout))


def _overrides(settings: tuple[str, ...]) -> dict[str, object]:
    """The values of repeated ``--set NAME=VALUE``."""
    values: dict[str, object] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals:
            raise UnisonError(f"--set {setting}: write it as NAME=VALUE")
        if name in ("profile", "corpus"):
            raise UnisonError(f"--set {setting}: use the option --{name}")
        values[name] = parse_value(text)
    return values


@click.command("verify")
@_jobs_option
def verify_command(jobs: int) -> int:
    """Make every figure and table anew in build/verify/ and compare with the committed ones.

    Ends with status 1 if any byte differs, or a file is missing or made by nothing.
    """
    folder = paths.BUILD / "verify"
    layout = Layout.under(folder)
    with layout.locked():
        shutil.rmtree(folder)
    entries = load_series(paths.NOTEBOOKS)
    outcomes = reproduce(Plan(entries, "full", layout, jobs=jobs), sys.stderr)
    click.echo(summary(outcomes, layout))
    differences = compare(Layout.committed(), layout)
    for difference in differences:
        click.echo(f"{difference.kind}: {difference.name}")
    if differences:
        click.echo(
            f"{len(differences)} products are not as committed; the fresh ones are in {shown(folder)}/"
        )
        return 1
    click.echo("Every product is as committed, byte for byte.")
    return 0


@click.command("targets")
@format_option
def targets_command(output_format: str) -> None:
    """List the figures and tables with the notebook and command that make each, and expected minutes."""
    rows = [
        {
            "stem": stem,
            "notebook": entry.path.name,
            "command": f"make {short(stem)}",
            "smoke_min": entry.minutes["smoke"],
            "full_min": entry.minutes["full"],
        }
        for entry in load_series(paths.NOTEBOOKS)
        for stem in entry.products
    ]
    if output_format == "json":
        show_json(rows)
        return
    headers = ("figure or table", "notebook", "command", "smoke [min]", "full [min]")
    show_table(headers, [list(row.values()) for row in rows])
