"""`unison readme`: keep the generated tables of README.md up to date."""

from __future__ import annotations

import click


@click.command("readme")
@click.option("--check", is_flag=True, help="Change nothing; exit with 1 if README.md is out of date.")
def readme_command(check: bool) -> int:
    """Make the generated tables of README.md anew from the registries and the committed products."""
    from unison.files import write_text
    from unison.paths import ROOT
    from unison.report.readme import refresh

    path = ROOT / "README.md"
    text, wanted = refresh(path)
    if text == wanted:
        click.echo("README.md is up to date")
        return 0
    if check:
        click.echo("README.md is out of date; run: unison readme", err=True)
        return 1
    write_text(path, wanted)
    click.echo("README.md was brought up to date")
    return 0
