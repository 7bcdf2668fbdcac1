"""Finding: one thing that a check of the generated Verilog objects to; and Outcome: how a check ended."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Verdict(StrEnum):
    """How a check ended; one that could not run is never a pass."""

    PASSED = "passed"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"


@dataclass(frozen=True, order=True)
class Finding:
    """Something that a check objects to.

    Attributes
    ----------
    check : str
        Name of the check.
    module : str
    subject : str
        Signal, state, line or message.
    detail : str
        What is wrong with it.
    """

    check: str
    module: str
    subject: str
    detail: str

    def __str__(self) -> str:
        """E.g. ``unison_apb.wdata_q: never read (unread)``."""
        return f"{self.module}.{self.subject}: {self.detail} ({self.check})"


@dataclass(frozen=True)
class Outcome:
    """How one check ended on one IP.

    Attributes
    ----------
    tool : str
        ``Pyverilog``, ``Verilator`` or ``Yosys``.
    check : str
    verdict : Verdict
    looked_at : int
        Objects examined: modules, signals, registers, states; 0 if skipped.
    what : str
        What those objects are, in the plural.
    findings : tuple of Finding
    note : str
        Why it was skipped, or what is waived.
    """

    tool: str
    check: str
    verdict: Verdict
    looked_at: int
    what: str
    findings: tuple[Finding, ...] = ()
    note: str = ""

    @classmethod
    def of(
        cls, tool: str, check: str, looked_at: int, what: str, findings: list[Finding], note: str = ""
    ) -> Outcome:
        """The outcome of a check that ran; one that found nothing to look at has failed.

        Parameters
        ----------
        tool, check : str
        looked_at : int
        what : str
        findings : list of Finding
        note : str
        """
        is_passed = looked_at > 0 and not findings
        verdict = Verdict.PASSED if is_passed else Verdict.FAILED
        return cls(tool, check, verdict, looked_at, what, tuple(sorted(set(findings))), note)

    @classmethod
    def skipped(cls, tool: str, check: str, reason: str) -> Outcome:
        """The outcome of a check that could not run.

        Parameters
        ----------
        tool, check : str
        reason : str
        """
        return cls(tool, check, Verdict.SKIPPED, 0, "", (), reason)
