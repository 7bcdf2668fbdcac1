"""The load: the most sessions a second that one GPU admits under the service levels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import ndtri

from unison.config import load_defaults
from unison.errors import UnisonError, unknown_name
from unison.flash.plans import Plan, Turns
from unison.models import Model, get_model

_NS_PER_S = 1_000_000_000
_MS_PER_S = 1000
_HALVINGS = 60


@dataclass(frozen=True)
class Config:
    """Memory of one GPU and the model that it serves; the weights lie in flash.

    Attributes
    ----------
    name : str
        ``"hbm1"`` to ``"hbm4"``, or ``"chain"``: HBM at every site and flash behind it.
    model : str
        Name in data/models.toml.
    hbm_stacks, flash_stacks : int
    """

    name: str
    model: str
    hbm_stacks: int
    flash_stacks: int

    @property
    def card(self) -> Model:
        """The model's numbers."""
        return get_model(self.model)

    @property
    def block_bytes(self) -> int:
        """Bytes of a KV block."""
        return load_defaults().flash_node.block_tokens * self.card.kv_bytes_per_token

    @property
    def weight_bytes(self) -> int:
        """Weights in the flash of one GPU [bytes].

        Raises
        ------
        UnisonError
            If data/defaults.toml gives no weights for the model.
        """
        node = load_defaults().flash_node
        known = dict(zip(node.models, node.weight_bytes, strict=True))
        if self.model not in known:
            raise unknown_name("model with weights in flash_node", self.model, known)
        return known[self.model] // node.gpus

    @property
    def hbm_blocks(self) -> int:
        """Blocks of KV that fit in HBM."""
        node = load_defaults().flash_node
        return (self.hbm_stacks * node.hbm_stack_bytes - node.activation_bytes) // self.block_bytes

    @property
    def flash_blocks(self) -> int:
        """Blocks of KV that fit in flash."""
        device = load_defaults().flash_device
        return (self.flash_stacks * device.stack_bytes - self.weight_bytes) // self.block_bytes

    @property
    def hbm_bytes_per_s(self) -> int:
        """Read bandwidth of the HBM [bytes/s]."""
        return self.hbm_stacks * load_defaults().flash_node.hbm_read_bytes_per_s

    @property
    def read_bytes_per_s(self) -> int:
        """Read bandwidth of the flash [bytes/s]."""
        return self.flash_stacks * load_defaults().flash_device.read_bytes_per_s


CHAIN = "chain"
"""Name of the daisy chain."""


def configs(model: str) -> tuple[Config, ...]:
    """The memory configurations studied, by growing HBM."""
    node = load_defaults().flash_node
    split = [Config(f"hbm{n}", model, n, node.memory_sites - n) for n in node.hbm_sites]
    return (*split, Config(CHAIN, model, node.chained_sites, node.chained_sites))


def get_config(name: str, model: str) -> Config:
    """The configuration of that name.

    Raises
    ------
    UnisonError
        If there is none; the message names the nearest.
    """
    known = {config.name: config for config in configs(model)}
    if name not in known:
        raise unknown_name("memory configuration", name, known)
    return known[name]


@dataclass(frozen=True)
class Demand:
    """What a session asks of the GPU, on average.

    Attributes
    ----------
    prompt_tokens, output_tokens, requests : float
        Tokens prefilled and decoded, and requests, a session.
    prompt_square : float
        Mean square of a request's new prompt [tokens^2].
    context_tokens : float
        Mean context of a decoded token [tokens].
    """

    prompt_tokens: float
    output_tokens: float
    requests: float
    prompt_square: float
    context_tokens: float


def demand_of(sessions: Sequence[Plan]) -> Demand:
    """Demand of sessions, each counted alike.

    Raises
    ------
    UnisonError
        If there is no session.
    """
    if not sessions:
        raise UnisonError("demand_of: no session; give at least one")
    parts = [_asked(turns) for plan in sessions for turns in _agents(plan)]
    prompt, output, requests, square, context = (sum(column) for column in zip(*parts, strict=True))
    count = len(sessions)
    return Demand(prompt / count, output / count, requests / count, square / requests, context / output)


def _agents(plan: Plan) -> list[Turns]:
    spawned = [agent for one in plan.rounds for agent in (*one.workers, one.reviewer) if agent is not None]
    return [plan.turns, *(agent.turns for agent in spawned)]


def _asked(turns: Turns) -> tuple[int, int, int, int, float]:
    decoded = turns.reasoning + turns.output
    kept = np.cumsum(turns.prompt + turns.output)
    thought = np.cumsum(turns.reasoning)
    is_first = np.concatenate(([True], np.diff(turns.message) > 0))
    stripped = np.maximum.accumulate(np.where(is_first, thought - turns.reasoning, 0))
    context = kept + thought - stripped - decoded / 2
    return (
        int(turns.prompt.sum()),
        int(decoded.sum()),
        turns.prompt.size,
        int((turns.prompt**2).sum()),
        float((context * decoded).sum()),
    )


@dataclass(frozen=True)
class Service:
    """A GPU at a load.

    Attributes
    ----------
    sessions_per_s : float
        Arrivals [1/s].
    tpot_s : float
        Time of a decoding step at the mean batch [s].
    wait_s : float
        Mean wait of a request before its prefill [s].
    prefill_s : float
        Time to prefill a token [s].
    batch : float
        Mean number of requests that decode at once.
    """

    sessions_per_s: float
    tpot_s: float
    wait_s: float
    prefill_s: float
    batch: float


@dataclass(frozen=True)
class ServiceModel:
    """Steps and queues of one GPU.

    A step reads the weights and the contexts of its batch from flash and does the arithmetic of one token
    for each: ``step(B) = (w + B (c + p)) / (1 - r p)``, with the prefill of r tokens a second in between.
    The batch at load L is ``m = L d step(m)`` (Little), Poisson around its mean. A request waits for its
    prefill as in M/G/1. Weights and KV are both taken to be read from flash, so that the load does not depend
    on the policy.

    Attributes
    ----------
    config : Config
    demand : Demand
    """

    config: Config
    demand: Demand

    @cached_property
    def prefill_s(self) -> float:
        """Arithmetic of a token at the share of the peak that prefill reaches [s]."""
        peak = load_defaults().flash_node.peak_flop_per_s * load_defaults().device.prefill_fraction
        return 2 * self.config.card.active_parameters / peak

    @cached_property
    def _weights_s(self) -> float:
        return self.config.weight_bytes / self.config.read_bytes_per_s

    @cached_property
    def _request_s(self) -> float:
        context = self.demand.context_tokens * self.config.card.kv_bytes_per_token
        return context / self.config.read_bytes_per_s + self.prefill_s

    def at(self, sessions_per_s: float) -> Service | None:
        """The GPU at a load; None if it cannot keep up."""
        busy = sessions_per_s * self.demand.prompt_tokens * self.prefill_s
        if busy >= 1:
            return None
        decoded = sessions_per_s * self.demand.output_tokens / (1 - busy)
        if decoded * self._request_s >= 1:
            return None
        batch = decoded * self._weights_s / (1 - decoded * self._request_s)
        requests = sessions_per_s * self.demand.requests
        wait = requests * self.demand.prompt_square * self.prefill_s**2 / (2 * (1 - busy))
        return Service(sessions_per_s, self._step_s(batch, busy), wait, self.prefill_s, batch)

    def _step_s(self, batch: float, busy: float) -> float:
        return (self._weights_s + batch * self._request_s) / (1 - busy)

    def admits(self, sessions_per_s: float, slo: str) -> bool:
        """Whether a load keeps to a service level."""
        service = self.at(sessions_per_s)
        if service is None:
            return False
        levels = load_defaults().flash_load
        limit_s = dict(zip(levels.slos, levels.tpot_ms, strict=True))[slo] / _MS_PER_S
        busy = sessions_per_s * self.demand.prompt_tokens * self.prefill_s
        most = service.batch + float(ndtri(levels.tpot_quantile)) * service.batch**0.5
        first = (
            service.wait_s
            + self.demand.prompt_tokens / self.demand.requests * self.prefill_s
            + service.tpot_s
        )
        return self._step_s(most, busy) <= limit_s and first <= levels.ttft_s

    def admitted(self, slo: str) -> Service:
        """The GPU at the most it admits.

        Raises
        ------
        UnisonError
            If the service level is unknown, or not met by an idle GPU.
        """
        levels = load_defaults().flash_load
        if slo not in levels.slos:
            raise unknown_name("service level", slo, levels.slos)
        low, high = 0.0, 1 / (self.demand.prompt_tokens * self.prefill_s)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.admits(middle, slo) else (low, middle)
        service = self.at(low)
        if service is None or low == 0.0:
            raise UnisonError(f"{self.config.name}, {self.config.model}: service level {slo} cannot be met")
        return service
