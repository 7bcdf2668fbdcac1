"""Markdown as the HTML of a page: pictures inside, formulae as MathML, wide tables in a box of their own."""

from __future__ import annotations

import base64
import html
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import mistune
from latex2mathml import exceptions as tex_errors
from latex2mathml.converter import convert
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

_TEX_ERRORS: tuple[type[Exception], ...] = tuple(
    error for error in vars(tex_errors).values() if isinstance(error, type) and issubclass(error, Exception)
)
_ONLY_PICTURE = re.compile(r"\s*<img [^>]*>\s*")
_CAPTIONED = re.compile(
    r"(?P<files><p class=\"files\">[^\n]*</p>)?</figure>\s*<p><em>(?P<caption>.*?)</em></p>", re.DOTALL
)
_SHORT = 24
"""Letters in a cell that stays on one line."""

_TAG = re.compile(r"<[^>]+>")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True)
class Heading:
    """One heading of a page.

    Attributes
    ----------
    level : int
        1 to 6.
    anchor : str
        Its ``id``.
    text : str
        Without tags.
    """

    level: int
    anchor: str
    text: str


@dataclass(frozen=True)
class Rendered:
    """A Markdown text as HTML.

    Attributes
    ----------
    body : str
        The HTML.
    headings : list of Heading
        In order.
    """

    body: str
    headings: list[Heading] = field(default_factory=list)

    @property
    def title(self) -> str:
        """The first heading, or nothing."""
        return self.headings[0].text if self.headings else ""


@dataclass(frozen=True)
class Context:
    """What the rendering of one text needs to know of the rest of the site.

    Attributes
    ----------
    link : callable
        ``link(address) -> str | None``: the address on the site; None if the site has no such page, so that
        the words stay and the link goes.
    picture : callable
        ``picture(address) -> Path``: the file of a picture.
    known : callable
        ``known(code) -> str | None``: the address of what a piece of code in a line names.
    files : callable
        ``files(address) -> {name: address}``: the files behind a picture, to be linked below it.
    is_code_folded : bool
        Python is shown on demand, as in a notebook, where the results come first.
    """

    link: Callable[[str], str | None] = lambda address: address
    picture: Callable[[str], Path] = Path
    known: Callable[[str], str | None] = lambda code: None
    files: Callable[[str], dict[str, str]] = lambda address: {}
    is_code_folded: bool = False


def render(text: str, context: Context) -> Rendered:
    """Markdown with tables and formulae as HTML.

    Parameters
    ----------
    text : str
        Markdown; comments and raw HTML in it are left out.
    context : Context
    """
    renderer = _Renderer(context)
    parse = mistune.create_markdown(renderer=renderer, plugins=["table", "math", "strikethrough"])
    body = str(parse(text))
    body = _CAPTIONED.sub(r"<figcaption>\g<caption></figcaption>\g<files></figure>", body)
    return Rendered(body, renderer.headings)


def plain(fragment: str) -> str:
    """The words of a piece of HTML."""
    return html.unescape(_TAG.sub("", fragment)).strip()


def picture_tag(path: Path, alt: str) -> str:
    """A PNG as an ``img`` that holds the file, with its size so that nothing jumps."""
    data = path.read_bytes()
    width, height = png_size(data)
    source = base64.b64encode(data).decode()
    return (
        f'<img src="data:image/png;base64,{source}" width="{width}" height="{height}" '
        f'alt="{html.escape(alt)}">'
    )


def png_size(data: bytes) -> tuple[int, int]:
    """Width and height of a PNG [pixels]."""
    width, height = struct.unpack(">II", data[16:24])
    return width, height


def code_block(code: str, language: str) -> str:
    """Highlighted code that scrolls sideways and can be reached with the keyboard."""
    marked = highlight(code, _lexer(language or "text"), HtmlFormatter(nowrap=True))
    return f'<pre class="code" tabindex="0"><code>{marked.rstrip()}</code></pre>\n'


@cache
def _lexer(language: str) -> Lexer:
    """The lexer of a language; that of plain text for an unknown one."""
    try:
        return get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return get_lexer_by_name("text", stripnl=False)


def in_box(content: str, label: str) -> str:
    """A wide table or formula in a box that scrolls by itself, named for who cannot see it."""
    name = html.escape(label, quote=True)
    return f'<div class="box" role="region" tabindex="0" aria-label="{name}">{content}</div>\n'


class _Renderer(mistune.HTMLRenderer):
    """HTML of one text."""

    def __init__(self, context: Context) -> None:
        super().__init__(escape=True)
        self.context = context
        self.headings: list[Heading] = []
        self._tables = 0
        self._stem = self._files = ""

    def heading(self, text: str, level: int, **attrs: object) -> str:
        """A heading with an anchor."""
        words = plain(text)
        base = re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") or "section"
        taken = {heading.anchor for heading in self.headings}
        anchor = next(
            name for n in range(1, len(taken) + 2) if (name := f"{base}-{n}" if n > 1 else base) not in taken
        )
        self.headings.append(Heading(level, anchor, words))
        return f'<h{level} id="{anchor}">{text}</h{level}>\n'

    def paragraph(self, text: str) -> str:
        """A paragraph; one that is only a picture is a figure."""
        if _ONLY_PICTURE.fullmatch(text):
            return f'<figure id="{html.escape(self._stem)}">{text.strip()}{self._files}</figure>\n'
        return super().paragraph(text)

    def image(self, text: str, url: str, title: str | None = None) -> str:
        """A picture, inside the page; the files behind it are linked if it is a figure."""
        self._stem = Path(url).stem
        links = [f'<a href="{html.escape(to)}">{name}</a>' for name, to in self.context.files(url).items()]
        self._files = f'<p class="files">{" · ".join(links)}</p>' if links else ""
        return picture_tag(self.context.picture(url), plain(text))

    def link(self, text: str, url: str, title: str | None = None) -> str:
        """A link to where the site has the page."""
        address = url if re.match(r"[a-z]+:", url) else self.context.link(url)
        return f'<a href="{html.escape(address)}">{text}</a>' if address else text

    def codespan(self, text: str) -> str:
        """Code in a line, linked if the site describes it."""
        code = f"<code>{html.escape(text, quote=False)}</code>"
        address = self.context.known(text)
        return f'<a href="{html.escape(address)}">{code}</a>' if address else code

    def block_code(self, code: str, info: str | None = None) -> str:
        """A block of code."""
        block = code_block(code, (info or "").split(" ")[0])
        if self.context.is_code_folded and info == "python":
            lines = len(code.strip().splitlines())
            return f'<details class="source"><summary>Code, {lines} lines</summary>{block}</details>\n'
        return block

    def table(self, text: str) -> str:
        """A table in its box."""
        self._tables += 1
        under = f": {self.headings[-1].text}" if self.headings else ""
        return in_box(f"<table>\n{text}</table>", f"Table {self._tables}{under}")

    def table_cell(self, text: str, align: str | None = None, head: bool = False) -> str:
        """One cell; numbers, which are aligned right, in figures of equal width."""
        kind = "number" if align == "right" else "short" if len(plain(text)) <= _SHORT else ""
        named = f' class="{kind}"' if kind else ""
        return f'<th scope="col"{named}>{text}</th>\n' if head else f"<td{named}>{text}</td>\n"

    def block_html(self, html: str) -> str:
        """Nothing: raw HTML does not belong in a text."""
        return ""

    def inline_html(self, html: str) -> str:
        """Comments left out, other tags as text."""
        return "" if _COMMENT.fullmatch(html.strip()) else mistune.escape(html)

    def inline_math(self, text: str) -> str:
        """A formula in a line."""
        return _formula(text, "inline")

    def block_math(self, text: str) -> str:
        """A formula on lines of its own."""
        return in_box(_formula(text, "block"), "Formula")


def _formula(tex: str, display: str) -> str:
    """TeX as MathML, which browsers draw by themselves; TeX where it cannot be translated."""
    try:
        return convert(tex.strip(), display=display)
    except _TEX_ERRORS:
        return f"<code>{html.escape(tex.strip())}</code>"
