"""How many clock cycles a decision and an event take: the Verilog's own counters, in simulations of one cell.

Each simulation is a cosimulation too: every response is compared with the integer model's.
"""

from __future__ import annotations

from collections.abc import Sequence

import joblib
import numpy as np
import pandas as pd

from unison.claims import paper_claim
from unison.config import load_defaults
from unison.errors import UnisonError
from unison.experiments.sweep import JOBS
from unison.rtl.config import VARIANTS, Config, default_config
from unison.rtl.cosim.compare import Bench, bench_for, count_differences
from unison.rtl.cosim.operations import RESET, Operations, configure
from unison.rtl.cosim.simulation import perf_counters
from unison.rtl.cosim.toolchain import SKIPPED, Skipped, Toolchain, find_toolchain
from unison.rtl.driver import Source, check_witnesses, drive, envelope_of, model_engine, source_of
from unison.rtl.streams import Vector
from unison.traces.corpus import Corpus

DECISION, EVENT, DECIDING = "decision", "event", "deciding event"
"""What is timed: one selection; an event; an event that needs a selection."""

PAPER_MEANS = {n: f"hw.latency.mean.n{n}" for n in (16, 64, 256)}
PAPER_WORST = {64: "hw.latency.worst.n64"}
"""Claims with the paper's latencies, by the number of slots."""

PASSED, FAILED = "PASS", "FAIL"


def decision_cycles(
    corpus: Corpus,
    envelope: str,
    sizes: Sequence[int],
    variants: Sequence[str] = VARIANTS,
    *,
    jobs: int = JOBS,
) -> pd.DataFrame:
    """Clock cycles of decisions and events, one event at a time, by variant and number of slots.

    Parameters
    ----------
    corpus : Corpus
    envelope : str
    sizes : sequence of int
        Numbers of slots.
    variants : sequence of str
    jobs : int
        Processes.

    Returns
    -------
    pandas.DataFrame
        A row a variant, number of slots and thing timed: ``variant``, ``sessions``, ``what`` (`DECISION`,
        `EVENT`, `DECIDING`), ``count``, ``mean_cycles``, ``worst_cycles``, ``mean_us`` and ``worst_us`` at
        ``rtl.clock_mhz``, ``mismatches`` of the responses, ``result``, ``skipped`` (why nothing was
        measured: no tools, or a corpus whose turns the IP cannot hold; else missing).

    Raises
    ------
    UnisonError
        If the envelope is none, the tools fail, or model and replay differ.
    """
    configs = [default_config(variant, size) for variant in variants for size in sizes]
    tools = find_toolchain() if (unfit := _unfit(corpus, configs)) is None else unfit
    if isinstance(tools, Skipped):
        return pd.DataFrame([_skipped(config, what, tools) for config in configs for what in _WHAT])
    run = joblib.delayed(_measured)
    done = joblib.Parallel(n_jobs=jobs, batch_size=1)(
        run(tools, config, corpus, envelope) for config in configs
    )
    return pd.DataFrame([row for rows in done for row in rows])


def paper_latencies() -> pd.DataFrame:
    """The paper's latencies: ``sessions``, ``statistic`` (``mean`` or ``worst``), ``us``."""
    printed = (("mean", PAPER_MEANS), ("worst", PAPER_WORST))
    return pd.DataFrame(
        [
            {"sessions": n, "statistic": statistic, "us": paper_claim(claim).number}
            for statistic, claims in printed
            for n, claim in claims.items()
        ]
    )


_WHAT = (DECISION, EVENT, DECIDING)


def _unfit(corpus: Corpus, configs: Sequence[Config]) -> Skipped | None:
    """Why the IP cannot hold the turns of a corpus; None if it can."""
    try:
        source_of(corpus, configs[0])
    except UnisonError as error:
        return Skipped(str(error))
    return None


def _skipped(config: Config, what: str, skipped: Skipped) -> dict[str, object]:
    numbers = ("count", "mean_cycles", "worst_cycles", "mean_us", "worst_us", "mismatches")
    about = {"variant": config.variant, "sessions": config.sessions, "what": what}
    return {**about, **dict.fromkeys(numbers), "result": SKIPPED, "skipped": skipped.reason}


def _measured(tools: Toolchain, config: Config, corpus: Corpus, envelope: str) -> list[dict[str, object]]:
    source: Source = source_of(corpus, config)
    vector = drive(source, envelope_of(source, envelope, config), config)
    check_witnesses(config, vector)
    busy, counters, mismatches = _simulated(bench_for(tools, config), vector)
    decisions = counters["PERF_DECISIONS"]
    timed = {
        DECISION: (decisions, counters["PERF_DECISION_CYCLES"], counters["PERF_DECISION_WORST"]),
        EVENT: _counted(busy),
        DECIDING: _counted(busy[_decisions(config, vector) > 0]),
    }
    clock = load_defaults().rtl.clock_mhz
    rows: list[dict[str, object]] = []
    for what, (count, cycles, worst) in timed.items():
        mean = cycles / count if count else float("nan")
        rows.append(
            {
                "variant": config.variant,
                "sessions": config.sessions,
                "what": what,
                "count": count,
                "mean_cycles": mean,
                "worst_cycles": worst,
                "mean_us": mean / clock,
                "worst_us": worst / clock,
                "mismatches": mismatches,
                "result": FAILED if mismatches or not len(vector.events) else PASSED,
                "skipped": None,
            }
        )
    return rows


def _simulated(bench: Bench, vector: Vector) -> tuple[np.ndarray, dict[str, int], int]:
    """Busy cycles of each event, the counters, and the responses that differ."""
    with bench.simulation() as simulation:
        begin = configure(bench.config, vector.settings, tide=vector.tide, guard=vector.guard)
        simulation.operate(Operations.of([RESET, *begin]))
        answers, busy = simulation.stream(vector.events, serial=True)
        return busy, perf_counters(simulation), count_differences(answers, vector.expected)


def _decisions(config: Config, vector: Vector) -> np.ndarray:
    """Selections of each event, by the model."""
    engine = model_engine(config, vector)
    found = []
    for event in vector.events.events():
        before = engine.decisions
        engine.run(event)
        found.append(engine.decisions - before)
    return np.asarray(found)


def _counted(busy: np.ndarray) -> tuple[int, int, int]:
    """How many there are, their cycles together and those of the longest."""
    return len(busy), int(busy.sum()), int(busy.max(initial=0))
