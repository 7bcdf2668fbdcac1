"""What state a configuration needs, register by register, counted from the configuration alone.

The generator's own plan is not used, so that a width that it gets wrong shows.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from unison.rtl.config import (
    CAPACITY_BITS,
    ID_BITS,
    LENGTH_BITS,
    RATE_BITS,
    SLOT_BITS_MOST,
    SYNC_BITS,
    TURN_BITS,
    TURN_MAX,
    USED_BITS,
    Config,
)

WORD = 32
ADDRESS_BITS = 12
FLAGS = 4
"""Tier, dead, active and placed of a slot."""
OPCODE_BITS, STATUS_BITS, KIND_BITS, IRQS = 4, 3, 3, 3
ROOM_BITS = USED_BITS + 1
"""A capacity less what is used, with its sign."""
BUDGET_BITS = LENGTH_BITS + 1
"""Two sessions."""

Sizes = dict[str, tuple[int, int]]


def expected_state(config: Config) -> dict[str, Sizes]:
    """Bits of a word and number of words of every register and memory, by instance below the top.

    Parameters
    ----------
    config : Config
    """
    return {
        "u_apb": _plain(prdata_o=WORD, pready_o=1, pslverr_o=1, state_q=_states(3), write_q=1)
        | _plain(address_q=ADDRESS_BITS, wdata_q=WORD),
        "u_csr": _csr(config),
        "u_event_fifo": _fifo(config.event_depth, event_bits(config)),
        "u_response_fifo": _fifo(config.response_depth, response_bits()),
        "u_table": _table(config),
        "u_spear.u_rank": _rank_scan(config) if config.is_scan_div else _rank_stored(config),
        **_selection(config),
        "u_tide": _tide(config),
        "u_multiplier": _multiplier(config),
        "u_divider": _divider(config),
        "u_control": _control(config),
        **(_dual(config) if config.is_dual else {}),
    }


def event_bits(config: Config) -> int:
    """Bits of an event in the event FIFO: id, opcode, none, tier, bypass, turn, slot, data."""
    return ID_BITS + OPCODE_BITS + 3 + TURN_BITS + SLOT_BITS_MOST + data_bits(config)


def response_bits() -> int:
    """Bits of a response in its FIFO: kind, from, to, status, slot, data."""
    return KIND_BITS + 2 + STATUS_BITS + SLOT_BITS_MOST + LENGTH_BITS


def data_bits(config: Config) -> int:
    """Bits of an event's data: a gap or a length."""
    return max(config.contract.gap_bits, LENGTH_BITS)


def gap_term_bits(config: Config) -> int:
    """Bits of A, the expected gap over the survival, for the largest gap and the smallest survival."""
    contract = config.contract
    largest_gap = (1 << contract.gap_bits) - 1
    if config.has_reciprocals:
        return (largest_gap * ((1 << contract.reciprocal_bits) - 1) >> contract.recip_bits).bit_length()
    return (largest_gap * ((1 << contract.hazard_bits) - 1) // contract.epsilon_code).bit_length()


def score_bits(config: Config) -> int:
    """Bits of a live session's score: what A + B can need, and no more than the contract has."""
    contract = config.contract
    largest_gap = (1 << contract.gap_bits) - 1
    if config.has_reciprocals:
        most = largest_gap * ((1 << contract.reciprocal_bits) - 1) >> contract.recip_bits
    else:
        most = largest_gap * ((1 << contract.hazard_bits) - 1) // contract.epsilon_code
    most += (1 << contract.penalty_term_bits) - 1
    return min(contract.score_bits, most.bit_length())


def _plain(**widths: int) -> Sizes:
    return {name: (width, 1) for name, width in widths.items()}


def _memory(words: int, **widths: int) -> Sizes:
    return {name: (width, words) for name, width in widths.items()}


def _states(count: int) -> int:
    return max(1, (count - 1).bit_length())


def _split(name: str, suffix: str, width: int) -> dict[str, int]:
    """Widths of the words of 32 bits that a wide entry is kept in."""
    if width <= WORD:
        return {f"{name}{suffix}": width}
    parts = range(0, width, WORD)
    return {f"{name}{index}{suffix}": min(WORD, width - low) for index, low in enumerate(parts)}


def _fifo(depth: int, width: int) -> Sizes:
    pointer = depth.bit_length() - 1
    return _memory(depth, words_q=width) | _plain(head_q=pointer, tail_q=pointer, level_q=pointer + 1)


def _table(config: Config) -> Sizes:
    fields = {"flags_q": FLAGS, "length_q": LENGTH_BITS, "turn_q": TURN_BITS}
    fields |= _split("ema", "_q", config.contract.gap_bits)
    if not config.is_scan_div and config.variant != "score_tree":
        fields |= _split("score", "_q", score_bits(config))
    sizes = _memory(config.sessions, **fields)
    return sizes | _plain(held_q=config.sessions, cleared_q=1, clear_q=config.slot_bits)


def _csr(config: Config) -> Sizes:
    contract = config.contract
    settings = {"cap_sram": CAPACITY_BITS, "cap_hbm": CAPACITY_BITS, "dma_rate": RATE_BITS}
    if config.is_scan_div:
        settings["dma_divisor"] = RATE_BITS
    if not config.has_penalties:
        settings["penalty"] = contract.penalty_bits
    if config.is_dual:
        settings["sync_period"] = SYNC_BITS
    shadows = {f"{name}{end}": width for name, width in settings.items() for end in ("_q", "_o")}
    event = {"opcode_q": OPCODE_BITS, "none_q": 1, "tier_q": 1, "bypass_q": 1, "turn_q": TURN_BITS}
    event |= {"slot_q": SLOT_BITS_MOST, "data_q": max(contract.gap_bits, WORD)}
    counters = ("events", "decisions", "decision_cycles", "decision_worst", "busy_cycles", "this_decision")
    sizes = _plain(**shadows, **event, **{f"{name}_q": WORD for name in counters})
    sizes |= _plain(irq_o=1, tide_en_o=1, guard_en_o=1, irq_enable_q=IRQS, irq_status_q=IRQS, event_empty_q=1)
    sizes |= _plain(fifo_high_q=config.event_depth.bit_length())
    windows = [("hazard", contract.hazard_bits, 1)]
    if config.has_reciprocals:
        windows.append(("recip", contract.reciprocal_bits, 2))
    if config.has_penalties:
        windows.append(("penalty", contract.penalty_term_bits, 2))
    for name, width, words in windows:
        parts = {f"{name}_q": width} if words == 1 else {}
        if words > 1:
            parts = {f"{name}{i}_q": min(WORD, width - i * WORD) for i in range(-(-width // WORD))}
        sizes |= _memory(TURN_MAX, **parts)
        sizes |= _plain(**{part.replace("_q", "_valid_q"): TURN_MAX for part in parts})
    return sizes


def _rank_scan(config: Config) -> Sizes:
    """The pipeline has the score; here only the average gap is made."""
    gap = config.contract.gap_bits
    return _plain(done_o=1, divide_o=1, state_q=_states(2), ema_q=gap, gap_q=gap)


def _rank_stored(config: Config) -> Sizes:
    contract = config.contract
    has_product = contract.penalty_form == "affine"
    sizes = _plain(done_o=1, multiply_o=1, divide_o=1, state_q=_states(7 if has_product else 6))
    sizes |= _plain(ema_q=contract.gap_bits, gap_q=contract.gap_bits, index_q=TURN_BITS)
    sizes |= _plain(sigma_q=contract.hazard_bits, product_done_q=1, quotient_done_q=1)
    sizes |= _plain(gap_term_q=gap_term_bits(config), penalty_term_q=contract.penalty_term_bits)
    return sizes | _plain(score_q=score_bits(config)) | _memory(TURN_MAX, sigmas_q=contract.hazard_bits)


def _argmax(config: Config, ends: tuple[str, ...] = ("max", "min")) -> Sizes:
    """The compare stage; an engine that only evicts has no smallest key."""
    key, slot = score_bits(config) + 1, config.slot_bits
    best = {
        f"{end}_{part}_q": width
        for end in ends
        for part, width in (("valid", 1), ("slot", slot), ("key", key))
    }
    return _plain(done_o=1, **best, **({"min_below_o": 1} if "min" in ends else {}))


def _dual(config: Config) -> dict[str, Sizes]:
    """Tide's own register file and engine, and the sync unit."""
    flags = dict.fromkeys(("active_q", "dead_q", "same_q", "tier_q", "valid_q"), 1)
    fields = flags | {"length_q": LENGTH_BITS} | _split("score", "_q", score_bits(config))
    sync = _plain(state_q=_states(2), slot_q=config.slot_bits, since_q=SYNC_BITS, unseen_q=config.sessions)
    return {
        "u_file": _memory(config.sessions, **fields) | _plain(used_sram_o=USED_BITS, used_hbm_o=USED_BITS),
        "u_file_scan": _scan(config),
        "u_file_scan.u_argmax": _argmax(config),
        "u_sync": sync,
    }


def _selection(config: Config) -> Mapping[str, Sizes]:
    if config.variant == "score_tree":
        return {"u_spear.u_select": _tree(config)}
    make: Callable[[Config], Sizes] = _pipe if config.is_scan_div else _scan
    ends = ("max",) if config.is_dual else ("max", "min")
    return {"u_spear.u_select": make(config), "u_spear.u_select.u_argmax": _argmax(config, ends)}


def _scan(config: Config) -> Sizes:
    slot = config.slot_bits
    sizes = _plain(state_q=_states(2), mask_q=2, next_q=slot, valid_q=1, last_q=1, slot_q=slot)
    return sizes | _plain(candidate_q=1, tier_q=1, key_q=score_bits(config) + 1)


def _pipe(config: Config) -> Sizes:
    contract, slot = config.contract, config.slot_bits
    sizes = _plain(state_q=_states(2), mask_q=2, next_q=slot, mac_key_q=score_bits(config) + 1)
    for stage in ("fetch", "lut", "div", "mac"):
        passed = {"valid": 1, "last": 1, "slot": slot, "candidate": 1, "tier": 1}
        if stage != "mac":
            passed["dead"] = 1
        sizes |= _plain(**{f"{stage}_{name}_q": width for name, width in passed.items()})
    sizes |= _plain(fetch_index_q=TURN_BITS, fetch_ema_q=contract.gap_bits, lut_ema_q=contract.gap_bits)
    sizes |= _plain(lut_sigma_q=contract.hazard_bits, div_gap_term_q=gap_term_bits(config))
    tables = {"sigmas_q": contract.hazard_bits}
    if config.has_reciprocals:
        sizes |= _plain(lut_reciprocal_q=contract.reciprocal_bits)
        tables["reciprocals_q"] = contract.reciprocal_bits
    if config.has_penalties:
        sizes |= _plain(**{f"{stage}_penalty_term_q": contract.penalty_term_bits for stage in ("lut", "div")})
        tables["penalty_terms_q"] = contract.penalty_term_bits
    else:
        sizes |= _plain(div_sigma_q=contract.hazard_bits)
    return sizes | _memory(TURN_MAX, **tables)


def _tree(config: Config) -> Sizes:
    slot, key = config.slot_bits, score_bits(config) + 1
    sizes = _plain(done_o=1, max_valid_o=1, max_slot_o=slot, min_valid_o=1, min_slot_o=slot, min_below_o=1)
    sizes |= _plain(state_q=_states(3), count_q=(slot + 1).bit_length(), slot_q=slot, asked_q=1, mask_q=2)
    sizes |= _plain(**{f"path_{stage}_q": slot + 1 for stage in "abc"}, max_key_q=key, min_key_q=key)
    for tree in ("sram", "hbm", "live"):
        parts = {"b_valid": 1, "b_slot": slot, "c_valid": 1, "c_slot": slot, "c_key": key}
        parts |= {"valid": 1, "slot": slot, "key": key}
        sizes |= _plain(**{f"{tree}_{part}_q": width for part, width in parts.items()})
        sizes |= _memory(config.sessions, **{f"{tree}_nodes_q": slot + 1})
    return sizes | _memory(config.sessions, leaves_q=3, keys_q=key)


def _tide(config: Config) -> Sizes:
    sizes = _plain(done_o=1, multiply_o=1, budget_q=BUDGET_BITS, both_q=BUDGET_BITS)
    sizes |= _plain(sram_q=ROOM_BITS, sram_limit_q=ROOM_BITS, hbm_q=ROOM_BITS, hbm_limit_q=ROOM_BITS)
    if config.is_scan_div:
        return sizes | _plain(state_q=_states(3), divide_o=1)
    return sizes | _plain(state_q=_states(2))


def _multiplier(config: Config) -> Sizes:
    contract = config.contract
    factor = contract.gap_bits if config.is_scan_div else max(contract.gap_bits, contract.penalty_bits)
    sizes = _plain(done_o=1, state_q=_states(2), count_q=RATE_BITS.bit_length())
    return sizes | _plain(factor_a_q=factor, high_q=factor, low_q=RATE_BITS)


def _divider(config: Config) -> Sizes:
    contract = config.contract
    if config.is_scan_div:
        dividend, divisor = contract.gap_bits + RATE_BITS, RATE_BITS
    else:
        # The numerators of the average (10 gaps), of A, and of B if it is a product.
        dividends = [contract.gap_bits + (10).bit_length(), contract.gap_bits + contract.hazard_bits]
        if contract.penalty_form == "affine":
            dividends.append(contract.penalty_bits + contract.hazard_bits)
        dividend, divisor = max(dividends), max((10).bit_length(), contract.hazard_bits)
    sizes = _plain(done_o=1, state_q=_states(2), count_q=dividend.bit_length())
    return sizes | _plain(divisor_q=divisor, remainder_q=divisor, shift_q=dividend)


def _control(config: Config) -> Sizes:
    gap, slot = config.contract.gap_bits, config.slot_bits
    event = {"id_q": ID_BITS, "opcode_q": OPCODE_BITS, "none_q": 1, "to_tier_q": 1, "bypass_q": 1}
    event |= {"event_turn_q": TURN_BITS, "beyond_q": 1, "data_q": data_bits(config), "status_q": STATUS_BITS}
    record = {f"{name}_q": 1 for name in ("held", "placed", "active", "dead", "tier")}
    record |= {"slot_q": slot, "length_q": LENGTH_BITS, "turn_q": TURN_BITS, "ema_q": gap}
    if not config.is_scan_div:
        record["score_q"] = score_bits(config)
    tokens = dict.fromkeys(("used_sram_o", "used_hbm_o", "pinned_sram_q", "pinned_hbm_q"), USED_BITS)
    pending = {"pending_q": 1, "pending_slot_q": slot, "pending_length_q": LENGTH_BITS}
    steps = ("overflow_tier", "selecting", "selected", "budgeted", "is_swap", "commit")
    flags = {f"{name}_q": 1 for name in steps} | {"ready_o": 1, "refused_o": 1, "dma_busy_o": 1}
    if config.is_dual:
        flags |= {"as_seen_q": 1, "forced_q": 1, "verify_o": 1}
    rest = {
        "sink_length_q": LENGTH_BITS,
        "copy_q": TURN_BITS,
        "state_q": _states(30 if config.is_scan_div else 35),
    }
    return _plain(**event, **record, **tokens, **pending, **flags, **rest)
