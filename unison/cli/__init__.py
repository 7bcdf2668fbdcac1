"""The command line, ``unison``."""

from __future__ import annotations

import click

from unison import __version__
from unison.cli.group import LazyCommand, LazyGroup

COMMANDS = {
    "import": LazyCommand(
        "unison.cli.import_command", "import_command", "Turn agent logs into a corpus file."
    ),
    "corpora": LazyCommand("unison.cli.corpora_command", "corpora_command", "List the synthetic corpora."),
    "policies": LazyCommand("unison.cli.policies_command", "policies_command", "List the policies."),
    "replay": LazyCommand("unison.cli.replay_command", "replay_command", "Replay a corpus under a policy."),
    "flash": LazyCommand(
        "unison.cli.flash_command", "flash_command", "Place KV on HBM or flash: device-years."
    ),
    "bench": LazyCommand("unison.cli.bench_command", "bench_command", "Measure the speed of the replay."),
    "reproduce": LazyCommand(
        "unison.cli.reproduce_command", "reproduce_command", "Run the notebooks that make figures and tables."
    ),
    "verify": LazyCommand(
        "unison.cli.reproduce_command",
        "verify_command",
        "Reproduce, and compare with the committed products.",
    ),
    "targets": LazyCommand(
        "unison.cli.reproduce_command", "targets_command", "List the figures and tables and what makes them."
    ),
    "claims": LazyCommand(
        "unison.cli.claims_command", "claims_command", "Set the papers' claims beside the produced tables."
    ),
    "real": LazyCommand("unison.cli.real_command", "real_command", "Make the figures of real agent logs."),
    "rtl": LazyCommand("unison.cli.rtl", "rtl_command", "Generate the hardware and check it."),
    "site": LazyCommand("unison.cli.site_command", "site_command", "Write the results as web pages."),
    "faults": LazyCommand(
        "unison.cli.faults_command", "faults_command", "Plant faults, and show which check catches each."
    ),
    "readme": LazyCommand("unison.cli.readme_command", "readme_command", "Refresh the tables of README.md."),
}
"""Every command by name; its module is imported when it is called."""


@click.group("unison", cls=LazyGroup, lazy=COMMANDS, invoke_without_command=True, no_args_is_help=False)
@click.version_option(__version__, prog_name="unison")
@click.pass_context
def main(ctx: click.Context) -> None:
    """Rank the paused sessions of LLM agents, replay their logs and reproduce the paper's results."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


__all__ = ["COMMANDS", "main"]
