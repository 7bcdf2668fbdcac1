"""Device model: the cost of a token, from bandwidths, arithmetic and the model's KV bytes."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass

from unison.config import DeviceModel, load_defaults
from unison.errors import UnisonError
from unison.models import Model, get_model, load_models

_NS_PER_S = 10**9
_PS_PER_S = 10**12
_INT64_MAX = 2**63 - 1


@dataclass(frozen=True)
class Costs:
    """What reading, moving and recomputing one token of context costs (EQUATIONS eq. 27).

    Attributes
    ----------
    model : str
        Name of the model.
    kv_bytes_per_token : int
        KV bytes of a token.
    sram_ns_per_token, hbm_ns_per_token, host_ns_per_token : float
        Read cost in each tier: t_s, t_h and that of host memory [ns/token].
    prefill_ns_per_token : float
        Cost of computing a token again, t_p [ns/token].
    dma_ps_per_token : int
        Time to move a token between neighbouring tiers, rounded up [ps/token].
    """

    model: str
    kv_bytes_per_token: int
    sram_ns_per_token: float
    hbm_ns_per_token: float
    host_ns_per_token: float
    prefill_ns_per_token: float
    dma_ps_per_token: int

    def __post_init__(self) -> None:
        """Refuse a cost that is not finite and above 0, and a tier that is faster than the one before it."""
        for field in dataclasses.fields(self)[1:]:
            value = getattr(self, field.name)
            if not 0 < value < math.inf:
                raise UnisonError(f"Costs.{field.name}: found {value}, expected a finite number above 0")
        if self.dma_ps_per_token > _INT64_MAX:
            raise UnisonError(f"Costs.dma_ps_per_token: found {self.dma_ps_per_token}, expected below 2**63")
        if not self.sram_ns_per_token <= self.hbm_ns_per_token <= self.host_ns_per_token:
            raise UnisonError(
                f"Costs: SRAM, HBM and host reads cost {self.read_ns_per_token} ns/token; "
                "expected each tier to be no faster than the one before it"
            )

    @property
    def read_ns_per_token(self) -> tuple[float, float, float]:
        """Read costs by the position of the tier: SRAM, HBM, host [ns/token]."""
        return (self.sram_ns_per_token, self.hbm_ns_per_token, self.host_ns_per_token)

    @property
    def read_to_prefill(self) -> float:
        """t_h / t_p: the cost of an HBM hit as a share of a miss."""
        return self.hbm_ns_per_token / self.prefill_ns_per_token


def costs_for(model: str | Model, device: DeviceModel | None = None) -> Costs:
    """Costs of a token of a model on a device.

    ``t_x = kv_bytes / bandwidth_x``: reading a token's KV once. ``t_p = 2 * active / (peak * fraction)``:
    a multiply and an add for each active parameter; attention over the context is left out, so that long
    prompts cost more than t_p says. ``dma = kv_bytes / bandwidth_dma``.

    Parameters
    ----------
    model : str or Model
        A name of data/models.toml, or a model.
    device : DeviceModel, optional
        The device of data/defaults.toml by default.

    Raises
    ------
    UnisonError
        If the model is unknown or a cost is out of range.
    """
    known = get_model(model) if isinstance(model, str) else model
    machine = load_defaults().device if device is None else device
    kv_bytes = known.kv_bytes_per_token
    flop_per_token = 2 * known.active_parameters
    return Costs(
        model=known.name,
        kv_bytes_per_token=kv_bytes,
        sram_ns_per_token=kv_bytes * _NS_PER_S / machine.sram_bytes_per_s,
        hbm_ns_per_token=kv_bytes * _NS_PER_S / machine.hbm_bytes_per_s,
        host_ns_per_token=kv_bytes * _NS_PER_S / machine.host_bytes_per_s,
        prefill_ns_per_token=flop_per_token
        * _NS_PER_S
        / (machine.peak_flop_per_s * machine.prefill_fraction),
        dma_ps_per_token=-(-kv_bytes * _PS_PER_S // machine.dma_bytes_per_s),
    )


def sensitivity(costs: Costs, read_to_prefill: Sequence[float] | None = None) -> tuple[Costs, ...]:
    """The same model at other ratios t_h / t_p, for a study of how results depend on the device.

    Prefill and DMA keep their cost. All three reads are scaled together, so that the tiers keep their
    ratios to each other.

    Parameters
    ----------
    costs : Costs
        The device model's costs.
    read_to_prefill : sequence of float, optional
        Ratios t_h / t_p; ``sensitivity.read_to_prefill`` of data/defaults.toml by default.

    Returns
    -------
    tuple of Costs
        One for each ratio, in the given order.

    Raises
    ------
    UnisonError
        If a ratio is not finite and above 0.
    """
    ratios = load_defaults().sensitivity.read_to_prefill if read_to_prefill is None else read_to_prefill
    for ratio in ratios:
        if not 0 < ratio < math.inf:
            raise UnisonError(f"read_to_prefill: found {ratio}, expected a finite ratio above 0")
    return tuple(_scale_reads(costs, ratio / costs.read_to_prefill) for ratio in ratios)


def _scale_reads(costs: Costs, factor: float) -> Costs:
    sram, hbm, host = (read * factor for read in costs.read_ns_per_token)
    return dataclasses.replace(costs, sram_ns_per_token=sram, hbm_ns_per_token=hbm, host_ns_per_token=host)


__all__ = [
    "Costs",
    "DeviceModel",
    "Model",
    "costs_for",
    "get_model",
    "load_models",
    "sensitivity",
]
