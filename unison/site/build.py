"""Building the site: pages and product files into a folder that replaces the last one whole."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from unison import paths
from unison.errors import UnisonError
from unison.files import write_text
from unison.notebooks.layout import Layout, shown
from unison.site import claims as ledger
from unison.site import explorer, index
from unison.site.api import OVERVIEW, api_pages
from unison.site.gallery import shown_figures
from unison.site.grid import read_grid
from unison.site.markup import render
from unison.site.pages import Link, Page, framed
from unison.site.sources import DOCUMENTS, Notebook, Sources

MARKER = ".unison-site"
"""File that tells a site's folder, which may be replaced, from any other."""


@dataclass(frozen=True)
class Built:
    """What a build has written.

    Attributes
    ----------
    folder : pathlib.Path
    pages : int
    figures : int
        Figures that the index shows.
    """

    folder: Path
    pages: int
    figures: int


def build_site(layout: Layout, out: Path, *, root: Path = paths.ROOT) -> Built:
    """Write the site of a run of the series; the same run gives the same bytes.

    Parameters
    ----------
    layout : Layout
        Of the run: its figures and its notebooks as Markdown.
    out : pathlib.Path
        Folder of the site, made anew.
    root : pathlib.Path
        Of the project: its documents, notebook sources and package.

    Raises
    ------
    UnisonError
        If nothing has been executed, a page would not stand alone, or `out` holds something else.
    """
    _refuse_other(out)
    sources = Sources.of(layout, root)
    pages = site_pages(sources)
    staging = out.with_name(f".{out.name}.{os.getpid()}.tmp")
    shutil.rmtree(staging, ignore_errors=True)
    try:
        navigation = _navigation(pages, sources)
        for page in pages:
            write_text(staging / page.address, framed(page, navigation))
        for name in sources.products():
            target = staging / "figures" / name
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(sources.figures / name, target)
        write_text(staging / MARKER, "Made by `unison site`; it is replaced whole.\n")
        shutil.rmtree(out, ignore_errors=True)
        staging.rename(out)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return Built(out, len(pages), len(shown_figures(sources.notebooks)))


def site_pages(sources: Sources) -> list[Page]:
    """Every page, the index first."""
    grid = read_grid(sources.figures)
    rows = ledger.read_claims(sources.figures)
    pages = [index.index_page(sources, rows, grid is not None)]
    if grid is not None:
        pages.append(explorer.explorer_page(grid))
    pages += [_notebook_page(notebook, sources) for notebook in sources.notebooks]
    if rows:
        pages.append(ledger.claims_page(rows, sources))
    return [*pages, *_document_pages(sources), *api_pages(sources.api)]


def _notebook_page(notebook: Notebook, sources: Sources) -> Page:
    """An executed notebook."""
    context = sources.context(f"notebooks/rendered/{notebook.name}.md", is_code_folded=True)
    done = render(notebook.text, context)
    return Page(notebook.address, notebook.title, done.body, done.headings)


def _document_pages(sources: Sources) -> list[Page]:
    """The documents of the project, and the threats to validity on a page of their own."""
    pages = []
    documents = sources.documents()
    parts = [(name, index.section(documents.get("README.md", ""), name)) for name in index.THREAT_SECTIONS]
    if parts[0][1]:
        text = "\n\n".join(
            f"{'##' if n else '#'} {name}\n\n{body}" for n, (name, body) in enumerate(parts) if body
        )
        done = render(text, sources.context("README.md"))
        pages.append(Page(index.THREATS, done.title, done.body, done.headings))
    for name, body in documents.items():
        done = render(body, sources.context(name))
        pages.append(Page(DOCUMENTS[name][0], DOCUMENTS[name][1], done.body, done.headings))
    return pages


def _navigation(pages: Sequence[Page], sources: Sources) -> list[Link]:
    """The entries at the top of every page."""
    entries = [(index.ADDRESS, "Overview"), (explorer.ADDRESS, "Try it")]
    entries += [(notebook.address, notebook.name.replace("_", " ")) for notebook in sources.notebooks]
    entries += [(ledger.ADDRESS, "Claims"), (index.THREATS, "Threats"), (OVERVIEW, "API")]
    entries += [DOCUMENTS["README.md"], DOCUMENTS["ARTIFACT.md"]]
    there = {page.address for page in pages}
    return [Link(address, text) for address, text in entries if address in there]


def _refuse_other(out: Path) -> None:
    """Refuse to replace a folder that is not a site.

    Raises
    ------
    UnisonError
        If `out` is a file, or a folder with something else in it.
    """
    if out.is_file() or (out.is_dir() and any(out.iterdir()) and not (out / MARKER).is_file()):
        raise UnisonError(
            f"{shown(out)} holds something else than a site; name an empty or new folder with --out"
        )
