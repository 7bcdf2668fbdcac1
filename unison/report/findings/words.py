"""Words for numbers, the same in every sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pandas as pd

from unison.report.style import policy_look


def listed(names: Iterable[object]) -> str:
    """``a, b and c``; ``none`` if there is nothing."""
    given = [str(name) for name in names]
    if len(given) < 2:
        return given[0] if given else "none"
    return f"{', '.join(given[:-1])} and {given[-1]}"


def percent(share: float, decimals: int = 1) -> str:
    """A share as ``12.3 %``."""
    return f"{100 * share:z.{decimals}f} %"


def points(difference: float) -> str:
    """A difference of shares as ``+1.2 pp``."""
    return f"{100 * difference:+z.1f} pp"


def named(policy: str) -> str:
    """A policy as figures call it."""
    return policy_look(policy).label


def span(frame: pd.DataFrame, column: str, shown: Callable[[float], str]) -> str:
    """The range of a column over the corpora, with the corpora at its ends; one value for one corpus.

    Missing values are passed over; ``not known`` if there is no other.
    """
    frame = frame[frame[column].notna()]
    if frame.empty:
        return "not known"
    low, high = frame.loc[frame[column].idxmin()], frame.loc[frame[column].idxmax()]
    if low["corpus"] == high["corpus"]:
        return f"{shown(low[column])} ({low['corpus']})"
    return f"{shown(low[column])} ({low['corpus']}) to {shown(high[column])} ({high['corpus']})"


def tallied(rows: pd.DataFrame, prefix: str = "") -> str:
    """``12 won, 3 tied, 1 lost`` from the columns of counts that begin with a prefix, summed over rows."""
    names = {"wins": "won", "ties": "tied", "losses": "lost"}
    return ", ".join(f"{int(rows[prefix + name].sum())} {word}" for name, word in names.items())
