"""Bits of state: those that the Verilog has against those that the configuration says it needs."""

from __future__ import annotations

from collections import defaultdict

from unison.rtl.checks.design import Design
from unison.rtl.checks.findings import Finding, Outcome
from unison.rtl.checks.inventory import expected_state
from unison.rtl.checks.nets import registers
from unison.rtl.config import Config

CHECK = "register bits equal the model's count"

State = dict[str, dict[str, tuple[int, int]]]
"""For each instance, as a path below the top, its registers: bits of a word and words (1 if no memory)."""


def found_state(design: Design) -> State:
    """The registers and memories of a flattened IP.

    Parameters
    ----------
    design : Design
    """
    found: State = defaultdict(dict)
    for name, _ in registers(design):
        instance, _, local = str(name).rpartition(".")
        found[instance.partition(".")[2]][local] = (design.width(name), design.words(name))
    return dict(found)


def bits(state: State) -> tuple[int, int]:
    """Bits in registers, and bits in memories.

    Parameters
    ----------
    state : dict
    """
    sizes = [size for parts in state.values() for size in parts.values()]
    plain = sum(width for width, words in sizes if words == 1)
    return plain, sum(width * words for width, words in sizes if words > 1)


def check_registers(design: Design, config: Config) -> Outcome:
    """Compare every register's bits, and through them the sums, with what the configuration needs.

    Parameters
    ----------
    design : Design
    config : Config
    """
    found, expected = found_state(design), expected_state(config)
    findings = []
    for instance in sorted(set(found) | set(expected)):
        ours, theirs = found.get(instance, {}), expected.get(instance, {})
        module = design.instances.get(f"{design.top}.{instance}", instance)
        for name in sorted(set(ours) | set(theirs)):
            if ours.get(name) != theirs.get(name):
                detail = (
                    f"{instance} has {_shown(ours.get(name))}, the model needs {_shown(theirs.get(name))}"
                )
                findings.append(Finding(CHECK, module, name, detail))
    plain, memory = bits(found)
    note = f"{plain} bits in registers, {memory} in memories"
    return Outcome.of("Pyverilog", CHECK, sum(map(len, found.values())), "registers", findings, note)


def _shown(size: tuple[int, int] | None) -> str:
    if size is None:
        return "none"
    width, words = size
    return f"{width} bits" if words == 1 else f"{words} words of {width} bits"
