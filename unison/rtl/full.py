"""The long cosimulation: every variant on every corpus and envelope, and more than a million random events.

Its tables are committed, each row with the configuration and the Verilog that it was run for; whoever reads
them asks `committed_results`, which returns no rows about other Verilog.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import pandas as pd

from unison.config import load_defaults
from unison.experiments.sweep import JOBS
from unison.report.tables import Column, save_table
from unison.rtl.committed import FOLDER, about, committed_rows
from unison.rtl.config import VARIANTS, Config, default_config, default_contract
from unison.rtl.cosim.cell import FAILED, PASSED, Cell, cosimulate, latencies
from unison.rtl.cosim.compare import (
    Bench,
    Run,
    Tally,
    bench_for,
    compare,
    compare_operations,
    require_configuration,
)
from unison.rtl.cosim.failure import FAILURES, explain_operations, explain_run
from unison.rtl.cosim.toolchain import Skipped, find_toolchain
from unison.rtl.driver import source_of
from unison.rtl.random_events import random_segments
from unison.rtl.random_operations import random_operations
from unison.traces.library import load_corpus
from unison.traces.synthetic import CORPORA

CELLS, SUMMARY = "tab11_cells", "tab11_cosim"
COMMAND = "make rtl-full"
RANDOM_EVENTS = 1_080_000
"""Random events of the campaign, all configurations together."""

RANDOM_ACCESSES = 720_000
"""Random APB operations of the campaign."""

OPERATIONS_A_RUN = 2000
CAMPAIGN_SEED = 0

ABOUT = ("variant", "sessions", "table", "configuration", "verilog")
"""What a row says of the Verilog that it was run for."""

CELL_COLUMNS = (
    Column("variant", "Variant"), Column("corpus", "Corpus"), Column("envelope", "Envelope"),
    Column("events", "Events"), Column("decisions", "Decisions"), Column("responses", "Responses"),
    Column("mismatches", "Mismatches"), Column("decision_mean_us", "Decision, mean", "us", 3),
    Column("decision_worst_us", "worst", "us", 3), Column("event_mean_us", "Event, mean", "us", 3),
    Column("event_worst_us", "worst", "us", 3),
)  # fmt: skip

SUMMARY_COLUMNS = (
    Column("variant", "Variant"), Column("configuration", "Configuration"), Column("cells", "Cells"),
    Column("events", "Events"), Column("decisions", "Decisions"), Column("mismatches", "Mismatches"),
    Column("random_events", "Random events"), Column("random_accesses", "Random accesses"),
    Column("random_mismatches", "Mismatches"), Column("decision_mean_us", "Decision, mean", "us", 3),
    Column("decision_worst_us", "worst", "us", 3), Column("event_mean_us", "Event, mean", "us", 3),
    Column("event_worst_us", "worst", "us", 3), Column("result", "Result"),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Campaign:
    """The random part of one configuration.

    Attributes
    ----------
    bench : Bench
    events, accesses : int
        To be drawn, at least.
    seed : int
        Its own among those of all configurations.
    """

    bench: Bench
    events: int
    accesses: int
    seed: int


def campaign_configs() -> list[Config]:
    """What random events are run on: of each variant N = 16, N = 4 with 64-bit gaps, and N = 64."""
    configs = []
    for variant in VARIANTS:
        forms = default_contract(variant)
        wide = dataclasses.replace(forms, hazard_bits=8, gap_bits=64, score_bits=64)
        own = default_config(variant, 16)
        other = "ff" if own.table == "lutram" else "lutram"
        smallest = Config(variant, 4, other, wide, event_depth=2, response_depth=4)
        configs += [own, smallest, default_config(variant)]
    return configs


def run_full(
    out: Path = FOLDER, *, jobs: int = JOBS, tell: Callable[[str], None] = lambda line: None
) -> pd.DataFrame | Skipped:
    """Run everything and write the tables.

    Parameters
    ----------
    out : pathlib.Path
        Folder of the tables.
    jobs : int
        Processes.
    tell : callable
        Gets a line of progress after each part.

    Returns
    -------
    pandas.DataFrame or Skipped
        The summary, one row a variant.

    Raises
    ------
    UnisonError
        If the tools fail, or model and replay differ.
    """
    tools = find_toolchain()
    if isinstance(tools, Skipped):
        return tools
    configs = campaign_configs()
    shares = -(-RANDOM_EVENTS // len(configs)), -(-RANDOM_ACCESSES // len(configs))
    envelopes = load_defaults().envelope.names
    benches = [bench_for(tools, default_config(variant)) for variant in VARIANTS]
    campaigns = [
        Campaign(bench_for(tools, config), *shares, CAMPAIGN_SEED + index)
        for index, config in enumerate(configs)
    ]
    tasks = [joblib.delayed(_variant_cells)(bench, CORPORA, envelopes) for bench in benches]
    tasks += [joblib.delayed(run_campaign)(campaign) for campaign in campaigns]
    parts = [f"{variant}, every corpus and envelope" for variant in VARIANTS]
    parts += [f"{config.variant}, {config.sessions} slots, random events" for config in configs]
    found = []
    for part, result in zip(
        parts, joblib.Parallel(n_jobs=jobs, batch_size=1, return_as="generator")(tasks), strict=True
    ):
        found.append(result)
        tell(f"[{len(found)}/{len(parts)}] {part}: done")
    cells = pd.concat([pd.DataFrame(rows) for rows in found[: len(VARIANTS)]], ignore_index=True)
    randoms = dict(zip(configs, found[len(VARIANTS) :], strict=True))
    summary = pd.DataFrame([_summary(variant, cells, randoms) for variant in VARIANTS])
    save_table(cells, CELLS, out=out, columns=CELL_COLUMNS, caption=_caption("every cell"))
    save_table(summary, SUMMARY, out=out, columns=SUMMARY_COLUMNS, caption=_caption("all cells together"))
    return summary


def run_campaign(campaign: Campaign, failures: Path = FAILURES) -> Tally:
    """Random events and APB operations on one configuration; the first failure is described."""
    bench, config = campaign.bench, campaign.bench.config
    require_configuration(bench)
    total = Tally()
    name = f"random-{config.variant}-{config.sessions}-{config.hash32:08x}"
    events, operations = np.random.SeedSequence(campaign.seed).spawn(2)
    while total.events < campaign.events:
        segments = random_segments(config, events.spawn(1)[0])
        tally = compare(bench, Run(name, segments))
        if tally.mismatches and not total.mismatches:
            explain_run(bench, segments, failures / name)
        total.add(tally)
    while total.accesses < campaign.accesses:
        drawn = random_operations(config, operations.spawn(1)[0], OPERATIONS_A_RUN)
        tally = compare_operations(bench, drawn)
        if tally.mismatches and not total.mismatches:
            explain_operations(bench, drawn, failures / f"{name}-accesses")
        total.add(tally)
    return total


def committed_results(folder: Path = FOLDER) -> pd.DataFrame | Skipped:
    """The committed summary, if it was run for the Verilog that is generated now.

    Returns
    -------
    pandas.DataFrame or Skipped
        Skipped where a variant has no row, or one of another configuration or other Verilog.
    """
    configs = [default_config(variant) for variant in VARIANTS]
    table = committed_rows(SUMMARY, configs, command=COMMAND, folder=folder)
    if isinstance(table, Skipped):
        return table
    missing = [variant for variant in VARIANTS if variant not in set(table["variant"])]
    if missing:
        return Skipped(f"`{COMMAND}` has not been run for variant {missing[0]}")
    return table


def _variant_cells(bench: Bench, corpora: Sequence[str], envelopes: Sequence[str]) -> list[dict[str, object]]:
    """Every cell of one variant."""
    require_configuration(bench)
    head = _about(bench)
    rows = []
    for corpus in corpora:
        source = source_of(load_corpus(corpus), bench.config)
        rows += [{**head, **_cell_row(cosimulate(bench, source, envelope))} for envelope in envelopes]
    return rows


def _cell_row(cell: Cell) -> dict[str, object]:
    tally = cell.tally
    return {
        "corpus": cell.corpus,
        "envelope": cell.envelope,
        "events": tally.events,
        "decisions": tally.decisions,
        "responses": tally.responses,
        "mismatches": tally.mismatches,
        "decision_cycles": tally.decision_cycles,
        "busy_cycles": tally.busy_cycles,
        **latencies(tally),
        "result": cell.result,
    }


def _about(bench: Bench) -> dict[str, object]:
    config = bench.config
    own = {"variant": config.variant, "sessions": config.sessions, "table": config.table}
    return {**own, **about(config)}


def _summary(variant: str, cells: pd.DataFrame, randoms: dict[Config, Tally]) -> dict[str, object]:
    """One variant's cells and random runs together."""
    own = cells[cells["variant"] == variant]
    total = Tally(
        events=int(own["events"].sum()),
        decisions=int(own["decisions"].sum()),
        decision_cycles=int(own["decision_cycles"].sum()),
        decision_worst=int(own["decision_worst_cycles"].max()),
        busy_cycles=int(own["busy_cycles"].sum()),
        event_worst=int(own["event_worst_cycles"].max()),
    )
    drawn = Tally()
    for config, tally in randoms.items():
        if config.variant == variant:
            drawn.add(tally)
    has_passed = bool((own["result"] == PASSED).all()) and drawn.events > 0 and not drawn.mismatches
    return {
        **{name: own[name].iloc[0] for name in ABOUT},
        "cells": len(own),
        "events": total.events,
        "decisions": total.decisions,
        "responses": int(own["responses"].sum()),
        "mismatches": int(own["mismatches"].sum()),
        "random_events": drawn.events,
        "random_accesses": drawn.accesses,
        "random_mismatches": drawn.mismatches,
        **latencies(total),
        "result": PASSED if has_passed else FAILED,
    }


def _caption(what: str) -> str:
    clock = load_defaults().rtl.clock_mhz
    return (
        f"Cosimulation of the generated Verilog with the integer model, {what}: every response is compared. "
        f"N = 64; times at {clock:g} MHz; a decision is one selection, an event ends with its DONE. "
        f"Random runs also cover N = 4 and 16, both tables and 64-bit gaps. Made by `{COMMAND}`."
    )
