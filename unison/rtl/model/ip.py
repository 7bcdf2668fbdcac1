"""IpModel: the IP as software sees it, register by register, whenever it has come to rest.

After every access the model runs on until nothing more can happen: every event is done, or the engine waits
for room in the response FIFO. An event leaves its FIFO when the engine takes it. While the engine waits, only
STATUS and PSLVERR are defined. Registers that count clock cycles read 0 here.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from unison.rtl.config import ID_BITS, LENGTH_BITS, RATE_FRACTION, Config
from unison.rtl.csr_map import registers
from unison.rtl.csr_types import WORD_BITS, WORD_BYTES, Address, Irq, Kind, Register
from unison.rtl.model.dual import DualEngine
from unison.rtl.model.engine import Engine
from unison.rtl.model.events import Event, Response
from unison.rtl.model.settings import Settings

WORD_MASK = (1 << WORD_BITS) - 1
TIDE_EN, GUARD_EN, COMMIT = 1 << 0, 1 << 1, 1 << 8


class Access(NamedTuple):
    """How the IP answered an APB access."""

    data: int
    error: bool


REFUSED = Access(0, True)


def engine_for(config: Config, settings: Settings | None = None) -> Engine:
    """The engine of a configuration, as after a commit of the settings."""
    kind = DualEngine if config.is_dual else Engine
    return kind(config, Settings() if settings is None else settings)


class IpModel:
    """The IP after a reset.

    Parameters
    ----------
    config : Config

    Attributes
    ----------
    engine : Engine
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self._registers = registers(config)
        self._by_word: dict[int, tuple[Register, int]] = {}
        for register in self._registers:
            for word in range(register.entries * register.words):
                self._by_word[register.address + word * WORD_BYTES] = (register, word)
        self.reset()

    def reset(self) -> None:
        """What the reset pin does."""
        self.engine = engine_for(self.config)
        self._values = {
            register.address + word * WORD_BYTES: register.reset >> (word % register.words * WORD_BITS)
            & WORD_MASK
            for register in self._registers
            for word in range(register.entries * register.words)
        }
        self._events: deque[Event] = deque()
        self._responses: deque[Response] = deque()
        self._unsent: deque[Response] = deque()
        self._is_ready = self._commit_waits = self._is_commit_refused = False
        self._irq = self._events_done = self._fifo_high = 0

    # --- APB --------------------------------------------------------------------------------------------

    def read(self, address: int) -> Access:
        """One read access."""
        found = self._by_word.get(address)
        if found is None or not found[0].is_readable:
            return REFUSED
        return Access(self._value(address), error=False)

    def write(self, address: int, data: int) -> Access:
        """One write access, after which the IP runs on until it rests."""
        found = self._by_word.get(address)
        if found is None or not found[0].is_writable:
            return REFUSED
        if address == Address.EV_PUSH:
            return self._push(data)
        if address == Address.RSP_POP:
            return self._pop()
        register, word = found
        mask = register.mask >> (word % register.words * WORD_BITS) & WORD_MASK
        if address == Address.IRQ_STATUS:
            self._irq &= ~data
        elif address == Address.CTRL:
            self._values[address] = data & mask & ~COMMIT
            self._commit_waits = self._commit_waits or bool(data & COMMIT)
            self.engine.tide_enabled = bool(data & TIDE_EN)
            self.engine.guard_enabled = bool(data & GUARD_EN)
            self._run()
        else:
            self._values[address] = data & mask
        return Access(0, error=False)

    @property
    def irq(self) -> bool:
        """The interrupt pin."""
        return bool(self._irq & self._values[Address.IRQ_ENABLE])

    @property
    def is_waiting(self) -> bool:
        """True while the engine waits for room in the response FIFO."""
        return bool(self._unsent)

    # --- what registers read ----------------------------------------------------------------------------

    def _value(self, address: int) -> int:
        if address == Address.STATUS:
            return self._status()
        head = self._responses[0] if self._responses else Response(0, 0)
        live: dict[int, int] = {
            Address.IRQ_STATUS: self._irq,
            Address.RSP_INFO: head.info,
            Address.RSP_DATA: head.data & (1 << LENGTH_BITS) - 1,
            Address.USED_SRAM: self.engine.used[0],
            Address.USED_HBM: self.engine.used[1],
            Address.PERF_EVENTS: self._events_done,
            Address.PERF_DECISIONS: self.engine.decisions,
            Address.PERF_FIFO_HIGH: self._fifo_high,
        }
        return live.get(address, self._values[address])

    def _status(self) -> int:
        is_busy = bool(self._events or self._unsent or self._commit_waits)
        bits = (
            self._is_ready,
            is_busy,
            len(self._events) == self.config.event_depth,
            not self._events,
            len(self._responses) == self.config.response_depth,
            not self._responses,
            self.engine.dma_busy,
            self._is_commit_refused,
        )
        return sum(bit << place for place, bit in enumerate(bits))

    # --- running ----------------------------------------------------------------------------------------

    def _push(self, identity: int) -> Access:
        if not self._is_ready or len(self._events) == self.config.event_depth:
            return REFUSED
        data = self._values[Address.EV_DATA] | self._values[Address.EV_DATA_HI] << WORD_BITS
        self._events.append(
            Event.from_words(self._values[Address.EV_ARG], data, identity & (1 << ID_BITS) - 1)
        )
        self._fifo_high = max(self._fifo_high, len(self._events))
        self._run()
        return Access(0, error=False)

    def _pop(self) -> Access:
        if not self._responses:
            return REFUSED
        self._responses.popleft()
        self._run()
        return Access(0, error=False)

    def _run(self) -> None:
        """Go on until the engine has nothing to do or waits for room."""
        while True:
            while self._unsent and len(self._responses) < self.config.response_depth:
                self._send(self._unsent.popleft())
            if self._unsent:
                return
            if self._events:
                self._unsent.extend(self.engine.run(self._events.popleft()))
                self._irq |= (not self._events) << Irq.EVENTS_EMPTY
            elif self._commit_waits:
                self._commit()
            else:
                return

    def _send(self, response: Response) -> None:
        self._responses.append(response)
        self._irq |= 1 << Irq.RESPONSE
        self._events_done += response.kind == Kind.DONE

    def _commit(self) -> None:
        is_taken = self.engine.commit(self._shadow())
        self._is_ready, self._commit_waits = True, False
        self._is_commit_refused = not is_taken
        self._irq |= (not is_taken) << Irq.COMMIT_REFUSED

    def _shadow(self) -> Settings:
        """The settings as they are written now."""
        values = self._values
        return Settings(
            capacity=(values[Address.CAP_SRAM], values[Address.CAP_HBM]),
            dma_rate=values[Address.DMA_RATE],
            dma_div=values.get(Address.DMA_DIV, 1 << RATE_FRACTION),
            penalty=values.get(Address.PENALTY_LO, 0) | values.get(Address.PENALTY_HI, 0) << WORD_BITS,
            sync_period=values.get(Address.SYNC_PERIOD, 1),
            hazard=self._window(Address.HAZARD),
            reciprocal=self._window(Address.RECIP),
            penalties=self._window(Address.PENALTY),
        )

    def _window(self, address: Address) -> tuple[int, ...]:
        register = next((register for register in self._registers if register.address == address), None)
        if register is None:
            return ()
        words = [
            self._values[address + word * WORD_BYTES] for word in range(register.entries * register.words)
        ]
        step = register.words
        return tuple(
            sum(words[entry * step + word] << (word * WORD_BITS) for word in range(step))
            for entry in range(register.entries)
        )
