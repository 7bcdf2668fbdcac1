"""The proofs of a configuration: which properties, for which sizes, and by which method."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jinja2

from unison.rtl.config import Config
from unison.rtl.csr_map import registers
from unison.rtl.csr_types import WORD_BYTES, Address
from unison.rtl.formal.proof import Method, Proof, described, with_properties
from unison.rtl.generate_plan import plan

TEMPLATES = Path(__file__).parent / "templates"
SMALL_DIVIDER = {"DividendW": 8, "DivisorW": 4, "QuotientW": 8, "CountW": 4}
SMALL_MULTIPLIER = {"FactorAW": 6, "FactorBW": 6, "CountW": 3}
SMALL_SESSIONS = 4
"""Slots for which counters and trees are proved: every slot then has its own expressions."""
TOKEN_BITS = 3
"""Bits of a session's length in the proof of the token counters, which would else be sums of 20 bits."""
SCAN_STAGES, PIPE_STAGES = ("",), ("fetch_", "lut_", "div_", "mac_")
"""Registers of a scan between the table and the compare stage, as prefixes of their names."""
TREE_CYCLES = 14
"""Clock cycles after clearing that the bounded search of the tree has: two writes and a selection."""
SEARCH = {
    "unison_divider": 14,
    "unison_multiplier": 12,
    "unison_event_fifo": 12,
    "unison_tree": 20,
    "unison_control": 32,
}
"""Clock cycles from reset in which a fault shows: an operation, a full queue, a placement."""
SEARCH_BEYOND = 10
"""The same of every other module, beyond one for each slot."""
CUT = ("unison_gap_term", "unison_penalty_term")
"""The pipeline's dividers and multipliers, whose results are left free."""
KEPT_KEYS = {"f_max_key": "u_argmax.max_key_q", "f_min_key": "u_argmax.min_key_q"}
"""The keys that the compare stage of a scan keeps."""


def proofs(config: Config, texts: Mapping[str, str]) -> list[Proof]:
    """Every proof that a configuration's size allows.

    Parameters
    ----------
    config : Config
    texts : mapping of str to str
        Its Verilog by module name.
    """
    maker = _Maker(config, texts)
    return [
        *maker.arithmetic(),
        maker.leaf("unison_event_fifo", size=f"{config.event_depth} words of {maker.values['event_w']} bits"),
        maker.leaf("unison_apb"),
        maker.leaf("unison_csr"),
        maker.leaf("unison_table", size=f"N = {config.sessions}"),
        maker.leaf("unison_tide"),
        *maker.terms(),
        *maker.selection(),
        *maker.control(),
    ]


class _Maker:
    """Makes the proofs of one configuration.

    Parameters
    ----------
    config : Config
    texts : mapping of str to str
    """

    def __init__(self, config: Config, texts: Mapping[str, str]) -> None:
        self.config = config
        self.texts = texts
        self.values = {**plan(config), **_csr_values(config)}
        self.values |= {
            "is_small": False,
            "token_w": TOKEN_BITS,
            "slots": range(config.sessions),
            "stages": PIPE_STAGES if config.is_scan_div else SCAN_STAGES,
            "answer": "quotient_i" if config.is_scan_div else "product_i",
            "answer_done": "quotient_done_i" if config.is_scan_div else "product_done_i",
            "ema_words": _memory_words("ema", config.contract.gap_bits),
        }

    def leaf(
        self,
        module: str,
        size: str = "",
        *,
        method: Method = Method.INDUCTION,
        depth: int = 2,
        parameters: Mapping[str, int] | None = None,
        below: tuple[str, ...] = (),
        cut: tuple[str, ...] = (),
        template: str = "",
        maps_memory: bool = False,
        shown: Mapping[str, str] | None = None,
        **values: Any,
    ) -> Proof:
        """The proof of one module, with the modules below it that it needs."""
        properties = _render(template or module, {**self.values, **values})
        texts = {module: with_properties(self.texts[module], properties)}
        return Proof(
            name=f"{module} {size}".strip(),
            module=module,
            size=size,
            method=method,
            depth=depth,
            texts=texts | {name: self.texts[name] for name in below},
            properties=described(properties),
            search=SEARCH.get(module, self.config.sessions + SEARCH_BEYOND),
            parameters=parameters or {},
            cut=cut,
            maps_memory=maps_memory,
            shown=shown or {},
        )

    def arithmetic(self) -> list[Proof]:
        """The divider at full width and, like the multiplier, small, with a product in the property."""
        values = self.values
        return [
            self.leaf("unison_divider", "8 by 4 bits", parameters=SMALL_DIVIDER, is_small=True),
            self.leaf("unison_divider", f"{values['dividend_w']} by {values['divisor_w']} bits"),
            self.leaf("unison_multiplier", "6 by 6 bits", parameters=SMALL_MULTIPLIER, is_small=True),
        ]

    def terms(self) -> list[Proof]:
        """The pipeline's two quotients, with a product in the property, for few slots only."""
        if self.config.sessions > SMALL_SESSIONS or not self.config.is_scan_div:
            return []
        contract = self.config.contract
        found = []
        if not self.config.has_reciprocals:
            found.append(self.leaf("unison_gap_term", f"{contract.gap_bits} by {contract.hazard_bits} bits"))
        if not self.config.has_penalties:
            size = f"{contract.penalty_bits} by {contract.hazard_bits} bits"
            found.append(self.leaf("unison_penalty_term", size))
        return found

    def selection(self) -> list[Proof]:
        """Spear's selection: compare stage and scan for any number of slots, the tree bounded."""
        sessions = self.config.sessions
        size = f"N = {sessions}"
        if self.config.variant == "score_tree":
            if sessions > SMALL_SESSIONS:
                return []
            depth = sessions + TREE_CYCLES
            return [self.leaf("unison_tree", size, method=Method.BOUNDED, depth=depth, maps_memory=True)]
        module = "unison_pipe" if self.config.is_scan_div else "unison_scan"
        cut = tuple(name for name in CUT if name in self.texts) if self.config.is_scan_div else ()
        scan = self.leaf(
            module,
            size,
            below=("unison_argmax", *cut),
            cut=cut,
            template="unison_scan",
            shown=KEPT_KEYS,
        )
        return [self.leaf("unison_argmax", size), scan]

    def control(self) -> list[Proof]:
        """Events, responses and token counters, for as few slots as there can be."""
        if self.config.sessions > SMALL_SESSIONS or self.config.is_dual:
            return []
        size = f"N = {self.config.sessions}, lengths below {1 << TOKEN_BITS}"
        return [self.leaf("unison_control", size)]


def _csr_values(config: Config) -> dict[str, Any]:
    """What the properties of the registers take from the register map."""
    found = registers(config)
    settings = {
        Address.CAP_SRAM: "cap_sram_q",
        Address.CAP_HBM: "cap_hbm_q",
        Address.DMA_RATE: "dma_rate_q",
        Address.IRQ_ENABLE: "irq_enable_q",
    }
    ranges = [
        (
            int(register.address),
            int(register.address) + register.entries * register.words * WORD_BYTES - 1,
            int(register.is_readable),
            int(register.is_writable),
        )
        for register in found
    ]
    return {
        "ranges": ranges,
        "shadows": ", ".join(settings.values()),
        "shadow_w": 24 + 24 + 32 + 3,
        "event_bits_w": 4 + 3 + 6 + 10 + max(config.contract.gap_bits, 32),
        "push": f"12'd{int(Address.EV_PUSH)}",
        "pop": f"12'd{int(Address.RSP_POP)}",
    }


def _memory_words(name: str, width: int) -> str:
    """One slot's entry of a field that is kept in words of 32 bits, the high word first."""
    if width <= 32:
        return f"{name}_q[f_slot]"
    parts = [f"{name}{index}_q[f_slot]" for index in range(-(-width // 32))]
    return ", ".join(reversed(parts))


def _render(name: str, values: Mapping[str, Any]) -> str:
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        undefined=jinja2.StrictUndefined,
        variable_start_string="@{",
        variable_end_string="}@",
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )
    return environment.get_template(f"{name}.sv.j2").render(values)
