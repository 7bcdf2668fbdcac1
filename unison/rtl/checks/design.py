"""Design: an IP as Pyverilog sees it, module by module and with its hierarchy flattened."""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pyverilog.dataflow.bindvisitor import BindVisitor
from pyverilog.dataflow.dataflow import DFTerminal
from pyverilog.dataflow.modulevisitor import ModuleVisitor
from pyverilog.dataflow.optimizer import VerilogDataflowOptimizer
from pyverilog.dataflow.signalvisitor import SignalVisitor
from pyverilog.utils.scope import ScopeChain, ScopeLabel
from pyverilog.vparser.parser import ParseError, VerilogParser

from unison.errors import UnisonError

TOP = "unison_top"
CONSTANTS = frozenset({"Parameter", "Localparam", "Genvar", "Integer"})
"""Kinds of names that are no signals."""


class _BindVisitor(BindVisitor):  # type: ignore[misc]
    """Pyverilog's walk over the assignments, without its deep copy of a scope for every name looked up."""

    def searchTerminal(self, name: str, scope: Any) -> Any:
        """The innermost signal of a name seen from a scope, or None."""
        while len(scope):
            found = ScopeChain([*scope.scopechain, ScopeLabel(name, "signal")])
            if self.dataflow.hasTerm(found):
                return found
            if self.frames.dict[scope].isModule():
                return None
            scope = scope[:-1]
        return None


@dataclass(frozen=True, eq=False)
class Design:
    """The parsed modules of an IP and the dataflow of one of them with everything below it.

    Attributes
    ----------
    texts : mapping of str to str
        Verilog by module name.
    modules : mapping of str to pyverilog ModuleDef
    top : str
    terms, binds, constants
        Pyverilog's names, assignments and constants of the flattened hierarchy, by scope.
    resolved_terms, resolved_binds
        The same with constants put in.
    instances : mapping of str to str
        Module by hierarchical instance name, the top among them.
    """

    texts: Mapping[str, str]
    modules: Mapping[str, Any]
    top: str
    terms: Mapping[Any, Any]
    binds: Mapping[Any, list[Any]]
    constants: Mapping[Any, Any]
    resolved_terms: Mapping[Any, Any]
    resolved_binds: Mapping[Any, list[Any]]
    instances: Mapping[str, str]
    _widths: dict[str, int] = field(default_factory=dict)

    def signals(self) -> Iterator[tuple[Any, Any]]:
        """Every signal of the hierarchy with its term, without constants and Pyverilog's renamed copies."""
        for name, term in self.terms.items():
            if not term.termtype & (CONSTANTS | {"Rename", "Function", "Task"}):
                yield name, term

    def place(self, name: Any) -> tuple[str, str]:
        """Module and local name of a signal."""
        instance, _, local = str(name).rpartition(".")
        return self.instances.get(instance, instance), local

    def width(self, name: Any) -> int:
        """Bits of a signal, or of one word of a memory."""
        term = self.resolved_terms[name]
        if term.msb is None or term.lsb is None:
            return 1
        return abs(int(term.msb.value) - int(term.lsb.value)) + 1

    def words(self, name: Any) -> int:
        """Words of a memory; 1 for a plain signal."""
        found = 1
        for first, last in self.resolved_terms[name].dims or ():
            found *= abs(int(first.value) - int(last.value)) + 1
        return found


def parse_module(text: str) -> Any:
    """The syntax tree of one file.

    Parameters
    ----------
    text : str
        Verilog without directives that need a preprocessor.

    Raises
    ------
    UnisonError
        If Pyverilog does not accept it, or it holds other than one module.
    """
    try:
        tree = _parser().parse(text)
    except ParseError as error:
        raise UnisonError(f"Pyverilog does not parse the Verilog: {error}") from error
    definitions = [part for part in tree.description.definitions if type(part).__name__ == "ModuleDef"]
    if len(definitions) != 1:
        raise UnisonError(f"a Verilog file must hold one module; it holds {len(definitions)}")
    return tree


def verilog_modules(files: Mapping[str, str]) -> dict[str, str]:
    """The Verilog texts among the files of an IP, by module name."""
    return {name.removesuffix(".v"): text for name, text in files.items() if name.endswith(".v")}


def load_design(texts: Mapping[str, str], top: str = TOP) -> Design:
    """Parse modules and make the dataflow of one of them with all its instances.

    Parameters
    ----------
    texts : mapping of str to str
        Verilog by module name.
    top : str

    Raises
    ------
    UnisonError
        If Pyverilog does not accept a module, or an instance's module is not among them.
    """
    trees = {name: parse_module(text) for name, text in texts.items()}
    visitor = ModuleVisitor()
    for tree in trees.values():
        visitor.visit(tree)
    table = visitor.get_moduleinfotable()
    modules = {name: table.getDefinition(name) for name in visitor.get_modulenames()}
    if set(modules) != set(texts):
        raise UnisonError(f"files {sorted(texts)} hold the modules {sorted(modules)}: names must agree")
    instances = dict(_instances(modules, top, top))
    signals = SignalVisitor(table, top)
    signals.start_visit()
    binds = _BindVisitor(table, top, signals.getFrameTable())
    binds.start_visit()
    flow = binds.getDataflows()
    terms, bind_lists = flow.getTerms(), flow.getBinddict()
    optimizer = VerilogDataflowOptimizer(terms, bind_lists)
    optimizer.resolveConstant()
    return Design(
        texts=texts,
        modules=modules,
        top=top,
        terms=terms,
        binds=bind_lists,
        constants=optimizer.getConstlist(),
        resolved_terms=optimizer.getResolvedTerms(),
        resolved_binds=optimizer.getResolvedBinddict(),
        instances=instances,
    )


def terminals(*trees: Any) -> Iterator[Any]:
    """Names of the signals in expressions of the dataflow; parts that are None are left out."""
    stack = [tree for tree in trees if tree is not None]
    while stack:
        node = stack.pop()
        if isinstance(node, DFTerminal):
            yield node.name
        stack += [child for child in node.children() if child is not None]


def bare(text: str) -> str:
    """Verilog without comments and attributes, the lines kept."""
    text = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    text = re.sub(r"//[^\n]*", "", text)
    return re.sub(r"\(\*(?!\)).*?\*\)", "", text)


def _instances(modules: Mapping[str, Any], module: str, path: str) -> Iterator[tuple[str, str]]:
    if module not in modules:
        raise UnisonError(f"{path} is an instance of {module}, for which there is no file")
    yield path, module
    for item in modules[module].items:
        for instance in getattr(item, "instances", None) or ():
            yield from _instances(modules, instance.module, f"{path}.{instance.name}")


@functools.cache
def _parser() -> Any:
    """Pyverilog's parser; its tables take a second to make, and its files go where they do no harm."""
    with tempfile.TemporaryDirectory(prefix="unison-") as folder:
        return VerilogParser(outputdir=folder, debug=False)
