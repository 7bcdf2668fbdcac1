"""State machines: which states each can reach from its reset state, by Pyverilog's control-flow analysis."""

from __future__ import annotations

import contextlib
import io
from dataclasses import dataclass
from typing import Any

from pyverilog.controlflow.controlflow_analyzer import VerilogControlflowAnalyzer

from unison.rtl.checks.design import Design
from unison.rtl.checks.findings import Finding, Outcome

CHECK = "every state is reachable"
STATE = "state_q"
"""Name of every state register."""


@dataclass(frozen=True)
class Machine:
    """One state machine.

    Attributes
    ----------
    module : str
    instance : str
        Where it is in the hierarchy.
    states : dict of str to int
        Named states, the localparams that its case lists.
    reset : int
    transitions : frozenset of (int, int)
        From and to.
    """

    module: str
    instance: str
    states: dict[str, int]
    reset: int
    transitions: frozenset[tuple[int, int]]

    def reachable(self) -> set[int]:
        """States that transitions lead to from the reset state, itself among them."""
        found, stack = {self.reset}, [self.reset]
        while stack:
            state = stack.pop()
            fresh = {to for source, to in self.transitions if source == state} - found
            found |= fresh
            stack += fresh
        return found


def machines(design: Design) -> list[Machine]:
    """Every state machine of the flattened IP."""
    analyzer = VerilogControlflowAnalyzer(
        design.top,
        design.terms,
        design.binds,
        design.resolved_terms,
        design.resolved_binds,
        design.constants,
        fsm_vars=(rf"\.{STATE}$",),
    )
    with contextlib.redirect_stdout(io.StringIO()):
        found = analyzer.getFiniteStateMachines()
    by_name = {str(name): machine for name, machine in found.items()}
    return [
        _machine(design, name, by_name.get(str(name)))
        for name, _ in design.signals()
        if str(name).rpartition(".")[2] == STATE
    ]


def check_machines(design: Design) -> Outcome:
    """Find named states that no chain of transitions from reset leads to, and transitions to unnamed ones.

    Parameters
    ----------
    design : Design
    """
    findings, looked_at = [], 0
    for machine in machines(design):
        looked_at += len(machine.states)
        reachable = machine.reachable()
        names = {value: name for name, value in machine.states.items()}
        findings += [
            Finding(CHECK, machine.module, name, "cannot be reached from reset")
            for value, name in names.items()
            if value not in reachable
        ]
        findings += [
            Finding(CHECK, machine.module, f"state {value}", "is reached but has no name")
            for value in reachable - set(names)
        ]
    return Outcome.of("Pyverilog", CHECK, looked_at, "states", findings)


def _machine(design: Design, name: str, found: Any) -> Machine:
    module, _ = design.place(name)
    instance = str(name).rpartition(".")[0]
    states = _named_states(design, module, instance)
    transitions = set()
    if found is not None:
        transitions = {
            (source, int(to))
            for source, arms in found.fsm.items()
            if source is not None
            for to in arms.values()
        }
        every = {source for source, _ in transitions} | set(states.values())
        transitions |= {(source, int(to)) for source in every for to in found.any.values()}
    return Machine(module, instance, states, _reset_state(design, name), frozenset(transitions))


def _named_states(design: Design, module: str, instance: str) -> dict[str, int]:
    """The localparams that the machine's case statement lists."""
    values = {
        str(name): int(value.value) for name, value in design.constants.items() if hasattr(value, "value")
    }
    labels: set[str] = set()
    stack: list[Any] = [design.modules[module]]
    while stack:
        node = stack.pop()
        stack += list(node.children())
        if type(node).__name__ == "CaseStatement" and getattr(node.comp, "name", None) == STATE:
            labels |= {label.name for case in node.caselist for label in case.cond or ()}
    return {label: values[f"{instance}.{label}"] for label in sorted(labels)}


def _reset_state(design: Design, name: Any) -> int:
    for bind in design.resolved_binds[name]:
        tree = bind.tree
        value = getattr(getattr(tree, "truenode", None), "value", None)
        if value is not None:
            return int(value)
    return 0
