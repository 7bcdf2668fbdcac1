"""A page of the site: its frame, its place among the others, and the check that it stands alone."""

from __future__ import annotations

import posixpath
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from unison import paths
from unison.errors import UnisonError
from unison.notebooks.render import remote_resources
from unison.site.markup import Heading

_ADDRESS = re.compile(r"\bat 0x[0-9a-fA-F]{6,}")


@dataclass(frozen=True)
class Link:
    """An entry of the navigation.

    Attributes
    ----------
    address : str
        Of the page, from the site's root.
    text : str
    """

    address: str
    text: str


@dataclass(frozen=True)
class Page:
    """One page before it is put into the frame.

    Attributes
    ----------
    address : str
        File name within the site, with ``/``.
    title : str
        What it is about; the site's name is added.
    body : str
        HTML of its main part.
    headings : sequence of Heading
        Those of level 2 become its table of contents.
    script : str
        JavaScript at its end.
    is_wide : bool
        Its main part uses the whole width.
    """

    address: str
    title: str
    body: str
    headings: Sequence[Heading] = field(default=())
    script: str = ""
    is_wide: bool = False


@cache
def templates() -> Environment:
    """The templates of the site; a variable that is not given is an error."""
    return Environment(
        loader=PackageLoader("unison.site", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def asset(name: str) -> str:
    """The text of a file beside the templates: a style sheet or script."""
    return (Path(__file__).parent / "templates" / name).read_text(encoding="utf-8")


def fill(template: str, **values: Any) -> str:
    """A template with its values."""
    return templates().get_template(template).render(**values)


def relative(address: str, page: str) -> str:
    """An address from the site's root as seen from a page; one with a scheme or only an anchor stays."""
    if re.match(r"[a-z]+:|#", address):
        return address
    path, mark, anchor = address.partition("#")
    return posixpath.relpath(path, posixpath.dirname(page) or ".") + mark + anchor


def framed(page: Page, navigation: Sequence[Link]) -> str:
    """The whole page: head, navigation, contents, main part.

    Raises
    ------
    UnisonError
        If it would fetch anything, or holds a path or memory address of this machine.
    """
    entries = [
        {
            "href": relative(link.address, page.address),
            "text": link.text,
            "here": link.address == page.address,
        }
        for link in navigation
    ]
    contents = [heading for heading in page.headings if heading.level == 2]
    text = fill(
        "frame.html.j2",
        page=page,
        navigation=entries,
        contents=contents if len(contents) > 2 else [],
        style=asset("style.css"),
    )
    check_alone(page.address, text)
    return text


def check_alone(name: str, text: str) -> None:
    """Refuse a page that needs anything else, or that would differ on another machine.

    Raises
    ------
    UnisonError
        With what was found.
    """
    remote = remote_resources(text)
    if remote:
        raise UnisonError(f"site page {name}: it would load {remote[0]}; put the file into the page")
    found = _ADDRESS.search(text)
    if found:
        raise UnisonError(
            f"site page {name}: holds a memory address ({found.group(0)}); show a value instead"
        )
    for folder in {str(paths.ROOT), sys.prefix, str(Path.home())}:
        if len(folder) > 1 and f"{folder}/" in text:
            raise UnisonError(f"site page {name}: holds a path of this machine; show the file's name alone")
