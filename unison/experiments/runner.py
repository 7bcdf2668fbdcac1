"""Running one replay of an experiment: corpus to trace, signals, policy, replay and measure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unison.config import load_defaults
from unison.device import Costs, costs_for
from unison.hazard import TurnHazard, fit_corpus
from unison.metrics import Measured, measure
from unison.policies.ranking import Ranking
from unison.policies.registry import build_policy
from unison.policies.stateful import StatefulPolicy
from unison.replay.engine import replay
from unison.replay.envelope import Envelope, default_envelopes, share_envelopes
from unison.replay.outcomes import Outcomes
from unison.replay.tiering import Tiering
from unison.signals import Signals
from unison.traces.synthetic import CORPORA
from unison.traces.trace import Trace

NS_PER_S = 1_000_000_000
DEFAULT_MODEL = "qwen3"
"""Model that prices an imported corpus, whose own model is not known."""


def model_of(corpus_name: str) -> str:
    """Model that prices a corpus: its own for a synthetic one, `DEFAULT_MODEL` for an imported one."""
    return corpus_name.split("-", 1)[1] if corpus_name in CORPORA else DEFAULT_MODEL


def envelopes_of(trace: Trace, costs: Costs) -> tuple[Envelope, ...]:
    """The six envelopes of a trace: fixed tokens for a synthetic corpus, else shares of its live set."""
    if trace.corpus.name in CORPORA:
        return default_envelopes(costs)
    return share_envelopes(trace.mean_live_tokens, costs)


def signals_of(trace: Trace, *, hazard: TurnHazard | None = None, ema_init: str = "prior") -> Signals:
    """Signals of a trace with the default constants; the hazard is fitted on the trace's own sessions."""
    defaults = load_defaults().spear
    if hazard is None:
        hazard = fit_corpus(trace.corpus, max_turn=defaults.max_turn, epsilon=defaults.epsilon)
    return Signals(
        trace=trace,
        hazard=hazard,
        alpha=defaults.alpha,
        ema_init=ema_init,
        prior_gap_ns=round(defaults.gap_prior_s * NS_PER_S),
    )


def by_session(measured: Measured) -> dict[str, NDArray[np.int64]]:
    """``hits_by_session`` and ``requests_by_session`` of a replay (int64 [sessions]), for a bootstrap."""
    requests = np.ones(measured.trace.corpus.n_turns, dtype=np.bool_)
    return {
        "hits_by_session": measured.per_session(measured.outcomes.is_hit),
        "requests_by_session": measured.per_session(requests),
    }


@dataclass
class Evaluator:
    """Replays and measures, keeping the signals and rankings of the traces it has seen.

    They are found again by the identity of the trace and of the hazard. The kept signals hold both, so that
    neither identity can pass to another object. A hazard must not be fitted again between replays.

    Parameters
    ----------
    model : str, optional
        Prices every trace; by default `model_of` its corpus.
    metrics : sequence of str, optional
        Metrics to compute; all by default.
    """

    model: str | None = None
    metrics: Sequence[str] | None = None
    _signals: dict[tuple[int, int], Signals] = field(default_factory=dict, repr=False)
    _policies: dict[tuple[Any, ...], Ranking | StatefulPolicy] = field(default_factory=dict, repr=False)

    def costs(self, trace: Trace) -> Costs:
        """Costs per token for a trace."""
        return costs_for(self.model or model_of(trace.corpus.name))

    def policy(
        self, trace: Trace, policy_name: str, hazard: TurnHazard | None = None, /, **params: Any
    ) -> Ranking | StatefulPolicy:
        """The policy for a trace, built once."""
        key = (id(trace), id(hazard), policy_name, tuple(sorted(params.items())))
        if key not in self._policies:
            at = (id(trace), id(hazard))
            if at not in self._signals:
                self._signals[at] = signals_of(trace, hazard=hazard)
            self._policies[key] = build_policy(policy_name, self._signals[at], **params)
        return self._policies[key]

    def replay(
        self,
        trace: Trace,
        policy_name: str,
        envelope: Envelope,
        /,
        *,
        tide: bool = False,
        hazard: TurnHazard | None = None,
        **params: Any,
    ) -> Outcomes:
        """Replay without measuring."""
        tiering = Tiering(tide=tide, max_swaps=load_defaults().tide.max_swaps)
        return replay(trace, self.policy(trace, policy_name, hazard, **params), envelope, tiering)

    def __call__(
        self,
        trace: Trace,
        policy_name: str,
        envelope: Envelope,
        /,
        *,
        tide: bool = False,
        hazard: TurnHazard | None = None,
        **params: Any,
    ) -> dict[str, Any]:
        """Replay and measure.

        Returns
        -------
        dict
            The metrics by name, ``hits_by_session`` and ``requests_by_session`` (int64 [sessions]).

        Raises
        ------
        UnisonError
            If the policy, a parameter of it or a metric is unknown.
        """
        outcomes = self.replay(trace, policy_name, envelope, tide=tide, hazard=hazard, **params)
        measured = Measured(outcomes, trace, envelope, self.costs(trace))
        result: dict[str, Any] = dict(
            measure(measured, None if self.metrics is None else tuple(self.metrics))
        )
        return result | by_session(measured)
