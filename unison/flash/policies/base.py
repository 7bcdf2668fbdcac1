"""PlacementPolicy: what decides where a segment's new blocks go, and the list of such policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

from unison.errors import UnisonError, unknown_name
from unison.flash.segments import Timeline


class Knows(StrEnum):
    """What a placement may know when it decides; each knows what the ones before it do."""

    NOTHING = "nothing"
    CLASS = "class"
    RECORD = "record"
    TURNS = "turns"
    ORACLE = "oracle"

    @property
    def about(self) -> str:
        """The value in words."""
        return _ABOUT[self]


_ABOUT = {
    Knows.NOTHING: "the free space, and when each agent last wrote",
    Knows.CLASS: "also the class of a segment, and what earlier segments of that class did",
    Knows.RECORD: "also what the harness says of a sub-agent when it spawns it",
    Knows.TURNS: "also the turn that each agent has reached, and whether its reply has ended",
    Knows.ORACLE: "also the future",
}


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
    counted_ns : int
        Time from which on writes are counted [ns]; only the bound looks at it.
    """

    timeline: Timeline
    history: Timeline
    capacity: int
    block_tokens: int
    seed: int = 0
    counted_ns: int = 0


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
        Key on the command line and in CSV files.
    build : callable
        ``build(setting) -> PlacementPolicy``; raises UnisonError if that one moves blocks and `migrates` is
        false, or the other way round.
    title : str
        What figures, tables and sentences call it.
    rule : str
        What it does, in a clause.
    citation : str
        Where it is published.
    knows : Knows
    migrates : bool
    """

    name: str
    build: Callable[[Setting], PlacementPolicy]
    title: str
    rule: str
    citation: str
    knows: Knows
    migrates: bool


_PLACEMENTS: dict[str, PlacementEntry] = {}
_Build = Callable[[Setting], PlacementPolicy]


def placement(
    name: str, *, title: str, rule: str, citation: str, knows: Knows, migrates: bool = False
) -> Callable[[_Build], _Build]:
    """Register a placement under a name.

    Raises
    ------
    UnisonError
        If the name or the title is taken.
    """

    def register(build: _Build) -> _Build:
        if name in _PLACEMENTS:
            raise UnisonError(f"placement {name!r} is registered twice; choose another name")
        if title in (entry.title for entry in _PLACEMENTS.values()):
            raise UnisonError(f"placement {name!r}: another one is titled {title!r}; choose another title")

        def checked(setting: Setting) -> PlacementPolicy:
            policy = build(setting)
            if policy.migrates != migrates:
                raise UnisonError(
                    f"placement {name!r} is registered with migrates={migrates}, {type(policy).__name__} has "
                    f"migrates={policy.migrates}; give both the same"
                )
            return policy

        _PLACEMENTS[name] = PlacementEntry(name, checked, title, rule, citation, knows, migrates)
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
    """Every registered placement, by what it knows and then in the order of registration."""
    order = list(Knows)
    return sorted(_PLACEMENTS.values(), key=lambda entry: order.index(entry.knows))
