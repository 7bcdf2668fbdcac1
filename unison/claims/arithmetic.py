"""Arithmetic: whether numbers that the paper prints agree with each other.

Each check takes the printed numbers by name and returns what follows from them. Nothing of ours enters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Finding:
    """What follows from printed numbers.

    Attributes
    ----------
    text : str
        The arithmetic, with its numbers.
    contradicts : bool
        Whether the numbers cannot all be right.
    value : float or None
        What the numbers come to, where that is one number.
    """

    text: str
    contradicts: bool
    value: float | None = None


Stated = Mapping[str, Any]


def share(stated: Stated) -> Finding:
    """A part of a whole, in percent."""
    value = 100 * stated["part"] / stated["whole"]
    return Finding(f"{stated['part']:g} of {stated['whole']:g} is {value:.4g} %", False, value)


def ratio(stated: Stated) -> Finding:
    """One number over another."""
    value = stated["part"] / stated["whole"]
    return Finding(f"{stated['part']:g} / {stated['whole']:g} = {value:.4g}", False, value)


def points(stated: Stated) -> Finding:
    """One share less another, in percentage points."""
    value = 100 * (stated["high"] - stated["low"])
    return Finding(f"{100 * stated['high']:g} % - {100 * stated['low']:g} % = {value:.4g} pp", False, value)


def reduction(stated: Stated) -> Finding:
    """What a ratio to a baseline leaves out: the reduction, in percent, of the least or the largest ratio."""
    chosen = max(stated["ratios"]) if stated["is_least"] else min(stated["ratios"])
    value = 100 * (1 - chosen)
    return Finding(f"1 - {chosen:g} is {value:.4g} %", False, value)


def share_of_gap(stated: Stated) -> Finding:
    """A decision as a part of a gap, in percent."""
    value = 100 * stated["decision_us"] * 1e-6 / stated["gap_s"]
    return Finding(f"{stated['decision_us']:g} us of {stated['gap_s']:g} s is {value:.2g} %", False, value)


def at_clock(stated: Stated) -> Finding:
    """A time at one clock, told at another [us]."""
    value = stated["time_us"] * stated["clock_mhz"] / stated["other_mhz"]
    told = (
        f"{stated['time_us']:g} us at {stated['clock_mhz']:g} MHz is {value:.3g} us at "
        f"{stated['other_mhz']:g} MHz"
    )
    return Finding(told, False, value)


def in_steps(stated: Stated) -> Finding:
    """A time in steps of the stored unit."""
    value = stated["time_s"] * 1e9 / stated["step_ns"]
    return Finding(f"{stated['time_s']:g} s in steps of {stated['step_ns']:g} ns is {value:g}", False, value)


def two_counts(stated: Stated) -> Finding:
    """Two counts of the same things, and which of them a printed quotient fits."""
    text, figure, of = stated["text"], stated["figure"], stated["of"]
    quotients = {count: of / count for count in (text, figure)}
    nearest = min(quotients, key=lambda count: abs(quotients[count] - stated["quotient"]))
    told = (
        f"the text has {text:g}, the figure {figure:g}, {abs(text - figure):g} apart; {of:g} over them is "
        f"{quotients[text]:.2f} and {quotients[figure]:.2f}, and the printed {stated['quotient']:g} fits "
        f"{nearest:g}"
    )
    return Finding(told, text != figure)


def multiple(stated: Stated) -> Finding:
    """A number of things that come in equal groups has to be a multiple of the group."""
    count, group = int(stated["count"]), int(math.prod(stated["group"]))
    left = count % group
    told = f"{count:,} = {count // group:,} x {group} + {left}"
    if len(stated["group"]) > 1:
        told += f", with {group} = {' x '.join(f'{size:g}' for size in stated['group'])}"
    return Finding(told, left != 0)


def scan_latency(stated: Stated) -> Finding:
    """Latency of one scan, (N + c) / f, against the printed mean latency at the same N."""
    clock_mhz, extra = stated["clock_mhz"], stated["extra_cycles"]
    parts, far = [], False
    for slots, mean_us in _pairs(stated["slots"], stated["mean_us"]):
        scan_us = (slots + extra) / clock_mhz
        far |= round(scan_us, 2) < mean_us
        parts.append(
            f"N = {slots:g}: {slots + extra:g} cycles are {scan_us:.2f} us, printed {mean_us:.2f} us, "
            f"which is {mean_us * clock_mhz:.1f} cycles"
        )
    return Finding(f"at {clock_mhz:g} MHz " + "; ".join(parts), far)


def slack_and_fmax(stated: Stated) -> Finding:
    """The highest clock that a slack allows, against the printed one."""
    period_ns = 1e3 / stated["clock_mhz"]
    allowed_mhz = 1e3 / (period_ns - stated["slack_ns"])
    needed_ns = period_ns - 1e3 / stated["fmax_mhz"]
    told = (
        f"a period of {period_ns:.3f} ns less {stated['slack_ns']:g} ns of slack allows "
        f"{allowed_mhz:.1f} MHz; {stated['fmax_mhz']:g} MHz needs {needed_ns:.3f} ns of slack"
    )
    return Finding(told, round(allowed_mhz, 1) < stated["fmax_mhz"])


def headroom(stated: Stated) -> Finding:
    """Orders of magnitude between the worst decision and the gaps, against the printed range of orders."""
    worst_s = stated["worst_us"] * 1e-6
    shortest, *medians = (
        math.log10(gap_s / worst_s) for gap_s in (stated["shortest_s"], *stated["medians_s"])
    )
    told = (
        f"the shortest gap of {stated['shortest_s']:g} s over {stated['worst_us']:g} us is "
        f"{shortest:.1f} orders, the medians are {min(medians):.1f} to {max(medians):.1f}; printed are "
        f"{stated['least']:g} to {stated['most']:g}"
    )
    return Finding(told, shortest < stated["least"])


def write_through(stated: Stated) -> Finding:
    """Days until a device written at its full rate has used up its program and erase cycles."""
    total_bytes = stated["capacity_gb"] * stated["cycles"]
    days = total_bytes / (stated["write_gb_per_s"] * stated["amplification"]) / 86_400
    told = (
        f"{stated['capacity_gb']:g} GB x {stated['cycles']:g} cycles at {stated['write_gb_per_s']:g} GB/s x "
        f"{stated['amplification']:g} last {days:.1f} days"
    )
    return Finding(told, False, days)


def _pairs(left: Sequence[float], right: Sequence[float]) -> list[tuple[float, float]]:
    return list(zip(left, right, strict=True))


_CHECKS = (
    share, ratio, points, reduction, share_of_gap, at_clock, in_steps, two_counts, multiple, scan_latency,
    slack_and_fmax, headroom, write_through,
)  # fmt: skip

ARITHMETIC: dict[str, Callable[[Stated], Finding]] = {check.__name__: check for check in _CHECKS}
"""Every check by the name that the ledger calls it."""
