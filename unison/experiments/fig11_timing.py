"""One PLACE that needs a victim, cycle by cycle: a real simulation of the Verilog, read from its waveform."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from vcdvcd import VCDVCD

from unison.errors import UnisonError
from unison.rtl.config import TURN_MAX, Config
from unison.rtl.cosim.compare import bench_for
from unison.rtl.cosim.operations import RESET, Code, Op, Operations, configure, push
from unison.rtl.cosim.simulation import Simulation
from unison.rtl.cosim.toolchain import Skipped, find_toolchain
from unison.rtl.csr_types import Address, Kind, Opcode
from unison.rtl.model import Event, Response, Settings, engine_for
from unison.rtl.model.settings import settings_for
from unison.rtl.streams import EventStream, ResponseStream, modelled

TOKENS = 1000
"""Length of every session of the scene."""

EMA, EMA_STEP = 500, 300
HBM = 1
REST_CYCLES = 16
"""Clock cycles of rest after the scene, so that its end is in the picture."""

BEFORE, AFTER = 1, 1
"""Clock cycles shown before the transfer and after the last response."""

_SCOPE = "top.unison_top."


@dataclass(frozen=True)
class Signal:
    """A signal of the top that is shown.

    Attributes
    ----------
    name : str
        As in the Verilog, below the top.
    label : str
        What a reader calls it.
    is_bus : bool
        Shown as values, not as a level.
    is_in_all : bool
        False if some variants have no such signal.
    """

    name: str
    label: str
    is_bus: bool = False
    is_in_all: bool = True


SIGNALS = (
    Signal("psel_i", "PSEL"),
    Signal("penable_i", "PENABLE"),
    Signal("pready_o", "PREADY"),
    Signal("paddr_i", "PADDR", is_bus=True),
    Signal("event_pop", "event taken"),
    Signal("select", "selection asked"),
    Signal("scan_slot", "slot read", is_bus=True, is_in_all=False),
    Signal("select_done", "answer"),
    Signal("max_slot", "victim", is_bus=True),
    Signal("response_push", "response"),
    Signal("u_control.response_kind_o", "kind", is_bus=True),
)
"""From the bus to the response, in the order of the rows; clock cycles are the columns."""

Samples = Mapping[str, Sequence[int]]


def place_with_a_victim(config: Config) -> pd.DataFrame | Skipped:
    """Simulate a PLACE for which one resident has to go, and sample the signals.

    Every slot holds a session of `TOKENS`; all but the last are paused in HBM, which has room for half a
    session more than those. The answers are compared with the model's.

    Parameters
    ----------
    config : Config

    Returns
    -------
    pandas.DataFrame or Skipped
        A row a signal and clock cycle: ``cycle`` (0 is the setup phase of the transfer that pushes the
        event), ``signal``, ``label``, ``is_bus``, ``value``, and ``text`` for what a bus shows. Skipped where
        the tools are missing.

    Raises
    ------
    UnisonError
        If the Verilog answers otherwise than the model, or a signal is not in its waveform.
    """
    tools = find_toolchain()
    if isinstance(tools, Skipped):
        return tools
    settings, fill, last = _scene(config)
    high = config.contract.gap_bits > 32
    with tempfile.TemporaryDirectory(prefix="unison-") as folder:
        path = Path(folder) / "place.vcd"
        with bench_for(tools, config).simulation(trace=path) as simulation:
            begin = [RESET, *configure(config, settings, tide=False, guard=True)]
            simulation.operate(Operations.of(begin))
            simulation.stream(EventStream.of(fill), serial=True)
            *staged, strobe = push(last, high=high)
            simulation.operate(Operations.of([*staged, Op(Code.IDLE, data=BEFORE)]))
            start = simulation.cycles
            rest = 2 * config.sessions + REST_CYCLES
            simulation.operate(Operations.of([strobe, Op(Code.IDLE, data=rest)]))
            end = simulation.cycles
            _check(config, settings, [*fill, last], _popped(simulation))
        samples = _samples(path, config, range(start - BEFORE, end))
    return _frame(samples)


def spans(frame: pd.DataFrame) -> dict[str, tuple[int, int]]:
    """The clock cycles that a reader counts, first and last of each span, both among it.

    Parameters
    ----------
    frame : pandas.DataFrame
        Of `place_with_a_victim`.

    Returns
    -------
    dict of str to (int, int)
        ``transfer`` (setup to PREADY), ``selection`` (asked to answer), ``event`` (taken to DONE).

    Raises
    ------
    UnisonError
        If one of them is not in the picture.
    """
    high = frame[(frame["value"] == 1) & ~frame["is_bus"]]
    cycles = {str(name): rows["cycle"].tolist() for name, rows in high.groupby("signal")}
    needed = ("psel_i", "pready_o", "event_pop", "select", "select_done", "response_push")
    for name in needed:
        if not cycles.get(name):
            raise UnisonError(f"the waveform of the PLACE never has {name} high; look at its simulation")
    first = {name: min(cycles[name]) for name in needed}
    last = {name: max(cycles[name]) for name in needed}
    return {
        "transfer": (first["psel_i"], last["psel_i"]),
        "selection": (first["select"], first["select_done"]),
        "event": (first["event_pop"], last["response_push"]),
    }


def span_labels(frame: pd.DataFrame, sessions: int) -> dict[str, tuple[int, int]]:
    """The spans by what is written beside them, with the clock cycles counted.

    Parameters
    ----------
    frame : pandas.DataFrame
        Of `place_with_a_victim`.
    sessions : int
        N, by which the selection is told as well.
    """
    found = spans(frame)
    cycles = {name: last - first + 1 for name, (first, last) in found.items()}
    beyond = cycles["selection"] - sessions
    told = f"N {'+' if beyond >= 0 else '-'} {abs(beyond)}"
    texts = {
        "transfer": f"bus transfer: {cycles['transfer']} cycles",
        "selection": f"selection: {cycles['selection']} cycles = {told}",
        "event": f"event, taken to DONE: {cycles['event']} cycles",
    }
    return {texts[name]: span for name, span in found.items()}


def _scene(config: Config) -> tuple[Settings, list[Event], Event]:
    """Settings, the events that fill the slots, and the PLACE."""
    hazard = [config.contract.lambda_h // (turn + 2) for turn in range(TURN_MAX)]
    room = (config.sessions - 1) * TOKENS + TOKENS // 2
    settings = settings_for(config, hazard, (0, room), dma_rate=0)
    fill, turns = [], min(config.sessions, TURN_MAX)
    for slot in range(config.sessions):
        ema = EMA + EMA_STEP * ((3 * slot) % config.sessions)
        fill.append(Event(Opcode.SLOT_ALLOC, slot, ema, turn=1 + (3 * slot + 1) % turns))
        fill.append(Event(Opcode.REQUEST, slot, TOKENS))
        fill += [Event(Opcode.PLACE, slot, tier=HBM), Event(Opcode.GAP_START, slot)]
    *before, last, _ = fill
    return settings, before, last._replace(identity=len(before))


def _popped(simulation: Simulation) -> list[Response]:
    """The responses that wait in the FIFO, by software's reads."""
    found = []
    while info := simulation.read(Address.RSP_INFO):
        found.append(Response(info, simulation.read(Address.RSP_DATA)))
        simulation.operate(Operations.of([Op.write(Address.RSP_POP, 0)]))
    return found


def _check(config: Config, settings: Settings, events: list[Event], answers: list[Response]) -> None:
    engine = engine_for(config, settings)
    expected = modelled(engine, EventStream.of(events))
    tail = ResponseStream(expected.info[-len(answers) :], expected.data[-len(answers) :])
    kinds = [answer.kind for answer in answers]
    if kinds != [Kind.VICTIM, Kind.DONE] or ResponseStream.of(answers).first_difference(tail) is not None:
        raise UnisonError(
            f"the PLACE is answered by {', '.join(map(str, answers)) or 'nothing'}; the model says "
            f"{expected[len(expected) - 2]}, {expected[len(expected) - 1]}"
        )


def _samples(path: Path, config: Config, cycles: range) -> dict[str, list[int]]:
    """The value of each signal in each clock cycle, just before the edge that ends it."""
    waves = VCDVCD(str(path))
    names = {re.sub(r"\[\d+:\d+\]$", "", name): name for name in waves.signals}
    found: dict[str, list[int]] = {}
    for signal in SIGNALS:
        full = names.get(_SCOPE + signal.name)
        if full is None:
            if signal.is_in_all:
                raise UnisonError(f"{config.variant} has no signal {signal.name} in unison_top")
            continue
        found[signal.name] = [int(waves[full][2 * cycle], 2) for cycle in cycles]
    return found


def _frame(samples: Samples) -> pd.DataFrame:
    length = len(samples["response_push"])
    last = max(cycle for cycle in range(length) if samples["response_push"][cycle])
    kept = range(min(length, last + 1 + AFTER))
    rows = [
        {
            "cycle": cycle - BEFORE,
            "signal": signal.name,
            "label": signal.label,
            "is_bus": signal.is_bus,
            "value": samples[signal.name][cycle],
            "text": _text(signal.name, samples, cycle),
        }
        for signal in SIGNALS
        if signal.name in samples
        for cycle in kept
    ]
    return pd.DataFrame(rows)


def _text(name: str, samples: Samples, cycle: int) -> str | None:
    """What a bus shows in a cycle in which it says something; None in the others."""
    value = samples[name][cycle]
    if name == "paddr_i" and samples["psel_i"][cycle]:
        return Address(value).name
    if name.endswith("response_kind_o") and samples["response_push"][cycle]:
        return Kind(value).name
    if name == "scan_slot" and (value or samples["select"][cycle]):
        return str(value)
    if name == "max_slot" and samples["select_done"][cycle]:
        return f"slot {value}"
    return None
