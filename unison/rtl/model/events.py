"""Events and responses, as values and as the words of their registers."""

from __future__ import annotations

from typing import NamedTuple

from unison.rtl.csr_types import Kind, Opcode, Status

NONE_BIT, TIER_BIT, BYPASS_BIT = 4, 5, 6
TURN_LOW, SLOT_LOW = 8, 16
FROM_BIT, TO_BIT = 3, 4
STATUS_LOW, RESPONSE_SLOT_LOW = 5, 8


class Event(NamedTuple):
    """One event.

    Attributes
    ----------
    opcode : int
        An `Opcode`, or a code that is none.
    slot : int
    data : int
        Gap, average or length.
    turn : int
        Of SLOT_ALLOC, turns begun.
    tier : int
        Of PLACE, 0 for SRAM and 1 for HBM.
    none, bypass : bool
        Of REQUEST and GAP_START: no slot is meant; of PLACE: without residency.
    identity : int
        Returned by DONE.
    """

    opcode: int
    slot: int = 0
    data: int = 0
    turn: int = 0
    tier: int = 0
    none: bool = False
    bypass: bool = False
    identity: int = 0

    @property
    def argument(self) -> int:
        """The word that EV_ARG takes."""
        return (
            self.opcode
            | self.none << NONE_BIT
            | self.tier << TIER_BIT
            | self.bypass << BYPASS_BIT
            | self.turn << TURN_LOW
            | self.slot << SLOT_LOW
        )

    @classmethod
    def from_words(cls, argument: int, data: int, identity: int) -> Event:
        """The event that a push of these words sends."""
        return cls(
            opcode=argument & 15,
            slot=argument >> SLOT_LOW & 0x3FF,
            data=data,
            turn=argument >> TURN_LOW & 63,
            tier=argument >> TIER_BIT & 1,
            none=bool(argument >> NONE_BIT & 1),
            bypass=bool(argument >> BYPASS_BIT & 1),
            identity=identity & 0xFFFF,
        )

    def __str__(self) -> str:
        """E.g. ``PLACE slot 3 tier 1 (id 17)``, with what matters for the opcode."""
        known = self.opcode in {int(code) for code in Opcode}
        name = Opcode(self.opcode).name if known else f"OPCODE {self.opcode}"
        parts = [name, "none" if self.none else f"slot {self.slot}"]
        if self.opcode == Opcode.PLACE:
            parts.append("bypass" if self.bypass else f"tier {self.tier}")
        if self.opcode == Opcode.SLOT_ALLOC:
            parts.append(f"turn {self.turn}")
        return f"{' '.join(parts)} data {self.data} (id {self.identity})"


class Response(NamedTuple):
    """One response, as the words of RSP_INFO and RSP_DATA."""

    info: int
    data: int

    @classmethod
    def victim(cls, slot: int, tier: int, tokens: int) -> Response:
        """A session gave up its slot and its place in a tier."""
        return cls(Kind.VICTIM | tier << FROM_BIT | slot << RESPONSE_SLOT_LOW, tokens)

    @classmethod
    def move(cls, slot: int, before: int, after: int, tokens: int) -> Response:
        """A session changed its tier."""
        return cls(Kind.MOVE | before << FROM_BIT | after << TO_BIT | slot << RESPONSE_SLOT_LOW, tokens)

    @classmethod
    def done(cls, status: Status, identity: int) -> Response:
        """An event has ended."""
        return cls(Kind.DONE | status << STATUS_LOW, identity)

    @property
    def kind(self) -> Kind:
        """Which kind of response it is."""
        return Kind(self.info & 7)

    @property
    def slot(self) -> int:
        """The slot of a VICTIM or MOVE."""
        return self.info >> RESPONSE_SLOT_LOW & 0x3FF

    @property
    def status(self) -> Status:
        """How the event of a DONE ended."""
        return Status(self.info >> STATUS_LOW & 7)

    def __str__(self) -> str:
        """E.g. ``MOVE slot 3 1->0 tokens 2048``; words that no IP would send are shown as they are."""
        if self.info & 7 not in {int(kind) for kind in Kind}:
            return f"info {self.info:#x} data {self.data}"
        if self.kind == Kind.DONE:
            code = self.info >> STATUS_LOW & 7
            name = Status(code).name if code in {int(status) for status in Status} else f"status {code}"
            return f"DONE {name} id {self.data}"
        before, after = self.info >> FROM_BIT & 1, self.info >> TO_BIT & 1
        where = f"from {before}" if self.kind == Kind.VICTIM else f"{before}->{after}"
        return f"{self.kind.name} slot {self.slot} {where} tokens {self.data}"
