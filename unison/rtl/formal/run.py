"""All proofs of a micro-architecture, or of every one, and their table."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path

import joblib
import pandas as pd

from unison.errors import UnisonError, unknown_name
from unison.experiments.sweep import JOBS
from unison.report.tables import Column, save_table
from unison.rtl.checks.design import verilog_modules
from unison.rtl.committed import FOLDER, about
from unison.rtl.config import VARIANTS, Config, default_config, default_contract
from unison.rtl.formal.catalogue import SMALL_SESSIONS, proofs
from unison.rtl.formal.proof import Proof, Result, run_proof
from unison.rtl.generate import render_ip

SMALL_ONLY = ("unison_gap_term", "unison_penalty_term", "unison_tree", "unison_control")
"""Modules that are proved in the smallest IP."""

STEM = "tab11_proofs"
COMMAND = "make rtl-formal"
COLUMNS = (
    Column("variant", "Variant"),
    Column("module", "Module"),
    Column("property", "Property"),
    Column("says", "What it says"),
    Column("size", "Size"),
    Column("method", "Method"),
    Column("depth", "Depth", "cycles"),
    Column("verdict", "Verdict"),
)


def small_config(variant: str) -> Config:
    """The smallest IP: few slots and short scores, so that counters and trees can be proved.

    Parameters
    ----------
    variant : str
    """
    contract = dataclasses.replace(
        default_contract(variant), hazard_bits=4, gap_bits=16, score_bits=32, penalty=1000
    )
    return Config(variant, SMALL_SESSIONS, "ff", contract, event_depth=2, response_depth=4)


def formal_plan(variant: str, sessions: int, module: str | None = None) -> list[tuple[Config, Proof]]:
    """The proofs of a micro-architecture: those for its size, and those that need fewer slots.

    Parameters
    ----------
    variant : str
    sessions : int
    module : str, optional
        Only this one.

    Raises
    ------
    UnisonError
        If there is no such variant, size, or module, or that module has no proof.
    """
    full = default_config(variant, sessions)
    own = _of(full)
    modules = {proof.module for _, proof in own}
    small = _of(small_config(variant))
    found = own + [pair for pair in small if pair[1].module in SMALL_ONLY]
    found = list({proof.name + proof.method: (config, proof) for config, proof in found}.values())
    modules |= {proof.module for _, proof in found}
    if module is None:
        return found
    if module not in modules:
        if module in verilog_modules(render_ip(full)):
            raise UnisonError(
                f"module {module} of {variant} has no proof, only the simulation; with proofs: "
                f"{', '.join(sorted(modules))}"
            )
        raise unknown_name("module", module, modules)
    return [pair for pair in found if pair[1].module == module]


def full_plan() -> list[tuple[Config, Proof]]:
    """The proofs of every variant in the size that is committed."""
    return [pair for variant in VARIANTS for pair in formal_plan(variant, default_config(variant).sessions)]


def plan_configs() -> list[Config]:
    """The configurations whose Verilog `full_plan` is about."""
    return list(dict.fromkeys(config for config, _ in full_plan()))


def run_formal(
    plan: Sequence[tuple[Config, Proof]], *, jobs: int = JOBS, tell: Callable[[str], None] = lambda line: None
) -> list[tuple[Config, Result]]:
    """Try proofs; where variants have a module in common, once for all.

    Parameters
    ----------
    plan : sequence of (Config, Proof)
    jobs : int
        Processes.
    tell : callable
        Gets a line of progress after each proof.
    """
    every = {_content(proof): proof for _, proof in plan}
    tasks = [joblib.delayed(run_proof)(proof) for proof in every.values()]
    results: list[Result] = []
    for result in joblib.Parallel(n_jobs=jobs, batch_size=1, return_as="generator")(tasks):
        results.append(result)
        tell(f"[{len(results)}/{len(every)}] {result.proof.name}, {result.proof.method}: {result.verdict}")
    found = dict(zip(every, results, strict=True))
    return [(config, dataclasses.replace(found[_content(proof)], proof=proof)) for config, proof in plan]


def formal_table(found: Sequence[tuple[Config, Result]]) -> pd.DataFrame:
    """One row for each property of each proof.

    Parameters
    ----------
    found : sequence of (Config, Result)

    Returns
    -------
    pandas.DataFrame
        `COLUMNS`, and ``configuration`` and ``verilog`` as `unison.rtl.committed.about` gives them.
    """
    whose = {config: about(config) for config in dict.fromkeys(config for config, _ in found)}
    rows = [
        {
            "variant": config.variant,
            "module": result.proof.module,
            "property": label,
            "says": says,
            "size": result.proof.size or None,
            "method": str(result.proof.method),
            "depth": result.proof.depth,
            "verdict": str(result.verdict),
            **whose[config],
        }
        for config, result in found
        for label, says in result.proof.properties.items()
    ]
    return pd.DataFrame(rows)


def save_formal(table: pd.DataFrame, out: Path = FOLDER) -> None:
    """Write the table of proofs.

    Parameters
    ----------
    table : pandas.DataFrame
        From `formal_table`.
    out : pathlib.Path
        Folder of the table.
    """
    caption = (
        "Properties of the generated Verilog. Induction: for all times, with a hypothesis of so many cycles; "
        f"bounded: for the first cycles after reset. Made by `{COMMAND}`."
    )
    save_table(table, STEM, out=out, columns=COLUMNS, caption=caption)


def _content(proof: Proof) -> tuple[object, ...]:
    """What a proof is about, without the configuration that heads each module's text."""
    texts = tuple((name, text.partition("\n")[2]) for name, text in proof.texts.items())
    how = (proof.module, proof.method, proof.depth, proof.cut, proof.maps_memory)
    return (texts, *how, tuple(proof.parameters.items()), tuple(proof.shown.items()))


def _of(config: Config) -> list[tuple[Config, Proof]]:
    return [(config, proof) for proof in proofs(config, verilog_modules(render_ip(config)))]
