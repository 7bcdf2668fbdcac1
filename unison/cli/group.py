"""LazyGroup: a command group that imports a command when it is called, and tells errors in one line."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple, NoReturn

import click

from unison.errors import UnisonError, unknown_name

USER_ERROR = 2
"""Exit status after a mistake in the input or the set-up."""

INTERRUPTED = 130
"""Exit status after an interrupt from the keyboard."""

CLOSED_PIPE = 141
"""Exit status when the reader of standard output has gone."""


class LazyCommand(NamedTuple):
    """Where a command is, and its line in the list of commands."""

    module: str
    attribute: str
    summary: str


class LazyGroup(click.Group):
    """A group that imports the module of a command only when the command runs.

    ``UnisonError`` and click's own errors are printed to standard error as one line ``unison: error: ...``
    with exit status 2; an interrupt exits with 130 and a closed pipe, silently, with 141. A command that
    returns an int exits with it.

    Parameters
    ----------
    lazy : mapping of str to LazyCommand
        The commands by name, in the order in which they are listed.
    """

    def __init__(self, *args: Any, lazy: Mapping[str, LazyCommand], **options: Any) -> None:
        super().__init__(*args, **options)
        self.lazy = lazy

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Names of the commands, in the order of the table."""
        return list(self.lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now; None if the table has none.

        Raises
        ------
        UnisonError
            If the command's module is not there.
        """
        if cmd_name not in self.lazy:
            return None
        entry = self.lazy[cmd_name]
        try:
            module = importlib.import_module(entry.module)
        except ModuleNotFoundError as error:
            if error.name != entry.module:
                raise
            raise UnisonError(
                f"the command {cmd_name!r} is not installed ({entry.module} is missing); install unison again"
            ) from None
        command: click.Command = getattr(module, entry.attribute)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the arguments name.

        Raises
        ------
        UnisonError
            If there is none; the message names the nearest.
        click.UsageError
            If an option that takes one value is given twice.
        """
        if args[0] not in self.lazy and not args[0].startswith("-"):
            raise unknown_name("command", args[0], self.lazy)
        name, command, rest = super().resolve_command(ctx, args)
        if command is not None:
            _refuse_repeats(command, rest, command.context_class(command, ctx, info_name=name))
        return name, command, rest

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands from the table, without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.lazy.items()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; stop silently if the reader of its output has gone."""
        try:
            result = super().invoke(ctx)
            sys.stdout.flush()
        except BrokenPipeError:
            _discard_output()
            ctx.exit(CLOSED_PIPE)
        return result

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run the program and exit with its status, as `click.Command.main` with errors in one line."""
        name = prog_name or "unison"
        if not standalone_mode:
            return super().main(args, name, complete_var, standalone_mode=standalone_mode, **extra)
        try:
            result = super().main(args, name, complete_var, standalone_mode=False, **extra)
        except UnisonError as error:
            _fail(str(error))
        except click.ClickException as error:
            _fail(_usage(error))
        except OSError as error:
            _fail(_of_file(error))
        except click.Abort:
            click.echo("unison: interrupted", err=True)
            sys.exit(INTERRUPTED)
        sys.exit(result if type(result) is int else 0)


def _refuse_repeats(command: click.Command, args: list[str], ctx: click.Context) -> None:
    """Raise if an option that is not repeatable is given more than once; click would take the last."""
    _, _, given = command.make_parser(ctx).parse_args(args=list(args))
    for option in given:
        is_repeatable = not isinstance(option, click.Option) or option.multiple or option.count
        if not is_repeatable and given.count(option) > 1:
            raise click.UsageError(
                f"{option.opts[0]} is given {given.count(option)} times; give it once", ctx
            )


def _usage(error: click.ClickException) -> str:
    context = error.ctx if isinstance(error, click.UsageError) else None
    if context is None:
        return error.format_message()
    return f"{error.format_message().rstrip('.')}; see {context.command_path} --help"


def _of_file(error: OSError) -> str:
    """What the system says of a file, and which one it is; raised again if it is about none."""
    if error.filename is None:
        raise error
    return f"{error.filename}: {error.strerror}; name another file or folder, or make room for it"


def _fail(message: str) -> NoReturn:
    click.echo(f"unison: error: {' '.join(message.split())}", err=True)
    sys.exit(USER_ERROR)


def _discard_output() -> None:
    """Send what is still buffered nowhere, so that closing standard output at exit raises nothing."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
