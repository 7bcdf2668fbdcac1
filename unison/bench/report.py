"""The whole benchmark as one document, with the targets and whether they are met."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from unison.bench.answers import time_answers
from unison.bench.libcachesim import compare
from unison.bench.scaling import LIVE, measure_scaling
from unison.bench.speed import measure_speed
from unison.bench.table import peak_memory_bytes, time_table
from unison.traces.library import load_corpus
from unison.traces.synthetic import CORPORA

CORPUS = "swe-qwen3"
"""The largest synthetic corpus."""

TURNS_PER_S = 5e6
TABLE_S = 10.0
MEMORY_BYTES = 2e9
GROWTH = 1.0
ANSWER_S = 0.3
"""Targets: kernel speed, wall time of Table II, memory, the largest cost a turn over log2 N, as a multiple of
that with the fewest live sessions, and the explorer's slowest answer."""


@dataclass(frozen=True)
class Plan:
    """How much is measured.

    Attributes
    ----------
    runs : int
        Runs of a short job, of which best and median are taken.
    long_runs : int
        Runs of a job of seconds.
    corpora : tuple of str
        Corpora of Table II and of the explorer.
    live : tuple of int
        Numbers of live sessions.
    """

    runs: int
    long_runs: int
    corpora: tuple[str, ...]
    live: tuple[int, ...]


FULL = Plan(runs=40, long_runs=5, corpora=CORPORA, live=LIVE)
QUICK = Plan(runs=10, long_runs=2, corpora=CORPORA[-1:], live=LIVE[:3])


@dataclass(frozen=True)
class Target:
    """A target and what was measured.

    Attributes
    ----------
    name : str
    limit, measured : float or None
        None where the run did not measure it.
    unit : str
    rule : str
        ``at least`` or ``at most`` the limit.
    met : bool or None
        None: not measured, which is neither met nor missed.
    """

    name: str
    measured: float | None
    rule: str
    limit: float
    unit: str
    met: bool | None


def bench(plan: Plan) -> dict[str, Any]:
    """Run the benchmark.

    Parameters
    ----------
    plan : Plan
        ``FULL`` or ``QUICK``, or a smaller one.

    Returns
    -------
    dict
        A document of schema ``bench``.
    """
    corpus = load_corpus(CORPUS)
    speed = measure_speed(corpus, runs=plan.runs)
    beside = compare(corpus, runs=plan.runs)
    table = time_table(plan.corpora)
    scaling = measure_scaling(corpus, plan.live, runs=plan.long_runs)
    document: dict[str, Any] = {
        "turns_per_s": {row["policy"]: row["kernel_best"] for row in speed["policies"]},
        "speed": speed,
        "scaling": scaling,
        "table": table,
        "peak_memory_bytes": peak_memory_bytes(),
        "answers": time_answers(plan.corpora),
        "libcachesim": beside,
    }
    return document | {"targets": [asdict(target) for target in judge(document)]}


def judge(document: dict[str, Any]) -> list[Target]:
    """The targets of a document without them.

    Parameters
    ----------
    document : dict
        As `bench` makes it. What it measured on less than the target asks for counts as not measured.
    """
    speeds, table = document["turns_per_s"], document["table"]
    is_whole_table = table["corpora"] == len(CORPORA)
    is_whole_range = {row["live"] for row in document["scaling"]} == set(LIVE)
    growth = _growth(document["scaling"]) if is_whole_range else None
    answers = document["answers"]
    slowest = max(row["worst_s"] for row in answers) if len(answers) == len(CORPORA) else None
    memory = document["peak_memory_bytes"] if is_whole_table and is_whole_range else None
    aligned = document["libcachesim"].get("aligned")
    unequal = None if aligned is None else sum(not row["equal"] for row in aligned)
    return [
        _at_least("kernel, lru", speeds.get("lru"), TURNS_PER_S, "turns/s"),
        _at_least("kernel, spear+tide", speeds.get("spear+tide"), TURNS_PER_S, "turns/s"),
        _at_most("Table II in full", table["seconds"] if is_whole_table else None, TABLE_S, "s"),
        _at_most("peak memory", memory, MEMORY_BYTES, "bytes"),
        _at_most("cost a turn over log2 N, against the smallest N", growth, GROWTH, "1"),
        _at_most("explorer, slowest answer with its pictures", slowest, ANSWER_S, "s"),
        _at_most("policies whose hits differ from libCacheSim's", unequal, 0, "policies"),
    ]


def _growth(scaling: list[dict[str, Any]]) -> float:
    """The largest cost over log2 N of any policy, as a multiple of its cost over log2 N at the smallest N."""
    smallest = min(row["live"] for row in scaling)
    start = {row["policy"]: row["ns_per_turn_per_log2"] for row in scaling if row["live"] == smallest}
    return max(float(row["ns_per_turn_per_log2"] / start[row["policy"]]) for row in scaling)


def _at_least(name: str, measured: float | None, limit: float, unit: str) -> Target:
    return Target(name, measured, "at least", limit, unit, None if measured is None else measured >= limit)


def _at_most(name: str, measured: float | None, limit: float, unit: str) -> Target:
    return Target(name, measured, "at most", limit, unit, None if measured is None else measured <= limit)
