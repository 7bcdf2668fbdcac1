"""Simulation: the Verilated IP, driven from Python through its C interface."""

from __future__ import annotations

import ctypes
from pathlib import Path
from types import TracebackType

import numpy as np
from numpy.ctypeslib import ndpointer
from numpy.typing import NDArray

from unison.errors import UnisonError
from unison.rtl.config import Config
from unison.rtl.cosim.operations import WORD_MASK, Answers, Op, Operations
from unison.rtl.csr_types import Address
from unison.rtl.streams import EventStream, ResponseStream

HUNG, NO_ROOM, BUS_ERROR = -1, -2, -3
LIMIT_CYCLES = 1_000_000
"""Clock cycles without any progress after which the IP counts as hung."""

_BYTES = ndpointer(np.uint8, flags="C")
_WORDS = ndpointer(np.uint32, flags="C")
_LONGS = ndpointer(np.uint64, flags="C")


class Hung(UnisonError):
    """The IP stopped answering.

    Attributes
    ----------
    answered : ResponseStream
        What came before.
    """

    def __init__(self, message: str, answered: ResponseStream) -> None:
        super().__init__(message)
        self.answered = answered


class Simulation:
    """One simulated IP; a context manager that frees it.

    Parameters
    ----------
    library : pathlib.Path
        From `build_simulation`.
    config : Config
    seed : int
        Of the arbitrary bits in what has no reset.
    trace : pathlib.Path, optional
        Waveform to write (VCD); the library must be built for it.
    """

    def __init__(self, library: Path, config: Config, *, seed: int = 1, trace: Path | None = None) -> None:
        self.config = config
        self._library = _load(library)
        self._handle: ctypes.c_void_p | None = ctypes.c_void_p(self._library.unison_new(seed))
        if trace is not None:
            self._library.unison_open_trace(self._handle, str(trace).encode())

    def __enter__(self) -> Simulation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free the model and end its waveform."""
        if self._handle is not None:
            self._library.unison_delete(self._handle)
            self._handle = None

    @property
    def cycles(self) -> int:
        """Clock cycles so far."""
        return int(self._library.unison_cycles(self._handle))

    @property
    def patience(self) -> int:
        """Clock cycles of a full response FIFO after which the engine is known to wait for it."""
        return 8 * self.config.sessions + 1000

    def operate(self, operations: Operations) -> Answers:
        """Carry out operations one after the other.

        Raises
        ------
        Hung
            If the IP neither rests nor answers.
        """
        n = len(operations)
        data, error = np.zeros(n, np.uint32), np.zeros(n, np.uint8)
        found = self._library.unison_operate(
            self._handle,
            n,
            operations.op,
            operations.address,
            operations.data,
            self.patience,
            LIMIT_CYCLES,
            data,
            error,
        )
        if found < 0:
            raise Hung("the IP neither rests nor answers", ResponseStream.of([]))
        return Answers(data, error.astype(np.bool_), np.full(n, WORD_MASK, np.uint32))

    def read(self, address: int) -> int:
        """A register; PSLVERR is an error.

        Raises
        ------
        UnisonError
            If the IP answers PSLVERR.
        """
        answers = self.operate(Operations.of([Op.read(address)]))
        if answers.error[0]:
            raise UnisonError(f"reading {address:#05x} answered PSLVERR")
        return int(answers.data[0])

    def stream(
        self, events: EventStream, *, serial: bool = False
    ) -> tuple[ResponseStream, NDArray[np.uint32]]:
        """Push events and pop the responses as software would.

        Parameters
        ----------
        events : EventStream
        serial : bool
            Push an event only when the one before has ended.

        Returns
        -------
        ResponseStream, uint32 [events]
            The responses, and with `serial` the clock cycles for which each event kept the IP busy (else 0).

        Raises
        ------
        Hung
            If no response comes for `LIMIT_CYCLES`, an access answers PSLVERR, or too many responses come.
        """
        n = len(events)
        room = n * (self.config.sessions + 3) if n < 4096 else n * 8 + 4096 * self.config.sessions
        info, data = np.zeros(room, np.uint32), np.zeros(room, np.uint32)
        cycles = np.zeros(n, np.uint32)
        pushed = ctypes.c_int64(0)
        found = self._library.unison_stream(
            self._handle,
            n,
            np.ascontiguousarray(events.argument),
            np.ascontiguousarray(events.data),
            int(self.config.contract.gap_bits > 32),
            int(serial),
            LIMIT_CYCLES,
            room,
            info,
            data,
            cycles,
            ctypes.byref(pushed),
        )
        if found < 0:
            came = ResponseStream(info[: _count(info)], data[: _count(info)])
            raise Hung(f"{_REASONS[found]} after {pushed.value} of {n} events", came)
        return ResponseStream(info[:found].copy(), data[:found].copy()), cycles


_REASONS = {
    HUNG: "the IP stopped answering",
    NO_ROOM: "the IP sent far more responses than events",
    BUS_ERROR: "an access of the driver answered PSLVERR",
}


def _count(info: NDArray[np.uint32]) -> int:
    """Responses before the end of the array; every response has a kind that is not 0."""
    return int((info != 0).sum())


def _load(path: Path) -> ctypes.CDLL:
    library = ctypes.CDLL(str(path))
    handle, whole = ctypes.c_void_p, ctypes.c_int64
    columns = (whole, _WORDS, _LONGS)
    results = (_WORDS, _WORDS, _WORDS, ctypes.POINTER(ctypes.c_int64))
    signatures = {
        "unison_new": (handle, [ctypes.c_int]),
        "unison_delete": (None, [handle]),
        "unison_open_trace": (None, [handle, ctypes.c_char_p]),
        "unison_close_trace": (None, [handle]),
        "unison_cycles": (ctypes.c_uint64, [handle]),
        "unison_operate": (
            whole,
            [handle, whole, _BYTES, _WORDS, _WORDS, ctypes.c_uint32, ctypes.c_uint64, _WORDS, _BYTES],
        ),
        "unison_stream": (
            whole,
            [handle, *columns, ctypes.c_int, ctypes.c_int, ctypes.c_uint64, whole, *results],
        ),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def perf_counters(simulation: Simulation) -> dict[str, int]:
    """The performance counters by name."""
    return {address.name: simulation.read(address) for address in Address if address.name.startswith("PERF_")}
