"""All proofs of a micro-architecture, and their table."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import joblib
import pandas as pd

from unison.errors import unknown_name
from unison.experiments.sweep import JOBS
from unison.report.tables import Column
from unison.rtl.checks.design import verilog_modules
from unison.rtl.config import Config, default_config, default_contract
from unison.rtl.formal.catalogue import INDUCTION_SESSIONS, SMALL_SESSIONS, proofs
from unison.rtl.formal.proof import Proof, Result, run_proof
from unison.rtl.generate import render_ip

SMALL_ONLY = ("unison_gap_term", "unison_penalty_term", "unison_tree", "unison_control")
"""Modules that are proved in the smallest IP."""

COLUMNS = (
    Column("module", "Module"),
    Column("property", "Property"),
    Column("says", "What it says"),
    Column("size", "Size"),
    Column("method", "Method"),
    Column("depth", "Depth", "cycles"),
    Column("verdict", "Verdict"),
    Column("configuration", "Configuration"),
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
        If there is no such variant, size, or module with a proof.
    """
    full = default_config(variant, sessions)
    own = _of(full)
    modules = {proof.module for _, proof in own}
    middle = _of(default_config(variant, min(sessions, INDUCTION_SESSIONS)))
    small = _of(small_config(variant))
    found = own + [pair for pair in middle if pair[1].module in ("unison_scan", "unison_pipe")]
    found += [pair for pair in small if pair[1].module in SMALL_ONLY]
    found = list({proof.name + proof.method: (config, proof) for config, proof in found}.values())
    modules |= {proof.module for _, proof in found}
    if module is None:
        return found
    if module not in modules:
        raise unknown_name("module", module, modules)
    return [pair for pair in found if pair[1].module == module]


def run_formal(
    variant: str, sessions: int, module: str | None = None, *, jobs: int = JOBS
) -> list[tuple[Config, Result]]:
    """Try every proof of a micro-architecture.

    Parameters
    ----------
    variant : str
    sessions : int
    module : str, optional
    jobs : int
        Processes.
    """
    plan = formal_plan(variant, sessions, module)
    results = joblib.Parallel(n_jobs=jobs, batch_size=1)(
        joblib.delayed(run_proof)(proof) for _, proof in plan
    )
    return [(config, result) for (config, _), result in zip(plan, results, strict=True)]


def formal_table(found: Sequence[tuple[Config, Result]]) -> pd.DataFrame:
    """One row for each property of each proof.

    Parameters
    ----------
    found : sequence of (Config, Result)
    """
    rows = [
        {
            "module": result.proof.module,
            "property": label,
            "says": says,
            "size": result.proof.size or None,
            "method": str(result.proof.method),
            "depth": result.proof.depth,
            "verdict": str(result.verdict),
            "configuration": f"0x{config.hash32:08x}",
        }
        for config, result in found
        for label, says in result.proof.properties.items()
    ]
    return pd.DataFrame(rows)


def _of(config: Config) -> list[tuple[Config, Proof]]:
    return [(config, proof) for proof in proofs(config, verilog_modules(render_ip(config)))]
