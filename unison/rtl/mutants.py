"""Mutants: semantic faults planted in the generated Verilog, and which check turns red on each.

A fault that names a property must violate it in a bounded search, which shows that the property can fail;
every other one must make the cosimulation differ from the integer model.
"""

from __future__ import annotations

import functools
import tempfile
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import joblib
import numpy as np
import pandas as pd

from unison.errors import UnisonError, unknown_name
from unison.experiments.sweep import JOBS
from unison.report.tables import Column, save_table
from unison.rtl.checks.design import verilog_modules
from unison.rtl.checks.findings import Verdict
from unison.rtl.checks.tools import write_sources
from unison.rtl.committed import FOLDER, about
from unison.rtl.config import Config, default_config
from unison.rtl.cosim.compare import Bench, Run, compare, compare_operations
from unison.rtl.cosim.toolchain import Skipped, Toolchain, find_toolchain
from unison.rtl.formal import proofs, refute
from unison.rtl.generate import render_ip
from unison.rtl.random_events import random_segments
from unison.rtl.random_operations import random_operations

CATALOGUE = Path(__file__).with_name("mutants.toml")
SESSIONS = 4
DEFAULT_VARIANT = "score_scan"
SEED = 0
RUNS = 2000
"""Runs of random events, and as many of random APB accesses, after which a mutant counts as uncaught."""
ACCESSES = 1500

STEM = "tab11_faults"
COMMAND = "make rtl-mutants"
COLUMNS = (
    Column("module", "Module"),
    Column("variant", "Variant"),
    Column("fault", "Fault"),
    Column("property", "Property"),
    Column("caught_by", "Caught by"),
    Column("verdict", "Verdict"),
)


@dataclass(frozen=True)
class Mutant:
    """One fault.

    Attributes
    ----------
    module : str
    name : str
    find, replace : str
        Text of the module, there exactly once, and what takes its place.
    variant : str
        Micro-architecture in which it is planted.
    violates : str
        Label of the property that it violates; empty if the cosimulation must find it.
    """

    module: str
    name: str
    find: str
    replace: str
    variant: str = DEFAULT_VARIANT
    violates: str = ""

    @property
    def config(self) -> Config:
        """The configuration in which it is planted."""
        return default_config(self.variant, SESSIONS)

    def plant(self, texts: Mapping[str, str]) -> dict[str, str]:
        """The modules with the fault in one of them.

        Parameters
        ----------
        texts : mapping of str to str
            Verilog by module name.

        Raises
        ------
        UnisonError
            If the text is not in the module exactly once.
        """
        count = texts[self.module].count(self.find)
        if count != 1:
            raise UnisonError(
                f"mutant {self.module}, {self.name!r}: its text is in the module {count} times, "
                f"must be once: {self.find!r}"
            )
        return {**texts, self.module: texts[self.module].replace(self.find, self.replace)}


@dataclass(frozen=True)
class Caught:
    """What became of a mutant.

    Attributes
    ----------
    mutant : Mutant
    verdict : Verdict
        Passed if a check turned red.
    caught_by : str
        The check that did.
    note : str
        Why it was skipped.
    """

    mutant: Mutant
    verdict: Verdict
    caught_by: str = ""
    note: str = ""


@functools.cache
def all_mutants() -> tuple[Mutant, ...]:
    """Every mutant, in the order of the catalogue."""
    document = tomllib.loads(CATALOGUE.read_text(encoding="utf-8"))
    return tuple(
        Mutant(module=module, **({"variant": entry.get("variant", DEFAULT_VARIANT)} | fields))
        for module, entry in document.items()
        for fields in entry["mutants"]
    )


def mutants_of(module: str | None = None) -> tuple[Mutant, ...]:
    """The mutants of a module, or all.

    Parameters
    ----------
    module : str, optional

    Raises
    ------
    UnisonError
        If no mutant is planted in a module of that name.
    """
    found = all_mutants()
    if module is None:
        return found
    if module not in {mutant.module for mutant in found}:
        raise unknown_name("module", module, {mutant.module for mutant in found})
    return tuple(mutant for mutant in found if mutant.module == module)


def try_mutant(mutant: Mutant) -> Caught:
    """Plant a fault and run the check that must turn red.

    Parameters
    ----------
    mutant : Mutant
    """
    config = mutant.config
    texts = mutant.plant(verilog_modules(render_ip(config)))
    if mutant.violates:
        return _by_proof(mutant, config, texts)
    tools = find_toolchain()
    if isinstance(tools, Skipped):
        return Caught(mutant, Verdict.SKIPPED, note=tools.reason)
    return _by_cosimulation(mutant, tools, config, texts)


def run_mutants(
    mutants: Sequence[Mutant], *, jobs: int = JOBS, tell: Callable[[str], None] = lambda line: None
) -> list[Caught]:
    """Try mutants, several at a time.

    Parameters
    ----------
    mutants : sequence of Mutant
    jobs : int
        Processes.
    tell : callable
        Gets a line of progress after each mutant.
    """
    tasks = [joblib.delayed(try_mutant)(mutant) for mutant in mutants]
    found: list[Caught] = []
    for caught in joblib.Parallel(n_jobs=jobs, batch_size=1, return_as="generator")(tasks):
        found.append(caught)
        by = caught.caught_by or ("NOT CAUGHT" if caught.verdict is Verdict.FAILED else str(caught.verdict))
        tell(f"[{len(found)}/{len(tasks)}] {caught.mutant.module}, {caught.mutant.name}: {by}")
    return found


def mutants_table(found: Sequence[Caught]) -> pd.DataFrame:
    """One row for each mutant; passed means caught.

    Parameters
    ----------
    found : sequence of Caught

    Returns
    -------
    pandas.DataFrame
        `COLUMNS`, and ``configuration`` and ``verilog`` of the IP without the fault, as
        `unison.rtl.committed.about` gives them.
    """
    whose = {config: about(config) for config in dict.fromkeys(caught.mutant.config for caught in found)}
    rows = [
        {
            "module": caught.mutant.module,
            "variant": caught.mutant.variant,
            "fault": caught.mutant.name,
            "property": caught.mutant.violates or None,
            "caught_by": caught.caught_by or None,
            "verdict": str(caught.verdict),
            **whose[caught.mutant.config],
        }
        for caught in found
    ]
    return pd.DataFrame(rows).astype(object)


def save_mutants(table: pd.DataFrame, out: Path = FOLDER) -> None:
    """Write the table of mutants.

    Parameters
    ----------
    table : pandas.DataFrame
        From `mutants_table`.
    out : pathlib.Path
        Folder of the table.
    """
    caption = (
        f"Faults planted in the Verilog, one at a time, in an IP of {SESSIONS} slots, and the check that "
        "turned red: passed means caught. Formal: a bounded search finds a counterexample to that property. "
        f"Made by `{COMMAND}`."
    )
    save_table(table, STEM, out=out, columns=COLUMNS, caption=caption)


def _by_proof(mutant: Mutant, config: Config, texts: Mapping[str, str]) -> Caught:
    candidates = [
        proof
        for proof in proofs(config, texts)
        if proof.module == mutant.module and mutant.violates in proof.properties
    ]
    if not candidates:
        raise UnisonError(f"mutant {mutant.module}, {mutant.name!r}: no proof has {mutant.violates!r}")
    result = refute(candidates[0], mutant.violates)
    if result.verdict is Verdict.SKIPPED:
        return Caught(mutant, Verdict.SKIPPED, note=result.note)
    is_caught = mutant.violates in result.failed
    return Caught(mutant, Verdict.PASSED if is_caught else Verdict.FAILED, "formal" if is_caught else "")


def _by_cosimulation(mutant: Mutant, tools: Toolchain, config: Config, texts: Mapping[str, str]) -> Caught:
    with tempfile.TemporaryDirectory(prefix="unison-") as name:
        folder = Path(name)
        sources = [folder / file for file in write_sources(dict(texts), folder)]
        bench = Bench(tools, config, sources)
        for events, accesses in zip(*_seeds(), strict=True):
            if compare(bench, Run(mutant.name, random_segments(config, events))).mismatches:
                return Caught(mutant, Verdict.PASSED, "cosimulation, events")
            drawn = random_operations(config, accesses, ACCESSES)
            if compare_operations(bench, drawn).mismatches:
                return Caught(mutant, Verdict.PASSED, "cosimulation, APB accesses")
    return Caught(mutant, Verdict.FAILED)


def _seeds() -> tuple[list[np.random.SeedSequence], list[np.random.SeedSequence]]:
    events, accesses = np.random.SeedSequence(SEED).spawn(2)
    return events.spawn(RUNS), accesses.spawn(RUNS)
