"""Tiering: how a replay places sessions and moves them between neighbouring tiers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from unison.errors import UnisonError, unknown_name

UNLIMITED_SWAPS = 1 << 30


class Placement(IntEnum):
    """Where the tokens of a miss (or of a hit that has outgrown its tier) go.

    ``SRAM_IF_FREE`` is the default of UNISON, eq. (8)-(10): the top tier if its free space fits, else the
    lower tiers from the top down, else the top tier by demoting from it. ``HBM_FIRST`` never starts in
    the top tier unless nothing else holds the session; ``SRAM_EVICT`` always tries the top tier first.
    """

    SRAM_IF_FREE = 0
    HBM_FIRST = 1
    SRAM_EVICT = 2


@dataclass(frozen=True)
class Tiering:
    """Options of the tier chain.

    Attributes
    ----------
    tide : bool
        Swap sessions between neighbouring tiers at the start of a gap (EQUATIONS eq. 8-10).
    max_swaps : int
        Swaps a gap at most; 1 is the hardware's, ``UNLIMITED_SWAPS`` ends when the budget does.
    guard : bool
        Swap only if the promoted session's score is strictly below the demoted one's; needed for more than
        one swap a gap.
    placement : Placement
        Where new tokens go.
    partial : bool
        An eviction from the last tier takes only the tokens that are needed, from the victim's tail.
    admission : bool
        A newcomer that would cause an eviction competes: if its own turn's score, at idle time 0, is at
        least the victim's, the turn is bypassed. Off, a turn is bypassed only where it cannot fit.
    """

    tide: bool = False
    max_swaps: int = 1
    guard: bool = True
    placement: Placement = Placement.SRAM_IF_FREE
    partial: bool = False
    admission: bool = False

    def __post_init__(self) -> None:
        """Refuse a negative number of swaps, and several that need not come to an end."""
        if self.max_swaps < 0:
            raise UnisonError(f"max_swaps must be 0 or more; given {self.max_swaps}")
        if self.max_swaps > 1 and not self.guard:
            raise UnisonError(
                f"max_swaps {self.max_swaps} without the guard would swap the same sessions back and forth; "
                "keep the guard, or one swap a gap"
            )


def placement_named(name: str) -> Placement:
    """The placement of that lower-case name, e.g. ``"sram_if_free"``.

    Raises
    ------
    UnisonError
        If there is none.
    """
    names = {member.name.lower(): member for member in Placement}
    if name not in names:
        raise unknown_name("placement", name, names)
    return names[name]
