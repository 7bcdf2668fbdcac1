"""``unison corpora``: the six synthetic corpora and what their numbers rest on."""

from __future__ import annotations

from collections import Counter, UserDict
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from unison.cli.output import format_option, show_json, show_table

if TYPE_CHECKING:
    from unison.traces.calibration import Calibration, Quantity


@click.command("corpora")
@format_option
@click.option(
    "--remeasure",
    "traces",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Instead, measure the calibration again from public traces in this folder; exit 1 if it differs.",
)
@click.pass_context
def corpora_command(context: click.Context, output_format: str, traces: Path | None) -> None:
    """List the six synthetic corpora: sessions, turns, median gap, most live sessions at load 1, and sources.

    Sources count the calibration numbers behind a corpus by status; each is in data/calibration/*.toml.
    """
    from unison.traces.calibration import default_calibration
    from unison.traces.synthetic import CORPORA

    if traces is not None:
        context.exit(_show_differences(traces, output_format))
    records = [describe(name, default_calibration()) for name in CORPORA]
    if output_format == "json":
        show_json(records)
        return
    headers = ("name", "sessions", "turns", "median gap [s]", "max live", "sources")
    show_table(headers, [_row(record) for record in records])


def describe(name: str, calibration: Calibration) -> dict[str, Any]:
    """A corpus as a JSON object of schema ``corpora``.

    Parameters
    ----------
    name : str
        One of ``unison.traces.synthetic.CORPORA``.
    calibration : Calibration
        What the corpus is made from.

    Returns
    -------
    dict
        name, sessions, turns, median_gap_s, max_live (at load 1), sources (how many of the calibration
        numbers that were read have which status).
    """
    import numpy as np

    from unison.traces.synthetic import base_schedule, synthesize

    read = _ReadNames(calibration.quantities)
    noted = replace(calibration, quantities=read)
    corpus = synthesize(name, calibration=noted)
    max_live = base_schedule(corpus, calibration=noted).max_live
    return {
        "name": name,
        "sessions": corpus.n_sessions,
        "turns": corpus.n_turns,
        "median_gap_s": float(np.median(corpus.gap_ns[corpus.turn > 0])) / 1e9,
        "max_live": max_live,
        "sources": dict(sorted(Counter(calibration[key].status for key in read.names).items())),
    }


class _ReadNames(UserDict[str, "Quantity"]):
    """A mapping that notes which of its names were read."""

    def __init__(self, quantities: Mapping[str, Quantity]) -> None:
        super().__init__(quantities)
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> Quantity:
        self.names.add(name)
        return super().__getitem__(name)


def _show_differences(traces: Path, output_format: str) -> int:
    from unison.traces.calibration import default_calibration
    from unison.traces.remeasure import differences

    measured, different = differences(traces, default_calibration())
    if output_format == "json":
        show_json({"measured": measured, "differences": different})
    else:
        for sentence in different:
            click.echo(sentence)
        click.echo(f"{measured - len(different)} of {measured} numbers are as in data/calibration")
    return 1 if different else 0


def _row(record: dict[str, Any]) -> tuple[object, ...]:
    sources = ", ".join(f"{count} {status}" for status, count in record["sources"].items())
    median = f"{record['median_gap_s']:.3f}"
    return (record["name"], record["sessions"], record["turns"], median, record["max_live"], sources)
