"""The one exception users see: what was given, what is allowed, what to do."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UnisonError(Exception):
    """A mistake in the input or the set-up, told in a sentence that says how to mend it.

    The command line prints it without a traceback and exits with status 2.
    """


def unknown_name(kind: str, given: str, allowed: Iterable[str]) -> UnisonError:
    """The error for a name that is not in a closed set, with the nearest valid one.

    Parameters
    ----------
    kind : str
        What the name stands for, e.g. ``"policy"``.
    given : str
        What the user wrote.
    allowed : iterable of str
        Every valid name.

    Returns
    -------
    UnisonError
        To be raised by the caller.
    """
    names = sorted(allowed)
    near = difflib.get_close_matches(given, names, n=1)
    hint = f"; did you mean {near[0]!r}?" if near else "."
    return UnisonError(f"unknown {kind} {given!r}{hint} Allowed: {', '.join(names)}")
