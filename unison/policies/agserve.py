"""AGSERVE's expected-completion eviction."""

from __future__ import annotations

import numpy as np

from unison.policies.ranking import Ranking
from unison.policies.registry import InfoClass, policy
from unison.signals import Signals


@policy(
    "agserve_eta",
    title="the session whose tool is expected to return last",
    citation="AGSERVE (NeurIPS 2025), the expected-completion estimator that UNISON compares with",
    info=InfoClass.F2,
    sees_completion=True,
)
def agserve_eta(signals: Signals) -> Ranking:
    """Expected time to the tool's return: score = max(pause + mean gap of the tool - now, 0).

    A session overdue by its tool's running mean is expected after the mean of the tool's past overruns;
    a reconstruction, since what is published does not say.
    """
    expected = signals.tool_gap_mean_ns
    return Ranking(
        base=expected,
        slope=np.full(expected.size, -1.0),
        hi=expected,
        late=signals.tool_residual_mean_ns,
        gap_estimate_ns=expected,
        sees_completion=True,
    )
