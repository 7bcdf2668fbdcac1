"""JSON Schemas of what the command line prints with ``--format json``."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from unison.errors import unknown_name


def schema_names() -> list[str]:
    """Names of the published schemas."""
    names = (entry.name for entry in files(__name__).iterdir())
    return sorted(name.removesuffix(".json") for name in names if name.endswith(".json"))


def load_schema(name: str) -> dict[str, Any]:
    """The schema of that name.

    Raises
    ------
    UnisonError
        If there is none; the message names the nearest.
    """
    if name not in schema_names():
        raise unknown_name("schema", name, schema_names())
    schema: dict[str, Any] = json.loads((files(__name__) / f"{name}.json").read_text(encoding="utf-8"))
    return schema
