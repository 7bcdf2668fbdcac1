"""The register map: one table from which Verilog, Python and Markdown are made.

Unimplemented bits read 0 and ignore what is written. An access to an address without a register, an
unaligned one, a write to a read-only or a read of a write-only register answers PSLVERR and changes nothing.
"""

from __future__ import annotations

from typing import Any

from unison.rtl.config import (
    CAPACITY_BITS,
    ID_BITS,
    LENGTH_BITS,
    RATE_BITS,
    RATE_FRACTION,
    SLOT_BITS_MOST,
    SYNC_BITS,
    TURN_BITS,
    TURN_MAX,
    USED_BITS,
    VARIANTS,
    Config,
)
from unison.rtl.csr_types import (
    ADDRESS_BITS,
    IP_ID,
    WORD_BITS,
    WORD_BYTES,
    Address,
    Field,
    Irq,
    Kind,
    Opcode,
    Register,
    Status,
)

__all__ = [
    "ADDRESS_BITS",
    "IP_ID",
    "WORD_BITS",
    "WORD_BYTES",
    "Address",
    "Field",
    "Irq",
    "Kind",
    "Opcode",
    "Register",
    "Status",
    "registers",
    "template_data",
]


def registers(config: Config) -> tuple[Register, ...]:
    """Every register of a configuration, by address."""
    return (
        *_identity(config),
        *_control(),
        *_settings(config),
        *_events(config),
        *_responses(),
        *_counters(),
        *_windows(config),
    )


def _whole(width: int, doc: str, *, name: str = "VALUE", reset: int = 0) -> tuple[Field, ...]:
    return (Field(name, 0, width, doc, reset),)


def _identity(config: Config) -> tuple[Register, ...]:
    shape = (
        Field("SESSIONS", 0, 16, "N, slots of the session table", config.sessions),
        Field("VARIANT", 16, 4, "; ".join(f"{i} {v}" for i, v in enumerate(VARIANTS)), config.variant_code),
    )
    return (
        Register(Address.ID, "RO", "Says that this is the IP", _whole(32, 'ASCII "UNIS"', reset=IP_ID)),
        Register(
            Address.VERSION,
            "RO",
            "Which configuration this is",
            _whole(32, "First 32 bits of the configuration's SHA-256", reset=config.hash32),
        ),
        Register(Address.CONFIG, "RO", "Size and variant", shape),
    )


def _control() -> tuple[Register, ...]:
    ctrl = (
        Field("TIDE_EN", 0, 1, "GAP_START events run Tide"),
        Field("GUARD_EN", 1, 1, "Tide swaps only if the promoted key is below the demoted one", 1),
        Field("COMMIT", 8, 1, "Written 1: take over the settings when idle; reads 0"),
    )
    status = (
        Field("READY", 0, 1, "Initialised, and at least one commit is done"),
        Field("BUSY", 1, 1, "Initialising, committing, or an event is waiting or running", 1),
        Field("EV_FULL", 2, 1, "The event FIFO is full"),
        Field("EV_EMPTY", 3, 1, "The event FIFO is empty", 1),
        Field("RSP_FULL", 4, 1, "The response FIFO is full: the engine waits"),
        Field("RSP_EMPTY", 5, 1, "The response FIFO is empty", 1),
        Field("DMA_BUSY", 6, 1, "Tide moved sessions and no DMA_DONE came since"),
        Field("COMMIT_REFUSED", 7, 1, "The last commit kept the old capacities, since slots were held"),
    )
    return (
        Register(Address.CTRL, "RW", "Switches; they act at once", ctrl),
        Register(Address.STATUS, "RO", "What the IP is doing", status),
        Register(Address.IRQ_ENABLE, "RW", "Which bits of IRQ_STATUS raise irq_o", _irq_bits()),
        Register(
            Address.IRQ_STATUS,
            "W1C",
            "What happened; bit 1 says that the FIFO became empty, bit 0 that it has a response",
            _irq_bits(),
        ),
    )


def _irq_bits() -> tuple[Field, ...]:
    return (
        Field("RESPONSE", Irq.RESPONSE, 1, "A response is available"),
        Field("EVENTS_EMPTY", Irq.EVENTS_EMPTY, 1, "The event FIFO has become empty"),
        Field("COMMIT_REFUSED", Irq.COMMIT_REFUSED, 1, "A commit kept the old capacities"),
    )


def _settings(config: Config) -> tuple[Register, ...]:
    rate = f"Tokens that the DMA moves in one stored time unit, {RATE_FRACTION} fraction bits"
    one = 1 << RATE_FRACTION
    found = [
        Register(Address.CAP_SRAM, "RW", "Capacity of the SRAM tier", _whole(CAPACITY_BITS, "Tokens")),
        Register(Address.CAP_HBM, "RW", "Capacity of the HBM tier", _whole(CAPACITY_BITS, "Tokens")),
        Register(Address.DMA_RATE, "RW", "Rate of the DMA", _whole(RATE_BITS, rate)),
        Register(
            Address.DMA_DIV,
            "RW" if config.is_scan_div else "RO",
            "What gap times DMA_RATE is divided by; 0 stands for no limit",
            _whole(RATE_BITS, "Denominator", reset=one),
        ),
    ]
    if not config.has_penalties:
        found += _split(
            Address.PENALTY_LO,
            Address.PENALTY_HI,
            config.contract.penalty_bits,
            "P_Z",
            "Penalty [stored units]",
        )
    if config.is_dual:
        found.append(
            Register(
                Address.SYNC_PERIOD,
                "RW",
                "Every how many events the two register files are made equal; 0 counts as 1",
                _whole(SYNC_BITS, "m", reset=1),
            )
        )
    return tuple(found)


def _split(low: Address, high: Address, bits: int, doc: str, unit: str) -> list[Register]:
    """A value of up to 64 bits in two registers; an upper one that is not needed is read-only 0."""
    upper = bits - WORD_BITS
    lower = Register(low, "RW", f"{doc}, low word", _whole(min(bits, WORD_BITS), unit))
    if upper <= 0:
        return [lower, Register(high, "RO", f"{doc} has no high word", _whole(WORD_BITS, "0"))]
    return [lower, Register(high, "RW", f"{doc}, high word", _whole(upper, unit))]


def _events(config: Config) -> tuple[Register, ...]:
    argument = (
        Field("OPCODE", 0, 4, "; ".join(f"{opcode:d} {opcode.name}" for opcode in Opcode)),
        Field("NONE", 4, 1, "REQUEST, GAP_START: no slot is meant"),
        Field("TIER", 5, 1, "PLACE: 0 SRAM, 1 HBM"),
        Field("BYPASS", 6, 1, "PLACE: the turn runs without residency; the slot is freed"),
        Field("TURN", 8, TURN_BITS, f"SLOT_ALLOC: turns begun, {TURN_MAX} at most"),
        Field("SLOT", 16, SLOT_BITS_MOST, "The slot that the event is about"),
    )
    data = "Gap, or its average [stored units]; of a REQUEST, its length [tokens]"
    return (
        Register(Address.EV_ARG, "RW", "The event that the next push sends", argument),
        *_split(
            Address.EV_DATA, Address.EV_DATA_HI, max(config.contract.gap_bits, WORD_BITS), "Event data", data
        ),
        Register(
            Address.EV_PUSH,
            "WO",
            "Pushes EV_ARG and the data; PSLVERR while the FIFO is full or STATUS.READY is 0",
            _whole(ID_BITS, "Event id, which DONE returns", name="ID"),
        ),
    )


def _responses() -> tuple[Register, ...]:
    info = (
        Field("KIND", 0, 3, "; ".join(f"{kind:d} {kind.name}" for kind in Kind) + "; 0 if there is none"),
        Field("FROM", 3, 1, "VICTIM, MOVE: the tier it was in"),
        Field("TO", 4, 1, "MOVE: the tier it is in now"),
        Field("STATUS", 5, 3, "DONE: " + "; ".join(f"{status:d} {status.name}" for status in Status)),
        Field("SLOT", 8, SLOT_BITS_MOST, "VICTIM, MOVE: the slot"),
    )
    return (
        Register(Address.RSP_INFO, "RO", "The oldest response; reading does not pop it", info),
        Register(
            Address.RSP_DATA,
            "RO",
            "Its data; 0 if there is none",
            _whole(LENGTH_BITS, "VICTIM, MOVE: tokens; DONE: the event id"),
        ),
        Register(
            Address.RSP_POP,
            "WO",
            "Any write pops the oldest response; PSLVERR if there is none",
            _whole(WORD_BITS, "Not looked at"),
        ),
    )


def _counters() -> tuple[Register, ...]:
    counted = {
        Address.PERF_EVENTS: "Events finished, of every status",
        Address.PERF_DECISIONS: "Selections: an argmax, or Tide's argmin and argmax together",
        Address.PERF_DECISION_CYCLES: "Clock cycles of all selections, from start to answer",
        Address.PERF_DECISION_WORST: "Clock cycles of the longest selection",
        Address.PERF_BUSY_CYCLES: "Clock cycles with STATUS.BUSY",
        Address.PERF_FIFO_HIGH: "Most events that were ever in the FIFO",
        Address.PERF_DROPPED: "Events or responses lost; always 0, since both FIFOs push back",
    }
    return (
        Register(Address.USED_SRAM, "RO", "Tokens held in SRAM", _whole(USED_BITS, "Tokens")),
        Register(Address.USED_HBM, "RO", "Tokens held in HBM", _whole(USED_BITS, "Tokens")),
        *(
            Register(address, "RO", doc, _whole(WORD_BITS, _COUNTS.get(address, "Count, wraps")))
            for address, doc in counted.items()
        ),
    )


_COUNTS = {
    Address.PERF_DECISION_WORST: "Clock cycles",
    Address.PERF_FIFO_HIGH: "Events",
    Address.PERF_DROPPED: "0",
}
"""What counters count that do not count up."""


def _windows(config: Config) -> tuple[Register, ...]:
    contract = config.contract
    found = [
        Register(
            Address.HAZARD,
            "RW",
            "h_Z(t), turn t at index t - 1; 0 until written",
            _whole(contract.hazard_bits, "Hazard code"),
            entries=TURN_MAX,
        )
    ]
    if config.has_reciprocals:
        bits = contract.reciprocal_bits
        doc = "R(sigma_Z(t)), turn t at index t - 1; 0 until written"
        found.append(Register(Address.RECIP, "RW", doc, _whole(bits, "Reciprocal"), TURN_MAX, 2))
    if config.has_penalties:
        bits = contract.penalty_term_bits
        doc = "B(t), turn t at index t - 1; 0 until written"
        found.append(Register(Address.PENALTY, "RW", doc, _whole(bits, "Penalty"), TURN_MAX, 2))
    return tuple(found)


def template_data(config: Config) -> dict[str, Any]:
    """The map as plain lists, dictionaries and numbers, for the Verilog templates.

    Returns
    -------
    dict
        ``registers``: each with name, address, access, doc, is_readable, is_writable, reset, mask, entries,
        words, end and ``fields`` (name, low, high, width, mask, reset, doc); ``by_name``: the same by name;
        ``opcodes``, ``statuses``, ``kinds``, ``irqs``: codes by name; ``address_bits``, ``word_bits``.
    """
    rows = [_register_data(register) for register in registers(config)]
    return {
        "registers": rows,
        "by_name": {row["name"]: row for row in rows},
        "opcodes": {member.name: int(member) for member in Opcode},
        "statuses": {member.name: int(member) for member in Status},
        "kinds": {member.name: int(member) for member in Kind},
        "irqs": {member.name: int(member) for member in Irq},
        "address_bits": ADDRESS_BITS,
        "word_bits": WORD_BITS,
    }


def _register_data(register: Register) -> dict[str, Any]:
    fields = [
        {
            "name": field.name,
            "low": field.low,
            "high": field.high,
            "width": field.width,
            "mask": field.mask,
            "reset": field.reset,
            "doc": field.doc,
        }
        for field in register.fields
    ]
    return {
        "name": register.name,
        "address": int(register.address),
        "access": register.access,
        "doc": register.doc,
        "is_readable": register.is_readable,
        "is_writable": register.is_writable,
        "reset": register.reset,
        "mask": register.mask,
        "entries": register.entries,
        "words": register.words,
        "end": register.end,
        "fields": fields,
    }
