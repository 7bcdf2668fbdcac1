"""PlacementPolicy: what decides where a segment's new blocks go, and the list of such policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

from unison.errors import UnisonError, unknown_name
from unison.flash.segments import Timeline


class Knows(StrEnum):
    """What a placement may know when it decides."""

    NOTHING = "nothing"
    CLASS = "class"  # the segment's class and the boundaries so far
    RECORD = "record"  # and the spawn record
    TURNS = "turns"  # and the turn that each agent has reached
    ORACLE = "oracle"  # and the future


class Residents(Protocol):
    """What a policy sees of the layer: the free HBM, and what lies there."""

    free_hbm: int

    def hbm_blocks(self, segment: int) -> int:
        """Blocks of a segment in HBM."""


@dataclass(frozen=True, eq=False)
class Setting:
    """What a policy is made for.

    Attributes
    ----------
    timeline : Timeline
        Of the run. A causal policy uses of it what the harness has told by the time of each decision.
    history : Timeline
        Earlier traffic, to learn from.
    capacity : int
        HBM [blocks].
    block_tokens : int
    seed : int
    """

    timeline: Timeline
    history: Timeline
    capacity: int
    block_tokens: int
    seed: int = 0


class PlacementPolicy:
    """A policy for one run; it is told every message in order.

    Attributes
    ----------
    migrates : bool
        It may move blocks from HBM to flash after they were written.
    splits : bool
        A write that does not fit in HBM goes there in part; otherwise the whole write goes to flash.
    residents : Residents
        The layer, set before the first message.
    """

    migrates: ClassVar[bool] = False
    splits: ClassVar[bool] = False
    residents: Residents

    def spawn(self, now: int, segments: Sequence[int]) -> None:
        """Sub-agents begin together."""

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """Whether new blocks are meant for HBM.

        Parameters
        ----------
        now : int
            Time [ns].
        segment, need, write : int
            The segment, its new blocks, and the number of the write.
        """
        raise NotImplementedError

    def victim(self, now: int, newcomer: int) -> int | None:
        """The segment whose blocks leave HBM for the newcomer's; None if the newcomer goes to flash."""
        raise NotImplementedError

    def boundary(self, now: int, segment: int) -> None:
        """A segment is discarded."""


@dataclass(frozen=True)
class PlacementEntry:
    """One registered placement.

    Attributes
    ----------
    name : str
        Name on the command line and in tables.
    build : callable
        ``build(setting) -> PlacementPolicy``.
    title : str
        What it does, in a clause.
    citation : str
        Where it is published.
    knows : Knows
    migrates : bool
    """

    name: str
    build: Callable[[Setting], PlacementPolicy]
    title: str
    citation: str
    knows: Knows
    migrates: bool


_PLACEMENTS: dict[str, PlacementEntry] = {}
_Build = Callable[[Setting], PlacementPolicy]


def placement(
    name: str, *, title: str, citation: str, knows: Knows, migrates: bool = False
) -> Callable[[_Build], _Build]:
    """Register a placement under a name.

    Raises
    ------
    UnisonError
        If the name is taken.
    """

    def register(build: _Build) -> _Build:
        if name in _PLACEMENTS:
            raise UnisonError(f"placement {name!r} is registered twice; choose another name")
        _PLACEMENTS[name] = PlacementEntry(name, build, title, citation, knows, migrates)
        return build

    return register


def get_placement(name: str) -> PlacementEntry:
    """The registered placement of that name.

    Raises
    ------
    UnisonError
        If there is none; the message names the nearest.
    """
    if name not in _PLACEMENTS:
        raise unknown_name("placement", name, _PLACEMENTS)
    return _PLACEMENTS[name]


def all_placements() -> list[PlacementEntry]:
    """Every registered placement, in the order of registration."""
    return list(_PLACEMENTS.values())
