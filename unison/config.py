"""Defaults: every constant of the project, typed, as data/defaults.toml gives it."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any

from unison.constants import Bounds, Constant, check_ranges, read_constant, read_record, read_toml
from unison.errors import UnisonError, unknown_name
from unison.flash.constants import (
    FlashDeviceDefaults,
    FlashLoadDefaults,
    FlashNodeDefaults,
    FlashPolicyDefaults,
    FlashStudyDefaults,
    check_flash_tables,
)
from unison.paths import DATA

DEFAULTS_FILE = DATA / "defaults.toml"
FULL = "full"
"""The profile without overrides."""


@dataclass(frozen=True)
class SpearDefaults:
    """Constants of the Spear score (EQUATIONS eq. 4-7).

    Attributes
    ----------
    alpha : float
        Weight of the newest gap in the moving average.
    epsilon : float
        Floor of the local survival.
    max_turn : int
        Turns above it share its hazard bin.
    penalty_s : float
        P, the gap that a certain end is worth [s].
    gap_prior_s : float
        Gap estimate before any gap was observed [s].
    """

    alpha: Annotated[float, Bounds(0, 1, above=True)]
    epsilon: Annotated[float, Bounds(0, 1, above=True)]
    max_turn: Annotated[int, Bounds(1)]
    penalty_s: Annotated[float, Bounds(0)]
    gap_prior_s: Annotated[float, Bounds(0)]


@dataclass(frozen=True)
class TideDefaults:
    """Constants of Tide (UNISON eq. (8)-(10)): the most swaps a gap may start."""

    max_swaps: Annotated[int, Bounds(0)]


@dataclass(frozen=True)
class ReplayDefaults:
    """The set-up of a replay.

    Attributes
    ----------
    slots : int
        Session slots N.
    envelope : str
        Name of the default envelope.
    """

    slots: Annotated[int, Bounds(1)]
    envelope: str


@dataclass(frozen=True)
class TimeoutDefaults:
    """Idle time after which the timeout policy drops a session, and the values of its sweep [s]."""

    theta_s: Annotated[float, Bounds(0)]
    sweep_s: Annotated[tuple[float, ...], Bounds(0)]


@dataclass(frozen=True)
class CacheScoutDefaults:
    """Constants of CacheScout's replication.

    Attributes
    ----------
    epsilon : float
        Added to every transition count.
    tau : float
        Least probability of an edge of the agent graph.
    max_hops : int
        E_max, hops after which the survival probability is 0.
    decay_per_step : float
        Lambda, decay of the recency term per step.
    delta : float
        Added to both factors of the score.
    """

    epsilon: Annotated[float, Bounds(0, above=True)]
    tau: Annotated[float, Bounds(0, 1)]
    max_hops: Annotated[int, Bounds(1)]
    decay_per_step: Annotated[float, Bounds(0)]
    delta: Annotated[float, Bounds(0)]


@dataclass(frozen=True)
class EnvelopeDefaults:
    """The capacities that experiments run with.

    Attributes
    ----------
    names : tuple of str
        Names of the fixed envelopes, by growing capacity.
    total_tokens : int
        Total of the default envelope [tokens].
    ratio : int
        Ratio of the totals of neighbouring envelopes.
    sram_share : Fraction
        Share of the total that is SRAM.
    live_shares : tuple of Fraction
        Totals for an imported corpus, as shares of its mean live tokens.
    """

    names: tuple[str, ...]
    total_tokens: Annotated[int, Bounds(1)]
    ratio: Annotated[int, Bounds(1, above=True)]
    sram_share: Annotated[Fraction, Bounds(0, 1)]
    live_shares: Annotated[tuple[Fraction, ...], Bounds(0, above=True)]


@dataclass(frozen=True)
class LoadDefaults:
    """Load factors of the queueing model, and the one whose median TTFT is the headline."""

    factors: Annotated[tuple[int, ...], Bounds(1)]
    headline: Annotated[int, Bounds(1)]


@dataclass(frozen=True)
class StatisticsDefaults:
    """How results are compared.

    Attributes
    ----------
    seeds : tuple of int
        Seeds of a repeated run.
    folds : int
        Folds of a cross-validation by session.
    resamples : int
        Bootstrap samples of sessions.
    confidence : float
        Coverage of an interval.
    """

    seeds: Annotated[tuple[int, ...], Bounds(0)]
    folds: Annotated[int, Bounds(2)]
    resamples: Annotated[int, Bounds(1)]
    confidence: Annotated[float, Bounds(0, 1, above=True)]


@dataclass(frozen=True)
class DeviceModel:
    """The machine whose bandwidths and arithmetic give the cost of a token.

    Attributes
    ----------
    sram_bytes_per_s, hbm_bytes_per_s, host_bytes_per_s : int
        Read bandwidth of each tier, fastest first [bytes/s].
    dma_bytes_per_s : int
        Bandwidth of the engine that moves sessions between tiers [bytes/s].
    peak_flop_per_s : int
        Dense peak at the model's number format [FLOP/s].
    prefill_fraction : float
        Share of the peak that prefill reaches.
    """

    sram_bytes_per_s: Annotated[int, Bounds(1)]
    hbm_bytes_per_s: Annotated[int, Bounds(1)]
    host_bytes_per_s: Annotated[int, Bounds(1)]
    dma_bytes_per_s: Annotated[int, Bounds(1)]
    peak_flop_per_s: Annotated[int, Bounds(1)]
    prefill_fraction: Annotated[float, Bounds(0, 1, above=True)]

    def __post_init__(self) -> None:
        """Refuse a bandwidth or a share that is out of range."""
        check_ranges(self, "DeviceModel")


@dataclass(frozen=True)
class SurfaceDefaults:
    """Axes of the study of gap dispersion.

    Attributes
    ----------
    corpus : str
        Synthetic corpus whose sessions, lengths and mean gap it takes.
    log_sd : tuple of float
        Spreads of the natural log of the gap.
    session_share : tuple of float
        Shares of that variance that the session explains.
    capacity_share : tuple of float
        Capacities over the mean live tokens.
    seeds : tuple of int
        Corpus seeds.
    """

    corpus: str
    log_sd: Annotated[tuple[float, ...], Bounds(0, 5)]
    session_share: Annotated[tuple[float, ...], Bounds(0, 1)]
    capacity_share: Annotated[tuple[float, ...], Bounds(0, above=True)]
    seeds: Annotated[tuple[int, ...], Bounds(0)]


@dataclass(frozen=True)
class AblationDefaults:
    """Axes of the ablations.

    Attributes
    ----------
    penalty_s : tuple of float
        P [s].
    alpha : tuple of float
        Weights of the newest gap.
    max_swaps : tuple of int
        Swaps a gap at most.
    slots : tuple of int
        Session slots N.
    sync_every : tuple of int
        Events or requests from one sync of dual register files to the next.
    factors : tuple of Fraction
        Factors of read latency, DMA bandwidth and prefill rate.
    hbm_shares, sram_shares : tuple of Fraction
        Capacity of one tier, as shares of the default envelope's total; the other stays.
    partition_shares : tuple of Fraction
        SRAM as shares of the default envelope's total, which stays.
    """

    penalty_s: Annotated[tuple[float, ...], Bounds(0)]
    alpha: Annotated[tuple[float, ...], Bounds(0, 1, above=True)]
    max_swaps: Annotated[tuple[int, ...], Bounds(1)]
    slots: Annotated[tuple[int, ...], Bounds(1)]
    sync_every: Annotated[tuple[int, ...], Bounds(1)]
    factors: Annotated[tuple[Fraction, ...], Bounds(0, above=True)]
    hbm_shares: Annotated[tuple[Fraction, ...], Bounds(0, above=True)]
    sram_shares: Annotated[tuple[Fraction, ...], Bounds(0)]
    partition_shares: Annotated[tuple[Fraction, ...], Bounds(0, 1)]


@dataclass(frozen=True)
class SensitivityDefaults:
    """Ratios of HBM read cost to prefill cost, both per token, that the cost study visits."""

    read_to_prefill: Annotated[tuple[float, ...], Bounds(0, above=True)]


@dataclass(frozen=True)
class RtlDefaults:
    """The hardware that is looked at.

    Attributes
    ----------
    clock_mhz : float
        Clock at which cycles are told as time [MHz].
    sessions, small_sessions : int
        Slots of the one that is checked, and of the one whose waveform is drawn.
    sizes : tuple of int
        Slots of those whose cycles are counted.
    corpus, envelope : str
        What those are given.
    """

    clock_mhz: Annotated[float, Bounds(0, above=True)]
    sessions: Annotated[int, Bounds(4)]
    small_sessions: Annotated[int, Bounds(4)]
    sizes: Annotated[tuple[int, ...], Bounds(4)]
    corpus: str
    envelope: str


@dataclass(frozen=True)
class Defaults:
    """Every constant, by section; `constants` has the unit, source and status of each by dotted name."""

    spear: SpearDefaults
    tide: TideDefaults
    replay: ReplayDefaults
    timeout: TimeoutDefaults
    cachescout: CacheScoutDefaults
    envelope: EnvelopeDefaults
    load: LoadDefaults
    statistics: StatisticsDefaults
    device: DeviceModel
    sensitivity: SensitivityDefaults
    surface: SurfaceDefaults
    ablation: AblationDefaults
    rtl: RtlDefaults
    flash_device: FlashDeviceDefaults
    flash_node: FlashNodeDefaults
    flash_load: FlashLoadDefaults
    flash_policy: FlashPolicyDefaults
    flash_study: FlashStudyDefaults
    profile: str
    constants: Mapping[str, Constant] = dataclasses.field(compare=False, repr=False)


_SECTIONS: dict[str, type] = {
    name: hint
    for name, hint in typing.get_type_hints(Defaults).items()
    if isinstance(hint, type) and dataclasses.is_dataclass(hint)
}


@cache
def load_defaults(profile: str = FULL) -> Defaults:
    """The project's constants under a profile, read once.

    Parameters
    ----------
    profile : str
        ``"full"``, or the name of a ``[profile.*]`` table that overrides some values, as ``"smoke"``.

    Raises
    ------
    UnisonError
        If the profile is unknown or the file breaks a rule of `read_defaults`.
    """
    return read_defaults(DEFAULTS_FILE, profile)


def read_defaults(path: Path, profile: str = FULL) -> Defaults:
    """Constants from a file in the form of data/defaults.toml.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    profile : str
        As in `load_defaults`.

    Raises
    ------
    UnisonError
        If a section or constant is unknown (the message names the nearest) or missing, lacks a unit, source
        or status, has another type, or is out of range.
    """
    tables = read_toml(path)
    profiles = tables.pop("profile", {})
    for section, entries in tables.items():
        if section not in _SECTIONS:
            raise UnisonError(f"{path}: {unknown_name('section', section, _SECTIONS)}")
        if not isinstance(entries, dict):
            raise UnisonError(f"{path}: {section}: expected tables [{section}.NAME]; found {entries!r}")
    constants = {
        f"{section}.{key}": read_constant(f"{section}.{key}", table, str(path))
        for section, entries in tables.items()
        for key, table in entries.items()
    }
    constants |= _overrides(profiles, profile, constants, path)
    sections: dict[str, Any] = {
        section: read_record(kind, _section(constants, section), str(path), section)
        for section, kind in _SECTIONS.items()
    }
    defaults = Defaults(**sections, profile=profile, constants=MappingProxyType(constants))
    _check_references(defaults, path)
    return defaults


def _section(constants: Mapping[str, Constant], section: str) -> dict[str, Constant]:
    prefix = f"{section}."
    return {name.removeprefix(prefix): one for name, one in constants.items() if name.startswith(prefix)}


def _overrides(
    profiles: dict[str, dict], profile: str, constants: Mapping[str, Constant], path: Path
) -> dict[str, Constant]:
    for name, values in profiles.items():
        for key in values:
            if key not in constants:
                raise UnisonError(f"{path}: profile.{name}: {unknown_name('constant', key, constants)}")
    if profile == FULL:
        return {}
    if profile not in profiles:
        raise unknown_name("profile", profile, [FULL, *profiles])
    return {
        key: dataclasses.replace(constants[key], value=value, source=f"profile {profile}", status="assumed")
        for key, value in profiles[profile].items()
    }


def _check_references(defaults: Defaults, path: Path) -> None:
    names, default = defaults.envelope.names, defaults.replay.envelope
    if len(set(names)) != len(names):
        raise UnisonError(f"{path}: envelope.names: {', '.join(names)}: each name once")
    if default not in names:
        raise UnisonError(f"{path}: replay.envelope: {unknown_name('envelope', default, names)}")
    divisor = defaults.envelope.ratio ** names.index(default)
    if defaults.envelope.total_tokens % divisor:
        raise UnisonError(f"{path}: envelope.total_tokens: must be a multiple of {divisor}: totals are whole")
    if defaults.load.headline not in defaults.load.factors:
        raise UnisonError(
            f"{path}: load.headline: found {defaults.load.headline}, expected one of load.factors "
            f"{defaults.load.factors} (profile {defaults.profile})"
        )
    check_flash_tables(
        defaults.flash_node, defaults.flash_load, defaults.flash_policy, defaults.flash_study, str(path)
    )
