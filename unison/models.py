"""Models: what one token of context weighs in the KV store, read from data/models.toml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from unison.constants import Bounds, Constant, read_constant, read_record, read_toml
from unison.errors import UnisonError, unknown_name
from unison.paths import DATA

MODELS_FILE = DATA / "models.toml"
_COUNT = Bounds(1)
_TEXTS = ("title", "attention", "note")


@dataclass(frozen=True)
class GroupedQuery:
    """Attention that keeps K and V of `kv_heads` heads in each of `layers` layers."""

    layers: Annotated[int, _COUNT]
    kv_heads: Annotated[int, _COUNT]
    head_dim: Annotated[int, _COUNT]

    @property
    def values_per_token(self) -> int:
        """``2 * layers * kv_heads * head_dim``: K and V [values/token]."""
        return 2 * self.layers * self.kv_heads * self.head_dim

    @property
    def window_values(self) -> int:
        """Values that do not grow with the context: none."""
        return 0


@dataclass(frozen=True)
class Latent:
    """Multi-head latent attention: a compressed vector and a rotary key in each layer."""

    layers: Annotated[int, _COUNT]
    latent_dim: Annotated[int, _COUNT]
    rope_dim: Annotated[int, _COUNT]

    @property
    def values_per_token(self) -> int:
        """``layers * (latent_dim + rope_dim)`` [values/token]."""
        return self.layers * (self.latent_dim + self.rope_dim)

    @property
    def window_values(self) -> int:
        """Values that do not grow with the context: none."""
        return 0


@dataclass(frozen=True)
class SlidingHybrid:
    """Full-attention layers, and `window_layers` layers that keep the last `window_tokens` tokens only."""

    layers: Annotated[int, _COUNT]
    kv_heads: Annotated[int, _COUNT]
    head_dim: Annotated[int, _COUNT]
    window_layers: Annotated[int, _COUNT]
    window_kv_heads: Annotated[int, _COUNT]
    window_head_dim: Annotated[int, _COUNT]
    window_tokens: Annotated[int, _COUNT]

    @property
    def values_per_token(self) -> int:
        """``2 * layers * kv_heads * head_dim``: K and V of the full-attention layers [values/token]."""
        return 2 * self.layers * self.kv_heads * self.head_dim

    @property
    def window_values(self) -> int:
        """K and V of a full window in all window layers: the part that does not grow [values/session]."""
        return 2 * self.window_layers * self.window_kv_heads * self.window_head_dim * self.window_tokens


_ATTENTION: dict[str, type[GroupedQuery | Latent | SlidingHybrid]] = {
    "grouped-query": GroupedQuery,
    "latent": Latent,
    "sliding-hybrid": SlidingHybrid,
}


@dataclass(frozen=True)
class _Common:
    value_bytes: Annotated[int, _COUNT]
    active_parameters: Annotated[int, _COUNT]


@dataclass(frozen=True)
class Model:
    """A model as the store sees it.

    Attributes
    ----------
    name, title, note : str
        Name on the command line, full name, and what its bytes per token count.
    attention : GroupedQuery, Latent or SlidingHybrid
        What each layer keeps.
    value_bytes : int
        Bytes of one stored value.
    active_parameters : int
        Parameters that take part in one token's forward pass.
    constants : mapping of str to Constant
        Unit, source and status of each number.
    """

    name: str
    title: str
    note: str
    attention: GroupedQuery | Latent | SlidingHybrid
    value_bytes: int
    active_parameters: int
    constants: Mapping[str, Constant]

    @property
    def kv_bytes_per_token(self) -> int:
        """KV bytes that each token of context adds [bytes/token]."""
        return self.attention.values_per_token * self.value_bytes

    @property
    def window_bytes(self) -> int:
        """KV bytes of a session that do not grow with its context; not counted in capacities [bytes]."""
        return self.attention.window_values * self.value_bytes


def get_model(name: str) -> Model:
    """The model of that name.

    Raises
    ------
    UnisonError
        If there is none; the message names the nearest.
    """
    models = load_models()
    if name not in models:
        raise unknown_name("model", name, models)
    return models[name]


@cache
def load_models() -> Mapping[str, Model]:
    """Every model of data/models.toml by name, read once."""
    return read_models(MODELS_FILE)


def read_models(path: Path) -> Mapping[str, Model]:
    """Models from a file in the form of data/models.toml.

    Raises
    ------
    UnisonError
        If a model lacks a number or a text, has an unknown one, or cites a source that is not listed.
    """
    tables = read_toml(path)
    for section in tables:
        if section not in ("sources", "models"):
            raise UnisonError(f"{path}: {unknown_name('section', section, ('sources', 'models'))}")
    if not tables.get("models"):
        raise UnisonError(f"{path}: no models; a model is a table [models.NAME]")
    sources = tables.get("sources", {})
    models = {name: _read_model(name, table, sources, path) for name, table in tables["models"].items()}
    return MappingProxyType(models)


def _read_model(name: str, table: dict[str, Any], sources: Mapping[str, str], path: Path) -> Model:
    where = f"models.{name}"
    for text in _TEXTS:
        if not isinstance(table.get(text), str):
            raise UnisonError(f"{path}: {where}.{text} is missing; a model has {', '.join(_TEXTS)}")
    if table["attention"] not in _ATTENTION:
        raise UnisonError(f"{path}: {where}: {unknown_name('attention', table['attention'], _ATTENTION)}")
    constants = {
        key: _cite(read_constant(f"{where}.{key}", entry, str(path)), sources, path)
        for key, entry in table.items()
        if key not in _TEXTS
    }
    shared = {key: one for key, one in constants.items() if key in _Common.__dataclass_fields__}
    own = {key: one for key, one in constants.items() if key not in shared}
    common = read_record(_Common, shared, str(path), where)
    return Model(
        name=name,
        title=table["title"],
        note=table["note"],
        attention=read_record(_ATTENTION[table["attention"]], own, str(path), where),
        value_bytes=common.value_bytes,
        active_parameters=common.active_parameters,
        constants=MappingProxyType(constants),
    )


def _cite(constant: Constant, sources: Mapping[str, str], path: Path) -> Constant:
    if constant.source not in sources:
        raise UnisonError(f"{path}: {constant.name}: {unknown_name('source', constant.source, sources)}")
    return Constant(constant.name, constant.value, constant.unit, sources[constant.source], constant.status)
