"""Study: the grid of contracts, the gates and the order of preference, as data/quantization.toml fixes them.

The file was written before any point was measured; nothing here looks at a result except through `Gates`.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Annotated, TypeVar

from unison.config import load_defaults
from unison.constants import Bounds, read_constant, read_record, read_toml
from unison.errors import unknown_name
from unison.fixed_point.contract import QUANTIZATION_FILE, Contract, stored_penalty

_Record = TypeVar("_Record")


@dataclass(frozen=True)
class Grid:
    """The axes of the grid, each with its values; `recip_bits` goes with the reciprocal divider."""

    hazard_bits: tuple[int, ...]
    tau_ns: tuple[int, ...]
    gap_bits: tuple[int, ...]
    score_bits: tuple[int, ...]
    dividers: tuple[str, ...]
    penalty_forms: tuple[str, ...]
    recip_bits: int


@dataclass(frozen=True)
class Snapshots:
    """Where the points are measured.

    Attributes
    ----------
    envelopes : tuple of str
        Names of the fixed envelopes.
    least_residents : int
        Paused residents that a victim selection needs to count as a snapshot.
    """

    envelopes: tuple[str, ...]
    least_residents: Annotated[int, Bounds(2)]


@dataclass(frozen=True)
class Gates:
    """What a point has to meet.

    Attributes
    ----------
    top1 : float
        Least share of all snapshots in which integers rank the same session first.
    hit_drift_pp : float
        Largest absolute change of hit rate in a cell [pp].
    saturated_share : float
        Share of the gaps or of the scores of a corpus from which on a point overflows at the median.
    """

    top1: Annotated[float, Bounds(0, 1)]
    hit_drift_pp: Annotated[float, Bounds(0)]
    saturated_share: Annotated[float, Bounds(0, 1)]

    def pass_top1(self, top1: float) -> bool:
        """Whether that share of snapshots is enough."""
        return top1 >= self.top1

    def pass_drift(self, hit_drift_pp: float) -> bool:
        """Whether that change of hit rate is small enough [pp]."""
        return abs(hit_drift_pp) <= self.hit_drift_pp

    def overflow(self, saturated_share: float) -> bool:
        """Whether that share of saturated gaps or scores is an overflow at the median."""
        return saturated_share >= self.saturated_share


@dataclass(frozen=True)
class Preference:
    """The order among points that pass: names of `PREFERENCE_KEYS`, the first decides first."""

    order: tuple[str, ...]
    cheapest_divider: tuple[str, ...]
    cheapest_penalty_form: tuple[str, ...]

    def key(self, contract: Contract) -> tuple[int, ...]:
        """Sorts contracts by preference; the smallest is preferred.

        Raises
        ------
        UnisonError
            If the order has an unknown name.
        """
        for name in self.order:
            if name not in PREFERENCE_KEYS:
                raise unknown_name("preference", name, PREFERENCE_KEYS)
        return tuple(PREFERENCE_KEYS[name](self, contract) for name in self.order)


PREFERENCE_KEYS: dict[str, Callable[[Preference, Contract], int]] = {
    "bits": lambda _, c: c.hazard_bits + c.gap_bits + c.score_bits,
    "divider": lambda p, c: p.cheapest_divider.index(c.divider),
    "penalty_form": lambda p, c: p.cheapest_penalty_form.index(c.penalty_form),
    "score_bits": lambda _, c: c.score_bits,
    "gap_bits": lambda _, c: c.gap_bits,
    "tau_ns": lambda _, c: -c.tau_ns,
}
"""What points can be sorted by, smallest first."""


@dataclass(frozen=True)
class Study:
    """The study of the integer form."""

    grid: Grid
    snapshots: Snapshots
    gates: Gates
    preference: Preference

    def contracts(self) -> list[Contract]:
        """Every point of the grid, in the order of its axes."""
        axes = self.grid
        widths = [(g, s) for g, s in itertools.product(axes.gap_bits, axes.score_bits) if s >= g]
        points = itertools.product(axes.hazard_bits, axes.tau_ns, widths, axes.dividers, axes.penalty_forms)
        return [
            Contract(
                hazard_bits=hazard_bits,
                gap_bits=gap_bits,
                score_bits=score_bits,
                tau_ns=tau_ns,
                penalty=stored_penalty(load_defaults().spear.penalty_s, tau_ns),
                divider=divider,
                penalty_form=penalty_form,
                recip_bits=axes.recip_bits if divider == "reciprocal" else 0,
            )
            for hazard_bits, tau_ns, (gap_bits, score_bits), divider, penalty_form in points
        ]

    def preferred(self, passing: Sequence[Contract]) -> Contract | None:
        """The point selected among those that pass; None if there is none."""
        return min(passing, key=self.preference.key, default=None)


@cache
def load_study() -> Study:
    """The study as data/quantization.toml has it.

    Raises
    ------
    UnisonError
        If the file is missing, or an entry is missing, unknown, of another type or out of its range.
    """
    return Study(
        _section("grid", Grid), _section("study", Snapshots), _section("gate", Gates),
        _section("preference", Preference),
    )  # fmt: skip


def _section(name: str, kind: type[_Record]) -> _Record:
    place = QUANTIZATION_FILE.name
    table = read_toml(QUANTIZATION_FILE).get(name, {})
    constants = {key: read_constant(f"{name}.{key}", entry, place) for key, entry in table.items()}
    return read_record(kind, constants, place, name)
