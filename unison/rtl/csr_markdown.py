"""The register map as Markdown, with the events and the words that it uses: CSR.md beside the Verilog."""

from __future__ import annotations

from dataclasses import replace

from unison.rtl.config import GENERATOR_VERSION, Config
from unison.rtl.csr_map import registers
from unison.rtl.csr_types import ADDRESS_BITS, WORD_BITS, WORD_BYTES, Opcode, Register

EVENTS = (
    (Opcode.SLOT_ALLOC, "SLOT, TURN, EV_DATA", "A session takes the slot: turns begun, and average gap"),
    (Opcode.REQUEST, "SLOT, EV_DATA", "Its next turn begins and needs so many tokens"),
    (Opcode.REQUEST, "NONE", "The session that ranks first gives up its slot"),
    (Opcode.PLACE, "SLOT, TIER", "The tokens are in that tier; who has to leave is told before DONE"),
    (Opcode.PLACE, "SLOT, BYPASS", "The turn runs without residency; the slot is freed"),
    (Opcode.GAP_START, "SLOT", "The turn ends, the session pauses, and Tide may move sessions"),
    (Opcode.GAP_START, "NONE, EV_DATA", "A session without a slot pauses, for such a gap: Tide alone"),
    (Opcode.GAP_END, "SLOT, EV_DATA", "The pause ends after that gap, which the average follows"),
    (Opcode.COMPLETE, "SLOT", "The turn ends and the session is over: it ranks first from now on"),
    (Opcode.SLOT_FREE, "SLOT", "The session leaves the slot"),
    (Opcode.DMA_DONE, "", "The moves that Tide asked for are done: it may ask for others"),
)
"""Events with the fields that they use and what they say, in the order of a session's life."""


def markdown(configs: tuple[Config, ...]) -> str:
    """The register map of some configurations as Markdown, registers that they share written once.

    Parameters
    ----------
    configs : tuple of Config
        At least one; a register that only some have says which.
    """
    where: dict[Register, dict[str, Register]] = {}
    for config in configs:
        for register in registers(config):
            where.setdefault(_without_resets(register), {})[config.variant] = register
    lines = [
        "# Registers",
        "",
        f"Of {'; '.join(map(_described, configs))}.",
        f"From `unison/rtl/csr_map.py`, generator {GENERATOR_VERSION}.",
        f"Words of {WORD_BITS} bits, byte addresses of {ADDRESS_BITS} bits.",
        "",
        "No register there, an unaligned address, a write to RO, a read of WO: PSLVERR, and nothing changes.",
        "Bits that are not listed read 0 and ignore what is written.",
        "",
        "| address | register | access | bits | field | reset | meaning |",
        "|---|---|---|---|---|---|---|",
    ]
    for register in sorted(where, key=lambda register: register.address):
        own = where[register]
        only = "" if len(own) == len(configs) else f" ({', '.join(own)})"
        lines += _markdown_rows(list(own.values()), only)
    return "\n".join([*lines, "", *_markdown_events(), "", *_markdown_words(configs[0])]) + "\n"


def _described(config: Config) -> str:
    return f"variant {config.variant}, {config.sessions} slots, table in {config.table}"


def _markdown_events() -> list[str]:
    rows = [f"| {opcode.name} | {fields} | {doc} |" for opcode, fields, doc in EVENTS]
    return [
        "## Events",
        "",
        "Software writes EV_ARG and EV_DATA, then EV_PUSH. Each event is answered by one DONE with its id,",
        "after the VICTIM and MOVE responses that it caused; one whose status is not OK changed nothing.",
        "A session's events come in the order SLOT_ALLOC, then REQUEST, PLACE, and GAP_START and GAP_END or",
        "COMPLETE for each turn. Between a REQUEST and its PLACE only SLOT_FREE of that slot is accepted.",
        "",
        "| event | fields | meaning |",
        "|---|---|---|",
        *rows,
    ]


def _markdown_words(config: Config) -> list[str]:
    return [
        "## Words",
        "",
        f"- Stored unit: {config.contract.tau_ns:,} ns; gaps and averages are whole numbers of it.",
        "- P_Z, h_Z(t), sigma_Z(t), B(t): penalty, hazard code of turn t, its survival complement, and the",
        "  penalty term (1 - sigma) P, as codes; UNISON eq. (14) to (18). R(x): the reciprocal of x.",
        "- Slot: an entry of the session table. Key: {completed, score}; the largest is evicted first.",
    ]


def _without_resets(register: Register) -> Register:
    return replace(register, fields=tuple(replace(field, reset=0) for field in register.fields))


def _markdown_rows(alike: list[Register], only: str) -> list[str]:
    """The rows of registers that differ in their resets at most."""
    register = alike[0]
    place = f"0x{register.address:03X}"
    if register.entries > 1:
        step = register.words * WORD_BYTES
        place = f"{place} + {step} i, i < {register.entries}"
    rows = [f"| {place} | {register.name} | {register.access} | | | | {register.doc}{only} |"]
    for index, field in enumerate(register.fields):
        resets = {other.fields[index].reset for other in alike}
        reset = (
            "its own" if len(resets) > 1 else f"0x{field.reset:X}" if field.reset > 9 else f"{field.reset}"
        )
        bits = f"{field.high}:{field.low}" if field.width > 1 else f"{field.low}"
        rows.append(f"| | | | {bits} | {field.name} | {reset} | {field.doc} |")
    return rows
