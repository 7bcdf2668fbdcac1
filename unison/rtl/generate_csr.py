"""What the template of the registers needs beyond the register map: read expressions and table windows."""

from __future__ import annotations

import textwrap
from typing import Any

from unison.rtl.config import Config
from unison.rtl.csr_map import WORD_BITS, template_data
from unison.rtl.generate_text import join

WINDOW_NETS = {"HAZARD": "hazard_o", "RECIP": "reciprocal_o", "PENALTY": "penalty_term_o"}
INDEX_BITS = 6
LINE, INDENT = 76, 19


def csr_plan(config: Config, values: dict[str, Any]) -> dict[str, Any]:
    """Read expressions of the plain registers, and the shadow memories of the windows.

    Parameters
    ----------
    config : Config
    values : dict
        The widths of `unison.rtl.generate_plan.plan`.
    """
    rows = template_data(config)["registers"]
    reads = _reads(config, values)
    plain = [
        {**row, "read": reads.get(row["name"]) or _constant(row["reset"])}
        for row in rows
        if row["entries"] == 1
    ]
    return {"simple_registers": plain, "windows": [_window(row) for row in rows if row["entries"] > 1]}


def word(*parts: tuple[str, int]) -> str:
    """A word of the given signals, the top one first, with zeros above."""
    rest = WORD_BITS - sum(width for _, width in parts)
    names = [name for name, _ in parts]
    if rest:
        names.insert(0, f"{rest}'d0")
    if len(names) == 1:
        return names[0]
    return "{" + textwrap.fill(", ".join(names), LINE, subsequent_indent=" " * INDENT) + "}"


def _constant(value: int) -> str:
    return f"{WORD_BITS}'h{value:08X}" if value else f"{WORD_BITS}'d0"


def _reads(config: Config, values: dict[str, Any]) -> dict[str, str]:
    """What each register that is not a constant reads."""
    used, capacity = values["used_w"], values["capacity_w"]
    slot, turn, length = values["event_slot_w"], values["turn_w"], values["length_w"]
    reads = {
        "CTRL": word(("guard_en_o", 1), ("tide_en_o", 1)),
        "STATUS": word(
            *((f"{name}_i", 1) for name in ("refused", "dma_busy", "response_empty", "response_full")),
            *(("event_empty_i", 1), ("event_full_i", 1), ("busy", 1), ("ready_i", 1)),
        ),
        "IRQ_ENABLE": word(("irq_enable_q", 3)),
        "IRQ_STATUS": word(("irq_status_q", 3)),
        "CAP_SRAM": word(("cap_sram_q", capacity)),
        "CAP_HBM": word(("cap_hbm_q", capacity)),
        "DMA_RATE": "dma_rate_q",
        "EV_ARG": word(
            ("slot_q", slot), ("2'd0", 2), ("turn_q", turn), ("1'b0", 1),
            *((f"{name}_q", 1) for name in ("bypass", "tier", "none")), ("opcode_q", 4),
        ),
        "RSP_INFO": word(
            ("response_slot_i", slot), ("response_status_i", 3), ("response_to_i", 1),
            ("response_from_i", 1), ("response_kind_i", 3),
        ),
        "RSP_DATA": word(("response_data_i", length)),
        "USED_SRAM": word(("used_sram_i", used)),
        "USED_HBM": word(("used_hbm_i", used)),
        "PERF_EVENTS": "events_q",
        "PERF_DECISIONS": "decisions_q",
        "PERF_DECISION_CYCLES": "decision_cycles_q",
        "PERF_DECISION_WORST": "decision_worst_q",
        "PERF_BUSY_CYCLES": "busy_cycles_q",
        "PERF_FIFO_HIGH": word(("fifo_high_q", values["event_addr_w"] + 1)),
        **_halves("EV_DATA", "EV_DATA_HI", "data_q", values["event_data_w"]),
    }  # fmt: skip
    if config.is_scan_div:
        reads["DMA_DIV"] = "dma_divisor_q"
    if not config.has_penalties:
        reads |= _halves("PENALTY_LO", "PENALTY_HI", "penalty_q", values["penalty_w"])
    if config.is_dual:
        reads["SYNC_PERIOD"] = word(("sync_period_q", values["sync_w"]))
    return reads


def _halves(low: str, high: str, signal: str, width: int) -> dict[str, str]:
    if width <= WORD_BITS:
        return {low: word((signal, width))}
    upper = f"{signal}[{width - 1}:{WORD_BITS}]"
    return {low: f"{signal}[{WORD_BITS - 1}:0]", high: word((upper, width - WORD_BITS))}


def _window(row: dict[str, Any]) -> dict[str, Any]:
    """A table window: where it is, and a memory for each word of an entry."""
    name, words, width = row["name"].lower(), row["words"], row["fields"][0]["width"]
    low = 2 if words == 1 else 3
    top = low + INDEX_BITS
    index = f"address_i[{top - 1}:{low}]"
    tag_bits = 12 - top
    hit = f"(address_i[11:{top}] == {tag_bits}'d{row['address'] >> top}) & ({index} < 6'd{row['entries']})"
    parts = []
    for number, start in enumerate(range(0, width, WORD_BITS)):
        select = "" if words == 1 else f" & {'' if number else '~'}address_i[2]"
        suffix = "" if words == 1 else str(number)
        parts.append({"name": f"{name}{suffix}", "width": min(WORD_BITS, width - start), "select": select})
    reads = [word((f"{part['name']}_read", part["width"])) for part in parts]
    if words == 2:
        upper = reads[1] if len(reads) > 1 else _constant(0)
        reads = [f"address_i[2] ? {upper} : {reads[0]}"]
    return {
        "name": name, "entries": row["entries"], "hit": hit, "index": index, "index_w": INDEX_BITS,
        "parts": parts, "read": reads[0], "output": WINDOW_NETS[row["name"]],
        "copied": join((part["name"] for part in reversed(parts)), "_copy"),
    }  # fmt: skip
