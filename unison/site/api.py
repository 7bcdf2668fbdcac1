"""The API pages, from the docstrings: one page a package, and the help of every command."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import click
from pdoc.docstrings import convert

from unison.errors import UnisonError
from unison.site.markup import Context, Heading, code_block, render
from unison.site.pages import Page, fill, relative
from unison.site.reading import LINE, Item, Module, read_module

LEFT_OUT = "unison.cli"
"""The package whose interface is not Python: its commands have a page of their own."""

COMMANDS = "api/commands.html"
OVERVIEW = "api/index.html"

_SECTION = re.compile(r"^#{5,6} (.+)$", re.MULTILINE)
_STARS = re.compile(r"^(\*{1,2})(?=\w+ *(:|$))", re.MULTILINE)
"""Before the name of a parameter that takes any number of arguments."""


@dataclass(frozen=True)
class Api:
    """The public modules of a package.

    Attributes
    ----------
    modules : tuple of Module
        In the order of their names, a package before its modules.
    """

    modules: tuple[Module, ...]

    @classmethod
    def of(cls, package: Path) -> Api:
        """The modules of a package's folder.

        Parameters
        ----------
        package : pathlib.Path
            As ``unison/``.
        """
        found = {}
        for path in package.rglob("*.py"):
            parts = path.relative_to(package.parent).with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            if not any(part.startswith("_") for part in name.split(".")) and not _is_left_out(name):
                found[name] = path
        return cls(tuple(read_module(found[name], name) for name in sorted(found)))

    @cached_property
    def packages(self) -> dict[str, list[Module]]:
        """The modules by the address of their page."""
        pages: dict[str, list[Module]] = {}
        for module in self.modules:
            pages.setdefault(self._page_of(module.name), []).append(module)
        return pages

    @cached_property
    def index(self) -> dict[str, str]:
        """The address of everything described, by full name."""
        index = {}
        for module in self.modules:
            page = self._page_of(module.name)
            index[module.name] = f"{page}#{module.name}"
            for item in module.items:
                for each in (item, *item.items):
                    index[f"{module.name}.{each.name}"] = f"{page}#{module.name}.{each.name}"
        return index

    @cached_property
    def _short(self) -> dict[str, str]:
        """The address of names that only one module has and that are no plain words."""
        short: dict[str, list[str]] = {}
        for module in self.modules:
            for item in module.items:
                short.setdefault(item.name, []).append(self.index[f"{module.name}.{item.name}"])
        return {name: at[0] for name, at in short.items() if len(at) == 1 and re.search("[A-Z_]", name)}

    def address_of(self, module: str) -> str | None:
        """Where a module is described; None if it is not."""
        return COMMANDS if _is_left_out(module) else self.index.get(module)

    def known(self, module: str, page: str) -> Callable[[str], str | None]:
        """How code in a text is linked.

        Parameters
        ----------
        module : str
            Whose own names come before those of others; may be empty.
        page : str
            The address of the text's page.
        """

        def find(code: str) -> str | None:
            name = code.strip().removesuffix("()")
            address = self.index.get(f"{module}.{name}") or self.index.get(name) or self._short.get(name)
            return relative(address, page) if address else None

        return find

    def _page_of(self, module: str) -> str:
        """The page of a module: that of the package it is in, or is."""
        is_package = any(other.name.startswith(f"{module}.") for other in self.modules)
        return f"api/{module if is_package else module.rpartition('.')[0]}.html"


def api_pages(api: Api) -> list[Page]:
    """The pages: an overview, one page a package, the commands."""
    rows = []
    for module in api.modules:
        first, _, _ = module.docstring.partition("\n\n")
        address = relative(api.index[module.name], OVERVIEW)
        rows.append({"address": address, "name": module.name, "summary": _html(first, api, module.name)})
    body = fill("api_index.html.j2", modules=rows, commands=relative(COMMANDS, OVERVIEW))
    return [
        Page(OVERVIEW, "API", body),
        *(_package_page(api, address, modules) for address, modules in api.packages.items()),
        _commands_page(),
    ]


def _package_page(api: Api, address: str, modules: list[Module]) -> Page:
    title = address.removeprefix("api/").removesuffix(".html")
    parts = [
        {
            "name": module.name,
            "doc": _html(module.docstring, api, module.name),
            "members": [_member(item, api, module.name) for item in module.items],
        }
        for module in modules
    ]
    headings = [Heading(2, module.name, module.name.removeprefix(f"{title}.")) for module in modules]
    return Page(address, title, fill("api.html.j2", title=title, parts=parts), headings)


def _member(item: Item, api: Api, module: str) -> dict[str, Any]:
    """What the template shows of one item."""
    return {
        "anchor": f"{module}.{item.name}",
        "name": item.name,
        "code": code_block(item.declaration, "python"),
        "doc": _html(item.docstring, api, module),
        "members": [_member(inner, api, module) for inner in item.items],
    }


def _html(docstring: str, api: Api, module: str) -> str:
    """A docstring as HTML; its sections are labels, not headings."""
    context = Context(known=api.known(module, api.index[module]), link=lambda address: None)
    escaped = _STARS.sub(lambda found: r"\*" * len(found[1]), docstring)
    text = convert(escaped, "numpy", None)
    return render(_SECTION.sub(r"**\1**", text), context).body


def _is_left_out(module: str) -> bool:
    return module == LEFT_OUT or module.startswith(f"{LEFT_OUT}.")


def _commands_page() -> Page:
    """The help of every command, as the command line prints it."""
    from unison.cli import main

    top = click.Context(main, info_name="unison", max_content_width=LINE, terminal_width=LINE)
    commands = []
    for name in main.list_commands(top):
        try:
            command = main.get_command(top, name)
        except UnisonError:
            continue
        if command is not None:
            inner = click.Context(command, top, name, max_content_width=LINE, terminal_width=LINE)
            commands.append({"name": name, "help": code_block(command.get_help(inner), "text")})
    headings = [Heading(2, str(command["name"]), str(command["name"])) for command in commands]
    return Page(COMMANDS, "Commands", fill("commands.html.j2", commands=commands), headings)
