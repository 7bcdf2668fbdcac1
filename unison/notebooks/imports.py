"""Imports: which files of the package a notebook can reach, so that an edit elsewhere leaves it up to date.

::

    package = ImportGraph(paths.ROOT / "unison")
    package.files_behind(["import pandas", "from unison.report import Products"])

Imports are read from the syntax of the sources, wherever in a file they stand; nothing is imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import cached_property
from importlib.util import resolve_name
from pathlib import Path

from unison.errors import UnisonError

WALKS = "__path__"
"""A module that uses this name imports whatever lies below it (`unison.policies`)."""


class ImportGraph:
    """Which modules of one package import which.

    Parameters
    ----------
    folder : pathlib.Path
        The package's folder; its name is the package's.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._known: dict[str, set[str]] = {}

    @cached_property
    def modules(self) -> dict[str, Path]:
        """Every module's file by its dotted name; a package's file is its ``__init__.py``."""
        root = self.folder.parent
        named = {}
        for path in sorted(self.folder.rglob("*.py")):
            parts = path.relative_to(root).with_suffix("").parts
            named[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
        return named

    def files_behind(self, sources: Iterable[str], modules: Iterable[str] = ()) -> set[Path]:
        """Everything of the package that some code depends on.

        Parameters
        ----------
        sources : iterable of str
            Python code, e.g. the cells of a notebook. Code that is no plain Python may reach every module.
        modules : iterable of str
            Names of modules that are run as well.

        Returns
        -------
        set of pathlib.Path
            The files of all modules reached, and the files beside them that are no Python (templates,
            schemas).

        Raises
        ------
        UnisonError
            If a module that is reached is no valid Python.
        """
        reached = self.modules_behind(sources, modules)
        files = {self.modules[name] for name in reached}
        folders = {path.parent for path in files if path.name == "__init__.py"}
        beside = (path for folder in folders for path in folder.rglob("*") if self._is_data(path, folders))
        return files | set(beside)

    def modules_behind(self, sources: Iterable[str], modules: Iterable[str] = ()) -> set[str]:
        """The names of the modules that `files_behind` reaches."""
        waiting = set(modules).union(*map(self._imported_in_cell, sources))
        reached: set[str] = set()
        while waiting:
            name = waiting.pop()
            if name in self.modules and name not in reached:
                reached.add(name)
                if name not in self._known:
                    self._known[name] = self._imported_by(name)
                waiting |= self._known[name] - reached
        return reached

    def _imported_in_cell(self, source: str) -> set[str]:
        try:
            return self._imported(ast.parse(source), "")
        except SyntaxError:
            return set(self.modules)

    def _imported_by(self, name: str) -> set[str]:
        """What a module imports, its parents among it, which run before it."""
        path = self.modules[name]
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except SyntaxError as error:
            raise UnisonError(f"{name}: line {error.lineno} is no valid Python; mend it") from error
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        found = self._imported(tree, package) | {package}
        if any(isinstance(node, ast.Name) and node.id == WALKS for node in ast.walk(tree)):
            found |= {other for other in self.modules if other.startswith(f"{name}.")}
        return found

    def _imported(self, tree: ast.AST, package: str) -> set[str]:
        """The modules that the import statements of a tree name, with their parents."""
        named: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                named |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                source = resolve_name("." * node.level + (node.module or ""), package or None)
                named |= {source, *(f"{source}.{alias.name}" for alias in node.names)}
        return {parent for name in named for parent in _parents(name)} & self.modules.keys()

    @staticmethod
    def _is_data(path: Path, packages: set[Path]) -> bool:
        """Whether a file is read, not imported, and belongs to one of the packages, not to one below."""
        if not path.is_file() or path.suffix == ".py" or "__pycache__" in path.parts:
            return False
        owner = next(folder for folder in path.parents if (folder / "__init__.py").is_file())
        return owner in packages


def _parents(name: str) -> list[str]:
    """``a.b.c`` as ``a``, ``a.b`` and ``a.b.c``."""
    parts = name.split(".")
    return [".".join(parts[: end + 1]) for end in range(len(parts))]
