"""Typed access to the fields of a JSON log, with errors that name the field and never quote its text."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from unison.traces.importers.records import BadRecord

MAX_WHOLE = 2**53 - 1
"""Largest count that every JSON reader keeps exactly."""

MAX_SECONDS = 10_000_000_000
"""Largest time accepted [s]; beyond it an epoch in milliseconds was mistaken for one in seconds."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WHOLE = f"a whole number from 0 to {MAX_WHOLE}"


@dataclass(frozen=True, slots=True)
class JsonObject:
    """An object of a JSON log and its dotted place in the record.

    Attributes
    ----------
    values : dict
        The object.
    at : str
        Where it is, e.g. ``"message.usage"``; empty for the record itself.
    """

    values: dict[str, Any]
    at: str = ""

    @classmethod
    def of(cls, value: Any, at: str = "") -> JsonObject:
        """The value as an object.

        Raises
        ------
        BadRecord
            If it is anything else.
        """
        if not isinstance(value, dict):
            raise BadRecord(at, described(value), "an object")
        return cls(value, at)

    def name(self, key: str) -> str:
        """Dotted name of a field of this object."""
        return f"{self.at}.{key}" if self.at else key

    def get(self, key: str) -> Any:
        """The field's value as it is, None if it is missing."""
        return self.values.get(key)

    def object(self, key: str) -> JsonObject:
        """The field as an object; BadRecord if it is missing or anything else."""
        return JsonObject.of(self.values.get(key), self.name(key))

    def maybe_object(self, key: str) -> JsonObject | None:
        """The field as an object, None if it is missing or null; BadRecord if it is anything else."""
        return None if self.values.get(key) is None else self.object(key)

    def objects(self, key: str, *, required: bool = False) -> list[JsonObject]:
        """The field as a list of objects, empty if it is missing and not required; else BadRecord."""
        value = self.values.get(key)
        if value is None and not required:
            return []
        if not isinstance(value, list):
            raise BadRecord(self.name(key), described(value), "a list of objects")
        return [JsonObject.of(item, f"{self.name(key)}[{i}]") for i, item in enumerate(value)]

    def whole(self, key: str, default: int | None = None) -> int:
        """The field as a count; a missing or null field gives the default, BadRecord if there is none."""
        value = self.values.get(key)
        if value is None and default is not None:
            return default
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= MAX_WHOLE:
            raise BadRecord(self.name(key), described(value), _WHOLE)
        return value

    def seconds(self, key: str, *, required: bool = False) -> int | None:
        """The field, a number of seconds, in nanoseconds; None if it is missing and not required."""
        value = self.values.get(key)
        if value is None and not required:
            return None
        return seconds_to_ns(value, self.name(key))

    def instant(self, key: str) -> int | None:
        """The field, ISO 8601 text, as nanoseconds since 1970; None if it is missing or null."""
        value = self.values.get(key)
        return None if value is None else iso_to_ns(value, self.name(key))

    def text(self, key: str) -> str | None:
        """The field if it is text, else None."""
        value = self.values.get(key)
        return value if isinstance(value, str) else None


def described(value: Any) -> str:
    """What a value is, for an error: a number as such, anything else by its kind only."""
    if value is None:
        return "nothing"
    if isinstance(value, bool | int | float):
        return repr(value)[:40]
    if isinstance(value, str):
        return "text"
    return "a list" if isinstance(value, list) else "an object"


def seconds_to_ns(value: Any, field: str) -> int:
    """Seconds as the nearest whole number of nanoseconds, rounded from the shortest decimal form.

    Raises
    ------
    BadRecord
        If it is not a finite number from 0 to ``MAX_SECONDS``.
    """
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not 0 <= value <= MAX_SECONDS:
        raise BadRecord(field, described(value), f"a number of seconds from 0 to {MAX_SECONDS}")
    if isinstance(value, int):
        return value * 1_000_000_000
    return int(Decimal(repr(value)).scaleb(9).to_integral_value())


def iso_to_ns(value: Any, field: str) -> int:
    """ISO 8601 text as nanoseconds since 1970; a time without zone is taken as UTC.

    Raises
    ------
    BadRecord
        If it is not such a text.
    """
    try:
        moment = datetime.fromisoformat(value)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return (moment - _EPOCH) // timedelta(microseconds=1) * 1000
    except (TypeError, ValueError, OverflowError):
        expected = "an ISO 8601 time such as 2026-01-01T00:00:00.000Z"
        raise BadRecord(field, described(value), expected) from None
