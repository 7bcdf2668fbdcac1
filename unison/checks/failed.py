"""The exception of a check that has found something wrong."""

from __future__ import annotations


class CheckFailed(AssertionError):
    """A result is not what it has to be; the message says what was found where."""
