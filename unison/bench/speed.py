"""Turns a second of the kernel, of a whole `replay` call and of the reference engine, on one core."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from unison.bench.timing import Timing, time_runs
from unison.config import load_defaults
from unison.errors import UnisonError
from unison.experiments.contenders import contender
from unison.experiments.runner import Evaluator, envelopes_of
from unison.policies.ranking import Ranking
from unison.replay.engine import replay
from unison.replay.envelope import Envelope
from unison.replay.prepared import prepare
from unison.replay.reference import ReferenceEngine
from unison.replay.tiering import Tiering
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule
from unison.traces.trace import Trace

POLICIES = ("lru", "spear+tide", "belady", "timeout", "belady_size", "spear_idle_max")
"""Static and moving orders, a time limit, size and Tide: one of each that costs differently."""

REFERENCE_SESSIONS = 60
"""Sessions of the corpus that the reference engine replays: it is hundreds of times slower."""


@dataclass(frozen=True)
class Speed:
    """Speed of one policy.

    Attributes
    ----------
    policy : str
        A label, ``+tide`` with Tide.
    kernel_best, kernel_median : float
        Of the compiled kernel on prepared columns [turns/s].
    replay_best, replay_median : float
        Of the whole `replay` call, which lays out the columns and sorts the result [turns/s].
    reference : float
        Of the reference engine [turns/s].
    kernel_to_reference : float
        Ratio of the best speeds, measured in the same run.
    """

    policy: str
    kernel_best: float
    kernel_median: float
    replay_best: float
    replay_median: float
    reference: float
    kernel_to_reference: float


def measure_speed(corpus: Corpus, labels: Sequence[str] = POLICIES, *, runs: int) -> dict[str, Any]:
    """Speed of each policy at the default envelope, and of all of them one after the other.

    Parameters
    ----------
    corpus : Corpus
        A synthetic corpus.
    labels : sequence of str
        Policies with columns; a stateful one has no kernel.
    runs : int
        Runs of which best and median are taken.

    Returns
    -------
    dict
        ``corpus``, ``envelope``, ``slots``, ``turns``, ``runs``, ``policies`` (a `Speed` as dict each) and
        ``together`` (``kernel_best``, ``kernel_median`` [turns/s]).

    Raises
    ------
    UnisonError
        If a policy is unknown or stateful.
    """
    trace = base_schedule(corpus)
    sample = base_schedule(corpus.select(range(min(REFERENCE_SESSIONS, corpus.n_sessions))))
    evaluate = Evaluator()
    envelope = default_envelope(trace, evaluate)
    kernels: list[Timing] = []
    speeds = []
    for label in labels:
        kernel, whole = _time_kernel(trace, evaluate, label, envelope, runs)
        reference = sample.corpus.n_turns / _time_reference(sample, evaluate, label, envelope).best_s
        turns = trace.corpus.n_turns
        kernels.append(kernel)
        speeds.append(
            Speed(
                policy=label,
                kernel_best=turns / kernel.best_s,
                kernel_median=turns / kernel.median_s,
                replay_best=turns / whole.best_s,
                replay_median=turns / whole.median_s,
                reference=reference,
                kernel_to_reference=turns / kernel.best_s / reference,
            )
        )
    total = trace.corpus.n_turns * len(kernels)
    return {
        "corpus": corpus.name,
        "envelope": envelope.name,
        "slots": envelope.slots,
        "turns": trace.corpus.n_turns,
        "runs": runs,
        "policies": [asdict(speed) for speed in speeds],
        "together": {
            "kernel_best": total / sum(kernel.best_s for kernel in kernels),
            "kernel_median": total / sum(kernel.median_s for kernel in kernels),
        },
    }


def default_envelope(trace: Trace, evaluate: Evaluator) -> Envelope:
    """The default envelope of data/defaults.toml, priced for a synthetic corpus."""
    wanted = load_defaults().replay.envelope
    return next(e for e in envelopes_of(trace, evaluate.costs(trace)) if e.name == wanted)


def _ranking(trace: Trace, evaluate: Evaluator, label: str) -> tuple[Ranking, Tiering]:
    entry = contender(label)
    policy = evaluate.policy(trace, entry.entry.name)
    if not isinstance(policy, Ranking):
        raise UnisonError(f"policy {label!r} is stateful, so no kernel runs it; give one with columns")
    return policy, Tiering(tide=entry.tide, max_swaps=load_defaults().tide.max_swaps)


def _time_kernel(
    trace: Trace, evaluate: Evaluator, label: str, envelope: Envelope, runs: int
) -> tuple[Timing, Timing]:
    ranking, tiering = _ranking(trace, evaluate, label)
    prepared = prepare(trace, ranking, envelope, tiering)
    prepared.run(prepared.start())
    kernel = time_runs(prepared.start, prepared.run, runs)
    whole = time_runs(lambda: None, lambda _: replay(trace, ranking, envelope, tiering), runs)
    return kernel, whole


def _time_reference(trace: Trace, evaluate: Evaluator, label: str, envelope: Envelope) -> Timing:
    ranking, tiering = _ranking(trace, evaluate, label)
    return time_runs(
        lambda: ReferenceEngine(trace, ranking, envelope, tiering), lambda engine: engine.run(), runs=1
    )
