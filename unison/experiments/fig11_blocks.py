"""What the Verilog of one IP is made of: instances, the state in each, and the signals between them.

Everything is read from the generated text with Pyverilog; nothing is taken from the generator's plan.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

import pandas as pd

from unison.rtl.checks.design import Design, load_design, verilog_modules
from unison.rtl.checks.nets import CLOCK, RESET
from unison.rtl.checks.registers import bits, found_state
from unison.rtl.config import Config
from unison.rtl.generate import render_ip

SOFTWARE = "software"
"""What is on the other side of the ports of the IP."""

BLOCK, LINK = "block", "link"

Ends = Mapping[str, set[str]]
"""Of each net of the top, the instances at one of its ends."""


def ip_blocks(config: Config) -> pd.DataFrame:
    """Blocks and links of the generated IP.

    Parameters
    ----------
    config : Config

    Returns
    -------
    pandas.DataFrame
        See `blocks_of`.
    """
    return blocks_of(load_design(verilog_modules(render_ip(config))))


def blocks_of(design: Design) -> pd.DataFrame:
    """Blocks and links of a flattened IP.

    Parameters
    ----------
    design : Design

    Returns
    -------
    pandas.DataFrame
        A row a block, ``kind`` `BLOCK`: ``instance`` (path below the top), ``module``, ``register_bits`` and
        ``memory_bits`` of its own, without those of the blocks in it. Then a row a link, ``kind`` `LINK`:
        ``signals`` that ``instance`` drives and ``target`` reads, through the top's assignments too; clock
        and reset are no links. `SOFTWARE` is at the other end of the ports.
    """
    state = found_state(design)
    rows: list[dict[str, object]] = []
    for path, module in design.instances.items():
        instance = path.partition(".")[2]
        if instance:
            registers, memory = bits({instance: state.get(instance, {})})
            rows.append(_row(BLOCK, instance, module=module, register_bits=registers, memory_bits=memory))
    for (source, target), signals in sorted(_links(design).items()):
        rows.append(_row(LINK, source, target=target, signals=signals))
    return pd.DataFrame(rows)


def _row(kind: str, instance: str, **values: object) -> dict[str, object]:
    empty = {"target": None, "module": None, "register_bits": 0, "memory_bits": 0, "signals": 0}
    return {"kind": kind, "instance": instance, **empty, **values}


def _links(design: Design) -> dict[tuple[str, str], int]:
    """Signals from one instance of the top to another."""
    top = design.modules[design.top]
    drivers, readers = _ends(design, top)
    spread = _through_assignments(top, drivers)
    found: dict[tuple[str, str], int] = defaultdict(int)
    for net, targets in readers.items():
        for source in spread.get(net, set()):
            for target in targets - {source}:
                found[source, target] += 1
    return dict(found)


def _ends(design: Design, top: Any) -> tuple[Ends, Ends]:
    """The instances that drive and that read each net of the top."""
    drivers: dict[str, set[str]] = defaultdict(set)
    readers: dict[str, set[str]] = defaultdict(set)
    for port, direction in _directions(top).items():
        (readers if direction == "Output" else drivers)[port].add(SOFTWARE)
    for item in top.items:
        for instance in getattr(item, "instances", None) or ():
            directions = _directions(design.modules[instance.module])
            for port in instance.portlist:
                ends = drivers if directions[port.portname] == "Output" else readers
                for net in _names(port.argname):
                    ends[net].add(instance.name)
    for net in (CLOCK, RESET):
        drivers.pop(net, None)
    return drivers, readers


def _through_assignments(top: Any, drivers: Ends) -> Ends:
    """The drivers of every net, those of what is assigned to it among them."""
    spread = {net: set(ends) for net, ends in drivers.items()}
    assigned = [
        (set(_names(item.left)), set(_names(item.right)))
        for item in top.items
        if type(item).__name__ == "Assign"
    ]
    for _ in assigned:
        for left, right in assigned:
            for net in left:
                spread.setdefault(net, set()).update(*(spread.get(name, set()) for name in right))
    return spread


def _directions(module: Any) -> dict[str, str]:
    """``Input`` or ``Output`` by port."""
    return {port.first.name: type(port.first).__name__ for port in module.portlist.ports}


def _names(node: Any) -> Iterator[str]:
    """Identifiers in a piece of syntax."""
    if node is None:
        return
    if type(node).__name__ == "Identifier":
        yield node.name
    for child in node.children():
        yield from _names(child)
