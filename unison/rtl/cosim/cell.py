"""One cell of the matrix: every event of a corpus under an envelope, in the Verilog and in the model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unison.config import load_defaults
from unison.rtl.config import Config
from unison.rtl.cosim.compare import Bench, Run, Tally, bench_for, compare, require_configuration
from unison.rtl.cosim.failure import FAILURES, explain_run
from unison.rtl.cosim.toolchain import SKIPPED, Skipped, find_toolchain
from unison.rtl.driver import Source, check_witnesses, drive, envelope_of, source_of
from unison.traces.library import load_corpus

PASSED, FAILED = "PASS", "FAIL"


@dataclass(frozen=True)
class Cell:
    """What came of one cell.

    Attributes
    ----------
    config : Config
    corpus, envelope : str
    tally : Tally
    failure : pathlib.Path or None
        Where a mismatch is described.
    """

    config: Config
    corpus: str
    envelope: str
    tally: Tally
    failure: Path | None = None

    @property
    def result(self) -> str:
        """``PASS`` or ``FAIL``; nothing compared is a failure."""
        return PASSED if self.tally.events and not self.tally.mismatches else FAILED


def cosimulate(bench: Bench, source: Source, envelope: str, *, failures: Path = FAILURES) -> Cell:
    """Compare the Verilog with the model on one cell, after the model has been compared with the replay.

    Parameters
    ----------
    bench : Bench
    source : Source
        Made under the contract of the bench's configuration.
    envelope : str
    failures : pathlib.Path
        Where a mismatch is described, in a folder of its own.

    Raises
    ------
    UnisonError
        If model and replay differ, or the corpus or envelope does not fit the IP.
    """
    config, corpus = bench.config, source.trace.corpus.name
    vector = drive(source, envelope_of(source, envelope, config), config)
    check_witnesses(config, vector)
    run = Run.of_vector(vector)
    tally = compare(bench, run, serial=True)
    folder = None
    if tally.mismatches:
        folder = failures / f"{config.variant}-{config.sessions}-{corpus}-{envelope}".replace("/", "_")
        explain_run(bench, run.segments, folder, serial=True)
    return Cell(config, corpus, envelope, tally, folder)


def cosimulate_named(config: Config, corpus: str, envelope: str) -> Cell | Skipped:
    """`cosimulate` from names; skipped where the tools are not there.

    Raises
    ------
    UnisonError
        As for `cosimulate`, and if the tools fail.
    """
    source = source_of(load_corpus(corpus), config)
    envelope_of(source, envelope, config)
    tools = find_toolchain()
    if isinstance(tools, Skipped):
        return tools
    bench = bench_for(tools, config)
    require_configuration(bench)
    return cosimulate(bench, source, envelope)


def latencies(tally: Tally) -> dict[str, float]:
    """Clock cycles of a decision and of an event, mean and worst, and the same in us at ``rtl.clock_mhz``."""
    clock = load_defaults().rtl.clock_mhz
    cycles = {
        "decision_mean": tally.decision_cycles / max(1, tally.decisions),
        "decision_worst": float(tally.decision_worst),
        "event_mean": tally.busy_cycles / max(1, tally.events),
        "event_worst": float(tally.event_worst),
    }
    times = {f"{name}_us": count / clock for name, count in cycles.items()}
    return {**{f"{name}_cycles": count for name, count in cycles.items()}, **times}


def document(
    config: Config, corpus: str, envelope: str, outcome: Cell | Skipped, root: Path | None = None
) -> dict[str, Any]:
    """The outcome as an object of schema ``rtl_cosim``.

    Parameters
    ----------
    config : Config
    corpus, envelope : str
    outcome : Cell or Skipped
    root : pathlib.Path, optional
        The failure's folder is told relative to it.
    """
    about: dict[str, Any] = {
        "variant": config.variant,
        "sessions": config.sessions,
        "table": config.table,
        "configuration": config.label,
        "corpus": corpus,
        "envelope": envelope,
    }
    if isinstance(outcome, Skipped):
        return {**about, "result": SKIPPED, "reason": outcome.reason}
    tally, failure = outcome.tally, outcome.failure
    if failure is not None and root is not None and failure.is_relative_to(root):
        failure = failure.relative_to(root)
    return {
        **about,
        "result": outcome.result,
        "events": tally.events,
        "decisions": tally.decisions,
        "responses": tally.responses,
        "mismatches": tally.mismatches,
        "cycles": tally.cycles,
        "clock_mhz": load_defaults().rtl.clock_mhz,
        **latencies(tally),
        "failure": None if failure is None else failure.as_posix(),
    }
