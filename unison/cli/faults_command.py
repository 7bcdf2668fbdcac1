"""``unison faults``: plant a fault at every stage and show which check catches it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import click

from unison.cli.output import format_option, show_json, show_table

if TYPE_CHECKING:
    from unison.faults import Finding

_WIDTH = 88


@click.command("faults")
@format_option
def faults_command(output_format: str) -> int:
    """Plant one fault after another, and show which check catches each and what it says.

    Every check is first run without the fault, and has to pass. No file of the project is changed. Ends with
    status 1 if a fault is not caught, or a check fails without it.
    """
    from unison.faults import all_faults, run_faults

    findings = list(run_faults(all_faults()))
    if output_format == "json":
        show_json([describe(finding) for finding in findings])
    else:
        show_table(("stage", "fault", "caught by", "which says"), [_row(finding) for finding in findings])
        click.echo(_summary(findings))
    return int(not all(finding.is_caught for finding in findings))


def describe(finding: Finding) -> dict[str, Any]:
    """A finding as a JSON object of schema ``faults``."""
    return {
        "stage": finding.fault.stage,
        "fault": finding.fault.name,
        "planted": finding.fault.planted,
        "check": finding.fault.check_name,
        "passes_without": not finding.before,
        "caught": finding.is_caught,
        "message": finding.message or finding.before,
    }


def _row(finding: Finding) -> tuple[str, ...]:
    fault = finding.fault
    check, said = fault.check_name.rpartition(".")[2], finding.message
    if finding.before:
        check, said = f"NOT TESTED: {check} fails without it", finding.before
    elif not finding.is_caught:
        check, said = f"NOT CAUGHT by {check}", fault.planted
    return fault.stage, fault.name, check, textwrap.shorten(said, _WIDTH, placeholder=" ...")


def _summary(findings: list[Finding]) -> str:
    caught = sum(finding.is_caught for finding in findings)
    failing = sum(bool(finding.before) for finding in findings)
    without = f"{failing} checks fail without any" if failing else "every check passes without its fault"
    return f"{len(findings)} faults planted, {caught} caught; {without}."
