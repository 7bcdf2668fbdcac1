"""Every page in headless Chromium: nothing leaves it, everything shows, everyone can read it."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.browser import Browser

VIEWS = [(1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")]

SEEN = ("color-contrast", "link-in-text-block", "scrollable-region-focusable")
"""Rules whose answer depends on width and colour scheme."""

HIDDEN_PICTURES = """
return [...document.images].filter((one) => {
  const box = one.getBoundingClientRect();
  return !(one.naturalWidth > 0 && one.checkVisibility() && box.left >= 0 && box.width >= 150
    && box.height >= 60 && box.right <= window.innerWidth + 1);
}).map((one) => one.alt);
"""
OVERFLOW = "return document.documentElement.scrollWidth - window.innerWidth;"


def pages_of(site: Path) -> list[Path]:
    """Every page; of the API those that differ in kind."""
    api = [
        site / "api" / name for name in ("index.html", "commands.html", "unison.html", "unison.report.html")
    ]
    return [*sorted(site.glob("*.html")), *(page for page in api if page.is_file())]


@pytest.mark.parametrize("which", ["site", "committed_site"])
def test_no_page_asks_for_anything_or_complains(
    which: str, browser: Browser, request: pytest.FixtureRequest
) -> None:
    for page in pages_of(request.getfixturevalue(which)):
        browser.open(page)
        assert browser.requests() == [page.as_uri()], page.name
        assert browser.console() == [], page.name


@pytest.mark.parametrize("which", ["site", "committed_site"])
def test_every_picture_shows_and_nothing_is_wider_than_the_window(
    which: str, browser: Browser, request: pytest.FixtureRequest
) -> None:
    pictures = 0
    for page in pages_of(request.getfixturevalue(which)):
        browser.open(page)
        pictures += browser.run("return document.images.length")
        for width, scheme in VIEWS:
            browser.view(width, scheme)
            assert browser.run(HIDDEN_PICTURES) == [], (page.name, width, scheme)
            assert browser.run(OVERFLOW) <= 0, (page.name, width, scheme)
    assert pictures > 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_colour_scheme_is_that_of_the_reader(scheme: str, site: Path, browser: Browser) -> None:
    browser.open(site / "index.html", scheme=scheme)
    ground = browser.run("return getComputedStyle(document.body).backgroundColor")
    assert ground == {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 23, 27)"}[scheme]


def test_axe_finds_nothing(committed_site: Path, browser: Browser) -> None:
    for page in pages_of(committed_site):
        browser.open(page)
        assert browser.violations() == [], page.name
        browser.view(390, "dark")
        assert browser.violations(only=SEEN) == [], page.name


@pytest.mark.parametrize(("width", "scheme"), [(1280, "dark"), (390, "light")])
def test_axe_finds_nothing_on_pages_with_claims_and_controls(
    width: int, scheme: str, site: Path, browser: Browser
) -> None:
    for name in ("index.html", "explorer.html", "claims.html", "01_small.html"):
        browser.open(site / name, width=width, scheme=scheme)
        assert browser.violations() == [], name


def test_axe_would_find_pale_text_and_a_missing_alt_text(
    site: Path, tmp_path: Path, browser: Browser
) -> None:
    text = (site / "01_small.html").read_text(encoding="utf-8")
    spoiled = text.replace("</style>", "p { color: #999 !important }</style>").replace(
        'alt="One', 'title="One'
    )
    page = tmp_path / "spoiled.html"
    page.write_text(spoiled, encoding="utf-8")
    browser.open(page)
    found = {violation.split(":")[0] for violation in browser.violations()}
    assert "color-contrast" in found
    browser.open(page)
    assert browser.run("return document.images[0].hasAttribute('alt')") is False


def test_a_request_would_be_seen_and_stopped(site: Path, tmp_path: Path, browser: Browser) -> None:
    picture = '<img src="http://example.org/a.png" alt="a"></main>'
    text = (site / "01_small.html").read_text(encoding="utf-8").replace("</main>", picture)
    page = tmp_path / "leaky.html"
    page.write_text(text, encoding="utf-8")
    browser.open(page)
    assert any("Content Security Policy" in message for message in browser.console())
    page.write_text(text.replace("http-equiv", "name"), encoding="utf-8")
    browser.open(page)
    assert "http://example.org/a.png" in browser.requests()


def test_the_skip_link_is_the_first_stop_and_leads_to_the_content(site: Path, browser: Browser) -> None:
    from selenium.webdriver import ActionChains, Keys

    browser.open(site / "index.html")
    ActionChains(browser.driver).send_keys(Keys.TAB).perform()
    assert browser.run("return document.activeElement.className") == "skip"
    assert browser.run("return document.activeElement.getBoundingClientRect().left") >= 0
    ActionChains(browser.driver).send_keys(Keys.ENTER).perform()
    assert browser.run("return document.activeElement.id") == "main"


@pytest.mark.parametrize("name", ["index.html", "01_small.html", "claims.html", "api/unison.html"])
def test_pages_read_without_script(name: str, site: Path, browser: Browser) -> None:
    browser.open(site / name, has_script=False)
    assert browser.console() == []
    assert browser.run(HIDDEN_PICTURES) == []
    assert len(browser.run("return document.querySelector('main').innerText")) > 50
