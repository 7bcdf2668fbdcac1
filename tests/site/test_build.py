"""The site is complete, stands alone, and is the same each time."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from support.sites import write_project

from unison import paths
from unison.errors import UnisonError
from unison.notebooks.layout import Layout
from unison.site.build import build_site


class Outline(HTMLParser):
    """Titles, pictures, links and anchors of a page."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.title = ""
        self.alts: list[str] = []
        self.links: list[str] = []
        self.anchors: list[str] = []
        self._tag = ""
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self._tag = tag
        if tag == "img":
            self.alts.append(found.get("alt") or "")
        if tag == "a" and found.get("href"):
            self.links.append(str(found["href"]))
        if found.get("id"):
            self.anchors.append(str(found["id"]))

    def handle_data(self, data: str) -> None:
        if self._tag == "title":
            self.title += data.strip()


def files(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def broken_links(site: Path) -> list[str]:
    outlines = {page: Outline(page) for page in site.rglob("*.html")}
    broken = []
    for page, outline in outlines.items():
        for link in outline.links:
            if re.match(r"[a-z]+:", link):
                continue
            path, _, anchor = unquote(link).partition("#")
            target = (page.parent / path).resolve() if path else page
            if not target.is_file() or (anchor and anchor not in outlines[target].anchors):
                broken.append(f"{page.name}: {link}")
    return broken


def test_every_page_is_there(site: Path) -> None:
    pages = {name for name in files(site) if name.endswith(".html")}
    expected = {"index", "explorer", "01_small", "02_next", "claims", "threats", "readme"}
    assert {f"{name}.html" for name in expected} <= pages
    assert {"api/index.html", "api/commands.html", "api/unison.html"} <= pages


def test_products_are_copied(site: Path) -> None:
    for name in ("fig01_small.svg", "fig01_small.png", "fig01_small.csv", "tab01_small.csv", "claims.csv"):
        assert (site / "figures" / name).is_file()


def test_no_link_is_broken(site: Path) -> None:
    assert broken_links(site) == []


def test_no_link_of_the_committed_site_is_broken(committed_site: Path) -> None:
    assert broken_links(committed_site) == []


def test_titles_differ_and_pictures_have_alt_texts(site: Path) -> None:
    outlines = [Outline(page) for page in site.rglob("*.html")]
    titles = [outline.title for outline in outlines]
    assert all(titles)
    assert len(set(titles)) == len(titles)
    assert all(alt for outline in outlines for alt in outline.alts)


def test_index_shows_each_figure_with_finding_claim_and_data(site: Path) -> None:
    text = (site / "index.html").read_text(encoding="utf-8")
    assert 'alt="One line that goes up."' in text
    assert "The line ends at 3.0." in text
    assert "It goes up" in text
    assert 'href="figures/fig01_small.csv"' in text
    assert 'href="01_small.html#fig01_small"' in text
    assert "Unison against LRU: +5.0 points" in text


def test_what_a_notebook_wrote_itself_is_no_finding(run: Layout, tmp_path: Path) -> None:
    root = write_project(tmp_path / "root")
    source = root / "notebooks" / "01_small.ipynb"
    source.parent.mkdir()
    source.write_text(
        '{"nbformat": 4, "metadata": {}, "cells": '
        '[{"cell_type": "markdown", "metadata": {}, "source": ["The line ends at 3.0."]}]}',
        encoding="utf-8",
    )
    text = (build_site(run, tmp_path / "out", root=root).folder / "index.html").read_text(encoding="utf-8")
    assert "The line ends at 3.0." not in text
    assert "Hit rate against load." in text


def test_notebook_page_embeds_its_picture_and_folds_its_code(site: Path) -> None:
    text = (site / "01_small.html").read_text(encoding="utf-8")
    assert '<figure id="fig01_small"><img src="data:image/png;base64,' in text
    assert "<summary>Code, 3 lines</summary>" in text
    assert "<math" in text
    assert "$h(t)" not in text
    assert 'href="02_next.html"' in text
    assert "99_gone" not in text


def test_documents_link_what_the_site_has(site: Path) -> None:
    text = (site / "readme.html").read_text(encoding="utf-8")
    assert 'href="api/unison.html#unison.small"' in text
    assert 'href="01_small.html"' in text
    assert "and a folder." in re.sub(r"\s+", " ", text)
    threats = (site / "threats.html").read_text(encoding="utf-8")
    assert "It is small." in threats
    assert "The rest." in threats


def test_claims_are_listed_with_verdict_and_reason(site: Path) -> None:
    text = (site / "claims.html").read_text(encoding="utf-8")
    assert re.sub("<[^>]+>", "", text).count("1 differs, 1 reproduced.") == 1
    assert text.index("It goes far") < text.index("It goes <em>up</em>")
    assert "other traces" in text


def test_api_page_has_signature_docstring_and_links(site: Path) -> None:
    text = (site / "api" / "unison.html").read_text(encoding="utf-8")
    assert 'id="unison.small.reached"' in text
    assert 'href="unison.html#unison.small.SIZE"' in text
    assert "<strong>**options</strong>" in text
    assert "_hidden" not in text


def test_every_public_module_is_on_an_api_page(committed_site: Path) -> None:
    text = "".join(page.read_text(encoding="utf-8") for page in (committed_site / "api").glob("*.html"))
    for path in (paths.ROOT / "unison").rglob("*.py"):
        parts = path.relative_to(paths.ROOT).with_suffix("").parts
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        if "cli" not in parts and "__main__" not in parts:
            assert f'id="{name}"' in text, name


def test_a_second_build_elsewhere_gives_the_same_bytes(site: Path, project: Path, tmp_path: Path) -> None:
    again = build_site(
        Layout.under(site.parent / "run"), tmp_path / "else where" / "site", root=project
    ).folder
    assert files(again) == files(site)


def test_another_hash_order_gives_the_same_bytes(site: Path, project: Path, tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from unison.notebooks.layout import Layout;"
        "from unison.site.build import build_site; run, out, root = map(Path, sys.argv[1:]);"
        "build_site(Layout.under(run), out, root=root)"
    )
    command = [sys.executable, "-c", code, str(site.parent / "run"), str(tmp_path / "again"), str(project)]
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(paths.ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert files(tmp_path / "again") == files(site)


def test_an_old_site_is_replaced_whole(run: Layout, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "site"
    build_site(run, out, root=project)
    (out / "stale.html").write_text("old", encoding="utf-8")
    build_site(run, out, root=project)
    assert not (out / "stale.html").exists()
    assert [path.name for path in tmp_path.glob(".site*")] == []


def test_a_folder_with_something_else_is_left_alone(run: Layout, project: Path, tmp_path: Path) -> None:
    out = tmp_path / "mine"
    out.mkdir()
    (out / "thesis.txt").write_text("x", encoding="utf-8")
    with pytest.raises(UnisonError, match="holds something else than a site"):
        build_site(run, out, root=project)
    assert (out / "thesis.txt").read_text(encoding="utf-8") == "x"


def test_nothing_executed_is_an_error_that_says_what_to_do(tmp_path: Path, project: Path) -> None:
    with pytest.raises(UnisonError, match="unison reproduce"):
        build_site(Layout.under(tmp_path / "none"), tmp_path / "site", root=project)


def test_a_missing_picture_is_an_error_that_names_it(run: Layout, project: Path, tmp_path: Path) -> None:
    (run.figures / "fig01_small.png").unlink()
    with pytest.raises(UnisonError, match=r"fig01_small\.png"):
        build_site(run, tmp_path / "site", root=project)


def test_a_path_of_this_machine_is_refused(run: Layout, project: Path, tmp_path: Path) -> None:
    page = run.rendered / "02_next.md"
    page.write_text(f"# 02. Next\n\n{paths.ROOT}/data\n", encoding="utf-8")
    with pytest.raises(UnisonError, match="a path of this machine"):
        build_site(run, tmp_path / "site", root=project)


def test_without_a_grid_the_index_says_so(run: Layout, project: Path, tmp_path: Path) -> None:
    (run.figures / "tab09_grid.csv").unlink()
    folder = build_site(run, tmp_path / "site", root=project).folder
    assert not (folder / "explorer.html").exists()
    assert "The interactive page is left out" in (folder / "index.html").read_text(encoding="utf-8")
    assert broken_links(folder) == []
