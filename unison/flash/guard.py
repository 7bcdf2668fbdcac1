"""The guard of a placement: what a load reads from each tier, and whether decoding keeps its pace."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.special import ndtri

from unison.config import load_defaults
from unison.errors import UnisonError
from unison.flash.load import ServiceModel

_HALVINGS = 60
_MOST_BATCH = 1e6


@dataclass(frozen=True)
class Guard:
    """What is read, and how fast decoding is.

    Attributes
    ----------
    tpot_s, high_tpot_s : float
        Time of a step at the mean batch, and at the quantile of the service levels [s].
    weight_bytes_per_s : float
        Weights read from flash, all of them in each step [bytes/s].
    kv_flash_bytes_per_s, kv_hbm_bytes_per_s : float
        KV read from each tier [bytes/s].
    """

    tpot_s: float
    high_tpot_s: float
    weight_bytes_per_s: float
    kv_flash_bytes_per_s: float
    kv_hbm_bytes_per_s: float


@dataclass(frozen=True)
class GuardModel:
    """A GPU that reads a share of the contexts from flash, and the rest from HBM beside it.

    ``step(B) = (max((w + B c f) / F, B c (1 - f) / H) + B p) / (1 - r p)``: as `ServiceModel`, which has the
    share f at 1; H is the read bandwidth of the HBM. The batch is again that of Little's law.

    Attributes
    ----------
    model : ServiceModel
    flash_share : float
        Share f of the reads of KV that come from flash.
    """

    model: ServiceModel
    flash_share: float

    def at(self, sessions_per_s: float) -> Guard:
        """The guard at a load.

        Raises
        ------
        UnisonError
            If the GPU cannot keep up with it.
        """
        decoded = sessions_per_s * self.model.demand.output_tokens
        batch = self._batch(sessions_per_s, decoded)
        quantile = float(ndtri(load_defaults().flash_load.tpot_quantile))
        step_s = self._step_s(batch, sessions_per_s)
        context = self._context_bytes * decoded
        return Guard(
            tpot_s=step_s,
            high_tpot_s=self._step_s(batch + quantile * batch**0.5, sessions_per_s),
            weight_bytes_per_s=self.model.config.weight_bytes / step_s,
            kv_flash_bytes_per_s=context * self.flash_share,
            kv_hbm_bytes_per_s=context * (1 - self.flash_share),
        )

    @property
    def _context_bytes(self) -> float:
        return self.model.demand.context_tokens * self.model.config.card.kv_bytes_per_token

    def _step_s(self, batch: float, sessions_per_s: float) -> float:
        config, context = self.model.config, batch * self._context_bytes
        flash_s = (config.weight_bytes + context * self.flash_share) / config.read_bytes_per_s
        read_s = max(flash_s, context * (1 - self.flash_share) / config.hbm_bytes_per_s)
        busy = sessions_per_s * self.model.demand.prompt_tokens * self.model.prefill_s
        return (read_s + batch * self.model.prefill_s) / (1 - busy)

    def _batch(self, sessions_per_s: float, decoded_per_s: float) -> float:
        """The batch that decodes as many tokens as arrive, by halving: a step grows with its batch."""
        low, high = 0.0, 1.0
        while decoded_per_s * self._step_s(high, sessions_per_s) > high:
            if high > _MOST_BATCH:
                raise UnisonError(
                    f"guard: {sessions_per_s} sessions/s cannot be kept up with; give a lower load"
                )
            low, high = high, 2 * high
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            is_short = decoded_per_s * self._step_s(middle, sessions_per_s) > middle
            low, high = (middle, high) if is_short else (low, middle)
        return high
