"""`unison rtl check`, `formal` and `mutants`: what is known of the Verilog beside its simulation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import click

from unison.cli.output import format_option, progress, show_json, show_table
from unison.cli.rtl import COMMITTED, MISMATCH, NOT_RUN, VariantOption, chosen, configured
from unison.rtl.checks.findings import Verdict


@click.command("check")
@configured(COMMITTED)
@format_option
def check_command(variant: str, sessions: int, table: str | None, output_format: str) -> int:
    """Analyse every module with Pyverilog, Verilator's lint and Yosys.

    Exit status 1 if a check finds something, 3 if one was skipped.
    """
    from unison.rtl.checks import check_ip

    outcomes = check_ip(chosen(variant, sessions, table))
    rows: list[dict[str, Any]] = [
        {
            "tool": outcome.tool,
            "check": outcome.check,
            "verdict": str(outcome.verdict),
            "looked_at": f"{outcome.looked_at} {outcome.what}".strip(),
            "note": outcome.note,
            "findings": [str(finding) for finding in outcome.findings],
        }
        for outcome in outcomes
    ]
    if output_format == "json":
        show_json(rows)
    else:
        show_table(
            ("tool", "check", "verdict", "looked at", "note"), [list(row.values())[:5] for row in rows]
        )
        for row in rows:
            for finding in row["findings"]:
                click.echo(finding)
    return exit_status(outcome.verdict for outcome in outcomes)


@click.command("formal")
@click.option("--variant", cls=VariantOption, help="By default every one.")
@click.option("--sessions", default=COMMITTED, show_default=True, help="Slots of the table, a power of two.")
@click.option("--module", help="Only this module; with --variant.")
@click.option("--save", is_flag=True, help="Write the table into figures/rtl; only for every variant.")
@format_option
def formal_command(
    variant: str | None, sessions: int, module: str | None, save: bool, output_format: str
) -> int:
    """Prove properties of the modules: for all times by induction, or for the first cycles after reset.

    Trees, quotients and the control are proved with 4 slots and short words, all else as configured: see the
    column size. The control takes minutes; a proof that has not ended after half an hour has failed.

    Exit status 1 if a property is not proved, 3 if it was skipped.
    """
    from unison.rtl.formal import formal_plan, formal_table, full_plan, run_formal, save_formal

    if variant is None and (module is not None or _is_given("sessions")):
        raise click.UsageError("--module and --sessions are of one variant; name it with --variant")
    if save and variant is not None:
        raise click.UsageError("--save writes the table of every variant; leave --variant out")
    plan = full_plan() if variant is None else formal_plan(variant, sessions, module)
    found = formal_table(run_formal(plan, tell=progress))
    if save:
        save_formal(found)
    _show_records(found.to_dict("records"), output_format, hidden=("configuration", "verilog"))
    return exit_status(Verdict(verdict) for verdict in found["verdict"])


@click.command("mutants")
@click.option("--module", help="Only the faults of this module.")
@click.option("--save", is_flag=True, help="Write the table into figures/rtl; only with all modules.")
@format_option
def mutants_command(module: str | None, save: bool, output_format: str) -> int:
    """Plant semantic faults in the Verilog, one at a time, and run the check that must turn red.

    Exit status 1 if a fault is not caught, 3 if its check was skipped.
    """
    from unison.rtl.mutants import mutants_of, mutants_table, run_mutants, save_mutants

    if save and module is not None:
        raise click.UsageError("--save writes the table of all modules; leave --module out")
    found = mutants_table(run_mutants(mutants_of(module), tell=progress))
    if save:
        save_mutants(found)
    _show_records(found.to_dict("records"), output_format, hidden=("configuration", "verilog"))
    return exit_status(Verdict(verdict) for verdict in found["verdict"])


def _is_given(name: str) -> bool:
    """Whether an option of the running command stands on the command line."""
    source = click.get_current_context().get_parameter_source(name)
    return source is click.core.ParameterSource.COMMANDLINE


def exit_status(verdicts: Iterable[Verdict]) -> int:
    """0 if everything passed, 1 if something failed, 3 if something was skipped and nothing failed."""
    found = set(verdicts)
    if Verdict.FAILED in found or not found:
        return MISMATCH
    return NOT_RUN if Verdict.SKIPPED in found else 0


def _show_records(records: Sequence[dict[Any, Any]], output_format: str, hidden: tuple[str, ...]) -> None:
    if output_format == "json":
        show_json(list(records))
        return
    names = [name for name in records[0] if name not in hidden] if records else []
    rows = [["-" if row[name] is None else row[name] for name in names] for row in records]
    show_table([str(name).replace("_", " ") for name in names], rows)
