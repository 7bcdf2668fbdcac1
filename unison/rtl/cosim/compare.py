"""Comparing the Verilog with the model: replayed cells, random events, random APB accesses."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.files import write_text
from unison.paths import BUILD
from unison.rtl.config import Config
from unison.rtl.cosim.build import build_simulation
from unison.rtl.cosim.operations import RESET, Answers, Op, Operations, answer, configure
from unison.rtl.cosim.simulation import Hung, Simulation, perf_counters
from unison.rtl.cosim.toolchain import Toolchain
from unison.rtl.csr_types import Address
from unison.rtl.generate import render_ip
from unison.rtl.model import IpModel
from unison.rtl.random_events import Segment
from unison.rtl.streams import ResponseStream, Vector

VERILOG = BUILD / "rtl" / "verilog"


@dataclass(frozen=True, eq=False)
class Bench:
    """The Verilog of a configuration, ready to be simulated.

    Attributes
    ----------
    tools : Toolchain
    config : Config
    sources : sequence of pathlib.Path
        Its Verilog files.
    """

    tools: Toolchain
    config: Config
    sources: Sequence[Path]

    @cached_property
    def library(self) -> Path:
        """The simulation without waveforms, built at the first use."""
        return build_simulation(self.tools, self.config, self.sources)

    def simulation(self, *, trace: Path | None = None) -> Simulation:
        """A new simulation, before its reset; with a waveform if a path is given."""
        if trace is None:
            return Simulation(self.library, self.config)
        return Simulation(
            build_simulation(self.tools, self.config, self.sources, trace=True), self.config, trace=trace
        )


def verilog_digest(texts: dict[str, str]) -> str:
    """The first 16 hex digits of the SHA-256 of the Verilog among some files, given by name."""
    found = hashlib.sha256()
    for name, text in sorted(texts.items()):
        if name.endswith(".v"):
            found.update(f"{name}\n{text}\n".encode())
    return found.hexdigest()[:16]


def bench_for(tools: Toolchain, config: Config) -> Bench:
    """Generate the Verilog of a configuration, in a folder of its own for each content."""
    texts = render_ip(config)
    folder = VERILOG / f"{config.variant}-{config.sessions}-{verilog_digest(texts)}"
    sources = [folder / name for name in texts if name.endswith(".v")]
    for path in sources:
        if not path.exists():
            write_text(path, texts[path.name])
    return Bench(tools, config, sources)


@dataclass
class Tally:
    """What was compared, and what came of it.

    Attributes
    ----------
    events, responses : int
    mismatches : int
        Responses, or answers to APB accesses, that differ or that only one side has.
    accesses : int
        APB accesses compared one by one.
    cycles : int
        Clock cycles simulated.
    decisions, decision_cycles, decision_worst : int
        Selections, their clock cycles, and those of the longest.
    busy_cycles, event_worst : int
        Clock cycles with an event waiting or running, commits of settings aside; those of the longest event
        (both 0 if not measured).
    """

    events: int = 0
    responses: int = 0
    mismatches: int = 0
    accesses: int = 0
    cycles: int = 0
    decisions: int = 0
    decision_cycles: int = 0
    decision_worst: int = 0
    busy_cycles: int = 0
    event_worst: int = 0

    def add(self, other: Tally) -> None:
        """Count another run as well."""
        for name, value in vars(other).items():
            combine = max if name.endswith("_worst") else int.__add__
            setattr(self, name, combine(getattr(self, name), value))


@dataclass(frozen=True, eq=False)
class Run:
    """One comparison from the reset on.

    Attributes
    ----------
    name : str
    segments : list of Segment
        What is committed and pushed, and what must come back.
    """

    name: str
    segments: list[Segment] = field(default_factory=list)

    @classmethod
    def of_vector(cls, vector: Vector) -> Run:
        """The run of a replayed cell."""
        part = Segment(vector.settings, vector.tide, vector.guard, vector.events, vector.expected)
        return cls(vector.name, [part])


def answers_of(
    simulation: Simulation, segments: Sequence[Segment], *, serial: bool = False
) -> tuple[list[ResponseStream], Tally]:
    """What the Verilog answers to some segments after a reset, and what it took."""
    simulation.operate(Operations.of([RESET]))
    found = []
    tally = Tally()
    for segment in segments:
        ops = configure(simulation.config, segment.settings, tide=segment.tide, guard=segment.guard)
        simulation.operate(Operations.of(ops))
        answers, busy = simulation.stream(segment.events, serial=serial)
        found.append(answers)
        tally.events += len(segment.events)
        tally.responses += len(answers)
        tally.busy_cycles += int(busy.sum())
        tally.event_worst = max(tally.event_worst, int(busy.max(initial=0)))
    counters = perf_counters(simulation)
    tally.cycles = simulation.cycles
    tally.decisions = counters["PERF_DECISIONS"]
    tally.decision_cycles = counters["PERF_DECISION_CYCLES"]
    tally.decision_worst = counters["PERF_DECISION_WORST"]
    return found, tally


def compare(bench: Bench, run: Run, *, serial: bool = False) -> Tally:
    """Run the Verilog and count what differs from what was expected.

    Parameters
    ----------
    bench : Bench
    run : Run
    serial : bool
        Push an event only when the one before has ended, and measure each.
    """
    with bench.simulation() as simulation:
        try:
            found, tally = answers_of(simulation, run.segments, serial=serial)
        except Hung:
            expected = sum(len(segment.expected) for segment in run.segments)
            events = sum(len(segment.events) for segment in run.segments)
            return Tally(events=events, mismatches=expected, cycles=simulation.cycles)
    for segment, answers in zip(run.segments, found, strict=True):
        tally.mismatches += count_differences(answers, segment.expected)
    return tally


def count_differences(answers: ResponseStream, expected: ResponseStream) -> int:
    """Places at which two streams differ, those that only one has among them."""
    both = min(len(answers), len(expected))
    unlike = (answers.info[:both] != expected.info[:both]) | (answers.data[:both] != expected.data[:both])
    return int(unlike.sum()) + abs(len(answers) - len(expected))


def compare_operations(bench: Bench, operations: Sequence[Op]) -> Tally:
    """Carry out APB operations on the Verilog and count the answers that differ from the model's."""
    expected = answer(IpModel(bench.config), operations)
    with bench.simulation() as simulation:
        try:
            found = simulation.operate(Operations.of(operations))
        except Hung:
            return Tally(accesses=len(operations), mismatches=len(operations), cycles=simulation.cycles)
        cycles = simulation.cycles
    unlike = unlike_answers(found, expected)
    return Tally(accesses=len(operations), mismatches=int(np.count_nonzero(unlike)), cycles=cycles)


def unlike_answers(found: Answers, expected: Answers) -> NDArray[np.bool_]:
    """Where the answers of the Verilog differ in a bit that the model defines."""
    unlike: NDArray[np.bool_] = (found.data ^ expected.data) & expected.mask != 0
    unlike |= found.error != expected.error
    return unlike


def require_configuration(bench: Bench) -> None:
    """Make sure that the Verilog says it is the one asked for.

    Raises
    ------
    UnisonError
        If its VERSION register has another hash.
    """
    with bench.simulation() as simulation:
        simulation.operate(Operations.of([RESET]))
        found = simulation.read(Address.VERSION)
    if found != bench.config.hash32:
        raise UnisonError(
            f"the Verilog reads VERSION {found:08x}, its configuration is {bench.config.hash32:08x}; "
            "generate it again"
        )
