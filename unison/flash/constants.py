"""The types and ranges of the constants of flash placement in data/defaults.toml."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Annotated

from unison.constants import Bounds
from unison.errors import UnisonError

_POSITIVE = Bounds(0, above=True)
_COUNT = Bounds(1)
_SHARE = Bounds(0, 1)


@dataclass(frozen=True)
class FlashDeviceDefaults:
    """One stack of high-bandwidth flash.

    Attributes
    ----------
    stack_bytes : int
        Capacity [bytes].
    read_bytes_per_s, write_bytes_per_s : int
        Bandwidths of a stack [bytes/s].
    page_bytes : int
        Page [bytes].
    block_pages : int
        Pages of an erase block.
    cycles : int
        Program and erase cycles E that a cell lasts.
    write_amplification : float
        WAF, bytes programmed over bytes written.
    reclaim_reads : int
        Page reads of an erase block after which it has to be written anew (read disturb).
    wear_concentration : float
        Wear of the most worn part over the mean, 1 for ideal levelling.
    warranty_years : float
        Years that the device has to last.
    """

    stack_bytes: Annotated[int, _COUNT]
    read_bytes_per_s: Annotated[int, _COUNT]
    write_bytes_per_s: Annotated[int, _COUNT]
    page_bytes: Annotated[int, _COUNT]
    block_pages: Annotated[int, _COUNT]
    cycles: Annotated[int, _COUNT]
    write_amplification: Annotated[float, Bounds(1)]
    reclaim_reads: Annotated[int, _COUNT]
    wear_concentration: Annotated[float, Bounds(1)]
    warranty_years: Annotated[float, _POSITIVE]


@dataclass(frozen=True)
class FlashNodeDefaults:
    """One GPU with its memory sites, and the models that it serves.

    Attributes
    ----------
    hbm_stack_bytes : int
        Capacity of an HBM stack [bytes].
    hbm_read_bytes_per_s : int
        Read bandwidth of an HBM stack [bytes/s].
    memory_sites : int
        Sites of a GPU, each for a stack of HBM or of flash.
    hbm_sites : tuple of int
        Sites with HBM in the configurations studied.
    chained_sites : int
        Sites of HBM that have a stack of flash behind each of them (the daisy chain of H3).
    gpus : int
        GPUs of a node, which share the weights.
    activation_bytes : int
        HBM of a GPU that is not for KV [bytes].
    peak_flop_per_s : int
        Dense arithmetic of a GPU [FLOP/s].
    models : tuple of str
        Names in data/models.toml.
    weight_bytes : tuple of int
        Bytes of all weights of each of `models` [bytes].
    block_tokens : int
        Tokens of a KV block.
    """

    hbm_stack_bytes: Annotated[int, _COUNT]
    hbm_read_bytes_per_s: Annotated[int, _COUNT]
    memory_sites: Annotated[int, _COUNT]
    hbm_sites: Annotated[tuple[int, ...], _COUNT]
    chained_sites: Annotated[int, _COUNT]
    gpus: Annotated[int, _COUNT]
    activation_bytes: Annotated[int, Bounds(0)]
    peak_flop_per_s: Annotated[int, _COUNT]
    models: tuple[str, ...]
    weight_bytes: Annotated[tuple[int, ...], _COUNT]
    block_tokens: Annotated[int, _COUNT]


@dataclass(frozen=True)
class FlashLoadDefaults:
    """The service levels that set the load.

    Attributes
    ----------
    slos : tuple of str
        Names of the service levels, the tightest first.
    tpot_ms : tuple of float
        Time per output token that each allows at the quantile `tpot_quantile` [ms].
    tpot_quantile : float
        Share of steps that keep to it.
    ttft_s : float
        Mean time to the first token that all allow [s].
    """

    slos: tuple[str, ...]
    tpot_ms: Annotated[tuple[float, ...], _POSITIVE]
    tpot_quantile: Annotated[float, Bounds(0.5, 1)]
    ttft_s: Annotated[float, _POSITIVE]


@dataclass(frozen=True)
class FlashPolicyDefaults:
    """Constants of the placement policies.

    Attributes
    ----------
    headroom : float
        Share of HBM that a fit test or an admission leaves free.
    random_share : float
        Share of writes that random placement prefers to put in HBM.
    lru_k : int
        Accesses after which a segment is admitted to flash.
    lru_k_sweep : tuple of int
        Values of the sweep.
    reserve_quantile : float
        Quantile of the demand of short-lived segments that is reserved for them.
    bar_free_share : float
        Free share of HBM at which the bar of placing by remaining life stands as learned.
    pace_turns : float
        Turns of the class's mean that an agent's own pace is mixed with.
    least_at_risk : int
        Sessions that reach the last bin of a hazard table, which pools all later turns.
    output_edges : tuple of int
        Tokens of a reply so far, at which the evidence of the last turn is counted anew.
    waited_s : tuple of int
        Times after a reply at which thinking that still waits for the user is ranked anew [s].
    record_terms : int
        Terms of a spawn record that a predictor may use.
    neighbours : int
        Neighbours of the nearest-neighbour predictor.
    """

    headroom: Annotated[float, _SHARE]
    random_share: Annotated[float, _SHARE]
    lru_k: Annotated[int, _COUNT]
    lru_k_sweep: Annotated[tuple[int, ...], _COUNT]
    reserve_quantile: Annotated[float, _SHARE]
    bar_free_share: Annotated[float, Bounds(0, 1, above=True)]
    pace_turns: Annotated[float, Bounds(0)]
    least_at_risk: Annotated[int, _COUNT]
    output_edges: Annotated[tuple[int, ...], _COUNT]
    waited_s: Annotated[tuple[int, ...], Bounds(0)]
    record_terms: Annotated[int, _COUNT]
    neighbours: Annotated[int, _COUNT]


@dataclass(frozen=True)
class FlashStudyDefaults:
    """What the experiments run.

    Attributes
    ----------
    live_sessions : int
        Sessions that arrive in a run, over those live at once: the length of the run.
    least_sessions : int
        Least number of sessions that arrive in a run.
    most_writes : int
        Writes after which a run ends early.
    warm_share : Fraction
        Share of a run that passes before anything is counted.
    history_sessions : int
        Sessions of earlier traffic that predictors learn from.
    seeds : tuple of int
        Seeds of the main comparison.
    cycles, write_amplification, stack_bytes, user_delay_log_sd, record_share : tuple
        Axes of the sensitivity study.
    wear_concentration : float
        Wear of the most worn part over the mean, of a device that levels badly.
    page_bytes : tuple of int
        Pages whose partial writes are studied [bytes].
    fit_quantiles : tuple of float
        Quantiles of a worker's peak that a fit test books.
    corpus_shares : tuple of fractions.Fraction
        HBM over the KV that is live on average, for ordinary corpora.
    reference_config : str
        Memory configuration of the studies that do not vary it.
    bound_writes : int
        Writes of the part of a run on which the linear programme is solved.
    occupancy_samples : int
        Instants of the figure of occupancy.
    margins : tuple of Fraction
        How much longer than the newcomer a segment has to live to be moved to flash.
    """

    live_sessions: Annotated[float, _POSITIVE]
    least_sessions: Annotated[int, _COUNT]
    most_writes: Annotated[int, _COUNT]
    warm_share: Annotated[Fraction, _SHARE]
    history_sessions: Annotated[int, _COUNT]
    seeds: Annotated[tuple[int, ...], Bounds(0)]
    cycles: Annotated[tuple[int, ...], _COUNT]
    write_amplification: Annotated[tuple[float, ...], Bounds(1)]
    stack_bytes: Annotated[tuple[int, ...], _COUNT]
    user_delay_log_sd: Annotated[tuple[float, ...], Bounds(0, 5)]
    record_share: Annotated[tuple[float, ...], _SHARE]
    wear_concentration: Annotated[float, Bounds(1)]
    page_bytes: Annotated[tuple[int, ...], _COUNT]
    fit_quantiles: Annotated[tuple[float, ...], _SHARE]
    corpus_shares: Annotated[tuple[Fraction, ...], _POSITIVE]
    reference_config: str
    bound_writes: Annotated[int, _COUNT]
    occupancy_samples: Annotated[int, _COUNT]
    margins: Annotated[tuple[Fraction, ...], Bounds(1)]


_AXES = (
    "seeds", "cycles", "write_amplification", "stack_bytes", "user_delay_log_sd", "record_share",
    "page_bytes", "fit_quantiles", "corpus_shares", "margins",
)  # fmt: skip


def check_flash_tables(
    node: FlashNodeDefaults,
    load: FlashLoadDefaults,
    policy: FlashPolicyDefaults,
    study: FlashStudyDefaults,
    place: str,
) -> None:
    """Check what one constant of flash placement asks of another, and of a list as a whole.

    Parameters
    ----------
    node, load, policy, study : dataclass
        The tables.
    place : str
        File named in errors.

    Raises
    ------
    UnisonError
        If a list is not as long as the one that it goes with, has an item twice or does not rise, a
        configuration has more sites than there are, or a share that has to be below 1 is not.
    """
    _check_once(f"{place}: flash_node.models", node.models)
    _check_length(f"{place}: flash_node.weight_bytes", node.weight_bytes, "flash_node.models", node.models)
    _check_rising(f"{place}: flash_node.hbm_sites", node.hbm_sites)
    most = node.memory_sites - 1
    if node.hbm_sites[-1] > most:
        raise UnisonError(
            f"{place}: flash_node.hbm_sites: found {node.hbm_sites[-1]}, expected at most {most}, as one of "
            f"{node.memory_sites} flash_node.memory_sites is left for flash"
        )
    if node.chained_sites > node.memory_sites:
        raise UnisonError(
            f"{place}: flash_node.chained_sites: found {node.chained_sites}, expected at most "
            f"flash_node.memory_sites {node.memory_sites}"
        )
    _check_once(f"{place}: flash_load.slos", load.slos)
    _check_length(f"{place}: flash_load.tpot_ms", load.tpot_ms, "flash_load.slos", load.slos)
    _check_rising(f"{place}: flash_load.tpot_ms", load.tpot_ms)
    _check_below_one(f"{place}: flash_load.tpot_quantile", load.tpot_quantile)
    _check_rising(f"{place}: flash_policy.output_edges", policy.output_edges)
    _check_rising(f"{place}: flash_policy.waited_s", policy.waited_s)
    _check_once(f"{place}: flash_policy.lru_k_sweep", policy.lru_k_sweep)
    _check_below_one(f"{place}: flash_study.warm_share", study.warm_share)
    for name in _AXES:
        _check_once(f"{place}: flash_study.{name}", getattr(study, name))


def _shown(items: Sequence[object]) -> str:
    return ", ".join(map(str, items))


def _check_once(where: str, items: Sequence[object]) -> None:
    if len(set(items)) != len(items):
        raise UnisonError(f"{where}: found {_shown(items)}, expected each once")


def _check_length(where: str, items: Sequence[object], other: str, names: Sequence[object]) -> None:
    if len(items) != len(names):
        raise UnisonError(f"{where}: found {_shown(items)}, expected {len(names)}, one for each of {other}")


def _check_rising(where: str, items: Sequence[float]) -> None:
    if any(after <= before for before, after in pairwise(items)):
        raise UnisonError(f"{where}: found {_shown(items)}, expected each above the one before it")


def _check_below_one(where: str, share: float | Fraction) -> None:
    if share >= 1:
        raise UnisonError(f"{where}: found {share}, expected below 1")
