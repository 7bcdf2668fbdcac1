"""Checks for the tests, the fault runner and a doubtful reader: each returns, or raises `CheckFailed`."""

from unison.checks.failed import CheckFailed

__all__ = ["CheckFailed"]
