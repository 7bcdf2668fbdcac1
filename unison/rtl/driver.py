"""The runtime beside the IP: from a replay to the events that software pushes and the responses it must get.

Software decides placement by the rules of `unison.replay.reference`; the IP evicts and runs Tide. What the IP
must answer follows from the actions of a recorded replay with the integer ranking, which knows nothing of
slots, registers or events; `unison.rtl.model` is the second witness.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.experiments.runner import model_of, signals_of
from unison.fixed_point import IntegerSignals, integer_ranking, integer_signals
from unison.fixed_point.arithmetic import dma_rate
from unison.replay.engine import replay
from unison.replay.envelope import Envelope, parse_envelope
from unison.replay.outcomes import Action
from unison.replay.tiering import Tiering
from unison.rtl.config import CAPACITY_BITS, LENGTH_BITS, TURN_MAX, Config
from unison.rtl.csr_types import Opcode, Status
from unison.rtl.model import Engine, Event, Response, engine_for
from unison.rtl.model.settings import settings_for
from unison.rtl.streams import ID_MASK, EventStream, ResponseStream, Vector, modelled
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule
from unison.traces.trace import Trace


@dataclass(frozen=True, eq=False)
class Source:
    """A corpus on its schedule, with the integer columns of a contract.

    Attributes
    ----------
    trace : Trace
    columns : IntegerSignals
    """

    trace: Trace
    columns: IntegerSignals


def source_of(corpus: Corpus, config: Config, *, seed: int = 0) -> Source:
    """The columns of a corpus under the contract of a configuration.

    Raises
    ------
    UnisonError
        If a turn has no token, or more than the IP's register can hold.
    """
    least, most = int(corpus.length.min()), int(corpus.length.max())
    if not 1 <= least <= most < 1 << LENGTH_BITS:
        raise UnisonError(
            f"corpus {corpus.name!r} has turns of {least} to {most} tokens; "
            f"the IP holds 1 to {(1 << LENGTH_BITS) - 1}"
        )
    trace = base_schedule(corpus, seed=seed)
    return Source(trace, integer_signals(signals_of(trace), config.contract))


def envelope_of(source: Source, name: str, config: Config) -> Envelope:
    """The envelope of that name, with as many slots as the IP.

    Raises
    ------
    UnisonError
        If it has not two tiers, or one of them more tokens than the IP counts.
    """
    trace = source.trace
    envelope = parse_envelope(
        name,
        model=model_of(trace.corpus.name),
        mean_live_tokens=trace.mean_live_tokens,
        slots=config.sessions,
    )
    capacities = [tier.capacity_tokens for tier in envelope.tiers]
    if len(capacities) != 2 or max(capacities) >= 1 << CAPACITY_BITS:
        raise UnisonError(
            f"envelope {name!r} has {len(capacities)} tiers of {capacities} tokens; the IP has two, "
            f"of {(1 << CAPACITY_BITS) - 1} tokens at most"
        )
    return envelope


def drive(source: Source, envelope: Envelope, config: Config) -> Vector:
    """The events of one cell and what the replay says that the IP must answer.

    Parameters
    ----------
    source : Source
        Made for the same contract.
    envelope : Envelope
        Of two tiers, with as many slots as the IP has.
    config : Config
    """
    ranking = integer_ranking(source.columns, envelope.dma_ps_per_token)
    outcomes = replay(source.trace, ranking, envelope, Tiering(tide=True), record=True)
    assert outcomes.actions is not None
    runtime = _Runtime(source, envelope.dma_ps_per_token)
    runtime.run(outcomes.actions)
    sram, hbm = (tier.capacity_tokens for tier in envelope.tiers)
    rate = dma_rate(envelope.dma_ps_per_token, config.contract)
    return Vector(
        name=f"{source.trace.corpus.name} {envelope.name}",
        settings=settings_for(config, source.columns.hazard.tolist(), (sram, hbm), rate),
        tide=True,
        guard=True,
        events=EventStream.of(runtime.events),
        expected=ResponseStream.of(runtime.responses),
    )


def model_engine(config: Config, vector: Vector) -> Engine:
    """The model as it is when the first event of a vector comes."""
    engine = engine_for(config, vector.settings)
    engine.tide_enabled, engine.guard_enabled = vector.tide, vector.guard
    return engine


def check_witnesses(config: Config, vector: Vector) -> None:
    """Hold the model's answers to what the replay did.

    Raises
    ------
    UnisonError
        If they differ, with the first response that does.
    """
    answers = modelled(model_engine(config, vector), vector.events)
    at = answers.first_difference(vector.expected)
    if at is not None:
        model = str(answers[at]) if at < len(answers) else "nothing"
        replayed = str(vector.expected[at]) if at < len(vector.expected) else "nothing"
        raise UnisonError(
            f"{vector.name}: response {at} is {model} from the IP's model and {replayed} from the replay; "
            "one of the two is wrong"
        )


@dataclass
class _Runtime:
    """Software's view of a replay: who sits in which slot, and what it pushes."""

    source: Source
    dma_ps_per_token: int
    events: list[Event] = field(default_factory=list)
    responses: list[Response] = field(default_factory=list)

    def run(self, actions: NDArray[np.int64]) -> None:
        """Go through the trace with the actions that the replay recorded."""
        corpus, columns = self.source.trace.corpus, self.source.columns
        self._length, self._turn = corpus.length.tolist(), corpus.turn.tolist()
        self._gap, self._ema, self._prior = columns.gap.tolist(), columns.ema.tolist(), columns.prior.tolist()
        self._slot_of: dict[int, int] = {}
        self._tokens: dict[int, int] = {}
        self._free: list[int] = []
        self._n_slots = 0
        self._prior_now, self._given = self._prior[0], 0
        self._told: dict[int, int] = {}
        self._dma_free_ns: int | None = None
        by_event = _grouped(actions)
        session_of = corpus.session.tolist()
        for index, code in enumerate(self.source.trace.events.tolist()):
            row = code >> 1
            done = by_event.get(index, ())
            if code & 1:
                self._request(row, session_of[row], done)
            else:
                self._end(row, session_of[row], done)

    # --- pushing ----------------------------------------------------------------------------------------

    def _push(self, event: Event, expected: Iterable[Response] = ()) -> None:
        identity = len(self.events) & ID_MASK
        self.events.append(event)
        self.responses += expected
        self.responses.append(Response.done(Status.OK, identity))

    def _leave(self, session: int) -> int:
        """A session gives up its slot; the slot."""
        slot = self._slot_of.pop(session)
        heapq.heappush(self._free, slot)
        return slot

    def _moved(self, actions: Iterable[tuple[int, int, int, int]]) -> list[Response]:
        """The responses that tell of evictions and moves."""
        found = []
        for action, session, before, after in actions:
            if action == Action.EVICT:
                found.append(Response.victim(self._leave(session), before, self._tokens[session]))
            else:
                slot = self._slot_of[session]
                found.append(Response.move(slot, before, after, self._tokens[session]))
        return found

    # --- a turn -----------------------------------------------------------------------------------------

    def _request(self, row: int, session: int, actions: tuple[tuple[int, int, int, int], ...]) -> None:
        first = next(at for at, (action, *_) in enumerate(actions) if action in (Action.PLACE, Action.BYPASS))
        if first:
            self._push(Event(Opcode.REQUEST, none=True), self._moved(actions[:first]))
        action, _, _, target = actions[first]
        is_resident = session in self._slot_of
        if action == Action.BYPASS and not is_resident:
            return
        slot = self._slot_of[session] if is_resident else self._enter(row, session)
        if is_resident:
            self._push(Event(Opcode.GAP_END, slot, self._gap[row]))
        self._push(Event(Opcode.REQUEST, slot, self._length[row]))
        if action == Action.BYPASS:
            self._leave(session)
            self._push(Event(Opcode.PLACE, slot, bypass=True))
            return
        self._tokens[session] = self._length[row]
        self._push(Event(Opcode.PLACE, slot, tier=target), self._moved(actions[first + 1 :]))

    def _enter(self, row: int, session: int) -> int:
        """A session that is not resident takes the lowest free slot; the slot."""
        if not self._free:
            self._free.append(self._n_slots)
            self._n_slots += 1
        slot = self._slot_of[session] = heapq.heappop(self._free)
        ema = self._told[session] = self._prior_now if self._turn[row] == 0 else self._ema[row]
        self._push(Event(Opcode.SLOT_ALLOC, slot, ema, turn=min(self._turn[row], TURN_MAX)))
        return slot

    def _end(self, row: int, session: int, actions: tuple[tuple[int, int, int, int], ...]) -> None:
        trace = self.source.trace
        now = int(trace.end_ns[row])
        self._prior_now = self._prior[row]
        if self._dma_free_ns is not None and now >= self._dma_free_ns:
            self._dma_free_ns = None
            self._push(Event(Opcode.DMA_DONE))
        slot = self._slot_of.get(session)
        if trace.ends_session[row]:
            if slot is not None:
                self._push(Event(Opcode.COMPLETE, slot))
            return
        expected = self._moved(actions)
        if slot is None:
            self._push(Event(Opcode.GAP_START, data=self._ema[row], none=True), expected)
        else:
            if self._turn[row] == 0 and self._told[session] != self._ema[row]:
                self._push(Event(Opcode.SLOT_ALLOC, slot, self._ema[row], turn=1))
            self._push(Event(Opcode.GAP_START, slot), expected)
        moved = sum(self._tokens[entry[1]] for entry in actions)
        if moved:
            self._dma_free_ns = now - (-moved * self.dma_ps_per_token // 1000)


def _grouped(actions: NDArray[np.int64]) -> dict[int, tuple[tuple[int, int, int, int], ...]]:
    """(action, session, tier before, tier after) of each event that has some."""
    grouped: dict[int, list[tuple[int, int, int, int]]] = {}
    for event, action, session, before, after in actions.tolist():
        grouped.setdefault(event, []).append((action, session, before, after))
    return {event: tuple(entries) for event, entries in grouped.items()}
