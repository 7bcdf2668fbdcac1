"""Drivers, readers, loops, clocks and resets of the signals of a flattened IP."""

from __future__ import annotations

import graphlib
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from pyverilog.dataflow.dataflow import DFBranch, DFTerminal

from unison.rtl.checks.design import Design, terminals
from unison.rtl.checks.findings import Finding, Outcome

TOOL = "Pyverilog"
CLOCK, RESET = "clk_i", "rst_ni"


def check_drivers(design: Design) -> Outcome:
    """Find signals, outputs among them, that nothing drives, and bits of them that nothing drives.

    Parameters
    ----------
    design : Design
    """
    check = "every signal and output is driven"
    found, looked_at = [], 0
    for name, term in design.signals():
        module, local = design.place(name)
        if "Input" in term.termtype and str(name).rpartition(".")[0] == design.top:
            continue
        looked_at += 1
        missing = _undriven_bits(design, name)
        if missing == design.width(name):
            found.append(Finding(check, module, local, "has no driver"))
        elif missing:
            found.append(Finding(check, module, local, f"{missing} of its bits have no driver"))
    return Outcome.of(TOOL, check, looked_at, "signals", found)


def check_readers(design: Design) -> Outcome:
    """Find signals from which no path leads to an output of the IP, in any instance of their module.

    An output port that one instance leaves open counts as read if another instance uses it.

    Parameters
    ----------
    design : Design
    """
    check = "every signal is read"
    sources = _sources(design)
    live = {name for name, term in design.signals() if _is_top_output(design, name, term)}
    stack = list(live)
    while stack:
        fresh = sources.get(stack.pop(), set()) - live
        live |= fresh
        stack += fresh
    read: dict[tuple[str, str], bool] = defaultdict(bool)
    for name, _ in design.signals():
        read[design.place(name)] |= name in live
    found = [
        Finding(check, *place, "no output of the IP depends on it")
        for place, is_read in read.items()
        if not is_read
    ]
    return Outcome.of(TOOL, check, len(read), "signals", found)


def check_loops(design: Design) -> Outcome:
    """Find a cycle of signals each of which depends on the one before without a clock edge.

    Parameters
    ----------
    design : Design
    """
    check = "no combinational loop"
    graph = _sources(design, combinational_only=True)
    found = []
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        cycle = [str(name) for name in error.args[1]]
        module, local = design.place(error.args[1][0])
        found.append(Finding(check, module, local, " <- ".join(cycle)))
    return Outcome.of(TOOL, check, sum(map(len, graph.values())), "combinational dependences", found)


def check_globals(design: Design) -> Outcome:
    """Find registers with another clock or reset than the IP's, and uses of either net as data.

    Parameters
    ----------
    design : Design
    """
    check = "clock and reset are the only global nets"
    found, looked_at = [], 0
    for name, binds in design.binds.items():
        module, local = design.place(name)
        for bind in binds:
            looked_at += 1
            found += [
                Finding(check, module, local, problem) for problem in _global_problems(design, name, bind)
            ]
    return Outcome.of(TOOL, check, looked_at, "assignments", found)


def check_resets(design: Design) -> Outcome:
    """Find registers, memories apart, of which reset leaves some bit as it is or sets no constant.

    Parameters
    ----------
    design : Design
    """
    check = "every register has a reset value"
    found, looked_at = [], 0
    for name, binds in registers(design):
        module, local = design.place(name)
        if design.words(name) > 1:
            continue
        looked_at += 1
        values = [value for bind in binds if (value := _reset_value(design, bind)) is not None]
        if not values:
            found.append(Finding(check, module, local, "is not set by reset"))
        elif any(True for value in values for _ in _signals_in(design, value)):
            found.append(Finding(check, module, local, "is not set to a constant by reset"))
    return Outcome.of(TOOL, check, looked_at, "registers", found)


def registers(design: Design) -> Iterator[tuple[Any, list[Any]]]:
    """Registers and memories of the flattened IP with their clocked assignments."""
    for name, _ in design.signals():
        binds = [bind for bind in design.binds.get(name, ()) if bind.isClockEdge()]
        if binds:
            yield name, binds


def _sources(design: Design, *, combinational_only: bool = False) -> dict[Any, set[Any]]:
    """For each assigned name the signals that it depends on."""
    graph: dict[Any, set[Any]] = {}
    for name, binds in design.binds.items():
        found = graph.setdefault(name, set())
        for bind in binds:
            if bind.isClockEdge():
                if combinational_only:
                    continue
                found |= {net for net in (bind.getClockName(), bind.getResetName()) if net}
            found |= set(terminals(bind.tree, bind.ptr, bind.msb, bind.lsb))
    return graph


def _undriven_bits(design: Design, name: Any) -> int:
    width = design.width(name)
    driven = 0
    for bind in design.resolved_binds.get(name, ()):
        if bind.msb is None:
            return 0
        if not (hasattr(bind.msb, "value") and hasattr(bind.lsb, "value")):
            return 0
        high, low = int(bind.msb.value), int(bind.lsb.value)
        driven |= (1 << (high + 1)) - (1 << low)
    return width - (driven & ((1 << width) - 1)).bit_count()


def _is_top_output(design: Design, name: Any, term: Any) -> bool:
    return "Output" in term.termtype and str(name).rpartition(".")[0] == design.top


def _root(design: Design, name: Any) -> str:
    """The signal at the other end of port connections that pass a signal on unchanged."""
    while True:
        binds = design.binds.get(name, ())
        if len(binds) != 1 or not isinstance(binds[0].tree, DFTerminal) or binds[0].isClockEdge():
            return str(name)
        name = binds[0].tree.name


def _global_problems(design: Design, name: Any, bind: Any) -> Iterator[str]:
    clock, reset = f"{design.top}.{CLOCK}", f"{design.top}.{RESET}"
    data = [bind.tree, bind.ptr, bind.msb, bind.lsb]
    if bind.isClockEdge():
        if _root(design, bind.getClockName()) != clock or bind.getClockEdge() != "posedge":
            yield f"its clock is {bind.getClockEdge()} {bind.getClockName()}"
        if bind.getResetName():
            if _root(design, bind.getResetName()) != reset or bind.getResetEdge() != "negedge":
                yield f"its reset is {bind.getResetEdge()} {bind.getResetName()}"
            if isinstance(bind.tree, DFBranch):
                data = [bind.tree.truenode, bind.tree.falsenode, *data[1:]]
    elif _root(design, name) in (clock, reset):
        return
    if {_root(design, net) for net in terminals(*data)} & {clock, reset}:
        yield "clock or reset is used as data"


def _reset_value(design: Design, bind: Any) -> Any:
    """What reset assigns: the branch of the assignment that is taken while the reset is 0."""
    if not bind.getResetName() or not isinstance(bind.tree, DFBranch):
        return None
    condition = bind.tree.condnode
    is_reset = type(condition).__name__ == "DFOperator" and condition.operator in ("Ulnot", "Unot")
    return bind.tree.truenode if is_reset else None


def _signals_in(design: Design, tree: Any) -> Iterator[Any]:
    return (net for net in terminals(tree) if net not in design.constants)
