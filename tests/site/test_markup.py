"""Markdown, docstrings and sources come out as the pages need them."""

from __future__ import annotations

from pathlib import Path

import pytest

from unison.errors import UnisonError
from unison.site.headline import headline
from unison.site.index import introduction, section
from unison.site.markup import Context, render
from unison.site.pages import check_alone, relative
from unison.site.reading import read_module


def test_equal_headings_get_different_anchors() -> None:
    assert [h.anchor for h in render("# One\n\n## A b\n\n## A b\n", Context()).headings] == [
        "one",
        "a-b",
        "a-b-2",
    ]


def test_a_table_scrolls_in_a_named_box_with_numbers_to_the_right() -> None:
    body = render("## Sizes\n\n| a | b |\n|---|--:|\n| x | 1 |\n", Context()).body
    assert 'role="region" tabindex="0" aria-label="Table 1: Sizes"' in body
    assert '<td class="number">1</td>' in body
    assert '<th scope="col"' in body


def test_a_link_to_nowhere_leaves_its_words() -> None:
    body = render(
        "See [the folder](data/x) and [this](https://example.org).", Context(link=lambda _: None)
    ).body
    assert "See the folder and" in body
    assert 'href="https://example.org"' in body


def test_raw_html_and_comments_do_not_reach_the_page() -> None:
    body = render("<!-- generated: x -->\n\nA <script>alert(1)</script> b\n\n<div>c</div>\n", Context()).body
    assert "<script" not in body
    assert "generated" not in body


def test_a_formula_that_cannot_be_translated_stays_readable() -> None:
    assert r"<code>\left( x</code>" in render(r"$\left( x$", Context()).body


def test_code_is_escaped() -> None:
    assert "&lt;b&gt;" in render("```text\n<b>\n```\n", Context()).body


def test_addresses_are_relative_to_the_page() -> None:
    assert relative("figures/a.csv", "index.html") == "figures/a.csv"
    assert relative("index.html#x", "api/unison.html") == "../index.html#x"
    assert relative("https://example.org", "api/unison.html") == "https://example.org"


@pytest.mark.parametrize(
    "text",
    [
        '<img src="https://example.org/a.png">',
        "<style>@import 'http://example.org/a.css';</style>",
        "<Foo at 0x7f00aa11bb22>",
    ],
)
def test_a_page_that_does_not_stand_alone_is_refused(text: str) -> None:
    with pytest.raises(UnisonError, match="site page x"):
        check_alone("x", text)


def test_sections_and_introduction_of_a_document() -> None:
    text = "# T\n\nFirst\nline.\n\nSecond.\n\n## A\n\na\n\n### in\n\n## B\n\nb\n"
    assert introduction(text) == "First\nline."
    assert section(text, "A") == "a\n\n### in"
    assert section(text, "B") == "b"
    assert section(text, "C") == ""


def test_a_source_is_read_without_being_run(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text(
        '"""M."""\nimport nothing_of_that_name\nN: int = 1\n"""How many."""\nplain = 2\n\n'
        'class A(Base):\n    """An A."""\n    @property\n    def size(self) -> int:\n        """Size."""\n\n'
        'def long(first: "list[str]", /, second: int = 3, *rest: int, third: dict[str, int] | None = None,'
        ' **fourth: object) -> "a_rather_long_name":\n    """Long."""\n\ndef bare(): ...\n',
        encoding="utf-8",
    )
    module = read_module(path, "m")
    assert [item.name for item in module.items] == ["N", "A", "long"]
    assert module.items[1].declaration == "class A(Base)"
    assert module.items[1].items[0].declaration == "@property\ndef size(self) -> int"
    lines = module.items[2].declaration.splitlines()
    assert [line.strip() for line in lines[1:-1]] == [
        "first: 'list[str]',", "/,", "second: int = 3,", "*rest: int,",
        "third: dict[str, int] | None = None,", "**fourth: object,",
    ]  # fmt: skip


def test_headline_puts_all_workloads_on_one_scale(tmp_path: Path) -> None:
    rows = ["swe-a,lru,0.0", "swe-a,spear+tide,0.06", "swe-b,spear+tide,0.02", "gaia-a,spear+tide,-0.04"]
    (tmp_path / "tab02_policies.csv").write_text(
        "corpus,policy,hit_gain\n" + "\n".join(rows), encoding="utf-8"
    )
    found = headline(tmp_path)
    assert found is not None
    assert found.zero == pytest.approx(50.0)  # from -4 to +4 points
    (swe,), (gaia,) = found.groups.values()
    assert (swe.text, swe.left, swe.width) == ("+4.0", pytest.approx(50.0), pytest.approx(50.0))
    assert (gaia.text, gaia.left, gaia.width) == ("−4.0", pytest.approx(0.0), pytest.approx(50.0))
    assert (
        found.sentence
        == "Unison against LRU: +4.0 points of hit rate on SWE (synthetic), −4.0 on GAIA (synthetic)"
    )


def test_no_headline_without_its_table(tmp_path: Path) -> None:
    assert headline(tmp_path) is None
