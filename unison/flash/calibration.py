"""The ranges of data/calibration/flash.toml, checked when the file is read."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatch
from itertools import pairwise

from unison.constants import Bounds
from unison.errors import UnisonError

_COUNT = Bounds(1)
_KINDS = 3
_PERMILLE = 1000

_NUMBERS = {
    "chunk_tokens": _COUNT,
    "temporal.turn_factor": _COUNT,
    "temporal.token_factor": _COUNT,
    "temporal.user_delay_us": Bounds(0),
    "temporal.tool_gap_us": Bounds(0),
    "*_log_sd": Bounds(0, 5),
    "worker.token_permille": _COUNT,
    "worker.record_share": Bounds(0, 1),
}
_BANDS = {
    "temporal.reasoning_permille": Bounds(0, _PERMILLE - 1),
    "chatbot.context_tokens": _COUNT,
    "published.*": _COUNT,
}
_QUANTILES = {
    "*.gap_us": Bounds(0),
    "*.result_tokens": Bounds(0),
    "*.*_tokens": _COUNT,
    "temporal.user_turns": _COUNT,
    "temporal.steps": _COUNT,
    "*.turns": _COUNT,
    "*.rounds": _COUNT,
    "*.workers": _COUNT,
}
_SHARES = {"mixed.session_shares": Bounds(0)}


def check_flash(values: Mapping[str, object], levels: object, place: str) -> None:
    """Refuse a number of the flash corpora that is out of range.

    Parameters
    ----------
    values : mapping of str to object
        By name, without the file's own; a list is a tuple.
    levels : object
        Quantile levels of data/calibration/common.toml, one for each item of a quantile function; None if
        there are none.
    place : str
        File named in errors.

    Raises
    ------
    UnisonError
        If a value has another form or is out of its range.
    """
    for name, value in values.items():
        where = f"{place}: flash.{name}"
        if (bounds := _rule(_NUMBERS, name)) is not None:
            if not isinstance(value, int | float):
                raise UnisonError(f"{where}: found {value!r}, expected a number {bounds}")
            _check_items(where, (value,), bounds)
        elif (bounds := _rule(_SHARES, name)) is not None:
            shares = _check_list(where, value, bounds, _KINDS)
            if not sum(shares):
                raise UnisonError(f"{where}: found {shares}, expected at least one above 0")
        elif (bounds := _rule(_BANDS, name)) is not None:
            _check_rising(where, _check_list(where, value, bounds, 2))
        elif (bounds := _rule(_QUANTILES, name)) is not None:
            count = len(levels) if isinstance(levels, tuple) else None
            _check_rising(where, _check_list(where, value, bounds, count))


def _rule(rules: Mapping[str, Bounds], name: str) -> Bounds | None:
    return next((bounds for pattern, bounds in rules.items() if fnmatch(name, pattern)), None)


def _check_list(where: str, value: object, bounds: Bounds, count: int | None) -> tuple[int, ...]:
    if not isinstance(value, tuple) or (count is not None and len(value) != count):
        size = "" if count is None else f"{count} "
        raise UnisonError(f"{where}: found {value!r}, expected a list of {size}whole numbers")
    _check_items(where, value, bounds)
    return value


def _check_items(where: str, items: tuple[float, ...], bounds: Bounds) -> None:
    for one in items:
        if not bounds.holds(one):
            raise UnisonError(f"{where}: found {one}, expected {bounds}")


def _check_rising(where: str, items: tuple[int, ...]) -> None:
    if any(after < before for before, after in pairwise(items)):
        raise UnisonError(f"{where}: found {items}, expected none below the one before it")
