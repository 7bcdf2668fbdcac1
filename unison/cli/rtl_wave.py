"""`unison rtl wave`: one event, cycle by cycle, for WaveDrom."""

from __future__ import annotations

import json
from pathlib import Path

import click

from unison.cli.rtl import NOT_RUN, chosen, configured
from unison.errors import UnisonError
from unison.files import write_text

SLOTS = 8
"""Slots by default: few, so that a scan fits on a page."""


@click.command("wave")
@configured(SLOTS)
@click.option(
    "-o",
    "--out",
    type=click.Path(path_type=Path, dir_okay=False),
    required=True,
    help="FILE.json: WaveJSON for WaveDrom's editor; FILE.svg: drawn.",
)
def wave_command(variant: str, sessions: int, table: str | None, out: Path) -> int:
    """Simulate a PLACE that evicts one session, and write its waveform for WaveDrom.

    Exit status 3 if it was skipped, for want of a compiler or Verilator.
    """
    from unison.experiments.fig11_timing import place_with_a_victim
    from unison.report.wavejson import wave_json
    from unison.rtl.cosim.toolchain import Skipped

    if out.suffix not in (".json", ".svg"):
        raise UnisonError(f"cannot write {out}: its name must end with .json or .svg")
    waves = place_with_a_victim(chosen(variant, sessions, table))
    if isinstance(waves, Skipped):
        click.echo(str(waves))
        return NOT_RUN
    title = f"A PLACE that evicts one session: {variant}, {sessions} slots"
    text = json.dumps(wave_json(waves, title), indent=2, ensure_ascii=False)
    write_text(out, _drawn(text) if out.suffix == ".svg" else f"{text}\n")
    click.echo(out)
    return 0


def _drawn(text: str) -> str:
    try:
        import wavedrom
    except ImportError as error:
        raise UnisonError("wavedrom is not installed; install the package's extra 'rtl'") from error
    return f"{wavedrom.render(text).tostring()}\n"
