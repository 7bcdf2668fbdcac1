"""``unison import``: agent logs as a corpus file."""

from __future__ import annotations

from pathlib import Path

import click

from unison.cli.output import format_option, show_json, show_table
from unison.errors import UnisonError

SOME_SKIPPED = 1
"""Exit status when a corpus was written but something was left out."""

_LABELS = {
    "corpus": "corpus",
    "sessions": "sessions",
    "turns": "turns",
    "timed_sessions": "sessions with every gap and service",
    "completed_sessions": "sessions that ended",
    "censored_sessions": "sessions cut off",
    "unknown_completion_sessions": "sessions with unknown end",
    "tokens_estimated_turns": "turns with estimated tokens",
    "timing_estimated_turns": "turns with estimated times",
    "clamped_gaps": "gaps below 0 raised to 0",
    "clamped_services": "services below 1 ms raised to it",
    "repeated_turns": "turns repeated in a second file, left out",
    "problems": "problems (see standard error)",
}


class _FormatsCommand(click.Command):
    """A command whose help lists the registered formats, read only when help is asked for."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the formats and what PATH is for each."""
        from unison.traces.importers import all_importers

        with formatter.section("Formats"):
            formatter.write_dl([(entry.name, entry.path_help) for entry in all_importers()])


@click.command("import", cls=_FormatsCommand)
@click.argument("log_format", metavar="FORMAT")
@click.argument("path", type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", required=True, type=click.Path(path_type=Path), help="The corpus, a .parquet file."
)
@click.option("--name", help="Name of the corpus; the output's stem by default.")
@format_option
@click.pass_context
def import_command(
    ctx: click.Context, log_format: str, path: Path, output: Path, name: str | None, output_format: str
) -> None:
    """Turn the agent logs at PATH, a file or a folder searched throughout, into a corpus.

    Only numbers, tool names and agent roles are kept. What cannot be read is listed on standard error and
    left out. Exit status: 0 all was imported, 1 a corpus was written without some of it, 2 nothing was
    written. An existing output is replaced only by a complete one.
    """
    from unison.traces.importers import import_traces
    from unison.traces.schema import write_corpus

    _check_output(path, output)
    imported = import_traces(log_format, path, name=_corpus_name(output, name), exclude=output)
    for line in imported.log.lines():
        click.echo(f"left out: {line}", err=True)
    if imported.corpus is None:
        raise UnisonError(f"nothing to import in {_shown(path)}; {_shown(output)} is not written")
    try:
        write_corpus(imported.corpus, output)
    except OSError as error:
        reason = error.strerror or "an error of the system"
        raise UnisonError(f"{_shown(output)}: cannot be written ({reason}); choose another output") from None
    summary = imported.summary()
    if output_format == "json":
        show_json({"format": log_format, **summary})
    else:
        show_table(("what", "count"), [(label, summary[key]) for key, label in _LABELS.items()])
    if imported.log.n_problems:
        ctx.exit(SOME_SKIPPED)


def _check_output(path: Path, output: Path) -> None:
    if output.suffix != ".parquet":
        raise UnisonError(f"{_shown(output)}: the output must end in .parquet")
    if output.is_dir():
        raise UnisonError(f"{_shown(output)}: is a folder; give a file that ends in .parquet")
    if path.is_file() and output.exists() and output.samefile(path):
        raise UnisonError(f"{_shown(output)}: is the log itself; choose another output")


def _corpus_name(output: Path, name: str | None) -> str:
    from unison.traces.importers.names import corpus_name, is_corpus_name

    if name is None:
        return corpus_name(output.stem)
    if not is_corpus_name(name):
        raise UnisonError(f"corpus name {name!r}: allowed are 1 to 64 letters, digits and _ . -")
    return name


def _shown(path: Path) -> str:
    from unison.traces.importers.records import shown

    return shown(path)
