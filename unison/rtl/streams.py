"""Streams of events and of responses as compact columns."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unison.rtl.config import ID_BITS
from unison.rtl.model import Engine, Event, Response, Settings

ID_MASK = (1 << ID_BITS) - 1


@dataclass(frozen=True, eq=False)
class EventStream:
    """Events in the order in which software pushes them; an event's id is the low 16 bits of its place.

    Attributes
    ----------
    argument : uint32 [events]
        Words for EV_ARG.
    data : uint64 [events]
        Words for EV_DATA and EV_DATA_HI.
    """

    argument: NDArray[np.uint32]
    data: NDArray[np.uint64]

    def __len__(self) -> int:
        return int(self.argument.size)

    def __getitem__(self, index: int) -> Event:
        return Event.from_words(int(self.argument[index]), int(self.data[index]), index & ID_MASK)

    def events(self) -> Iterable[Event]:
        """The events one by one."""
        pairs = zip(self.argument.tolist(), self.data.tolist(), strict=True)
        for index, (argument, data) in enumerate(pairs):
            yield Event.from_words(argument, data, index & ID_MASK)

    def take(self, indices: Sequence[int] | NDArray[np.int64]) -> EventStream:
        """Some of the events, in the order given, with new ids."""
        at = np.asarray(indices, dtype=np.int64)
        return EventStream(self.argument[at], self.data[at])

    @classmethod
    def of(cls, events: Sequence[Event]) -> EventStream:
        """The stream of some events; their ids are not looked at."""
        return cls(
            np.asarray([event.argument for event in events], dtype=np.uint32),
            np.asarray([event.data for event in events], dtype=np.uint64),
        )


@dataclass(frozen=True, eq=False)
class ResponseStream:
    """Responses in the order in which the IP sends them.

    Attributes
    ----------
    info, data : uint32 [responses]
        What RSP_INFO and RSP_DATA read.
    """

    info: NDArray[np.uint32]
    data: NDArray[np.uint32]

    def __len__(self) -> int:
        return int(self.info.size)

    def __getitem__(self, index: int) -> Response:
        return Response(int(self.info[index]), int(self.data[index]))

    @classmethod
    def of(cls, responses: Sequence[Response]) -> ResponseStream:
        """The stream of some responses."""
        words = np.asarray(responses, dtype=np.uint32).reshape(-1, 2)
        return cls(np.ascontiguousarray(words[:, 0]), np.ascontiguousarray(words[:, 1]))

    def first_difference(self, other: ResponseStream) -> int | None:
        """The place of the first response that differs or that only one has; None if there is none."""
        both = min(len(self), len(other))
        unlike = (self.info[:both] != other.info[:both]) | (self.data[:both] != other.data[:both])
        if unlike.any():
            return int(unlike.argmax())
        return None if len(self) == len(other) else both


def modelled(engine: Engine, stream: EventStream) -> ResponseStream:
    """What the model answers to a stream."""
    responses: list[Response] = []
    for event in stream.events():
        responses += engine.run(event)
    return ResponseStream.of(responses)


@dataclass(frozen=True, eq=False)
class Vector:
    """What one cosimulation is given and must answer.

    Attributes
    ----------
    name : str
    settings : Settings
        Written and committed before the first event.
    tide, guard : bool
        CTRL.TIDE_EN and CTRL.GUARD_EN.
    events : EventStream
    expected : ResponseStream
    """

    name: str
    settings: Settings
    tide: bool
    guard: bool
    events: EventStream
    expected: ResponseStream
