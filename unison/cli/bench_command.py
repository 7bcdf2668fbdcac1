"""``unison bench``: how fast the replay is, and libCacheSim beside it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from unison.cli.output import format_option, show_json, show_table

UNEQUAL = 1
"""Exit status when hit counts that have to be equal are not."""


@click.command("bench")
@format_option
@click.option(
    "--quick", is_flag=True, help="Fewer runs, one corpus for Table II, at most 10,000 live sessions."
)
def bench_command(output_format: str, quick: bool) -> int:
    """Measure replay, growth with live sessions, Table II, memory, the explorer; libCacheSim beside it.

    Best and median of several runs, in processor time of one thread; Table II in wall time. Exit status 1 if
    hits differ from libCacheSim's where they have to be equal; a speed that misses its target is no error.
    """
    from unison.bench.report import FULL, QUICK, bench

    document = bench(QUICK if quick else FULL)
    if output_format == "json":
        show_json(document)
    else:
        show_document(document)
    aligned = document["libcachesim"].get("aligned", [])
    return 0 if all(row["equal"] for row in aligned) else UNEQUAL


def show_document(document: dict[str, Any]) -> None:
    """Write a document of schema ``bench`` as tables to standard output."""
    _show_speed(document["speed"])
    _show_scaling(document["scaling"])
    table = document["table"]
    _heading("Table II after compilation")
    taken = f"{table['seconds']:.1f} s ({table['cpu_seconds']:.1f} s of processor time)"
    click.echo(f"{table['corpora']} corpora, {table['replays']} replays: {taken}")
    click.echo(f"peak memory of this process: {document['peak_memory_bytes'] / 1e9:.2f} GB")
    _heading("Explorer, from a moved control to the last picture, over its controls")
    answers = [
        (row["corpus"], f"{1e3 * row['median_s']:.0f}", f"{1e3 * row['worst_s']:.0f}", row["worst_control"])
        for row in document["answers"]
    ]
    show_table(("corpus", "median [ms]", "slowest [ms]", "which"), answers)
    _show_libcachesim(document["libcachesim"])
    _heading("Targets")
    show_table(("target", "measured", "limit", "met"), [_target(row) for row in document["targets"]])


def _heading(text: str) -> None:
    click.echo(f"\n{text}")


def _show_speed(speed: dict[str, Any]) -> None:
    where = f"{speed['corpus']}, {speed['envelope']}, N = {speed['slots']}"
    click.echo(f"Million turns a second on one core, {where}: best (median) of {speed['runs']} runs")
    rows = [
        (
            row["policy"],
            _pair(row["kernel_best"], row["kernel_median"]),
            _pair(row["replay_best"], row["replay_median"]),
            f"{row['reference'] / 1e6:.4f}",
            f"{row['kernel_to_reference']:.0f}x",
        )
        for row in speed["policies"]
    ]
    together = speed["together"]
    rows.append(("together", _pair(together["kernel_best"], together["kernel_median"]), "", "", ""))
    show_table(("policy", "kernel", "whole replay()", "reference", "kernel/reference"), rows)


def _show_scaling(scaling: Sequence[dict[str, Any]]) -> None:
    _heading("Cost of a turn with many live sessions, candidates on heaps: best (median)")
    rows = [
        (
            row["policy"],
            row["live"],
            row["turns"],
            f"{row['ns_per_turn']:.0f} ({row['median_ns_per_turn']:.0f})",
            f"{row['ns_per_turn_per_log2']:.1f}",
        )
        for row in scaling
    ]
    show_table(("policy", "live N", "turns", "ns/turn", "ns/turn/log2 N"), rows)


def _show_libcachesim(beside: dict[str, Any]) -> None:
    _heading("libCacheSim on the same session requests")
    if beside["status"] != "measured":
        click.echo(f"{beside['status']}: {beside['reason']}")
        return
    click.echo(
        f"version {beside['version']}, {beside['requests']} requests, one tier of "
        f"{beside['capacity_tokens']} tokens; million requests a second, best (median)"
    )
    headers = ("policy", "hashpower", "libCacheSim", "ours", "ours/theirs", "their hits", "our hits")
    show_table(headers, [_beside(row) for row in beside["speeds"]])
    for sentence in beside["differences"]:
        click.echo(f"- {sentence}")
    _heading("The same requests with equal sizes, one at a time: the hits have to be equal")
    rows = [
        (row["policy"], row["requests"], row["libcachesim_hits"], row["hits"], _answer(row["equal"]))
        for row in beside["aligned"]
    ]
    show_table(("policy", "requests", "their hits", "our hits", "equal"), rows)


def _beside(row: dict[str, Any]) -> tuple[object, ...]:
    theirs = (row["policy"], row["hashpower"], _pair(row["libcachesim_best"], row["libcachesim_median"]))
    if row["best"] is None:
        return (*theirs, "-", "-", row["libcachesim_hits"], "-")
    ours = _pair(row["best"], row["median"])
    return (*theirs, ours, f"{row['ratio']:.2f}", row["libcachesim_hits"], row["hits"])


def _target(row: dict[str, Any]) -> tuple[str, ...]:
    unit = "" if row["unit"] == "1" else f" {row['unit']}"
    measured = "not measured" if row["measured"] is None else f"{row['measured']:.4g}{unit}"
    return (row["name"], measured, f"{row['rule']} {row['limit']:.4g}{unit}", _answer(row["met"]))


def _pair(best: float, median: float) -> str:
    return f"{best / 1e6:.2f} ({median / 1e6:.2f})"


def _answer(flag: bool | None) -> str:
    return "SKIPPED" if flag is None else "yes" if flag else "NO"
