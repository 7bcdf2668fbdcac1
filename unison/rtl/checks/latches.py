"""Latches: combinational blocks that do not give every signal a value on every path."""

from __future__ import annotations

from typing import Any

from unison.rtl.checks.design import Design
from unison.rtl.checks.findings import Finding, Outcome

CHECK = "no latch"


def check_latches(design: Design) -> Outcome:
    """Find, in every ``always @*``, signals that some path leaves without a value.

    Parameters
    ----------
    design : Design
    """
    found, looked_at = [], 0
    for module, definition in design.modules.items():
        for block in _always_blocks(definition):
            if _is_clocked(block):
                continue
            assigned, certain = _targets(block.statement)
            looked_at += len(assigned)
            found += [
                Finding(CHECK, module, name, "keeps its value on some path of a combinational block")
                for name in assigned - certain
            ]
            if not _is_star(block):
                found.append(Finding(CHECK, module, f"line {block.lineno}", "the block is not always @*"))
    return Outcome.of("Pyverilog", CHECK, looked_at, "signals of combinational blocks", found)


def _always_blocks(definition: Any) -> list[Any]:
    return [item for item in definition.items if type(item).__name__ == "Always"]


def _is_clocked(block: Any) -> bool:
    return any(sense.type in ("posedge", "negedge") for sense in block.sens_list.list)


def _is_star(block: Any) -> bool:
    return [sense.type for sense in block.sens_list.list] == ["all"]


def _targets(statement: Any) -> tuple[set[str], set[str]]:
    """Signals that a statement assigns on some path, and those that it assigns on every path."""
    kind = type(statement).__name__
    if kind == "Block":
        return _sequence(statement.statements)
    if kind == "IfStatement":
        return _branches([statement.true_statement, statement.false_statement])
    if kind == "CaseStatement":
        arms = [case.statement for case in statement.caselist]
        is_full = any(case.cond is None for case in statement.caselist)
        return _branches(arms if is_full else [*arms, None])
    if kind == "ForStatement":
        return _targets(statement.statement)
    if kind in ("BlockingSubstitution", "NonblockingSubstitution"):
        return _assigned(statement.left.var)
    return set(), set()


def _sequence(statements: Any) -> tuple[set[str], set[str]]:
    parts = [_targets(statement) for statement in statements]
    return set().union(*(some for some, _ in parts)), set().union(*(every for _, every in parts))


def _branches(arms: list[Any]) -> tuple[set[str], set[str]]:
    parts = [_targets(arm) for arm in arms]
    return set().union(*(some for some, _ in parts)), set.intersection(*(every for _, every in parts))


def _assigned(left: Any) -> tuple[set[str], set[str]]:
    """A whole signal is assigned for certain; of a part only that it is assigned."""
    kind = type(left).__name__
    if kind == "Identifier":
        return {left.name}, {left.name}
    if kind == "LConcat":
        parts = [_assigned(part) for part in left.list]
        return set().union(*(some for some, _ in parts)), set().union(*(every for _, every in parts))
    return {left.var.name}, set()
