"""What a run that fails leaves behind: its shortest failing part, both sides' answers and a waveform."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import zip_longest
from pathlib import Path

from unison.errors import UnisonError
from unison.files import write_text
from unison.paths import BUILD
from unison.rtl.config import Config
from unison.rtl.cosim.compare import Bench, answers_of, count_differences, unlike_answers
from unison.rtl.cosim.operations import (
    RESET,
    SETTLE,
    Answers,
    Code,
    Op,
    Operations,
    answer,
    configure,
    defined_bits,
    push,
)
from unison.rtl.cosim.shrinking import MOST_TRIALS, shrink
from unison.rtl.cosim.simulation import Hung, Simulation
from unison.rtl.csr_map import registers
from unison.rtl.csr_types import Address
from unison.rtl.model import Event, IpModel, engine_for
from unison.rtl.random_events import Segment
from unison.rtl.streams import EventStream, ResponseStream

FAILURES = BUILD / "rtl" / "failures"

Step = tuple[int, Event]
"""The segment that an event belongs to, and the event."""


def explain_run(
    bench: Bench,
    segments: Sequence[Segment],
    folder: Path,
    *,
    serial: bool = False,
    trials: int = MOST_TRIALS,
) -> int:
    """Shrink a run of events that fails and write what is known about it.

    Parameters
    ----------
    bench : Bench
    segments : sequence of Segment
    folder : pathlib.Path
        Receives ``events.txt``, ``responses.txt``, ``registers.txt`` and ``wave.vcd``.
    serial : bool
        As the run that failed.
    trials : int
        Simulations that shrinking may take.

    Returns
    -------
    int
        Events of the shortest failing run that was found.
    """
    steps = [(at, event) for at, part in enumerate(segments) for event in part.events.events()]

    def fails(kept: Sequence[Step]) -> bool:
        return _differs(bench, _rebuilt(bench.config, segments, kept), serial=serial)

    kept = shrink(steps, fails, trials) if fails(steps) else steps
    parts = _rebuilt(bench.config, segments, kept)
    write_text(folder / "events.txt", _events_text(parts))
    with bench.simulation(trace=_fresh(folder / "wave.vcd")) as simulation:
        write_text(folder / "responses.txt", _responses_text(_safe_answers(simulation, parts, serial), parts))
        write_text(
            folder / "registers.txt",
            _registers_text(simulation, _model_after(bench.config, parts), {Address.PERF_FIFO_HIGH}),
        )
    return len(kept)


def explain_operations(
    bench: Bench, operations: Sequence[Op], folder: Path, trials: int = MOST_TRIALS
) -> int:
    """Shrink APB operations that fail and write what is known about them.

    Parameters
    ----------
    bench : Bench
    operations : sequence of Op
    folder : pathlib.Path
        Receives ``operations.txt``, ``registers.txt`` and ``wave.vcd``.
    trials : int
        Simulations that shrinking may take.

    Returns
    -------
    int
        Operations of the shortest failing run that was found.
    """

    def fails(kept: Sequence[Op]) -> bool:
        return _operations_differ(bench, _settled(kept))

    steps = [op for op in operations if op.code != Code.SETTLE]
    kept = _settled(shrink(steps, fails, trials)) if fails(steps) else list(operations)
    model = IpModel(bench.config)
    expected = answer(model, kept)
    with bench.simulation(trace=_fresh(folder / "wave.vcd")) as simulation:
        found = _safe_operate(simulation, kept)
        write_text(folder / "operations.txt", _operations_text(kept, found, expected))
        write_text(folder / "registers.txt", _registers_text(simulation, model))
    return len(kept)


# --- trying ----------------------------------------------------------------------------------------------


def _rebuilt(config: Config, segments: Sequence[Segment], kept: Sequence[Step]) -> list[Segment]:
    """The segments with the kept events only, and what the model answers to those."""
    engine = engine_for(config)
    last = max((at for at, _ in kept), default=0)
    parts = []
    for at, segment in enumerate(segments[: last + 1]):
        engine.commit(segment.settings)
        engine.tide_enabled, engine.guard_enabled = segment.tide, segment.guard
        events = EventStream.of([event for place, event in kept if place == at])
        responses = [response for event in events.events() for response in engine.run(event)]
        expected = ResponseStream.of(responses)
        parts.append(Segment(segment.settings, segment.tide, segment.guard, events, expected))
    return parts


def _differs(bench: Bench, parts: Sequence[Segment], *, serial: bool) -> bool:
    with bench.simulation() as simulation:
        try:
            found, _ = answers_of(simulation, parts, serial=serial)
        except Hung:
            return True
    return any(count_differences(a, part.expected) for a, part in zip(found, parts, strict=True))


def _operations_differ(bench: Bench, operations: Sequence[Op]) -> bool:
    expected = answer(IpModel(bench.config), operations)
    with bench.simulation() as simulation:
        found = _safe_operate(simulation, operations)
    return found is None or bool(unlike_answers(found, expected).any())


def _settled(operations: Sequence[Op]) -> list[Op]:
    """The operations from a reset on, settled after each write but before an IDLE or RESET in mid-scan."""
    settled = [RESET, SETTLE]
    for op, following in zip_longest(operations, operations[1:]):
        settled.append(op)
        is_interrupted = following is not None and following.code in (Code.IDLE, Code.RESET)
        if op.code in (Code.WRITE, Code.RESET) and not is_interrupted:
            settled.append(SETTLE)
    return settled


def _safe_operate(simulation: Simulation, operations: Sequence[Op]) -> Answers | None:
    try:
        return simulation.operate(Operations.of(operations))
    except Hung:
        return None


def _safe_answers(
    simulation: Simulation, parts: Sequence[Segment], serial: bool
) -> tuple[list[ResponseStream], str]:
    """What the Verilog answers, and how it ended if it stopped answering."""
    try:
        return answers_of(simulation, parts, serial=serial)[0], ""
    except Hung as error:
        return [error.answered], str(error)


def _model_after(config: Config, parts: Sequence[Segment]) -> IpModel:
    """The model after a run, driven through its registers."""
    model = IpModel(config)
    has_high = any(r.address == Address.EV_DATA_HI and r.is_writable for r in registers(config))
    for part in parts:
        answer(model, configure(config, part.settings, tide=part.tide, guard=part.guard))
        for event in part.events.events():
            answer(model, push(event, high=has_high))
            while model.read(Address.RSP_INFO).data:
                model.write(Address.RSP_POP, 0)
    return model


# --- text ------------------------------------------------------------------------------------------------


def _events_text(parts: Sequence[Segment]) -> str:
    lines = []
    for part in parts:
        switches = f"TIDE_EN {int(part.tide)} GUARD_EN {int(part.guard)}"
        lines.append(f"commit {switches} " + " ".join(f"{k}={v}" for k, v in vars(part.settings).items()))
        lines += [f"  {event}" for event in part.events.events()]
    return "\n".join(lines) + "\n"


def _responses_text(answered: tuple[list[ResponseStream], str], parts: Sequence[Segment]) -> str:
    found, ending = answered
    lines = []
    for at, part in enumerate(parts):
        answers = found[at] if at < len(found) else ResponseStream.of([])
        lines.append(f"segment {at}: Verilog | model")
        for index in range(max(len(answers), len(part.expected))):
            ours = str(answers[index]) if index < len(answers) else "nothing"
            model = str(part.expected[index]) if index < len(part.expected) else "nothing"
            lines.append(f"{'  ' if ours == model else '! '}{ours} | {model}")
    return "\n".join([*lines, *([ending] if ending else [])]) + "\n"


def _operations_text(operations: Sequence[Op], found: Answers | None, expected: Answers) -> str:
    lines = ["operation | Verilog | model"]
    unlike = None if found is None else unlike_answers(found, expected)
    for index, op in enumerate(operations):
        ours = "nothing" if found is None else _answer_text(found, index)
        mark = "! " if unlike is None or unlike[index] else "  "
        lines.append(f"{mark}{op} | {ours} | {_answer_text(expected, index)}")
    return "\n".join(lines) + "\n"


def _answer_text(answers: Answers, index: int) -> str:
    return f"{int(answers.data[index]):#x}{' PSLVERR' if answers.error[index] else ''}"


def _registers_text(simulation: Simulation, model: IpModel, timed: Collection[int] = ()) -> str:
    """Every register of one word on both sides, and the model's table of slots.

    What depends on how fast events came is in `timed`.
    """
    lines = ["register | Verilog | model"]
    for register in registers(simulation.config):
        if register.entries > 1 or not register.is_readable:
            continue
        ours, theirs = _read(simulation, register.address), model.read(register.address).data
        known = 0 if register.address in timed else defined_bits(model, register.address)
        mark = "! " if ours is None or (ours ^ theirs) & known else "  "
        shown = "nothing" if ours is None else f"{ours:#x}"
        lines.append(f"{mark}{register.name} | {shown} | {f'{theirs:#x}' if known else '(timing)'}")
    lines.append("the model's slots that are held")
    lines += [f"  {slot}" for slot in model.engine.slots if slot.held]
    lines += [f"  used {model.engine.used} pinned {model.engine.pinned} pending {model.engine.pending}"]
    return "\n".join(lines) + "\n"


def _read(simulation: Simulation, address: int) -> int | None:
    try:
        return simulation.read(address)
    except UnisonError:
        return None


def _fresh(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    return path
