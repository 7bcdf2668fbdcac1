"""What the register map is made of: addresses, codes, fields and registers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

WORD_BITS = 32
WORD_BYTES = 4
ADDRESS_BITS = 12
IP_ID = 0x554E4953
"""ASCII ``UNIS``."""


class Address(IntEnum):
    """Byte address of each register; of a window, of its first word."""

    ID = 0x000
    VERSION = 0x004
    CONFIG = 0x008
    CTRL = 0x00C
    STATUS = 0x010
    IRQ_ENABLE = 0x014
    IRQ_STATUS = 0x018
    CAP_SRAM = 0x020
    CAP_HBM = 0x024
    DMA_RATE = 0x028
    DMA_DIV = 0x02C
    PENALTY_LO = 0x030
    PENALTY_HI = 0x034
    SYNC_PERIOD = 0x038
    EV_ARG = 0x040
    EV_DATA = 0x044
    EV_DATA_HI = 0x048
    EV_PUSH = 0x04C
    RSP_INFO = 0x050
    RSP_DATA = 0x054
    RSP_POP = 0x058
    USED_SRAM = 0x060
    USED_HBM = 0x064
    PERF_EVENTS = 0x080
    PERF_DECISIONS = 0x084
    PERF_DECISION_CYCLES = 0x088
    PERF_DECISION_WORST = 0x08C
    PERF_BUSY_CYCLES = 0x090
    PERF_FIFO_HIGH = 0x094
    PERF_DROPPED = 0x098
    HAZARD = 0x100
    RECIP = 0x200
    PENALTY = 0x400


class Opcode(IntEnum):
    """What an event asks for, EV_ARG[3:0]."""

    SLOT_ALLOC = 1
    SLOT_FREE = 2
    REQUEST = 3
    PLACE = 4
    GAP_START = 5
    GAP_END = 6
    COMPLETE = 7
    DMA_DONE = 8


class Status(IntEnum):
    """How an event ended; one other than OK changed nothing."""

    OK = 0
    BAD_OPCODE = 1
    BAD_SLOT = 2
    BAD_STATE = 3
    DOES_NOT_FIT = 4
    NO_CANDIDATE = 5


class Kind(IntEnum):
    """What a response tells, RSP_INFO[2:0]."""

    VICTIM = 1
    MOVE = 2
    DONE = 3


class Irq(IntEnum):
    """Bits of IRQ_ENABLE and IRQ_STATUS."""

    RESPONSE = 0
    EVENTS_EMPTY = 1
    COMMIT_REFUSED = 2


@dataclass(frozen=True)
class Field:
    """Some bits of a register.

    Attributes
    ----------
    name : str
    low, width : int
        The lowest bit, and how many.
    doc : str
    reset : int
        The field's value after reset; of a read-only constant, its value.
    """

    name: str
    low: int
    width: int
    doc: str
    reset: int = 0

    @property
    def high(self) -> int:
        """The highest bit."""
        return self.low + self.width - 1

    @property
    def mask(self) -> int:
        """Its bits in the register."""
        return ((1 << self.width) - 1) << self.low


@dataclass(frozen=True)
class Register:
    """One word, or a window of entries.

    Attributes
    ----------
    address : Address
        Gives the name too.
    access : str
        ``RO``, ``RW``, ``WO`` or ``W1C`` (a written 1 clears the bit).
    doc : str
    fields : tuple of Field
        Of a window, those of one entry; an entry of two words can have fields above bit 31.
    entries : int
        1, or the entries of a window.
    words : int
        Words of an entry, the low one first.
    """

    address: Address
    access: str
    doc: str
    fields: tuple[Field, ...]
    entries: int = 1
    words: int = 1

    @property
    def name(self) -> str:
        """Upper-case name."""
        return self.address.name

    @property
    def is_readable(self) -> bool:
        """True if a read answers without PSLVERR."""
        return self.access != "WO"

    @property
    def is_writable(self) -> bool:
        """True if a write answers without PSLVERR."""
        return self.access != "RO"

    @property
    def end(self) -> int:
        """The byte address after its last word."""
        return self.address + self.entries * self.words * WORD_BYTES

    @property
    def reset(self) -> int:
        """The register's value after reset."""
        return sum(field.reset << field.low for field in self.fields)

    @property
    def mask(self) -> int:
        """The bits that exist."""
        return sum(field.mask for field in self.fields)

    def field(self, name: str) -> Field:
        """The field of that name."""
        return next(field for field in self.fields if field.name == name)
