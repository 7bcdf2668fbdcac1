"""The first page: the point, the claims, every figure with what was found and its data, every table."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from typing import Any

from unison.site import explorer
from unison.site.claims import ADDRESS as CLAIMS
from unison.site.claims import ClaimRow, verdict_counts
from unison.site.gallery import Shown, shown_figures, tables_of, thumbnail
from unison.site.headline import headline
from unison.site.markup import plain, png_size, render
from unison.site.pages import Page, fill
from unison.site.sources import DOCUMENTS, Notebook, Sources

ADDRESS = "index.html"

THREATS = "threats.html"
THREAT_SECTIONS = ("Threats to validity", "What is not reproduced, and why")
"""Sections of README.md that are a page of their own."""


def section(text: str, heading: str) -> str:
    """The part of a Markdown text under a heading of level 2, without it; empty if there is none."""
    found = re.search(rf"^## +{re.escape(heading)} *$\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    return found.group(1).strip() if found else ""


def introduction(text: str) -> str:
    """The first paragraph of a document."""
    body = re.sub(r"\A# .*\n+", "", text.strip())
    return body.split("\n\n")[0] if body and not body.startswith("#") else ""


def index_page(sources: Sources, claims: Sequence[ClaimRow], has_explorer: bool) -> Page:
    """The index.

    Parameters
    ----------
    sources : Sources
    claims : sequence of ClaimRow
        Of the ledger; may be empty.
    has_explorer : bool
        Whether there is an interactive page to link.
    """
    readme = sources.documents().get("README.md", "")
    context = sources.context("README.md")
    bullets = [
        block for block in re.split(r"\n\n+", section(readme, "What came out")) if block.startswith("- ")
    ]
    figures = shown_figures(sources.notebooks)
    chapters = [
        _chapter(notebook, [figure for figure in figures if figure.notebook is notebook], sources, claims)
        for notebook in sources.notebooks
    ]
    body = fill(
        "index.html.j2",
        lede=render(introduction(readme), context).body,
        headline=headline(sources.figures),
        results=render("\n\n".join(bullets), context).body,
        explorer=explorer.ADDRESS if has_explorer else "",
        claims=verdict_counts(claims),
        claims_address=CLAIMS,
        threats=THREATS if section(readme, THREAT_SECTIONS[0]) else "",
        chapters=chapters,
        others=_others(sources, {figure.stem for figure in figures}),
        documents=[DOCUMENTS[name] for name in sources.documents()],
    )
    return Page(ADDRESS, "Which paused agent session should a cache keep?", body, is_wide=True)


def _chapter(
    notebook: Notebook, figures: Sequence[Shown], sources: Sources, claims: Sequence[ClaimRow]
) -> dict[str, Any]:
    """What the index shows of one notebook: its figures, tables and the claims that rest on either."""
    tables = [stem for stem in tables_of(notebook) if f"{stem}.csv" in sources.products()]
    stems = {*tables, *(figure.stem for figure in figures)}
    return {
        "title": notebook.title,
        "address": notebook.address,
        "cards": [_card(figure, sources, claims) for figure in figures],
        "tables": tables,
        "claims": verdict_counts(claim for claim in claims if stems & set(claim.tables)),
    }


def _card(figure: Shown, sources: Sources, claims: Sequence[ClaimRow]) -> dict[str, Any]:
    """What the index shows of one figure."""
    context = sources.context(f"notebooks/rendered/{figure.notebook.name}.md")
    about = [claim for claim in claims if figure.stem in claim.tables]
    words = plain(render(figure.finding or figure.caption, context).body)
    return {
        "stem": figure.stem,
        "address": figure.address,
        "heading": plain(render(figure.heading, context).body),
        "picture": _picture(figure.stem, plain(render(figure.alt, context).body), sources),
        "words": words,
        "claims": [
            {"statement": plain(render(c.statement, context).body), "verdict": c.verdict} for c in about
        ],
    }


def _picture(stem: str, alt: str, sources: Sources) -> dict[str, Any]:
    data = thumbnail(sources.picture(f"figures/{stem}.png", "index"))
    width, height = png_size(data)
    return {"data": base64.b64encode(data).decode(), "width": width, "height": height, "alt": alt}


def _others(sources: Sources, shown: set[str]) -> list[dict[str, Any]]:
    """Figures that no notebook shows, such as those of real traces."""
    others = []
    for name in sources.products():
        stem = name.removesuffix(".png")
        if name.endswith(".png") and stem not in shown:
            title = stem.rpartition("/")[2].replace("_", " ")
            readme = sources.documents().get("README.md", "")
            found = re.search(rf"!\[([^\]]*)\]\(figures/{re.escape(name)}\)", readme)
            alt = found.group(1) if found else title
            others.append({"stem": stem, "heading": alt, "picture": _picture(stem, alt, sources)})
    return others
