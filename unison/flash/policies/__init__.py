"""Placements: one file a family, and the registry that everything reads.

Importing this package registers every module in it, so a new file is all that a new placement takes.
"""

import importlib
import pkgutil

from unison.flash.policies.base import (
    Knows,
    PlacementEntry,
    PlacementPolicy,
    Setting,
    all_placements,
    get_placement,
    placement,
)

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = [
    "Knows",
    "PlacementEntry",
    "PlacementPolicy",
    "Setting",
    "all_placements",
    "get_placement",
    "placement",
]
