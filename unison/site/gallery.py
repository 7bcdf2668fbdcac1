"""The figures as the executed notebooks show them: heading, picture, caption and what was found."""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from unison.site.sources import Notebook

THUMBNAIL_WIDTH_PX = 720

_FIGURE = re.compile(r"!\[(?P<alt>[^\]]*)\]\([^)]*figures/(?P<stem>[a-z0-9_/]+)\.png\)")
_TABLE_NAME = re.compile(r"\"(tab\d\d_[a-z0-9_]+)\"")


@dataclass(frozen=True)
class Shown:
    """One figure of a notebook.

    Attributes
    ----------
    stem : str
        As ``fig03_gain``.
    notebook : Notebook
        That shows it.
    heading : str
        The heading above it.
    alt, caption : str
        Markdown of the picture's alt text and caption.
    finding : str
        What the run wrote below it, computed from the data; empty if nothing.
    """

    stem: str
    notebook: Notebook
    heading: str
    alt: str
    caption: str
    finding: str

    @property
    def address(self) -> str:
        """Where it is shown."""
        return f"{self.notebook.address}#{self.stem}"


def shown_figures(notebooks: Sequence[Notebook]) -> list[Shown]:
    """Every figure that the notebooks show, in order."""
    return [figure for notebook in notebooks for figure in _of(notebook)]


def _of(notebook: Notebook) -> list[Shown]:
    blocks = _blocks(notebook.text)
    heading = notebook.title
    found = []
    for position, block in enumerate(blocks):
        if block.startswith("#"):
            heading = block.lstrip("# ").strip()
        picture = _FIGURE.fullmatch(block)
        if picture is None:
            continue
        after = [*blocks[position + 1 : position + 3], "", ""]
        is_captioned = after[0].startswith("*") and after[0].endswith("*")
        caption = after[0].strip("*") if is_captioned else ""
        finding = after[1 if is_captioned else 0]
        if not _is_sentence(finding) or finding in notebook.written:
            finding = ""
        found.append(Shown(picture["stem"], notebook, heading, picture["alt"], caption, finding))
    return found


def _blocks(text: str) -> list[str]:
    """The blocks between blank lines, code blocks whole."""
    blocks: list[str] = []
    fence = ""
    for part in text.split("\n\n"):
        if fence:
            blocks[-1] += "\n\n" + part
        else:
            blocks.append(part.strip())
        for line in part.splitlines():
            mark = re.match(r"`{3,}", line)
            if mark and not fence:
                fence = mark.group(0)
            elif fence and line.strip() == fence:
                fence = ""
    return [block for block in blocks if block]


def _is_sentence(block: str) -> bool:
    """Whether a block is running text, not a heading, list, table, picture, quote or code."""
    return bool(block) and block[0] not in "#|!`->*<"


def tables_of(notebook: Notebook) -> list[str]:
    """Stems of the tables that a notebook saves, in the order in which its code names them."""
    code = "\n".join(block for block in _blocks(notebook.text) if block.startswith("```python"))
    return list(dict.fromkeys(_TABLE_NAME.findall(code)))


def thumbnail(path: Path) -> bytes:
    """A PNG no wider than `THUMBNAIL_WIDTH_PX`, for the index."""
    with Image.open(path) as picture:
        small = picture.convert("RGB")
        if small.width > THUMBNAIL_WIDTH_PX:
            height = round(small.height * THUMBNAIL_WIDTH_PX / small.width)
            small = small.resize((THUMBNAIL_WIDTH_PX, height), Image.Resampling.LANCZOS)
        buffer = io.BytesIO()
        small.quantize(128, dither=Image.Dither.NONE).save(buffer, format="PNG", optimize=True)
        return buffer.getvalue()
