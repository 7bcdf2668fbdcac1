"""Policies whose score depends on what the cache or other sessions do; the reference engine runs them."""

from __future__ import annotations

from abc import ABC, abstractmethod

import numpy as np
from numpy.typing import NDArray

from unison.signals import Signals
from unison.traces.trace import Trace


class StatefulPolicy(ABC):
    """A policy that keeps its own state while the trace is replayed.

    Parameters
    ----------
    signals : Signals
        Causal columns of the trace; a policy may read the row of a session only from its request on.
    """

    sees_completion: bool = True

    def __init__(self, signals: Signals) -> None:
        self.signals = signals

    @property
    def gap_estimate_ns(self) -> NDArray[np.int64]:
        """Estimated gap after each turn, Tide's budget [turns, ns]."""
        return self.signals.gap_ema_ns

    @abstractmethod
    def start(self, trace: Trace) -> None:
        """Forget any earlier replay; called once before the first event."""

    @abstractmethod
    def on_request(self, row: int, now_ns: int) -> None:
        """The turn of that row has arrived."""

    @abstractmethod
    def on_end(self, row: int, now_ns: int, completes: bool) -> None:
        """The turn of that row has ended; its session completes if the policy sees completions."""

    @abstractmethod
    def score(self, row: int, idle_ns: int) -> float:
        """Score of the session whose current turn is `row`; the larger is evicted first."""
