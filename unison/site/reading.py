"""Reading a module's interface from its source, without importing it: names, signatures, docstrings."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

LINE = 96
"""Longest line of a declaration; a longer one is broken at its arguments."""


@dataclass(frozen=True)
class Item:
    """A function, class, method, property or constant.

    Attributes
    ----------
    name : str
        Within its module, as ``Corpus.turns``.
    declaration : str
        What it looks like in code, without its body.
    docstring : str
    items : tuple of Item
        Methods and properties of a class.
    """

    name: str
    declaration: str
    docstring: str
    items: tuple[Item, ...] = ()


@dataclass(frozen=True)
class Module:
    """One module.

    Attributes
    ----------
    name : str
        As ``unison.traces.corpus``.
    docstring : str
    items : tuple of Item
        Those that are public and have a docstring, in order.
    """

    name: str
    docstring: str
    items: tuple[Item, ...]


def read_module(path: Path, name: str) -> Module:
    """The interface of a source file.

    Parameters
    ----------
    path : pathlib.Path
    name : str
        Of the module.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return Module(name, ast.get_docstring(tree) or "", tuple(_items(tree.body)))


def _items(body: list[ast.stmt], owner: str = "") -> Iterator[Item]:
    """The public, described items of a module or class; constants of a module alone."""
    for position, node in enumerate(body):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            docstring = ast.get_docstring(node)
            if docstring and not node.name.startswith("_"):
                name = f"{owner}.{node.name}" if owner else node.name
                inner = tuple(_items(node.body, name)) if isinstance(node, ast.ClassDef) else ()
                yield Item(name, _declaration(node), docstring, inner)
        elif not owner:
            docstring = _docstring_below(body, position)
            for name in _names(node) if docstring else ():
                yield Item(name, _assignment(node), docstring)


def _docstring_below(body: list[ast.stmt], position: int) -> str:
    """The string right after a statement, which describes what it assigns."""
    below = body[position + 1] if position + 1 < len(body) else None
    if isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
        return below.value.value.strip() if isinstance(below.value.value, str) else ""
    return ""


def _names(node: ast.stmt) -> list[str]:
    """The public names that an assignment binds."""
    targets = node.targets if isinstance(node, ast.Assign) else []
    if isinstance(node, ast.AnnAssign):
        targets = [node.target]
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    return [name for name in names if not name.startswith("_")]


def _assignment(node: ast.stmt) -> str:
    text = ast.unparse(node)
    return text if len(text) <= LINE else f"{text[: LINE - 4]} ..."


def _declaration(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    """Decorators that change how it is used, and the head of a definition."""
    shown = ("dataclass", "property", "classmethod", "staticmethod", "contextmanager")
    decorators = [ast.unparse(decorator) for decorator in node.decorator_list]
    lines = [f"@{text}" for text in decorators if text.split("(")[0].split(".")[-1] in shown]
    return "\n".join([*lines, _head(node)])


def _head(node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> str:
    if isinstance(node, ast.ClassDef):
        bases = ", ".join(ast.unparse(base) for base in node.bases)
        return f"class {node.name}({bases})" if bases else f"class {node.name}"
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    line = f"def {node.name}({ast.unparse(node.args)}){returns}"
    if len(line) <= LINE:
        return line
    return f"def {node.name}(\n    " + ",\n    ".join(_arguments(node.args)) + f",\n){returns}"


def _arguments(args: ast.arguments) -> list[str]:
    """The arguments of a function one by one, as they are written."""
    positional = [*args.posonlyargs, *args.args]
    defaults: list[ast.expr | None] = [None] * (len(positional) - len(args.defaults))
    parts = [
        _argument(arg, default) for arg, default in zip(positional, [*defaults, *args.defaults], strict=True)
    ]
    if args.posonlyargs:
        parts.insert(len(args.posonlyargs), "/")
    if args.vararg:
        parts.append("*" + _argument(args.vararg, None))
    elif args.kwonlyargs:
        parts.append("*")
    parts += [_argument(arg, default) for arg, default in zip(args.kwonlyargs, args.kw_defaults, strict=True)]
    if args.kwarg:
        parts.append("**" + _argument(args.kwarg, None))
    return parts


def _argument(arg: ast.arg, default: ast.expr | None) -> str:
    text = f"{arg.arg}: {ast.unparse(arg.annotation)}" if arg.annotation else arg.arg
    if default is None:
        return text
    return f"{text} = {ast.unparse(default)}" if arg.annotation else f"{text}={ast.unparse(default)}"
