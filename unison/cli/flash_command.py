"""``unison flash``: placements of KV on HBM and flash, with the device-years they give."""

from __future__ import annotations

import math
from typing import Any

import click
from click.core import ParameterSource

from unison.cli.output import format_option, show_json, show_table
from unison.errors import UnisonError

_IN_A_REGIME = {
    "regimes": "--regime",
    "config": "--config",
    "slo": "--slo",
    "seed": "--seed",
    "smoke": "--smoke",
}
"""Options that nothing depends on when a corpus is placed."""


class _PlacementsCommand(click.Command):
    """A command whose help lists the registered placements, read only when help is asked for."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the regimes, the placements, and what each may know."""
        from unison.flash.plans import REGIME_ABOUT
        from unison.flash.policies import Knows, all_placements

        with formatter.section("Regimes"):
            formatter.write_dl(list(REGIME_ABOUT.items()))
        with formatter.section("Placements (what each knows)"):
            formatter.write_dl(
                [(entry.name, f"{entry.title} ({entry.knows}): {entry.rule}") for entry in all_placements()]
            )
        with formatter.section("What a placement knows"):
            formatter.write_dl([(str(knows), knows.about) for knows in Knows])


@click.command("flash", cls=_PlacementsCommand)
@format_option
@click.option("--model", default="llama-4-maverick", show_default=True, help="Model that the GPU serves.")
@click.option("--config", default="hbm2", show_default=True, help="HBM sites, hbm1 to hbm4, or chain.")
@click.option("--slo", default="tight", show_default=True, help="Service level that sets the load.")
@click.option("--regime", "regimes", multiple=True, help="One of the regimes (repeatable); all by default.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the corpora.")
@click.option("--corpus", default="", help="Instead of the regimes: name or file of an imported corpus.")
@click.option(
    "--share",
    type=float,
    default=0.1,
    show_default=True,
    help="With --corpus: HBM over the live KV, above 0 and at most 1.",
)
@click.option("--smoke", is_flag=True, help="Short runs, to see that it works.")
@click.pass_context
def flash_command(
    ctx: click.Context,
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

    Regimes are synthetic corpora; the load is what one GPU admits. Of an imported corpus the segments are
    derived as far as its log tells them; the improvement counts there, not the years, and only --model and
    --share go with it. Regimes and placements are listed below; JSON has them by name.
    """
    from unison.experiments.flash_cells import Cell, place_corpus, run_cell
    from unison.flash.load import get_config
    from unison.flash.plans import REGIMES
    from unison.flash.policies import all_placements
    from unison.traces.library import load_corpus

    _check_options(ctx)
    names = [entry.name for entry in all_placements()]
    profile = "smoke" if smoke else "full"
    about: dict[str, Any] = {"model": model, "config": config, "slo": slo, "seed": seed, "profile": profile}
    if corpus:
        about = {name: value if name == "model" else None for name, value in about.items()}
        rows = place_corpus(load_corpus(corpus), get_config(config, model), share, names)
        rows = [{**row, "device_years": None, "meets_warranty": None} for row in rows]
    else:
        cells = [
            Cell(regime, model, config, slo, seed, profile=profile)
            for regime in dict.fromkeys(regimes or REGIMES)
        ]
        rows = [row for cell in cells for row in run_cell(cell, names)]
    if output_format == "json":
        show_json({**about, "share": share if corpus else None, "regimes": [_row(row) for row in rows]})
        return
    headers = ("regime", "placement", "knows", "moves", "to flash", "improvement", "device-years", "5 years")
    show_table(headers, [_line(row) for row in rows])
    click.echo(f"HBM of {share:g} of the live KV" if corpus else f"profile: {profile}")


def _check_options(ctx: click.Context) -> None:
    """Refuse a share that is none, and options that do not go together.

    Raises
    ------
    UnisonError
    """
    given = {
        name
        for name in (*_IN_A_REGIME, "share")
        if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE
    }
    if not ctx.params["corpus"]:
        if "share" in given:
            raise UnisonError("--share counts with --corpus only; give a corpus too, or leave --share out")
        return
    ignored = [option for name, option in _IN_A_REGIME.items() if name in given]
    if ignored:
        raise UnisonError(
            f"--corpus was given with {', '.join(ignored)}, which would not count: the corpus takes the "
            "place of the regimes and their load. Allowed with it: --model, --share and --format; leave the "
            "others out"
        )
    if not 0 < ctx.params["share"] <= 1:
        raise UnisonError(
            f"--share {ctx.params['share']:g}: HBM over the live KV must be a finite number above 0 and at "
            "most 1; give e.g. --share 0.1"
        )


_SHOWN = (
    "regime", "policy", "title", "knows", "migrates", "improvement", "device_years", "meets_warranty",
    "flash_share", "kept_ratio", "flash_gb_per_s", "moved_gb_per_s",
)  # fmt: skip


def _row(row: dict[str, Any]) -> dict[str, Any]:
    """A row as a JSON object of schema ``flash``; what cannot be told is null."""
    from unison.flash.policies import get_placement

    titled = {**row, "title": get_placement(row["policy"]).title}
    return {name: _plain(name, titled[name]) for name in _SHOWN}


def _plain(name: str, value: Any) -> Any:
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return None
    return bool(value) if name in ("migrates", "meets_warranty") else value


def _line(row: dict[str, Any]) -> tuple[str, ...]:
    from unison.flash.plans import REGIME_TITLES
    from unison.flash.policies import get_placement

    has_years = row["device_years"] is not None
    return (
        REGIME_TITLES.get(row["regime"], row["regime"]),
        get_placement(row["policy"]).title,
        row["knows"],
        "yes" if row["migrates"] else "-",
        f"{100 * row['flash_share']:.1f} %",
        f"{row['improvement']:.2f}",
        f"{row['device_years']:.1f}" if has_years else "-",
        ("yes" if row["meets_warranty"] else "NO") if has_years else "-",
    )
