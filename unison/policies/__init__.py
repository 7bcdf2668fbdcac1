"""Policies: each is a Ranking of the paused sessions, registered under a name.

Importing this package registers every policy module in it, so a new file is all that a new policy takes.
"""

import importlib
import pkgutil

for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")
