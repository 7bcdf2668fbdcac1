"""Config: what one generated IP is, and the fixed widths that all of them share."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass, field
from typing import Any

from unison.errors import UnisonError, unknown_name
from unison.fixed_point import Contract, paper_contract

GENERATOR_VERSION = "1"
"""Grows whenever the same configuration would give other Verilog; part of every configuration's hash."""

VARIANTS = ("scan_div", "scan_div_recip", "scan_div_lut", "score_scan", "score_tree", "dual")
"""Micro-architectures; a variant's place is its code in the CONFIG register."""

SCAN_DIV_FAMILY = VARIANTS[:3]
"""The paper's: the scores are computed in the scan's pipeline, and nothing of them is stored."""

TABLES = ("ff", "lutram")
"""Where the session table is: in flip-flops, or in distributed RAM (banks without a reset)."""

LENGTH_BITS = 20
CAPACITY_BITS = 24
USED_BITS = CAPACITY_BITS + 1
"""Tokens held may pass a capacity by one session's length until the overflow has settled."""
TURN_BITS = 6
TURN_MAX = 50
ID_BITS = 16
RATE_BITS = 32
RATE_FRACTION = 16
SYNC_BITS = 16
SLOT_BITS_MOST = 10

SESSIONS = (4, 1 << SLOT_BITS_MOST)
EVENT_DEPTH = (2, 64)
RESPONSE_DEPTH = (4, 256)
RECIP_BITS = 32
"""Fraction bits of `default_contract`'s reciprocals: with a gap of 32 bits a quotient is at most one off."""


@dataclass(frozen=True)
class Config:
    """One configuration of the IP; everything that the generated Verilog depends on.

    Attributes
    ----------
    variant : str
        One of `VARIANTS`.
    sessions : int
        N, slots of the session table: a power of two, 4 to 1024.
    table : str
        ``ff`` or ``lutram``.
    contract : Contract
        Widths and forms of the score. Its divider and penalty form belong to the variant:
        ``scan_div_recip`` has the reciprocal divider, ``scan_div_lut`` the table of penalties, every other
        one the exact divider and a product (``affine`` or ``shift``).
    event_depth, response_depth : int
        Entries of the two FIFOs: powers of two, 2 to 64 and 4 to 256.

    Raises
    ------
    UnisonError
        If no hardware is generated for a value; it names the nearest that is valid.
    """

    variant: str = "score_scan"
    sessions: int = 64
    table: str = "ff"
    contract: Contract = field(default_factory=paper_contract)
    event_depth: int = 8
    response_depth: int = 16

    def __post_init__(self) -> None:
        """Refuse what no hardware is generated for."""
        if self.variant not in VARIANTS:
            raise unknown_name("variant", self.variant, VARIANTS)
        if self.table not in TABLES:
            raise unknown_name("table", self.table, TABLES)
        _check_power("sessions", self.sessions, *SESSIONS)
        _check_power("event_depth", self.event_depth, *EVENT_DEPTH)
        _check_power("response_depth", self.response_depth, *RESPONSE_DEPTH)
        dividers, penalty_forms = _forms(self.variant)
        _check_form(self.variant, "divider", self.contract.divider, dividers)
        _check_form(self.variant, "penalty_form", self.contract.penalty_form, penalty_forms)

    @property
    def slot_bits(self) -> int:
        """Width of a slot number."""
        return self.sessions.bit_length() - 1

    @property
    def variant_code(self) -> int:
        """The variant in the CONFIG register."""
        return VARIANTS.index(self.variant)

    @property
    def is_scan_div(self) -> bool:
        """True for the paper's family, which divides in the scan and has a divider for Tide's budget."""
        return self.variant in SCAN_DIV_FAMILY

    @property
    def is_dual(self) -> bool:
        """True for two register files and a sync bus."""
        return self.variant == "dual"

    @property
    def has_reciprocals(self) -> bool:
        """True where a table of reciprocals, one a turn, takes the place of the divider."""
        return self.contract.divider == "reciprocal"

    @property
    def has_penalties(self) -> bool:
        """True where a table of penalties, one a turn, takes the place of the product with P_Z."""
        return self.contract.penalty_form == "table"

    def canonical(self) -> dict[str, Any]:
        """What the Verilog depends on as plain data: every field, and what follows from other files."""
        derived = {"generator": GENERATOR_VERSION, "epsilon_code": self.contract.epsilon_code}
        return {**derived, **dataclasses.asdict(self)}

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical JSON, in hex."""
        text = json.dumps(self.canonical(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    @property
    def hash32(self) -> int:
        """The first 32 bits of `digest`: what the VERSION register reads."""
        return int(self.digest[:8], 16)

    @property
    def label(self) -> str:
        """`hash32` in a form that no reader of CSV takes for a number, e.g. ``0x8183b1c5``."""
        return f"0x{self.hash32:08x}"


def default_contract(variant: str) -> Contract:
    """The contract that the paper locks, with the divider and penalty form that the variant has.

    Raises
    ------
    UnisonError
        If there is no such variant.
    """
    if variant not in VARIANTS:
        raise unknown_name("variant", variant, VARIANTS)
    (divider, *_), (penalty_form, *_) = _forms(variant)
    recip_bits = RECIP_BITS if divider == "reciprocal" else 0
    return dataclasses.replace(
        paper_contract(), divider=divider, penalty_form=penalty_form, recip_bits=recip_bits
    )


def default_config(variant: str, sessions: int = 64, table: str | None = None, **others: Any) -> Config:
    """The configuration of a variant under the paper's widths.

    Parameters
    ----------
    variant : str
    sessions : int
    table : str, optional
        By default flip-flops, as in the paper, for its own family and the dual design, else distributed RAM.
    **others
        FIFO depths, or another ``contract``.

    Raises
    ------
    UnisonError
        As for `Config`.
    """
    contract = others.pop("contract", None) or default_contract(variant)
    if table is None:
        table = "lutram" if variant in ("score_scan", "score_tree") else "ff"
    return Config(variant, sessions, table, contract, **others)


def _forms(variant: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Dividers and penalty forms that a variant can have, its own default first."""
    if variant == "scan_div_recip":
        return ("reciprocal",), ("affine", "shift")
    if variant == "scan_div_lut":
        return ("exact",), ("table",)
    return ("exact",), ("affine", "shift")


def _check_form(variant: str, name: str, given: str, allowed: tuple[str, ...]) -> None:
    if given not in allowed:
        raise UnisonError(
            f"Config: variant {variant!r} has {name} {' or '.join(map(repr, allowed))}; given {given!r}, "
            f"the nearest valid value is {allowed[0]!r}"
        )


def _check_power(name: str, value: int, low: int, high: int) -> None:
    is_whole = isinstance(value, int) and not isinstance(value, bool)
    if is_whole and low <= value <= high and value & (value - 1) == 0:
        return
    hint = f", the nearest valid value is {_nearest_power(value, low, high)}" if is_whole else ""
    raise UnisonError(f"Config: {name} must be a power of two from {low} to {high}; given {value!r}{hint}")


def _nearest_power(value: int, low: int, high: int) -> int:
    powers = [1 << bits for bits in range(low.bit_length() - 1, high.bit_length())]
    return min(powers, key=lambda power: (abs(power - value), power))
