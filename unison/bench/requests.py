"""Request sequences that Unison and an object cache can both replay, one object a session."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unison.traces.corpus import FIRST_TOOL, HUMAN_TOOL, MIN_SERVICE_NS, Corpus
from unison.traces.trace import Trace

NOT_AGAIN = np.iinfo(np.int64).max
"""Next use of an object that is not requested again."""


@dataclass(frozen=True, eq=False)
class Requests:
    """What an object cache sees.

    Attributes
    ----------
    key : int64 [requests]
        Object, 0 or more.
    size : int64 [requests]
        Its size at the request [tokens].
    """

    key: NDArray[np.int64]
    size: NDArray[np.int64]

    @property
    def next_use(self) -> NDArray[np.int64]:
        """Index of the next request of the same object, ``NOT_AGAIN`` for the last [requests]."""
        order = np.argsort(self.key, kind="stable")
        following = np.full(self.key.size, NOT_AGAIN, dtype=np.int64)
        same = self.key[order][1:] == self.key[order][:-1]
        following[order[:-1][same]] = order[1:][same]
        return following


def session_requests(trace: Trace) -> Requests:
    """The requests of a trace by arrival; a session is an object as large as its resident length."""
    order = trace.events[(trace.events & 1) == 1] >> 1
    return Requests(trace.corpus.session[order].astype(np.int64), trace.corpus.length[order])


def one_at_a_time(requests: Requests) -> Trace:
    """A trace of those requests in which each turn ends before the next begins.

    An object is a session, its size the prompt, all of it but a token reusable. With one turn at a time
    only the session served is pinned, as in an object cache.
    """
    order = np.argsort(requests.key, kind="stable")
    key, session = np.unique(requests.key[order], return_inverse=True)
    first = np.searchsorted(session, np.arange(key.size))
    arrival = order.astype(np.int64) * 2 * MIN_SERVICE_NS
    end = arrival + MIN_SERVICE_NS
    gap = np.zeros(order.size, dtype=np.int64)
    gap[1:] = arrival[1:] - end[:-1]
    gap[first] = 0
    corpus = Corpus(
        name="one-at-a-time",
        session=session.astype(np.int32),
        turn=(np.arange(order.size) - first[session]).astype(np.int32),
        gap_ns=gap,
        service_ns=np.full(order.size, MIN_SERVICE_NS, dtype=np.int64),
        arrival_ns=arrival - arrival[first][session],
        prompt_tokens=requests.size[order],
        new_prompt_tokens=np.ones(order.size, dtype=np.int64),
        output_tokens=np.zeros(order.size, dtype=np.int64),
        tool=np.zeros(order.size, dtype=np.int16),
        tools=(FIRST_TOOL, HUMAN_TOOL),
        role=np.zeros(order.size, dtype=np.int16),
        roles=("",),
        completed=np.ones(key.size, dtype=np.int8),
        tokens_estimated=np.ones(order.size, dtype=np.bool_),
        timing_estimated=np.ones(order.size, dtype=np.bool_),
    )
    return Trace(corpus, arrival, end, left_out=0, concurrency=1.0, load=1.0, seed=0)
