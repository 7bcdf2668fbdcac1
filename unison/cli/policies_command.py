"""``unison policies``: the registered policies and what each may know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from unison.cli.output import format_option, show_json, show_table

if TYPE_CHECKING:
    from unison.policies.registry import PolicyEntry


@click.command("policies")
@format_option
def policies_command(output_format: str) -> None:
    """List the policies: name, information class, whether completion is seen, and what each evicts first.

    Information classes: F0 gap, turn and completion; F1 adds idle time and size; F2 the tool; F3 the role or
    graph; ORACLE the future.
    """
    from unison.policies.registry import all_policies

    entries = all_policies()
    if output_format == "json":
        show_json([describe(entry) for entry in entries])
        return
    headers = ("name", "knows", "completion", "state", "parameters", "evicts first")
    show_table(headers, [_row(entry) for entry in entries])


def describe(entry: PolicyEntry) -> dict[str, Any]:
    """A policy as a JSON object of schema ``policies``."""
    return {
        "name": entry.name,
        "title": entry.title,
        "citation": entry.citation,
        "info": str(entry.info),
        "sees_completion": entry.sees_completion,
        "is_stateful": entry.is_stateful,
        "is_ablation": entry.is_ablation,
        "parameters": entry.defaults(),
    }


def _row(entry: PolicyEntry) -> tuple[str, ...]:
    return (
        entry.name,
        str(entry.info),
        "seen" if entry.sees_completion else "hidden",
        "stateful" if entry.is_stateful else "-",
        " ".join(f"{name}={value}" for name, value in entry.defaults().items()) or "-",
        entry.title,
    )
