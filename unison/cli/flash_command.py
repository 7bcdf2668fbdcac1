"""``unison flash``: placements of KV on HBM and flash, with the device-years they give."""

from __future__ import annotations

from typing import Any

import click

from unison.cli.output import format_option, show_json, show_table


@click.command("flash")
@format_option
@click.option("--model", default="llama-4-maverick", show_default=True, help="Model that the GPU serves.")
@click.option("--config", default="hbm2", show_default=True, help="HBM sites, hbm1 to hbm4, or chain.")
@click.option("--slo", default="tight", show_default=True, help="Service level that sets the load.")
@click.option("--regime", "regimes", multiple=True, help="One of the regimes (repeatable); all by default.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the corpora.")
@click.option("--corpus", default="", help="Instead of the regimes: name or file of an imported corpus.")
@click.option(
    "--share", type=float, default=0.1, show_default=True, help="With --corpus: HBM over the live KV."
)
@click.option("--smoke", is_flag=True, help="Short runs, to see that it works.")
def flash_command(
    output_format: str,
    model: str,
    config: str,
    slo: str,
    regimes: tuple[str, ...],
    seed: int,
    corpus: str,
    share: float,
    smoke: bool,
) -> None:
    """Place the KV of agents on HBM or flash: improvement over HBM-first and device-years of each placement.

    Regimes are one agent with a user (temporal), a lead with sub-agents one after the other (structural) or
    side by side (inter_worker), and a mix. Synthetic corpora; the load is what one GPU admits. Of an imported
    corpus the segments are derived as far as its log tells them; the improvement counts there, not the years.
    """
    from unison.experiments.flash_cells import Cell, place_corpus, run_cell
    from unison.flash.load import get_config
    from unison.flash.plans import REGIMES
    from unison.flash.policies import all_placements
    from unison.traces.library import load_corpus

    names = [entry.name for entry in all_placements()]
    profile = "smoke" if smoke else "full"
    if corpus:
        rows = place_corpus(load_corpus(corpus), get_config(config, model), share, names)
    else:
        cells = [Cell(regime, model, config, slo, seed, profile=profile) for regime in regimes or REGIMES]
        rows = [row for cell in cells for row in run_cell(cell, names)]
    if output_format == "json":
        show_json(
            {"model": model, "config": config, "slo": slo, "seed": seed, "regimes": [_row(r) for r in rows]}
        )
        return
    headers = ("regime", "policy", "knows", "moves", "to flash", "improvement", "device-years", "5 years")
    show_table(headers, [_line(row) for row in rows])


_SHOWN = (
    "regime", "policy", "knows", "migrates", "improvement", "device_years", "meets_warranty", "flash_share",
    "kept_ratio", "flash_gb_per_s", "moved_gb_per_s",
)  # fmt: skip


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """A row as a JSON object of schema ``flash``."""
    return {name: bool(row[name]) if name in ("migrates", "meets_warranty") else row[name] for name in _SHOWN}


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    return (
        row["regime"],
        row["policy"],
        row["knows"],
        "yes" if row["migrates"] else "-",
        f"{100 * row['flash_share']:.1f} %",
        f"{row['improvement']:.2f}",
        f"{row['device_years']:.1f}",
        "yes" if row["meets_warranty"] else "NO",
    )
