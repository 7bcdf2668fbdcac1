"""``unison site``: the notebooks, figures and claims as web pages."""

from __future__ import annotations

from pathlib import Path

import click


@click.command("site")
@click.option(
    "--out", type=click.Path(path_type=Path), help="Folder of the site, made anew (build/site by default)."
)
@click.option(
    "--run",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a run of `unison reproduce --out` or of a corpus (the committed products by default).",
)
def site_command(out: Path | None, run: Path | None) -> None:
    """Write every executed notebook, figure and claim as web pages.

    Each page stands alone: no network, no server, no Python, and it reads without script. Nothing is run:
    make the products first with `unison reproduce`.
    """
    from unison import paths
    from unison.errors import UnisonError
    from unison.notebooks.layout import Layout, shown

    try:
        from unison.site.build import build_site
    except ModuleNotFoundError as error:
        raise UnisonError(f"{error.name} is not installed; install the package's extra 'site'") from error
    layout = Layout.under(run) if run else Layout.committed()
    built = build_site(layout, (out or paths.BUILD / "site").absolute())
    click.echo(f"{built.pages} pages with {built.figures} figures: open {shown(built.folder)}/index.html")
