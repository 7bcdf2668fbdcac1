"""Placements: one file a family, and the registry that everything reads."""

from unison.flash.policies import (  # noqa: F401 (they register themselves)
    lachesis,
    on_evict,
    read_to_write,
    remaining_life,
    simple,
)
from unison.flash.policies.base import (
    Knows,
    PlacementEntry,
    PlacementPolicy,
    Setting,
    all_placements,
    get_placement,
    placement,
)

__all__ = [
    "Knows",
    "PlacementEntry",
    "PlacementPolicy",
    "Setting",
    "all_placements",
    "get_placement",
    "placement",
]
