"""Evaluate: what an experiment needs of a replay, so that it can be run with any."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from unison.hazard import TurnHazard
from unison.replay.envelope import Envelope
from unison.traces.trace import Trace


class Evaluate(Protocol):
    """A replay of one trace under one policy in one envelope, measured.

    The result holds ``hit_rate`` over all requests, and ``hits_by_session`` and ``requests_by_session``
    (int64 [sessions]).
    """

    def __call__(
        self,
        trace: Trace,
        policy_name: str,
        envelope: Envelope,
        /,
        *,
        tide: bool = ...,
        hazard: TurnHazard | None = ...,
        **params: Any,
    ) -> Mapping[str, Any]:
        """Replay and measure; `hazard` replaces the table fitted on the whole trace."""
        ...
