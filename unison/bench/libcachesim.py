"""libCacheSim beside the kernel: the same session requests, speeds and hits in one run."""

from __future__ import annotations

import importlib
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from unison.bench.requests import Requests, one_at_a_time, session_requests
from unison.bench.speed import default_envelope
from unison.bench.timing import Timing, time_runs
from unison.experiments.runner import Evaluator
from unison.policies.ranking import Ranking
from unison.replay.envelope import Envelope, Tier
from unison.replay.prepared import prepare
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule
from unison.traces.trace import Trace

PACKAGE = "libcachesim"
HASH_POWERS: dict[str, int | None] = {"16": 16, "default": None}
"""Log2 of the size that the hash table starts with, by its name in results; None is the library's own."""

POLICIES = {"lru": "LRU", "belady": "Belady"}
"""Our policies with the class that is libCacheSim's."""

THEIRS_ONLY = {"gdsf": "GDSF"}
"""A policy whose score depends on what is in the cache, which no ranking expresses."""

DIFFERENCES = (
    "A session grows: a hit makes room for its new length; libCacheSim keeps the size of the admission.",
    "A running session is pinned; libCacheSim's requests take no time, so nothing is.",
    "A turn that does not fit beside the running sessions is bypassed and its session loses its copy.",
    "libCacheSim declines only an object larger than the whole cache.",
    "A prompt none of which is a prefix of the session's context misses, resident or not.",
)
"""Why hit counts differ on the corpus's own requests."""

_TOKENS, _ROOM = 10, 12
_RECORD = np.dtype([("time", "<u4"), ("key", "<u8"), ("size", "<u4"), ("next_use", "<i8")])


def compare(corpus: Corpus, *, runs: int) -> dict[str, Any]:
    """Speed and hits of libCacheSim and of the kernel, on the corpus's requests and on aligned ones.

    Parameters
    ----------
    corpus : Corpus
        A synthetic corpus, scheduled as for every result.
    runs : int
        Runs of which best and median are taken.

    Returns
    -------
    dict
        ``status`` ``"measured"``, with ``version``, ``requests``, ``capacity_tokens``, ``speeds``,
        ``aligned`` and ``differences``; or ``"SKIPPED"`` with ``reason`` where the package is not there.
    """
    try:
        package = importlib.import_module(PACKAGE)
    except ImportError as error:
        return {"status": "SKIPPED", "reason": f"{PACKAGE} cannot be imported: {error}"}
    trace = base_schedule(corpus)
    evaluate = Evaluator()
    default = default_envelope(trace, evaluate)
    envelope = _one_tier(default.total_tokens, default.slots)
    requests = session_requests(trace)
    return {
        "status": "measured",
        "version": version(PACKAGE),
        "requests": int(requests.key.size),
        "capacity_tokens": envelope.total_tokens,
        "speeds": _speeds(package, trace, requests, envelope, runs),
        "aligned": align(package, trace),
        "differences": list(DIFFERENCES),
    }


def align(package: Any, trace: Trace, *, room: int = _ROOM) -> list[dict[str, Any]]:
    """Hits of both on requests that mean the same to both; equal, or one of them is wrong.

    The trace's requests in their order, but every session of one size and one turn at a time: then nothing
    grows, nothing else is pinned and every turn fits. Both evict the object used least recently, or next
    used last.

    Parameters
    ----------
    package : module
        libCacheSim.
    trace : Trace
        Gives the sequence of requests.
    room : int
        Sessions that fit at once.
    """
    key = session_requests(trace).key
    requests = Requests(key, np.full(key.size, _TOKENS, dtype=np.int64))
    sequence = one_at_a_time(requests)
    envelope = _one_tier(room * _TOKENS, slots=room + 1)
    found = []
    for policy, name in POLICIES.items():
        ours, _ = _run_ours(sequence, policy, envelope, runs=1)
        theirs, _ = _run_theirs(package, name, requests, envelope.total_tokens, HASH_POWERS["16"], runs=1)
        found.append(
            {
                "policy": policy,
                "requests": int(key.size),
                "hits": ours,
                "libcachesim_hits": theirs,
                "equal": ours == theirs,
            }
        )
    return found


def _speeds(
    package: Any, trace: Trace, requests: Requests, envelope: Envelope, runs: int
) -> list[dict[str, Any]]:
    count = requests.key.size
    rows = []
    for policy, name in (POLICIES | THEIRS_ONLY).items():
        ours = _run_ours(trace, policy, envelope, runs) if policy in POLICIES else None
        for label, power in HASH_POWERS.items():
            hits, timing = _run_theirs(package, name, requests, envelope.total_tokens, power, runs)
            rows.append(
                {
                    "policy": policy,
                    "hashpower": label,
                    "libcachesim_best": count / timing.best_s,
                    "libcachesim_median": count / timing.median_s,
                    "libcachesim_hits": hits,
                    "best": None if ours is None else count / ours[1].best_s,
                    "median": None if ours is None else count / ours[1].median_s,
                    "hits": None if ours is None else ours[0],
                    "ratio": None if ours is None else timing.best_s / ours[1].best_s,
                }
            )
    return rows


def _one_tier(tokens: int, slots: int) -> Envelope:
    return Envelope("one-tier", (Tier("store", tokens, 0.0),), slots, dma_ps_per_token=1)


def _run_ours(trace: Trace, policy: str, envelope: Envelope, runs: int) -> tuple[int, Timing]:
    ranking = Evaluator().policy(trace, policy)
    assert isinstance(ranking, Ranking)
    prepared = prepare(trace, ranking, envelope)
    work = prepared.start()
    prepared.run(work)
    hits = int(prepared.outcomes(work).is_hit.sum())
    return hits, time_runs(prepared.start, prepared.run, runs)


def _run_theirs(
    package: Any, name: str, requests: Requests, capacity: int, power: int | None, runs: int
) -> tuple[int, Timing]:
    """Hits and time of libCacheSim's own loop over a trace file in its oracle format.

    Object metadata does not count towards the size, which is the library's default. Making the cache and
    opening the file are not timed; the first touch of a large hash table's pages is.
    """
    options = {} if power is None else {"hashpower": power}
    ratios: list[float] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "requests.oracleGeneral.bin"
        path.write_bytes(_records(requests).tobytes())
        reader = package.TraceReader(str(path), package.TraceType.ORACLE_GENERAL_TRACE)

        def fresh() -> Any:
            reader.reset()
            return getattr(package, name)(cache_size=capacity, **options)

        timing = time_runs(fresh, lambda cache: ratios.append(cache.process_trace(reader)[0]), runs)
    return round((1 - ratios[-1]) * requests.key.size), timing


def _records(requests: Requests) -> np.ndarray:
    records = np.empty(requests.key.size, dtype=_RECORD)
    records["time"] = np.arange(requests.key.size)
    records["key"] = requests.key + 1
    records["size"] = requests.size
    records["next_use"] = requests.next_use
    return records
