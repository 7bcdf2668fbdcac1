"""The site of a small made-up run, that of the committed products, and a browser to look at them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from support.browser import Browser, start_browser
from support.sites import write_project, write_run

from unison.cli import main
from unison.notebooks.layout import Layout
from unison.site.build import build_site


@pytest.fixture
def run(tmp_path: Path) -> Layout:
    """A made-up run that a test may change."""
    return write_run(tmp_path / "run")


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A made-up project."""
    return write_project(tmp_path_factory.mktemp("project") / "root")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory, project: Path) -> Path:
    """The site of the made-up run."""
    folder = tmp_path_factory.mktemp("site")
    return build_site(write_run(folder / "run"), folder / "site", root=project).folder


@pytest.fixture(scope="session")
def committed_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the committed products, from the command."""
    if not list(Layout.committed().rendered.glob("*.md")):
        pytest.skip("no executed notebook is committed: run `unison reproduce`")
    out = tmp_path_factory.mktemp("committed") / "site"
    done = CliRunner().invoke(main, ["site", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "index.html" in done.output
    return out


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium; skipped with the reason where there is none."""
    started = start_browser(tmp_path_factory.mktemp("profile"))
    yield started
    started.driver.quit()
