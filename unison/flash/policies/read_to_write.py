"""Placement by how often what is written is read: the criterion of Kyung et al."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unison.flash.policies.base import Knows, PlacementPolicy, Setting, placement
from unison.flash.segments import Timeline


def read_to_write_ratio(prompt: NDArray[np.float64], output: NDArray[np.float64]) -> NDArray[np.float64]:
    """Reads for each write of a request's KV, every decoded token reading the whole context.

    ``L_out (2 L_in + L_out - 1) / (2 (L_in + L_out - 1))``

    Parameters
    ----------
    prompt, output : float64 [n]
        Context at the request L_in and tokens decoded L_out [tokens], 1 or more together.

    Returns
    -------
    float64 [n]
    """
    ratio: NDArray[np.float64] = output * (2 * prompt + output - 1) / (2 * np.maximum(prompt + output - 1, 1))
    return ratio


def request_ratios(timeline: Timeline) -> NDArray[np.float64]:
    """The ratio of the request that each write belongs to [writes].

    A request is a turn of an agent, the whole reply to a user's message for an agent with a user. Its output
    is known in advance, as the criterion has it.
    """
    agent = timeline.agent[timeline.segment].astype(np.int64)
    key = agent * (int(timeline.turn.max()) + 1) + timeline.turn
    _, first, request = np.unique(key, return_index=True, return_inverse=True)
    opening = np.where(timeline.is_prompt[first], timeline.tokens[first], 0)
    weights = np.where(timeline.is_prompt, 0.0, timeline.tokens)
    decoded = np.bincount(request, weights=weights).astype(np.float64)
    ratios: NDArray[np.float64] = read_to_write_ratio(
        (timeline.context[first] + opening).astype(np.float64), decoded
    )[request]
    return ratios


@placement(
    "read_to_write",
    title="Read-to-write",
    rule="requests whose bytes are read seldom for each write to HBM, the others to flash",
    citation="Kyung et al., the ratio of reads to writes; the threshold is the median of earlier requests",
    knows=Knows.ORACLE,
)
class ReadToWrite(PlacementPolicy):
    """Low ratios prefer HBM: flash is spared where a write earns few reads."""

    splits = True

    def __init__(self, setting: Setting) -> None:
        threshold = float(np.median(request_ratios(setting.history)))
        self._prefers = (request_ratios(setting.timeline) <= threshold).tolist()

    def prefers_hbm(self, now: int, segment: int, need: int, write: int) -> bool:
        """By the ratio of its request."""
        return bool(self._prefers[write])
