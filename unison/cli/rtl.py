"""`unison rtl`: generate the Verilog, and cosimulate it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unison.cli.group import LazyCommand, LazyGroup
from unison.cli.output import format_option, progress, show_json, show_table

if TYPE_CHECKING:
    from unison.rtl.config import Config

MISMATCH = 1
"""Exit status when the Verilog answers otherwise than the model."""

COMMITTED = 64
"""Slots of the Verilog in rtl/."""

NOT_RUN = 3
"""Exit status when a check was skipped, which is no pass."""

COMMANDS = {
    "generate": LazyCommand("unison.cli.rtl", "generate_command", "Write the Verilog of a configuration."),
    "cosim": LazyCommand("unison.cli.rtl", "cosim_command", "Compare the Verilog with the integer model."),
    "check": LazyCommand("unison.cli.rtl_checks", "check_command", "Analyse the Verilog without simulating."),
    "formal": LazyCommand("unison.cli.rtl_checks", "formal_command", "Prove properties of the modules."),
    "mutants": LazyCommand("unison.cli.rtl_checks", "mutants_command", "Plant faults; see what finds each."),
    "wave": LazyCommand("unison.cli.rtl_wave", "wave_command", "One event, cycle by cycle, for WaveDrom."),
    "full": LazyCommand(
        "unison.cli.rtl", "full_command", "Every variant, corpus and envelope, and random events."
    ),
}
"""Every subcommand by name."""


@click.group("rtl", cls=LazyGroup, lazy=COMMANDS)
def rtl_command() -> None:
    """The hardware: generate it, and check it against the integer model."""


class VariantOption(click.Option):
    """An option whose help lists the variants; their module is imported only when the help is shown."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The option and its help, as click shows them."""
        from unison.rtl.config import VARIANTS

        record = super().get_help_record(ctx)
        if record is None:
            return None
        names, told = record
        return names, f"{told} Micro-architecture: {', '.join(VARIANTS)}.".strip()


def configured(sessions: int) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The options that choose a configuration.

    Parameters
    ----------
    sessions : int
        Slots by default.
    """
    options = (
        click.option("--variant", cls=VariantOption, required=True),
        click.option(
            "--sessions", default=sessions, show_default=True, help="Slots of the table, a power of two."
        ),
        click.option("--table", help="ff or lutram; by default the variant's own."),
    )

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def chosen(variant: str, sessions: int, table: str | None) -> Config:
    """The configuration that the options choose."""
    from unison.rtl.config import default_config

    return default_config(variant, sessions, table)


@click.command("generate")
@configured(COMMITTED)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    required=True,
    help="Folder; made if needed.",
)
def generate_command(variant: str, sessions: int, table: str | None, out: Path) -> None:
    """Write the Verilog modules, their list and the register map into a folder.

    Modules that an earlier run wrote there and that this configuration does not have are removed.
    """
    from unison.rtl.generate import write_ip

    config = chosen(variant, sessions, table)
    for path in write_ip(config, out):
        click.echo(path)


@click.command("cosim")
@configured(COMMITTED)
@click.option("--corpus", required=True, help="Name of a synthetic corpus, or a corpus file.")
@click.option("--envelope", required=True, help="NAME; S,H tokens; or xSHARE of the live set.")
@format_option
def cosim_command(
    variant: str, sessions: int, table: str | None, corpus: str, envelope: str, output_format: str
) -> int:
    """Drive the Verilog through its APB port with every event of a corpus, and compare each response.

    Events: what software tells the IP, each pushed once: a slot is taken or freed, a session wants or has a
    place, a gap starts or ends, a session completes, a move is done. Responses: what the IP answers, each
    compared: the victims to evict and the moves that an event asks for, and the DONE that ends it, so that
    there are at least as many as events. Decisions: selections among the sessions, of a victim or of the two
    that swap; an event takes none, one or several. Mismatches: responses that differ, or only one side has.

    Cycles: clock cycles of the whole simulation, transfers included. Those of a decision are from start to
    answer, those of an event while it waits or runs (settings and their commit aside).

    Exit status 1 if a response differs (build/rtl/failures then holds the shortest failing events, the
    registers of both sides and a waveform), 3 if the check was skipped.
    """
    from unison.paths import ROOT
    from unison.rtl.cosim.cell import Cell, cosimulate_named, document

    config = chosen(variant, sessions, table)
    outcome = cosimulate_named(config, corpus, envelope)
    found = document(config, corpus, envelope, outcome, ROOT)
    if output_format == "json":
        show_json(found)
    else:
        show_table(("what", "value"), [(name, _shown(value)) for name, value in found.items()])
    if not isinstance(outcome, Cell):
        return NOT_RUN
    return MISMATCH if outcome.tally.mismatches else 0


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


@click.command("full")
@format_option
def full_command(output_format: str) -> int:
    """Cosimulate every variant on six corpora and six envelopes, and more than a million random events.

    Writes figures/rtl. Exit status 1 if anything differs, 3 if the check was skipped.
    """
    from unison.rtl.cosim.cell import FAILED, PASSED
    from unison.rtl.cosim.toolchain import SKIPPED, Skipped
    from unison.rtl.full import SUMMARY_COLUMNS, run_full

    summary = run_full(tell=progress)
    if isinstance(summary, Skipped):
        if output_format == "json":
            show_json({"result": SKIPPED, "reason": summary.reason})
        else:
            click.echo(str(summary))
        return NOT_RUN
    if output_format == "json":
        is_passed = (summary["result"] == PASSED).all()
        show_json({"result": PASSED if is_passed else FAILED, "variants": summary.to_dict("records")})
    else:
        rows = summary.to_dict("records")
        shown = [[column.cell(row[column.name]) for column in SUMMARY_COLUMNS] for row in rows]
        show_table([column.title for column in SUMMARY_COLUMNS], shown)
    return 0 if (summary["result"] == PASSED).all() else MISMATCH
