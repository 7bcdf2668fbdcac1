"""Results of the long runs on the hardware, as far as they are about the Verilog that is generated now."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import pandas as pd

from unison.errors import UnisonError
from unison.report.tables import read_table
from unison.rtl import mutants
from unison.rtl.config import VARIANTS, Config, default_config
from unison.rtl.cosim.compare import verilog_digest
from unison.rtl.cosim.toolchain import SKIPPED, Skipped, find_toolchain
from unison.rtl.formal.catalogue import INDUCTION_SESSIONS
from unison.rtl.formal.run import small_config
from unison.rtl.full import FOLDER, SUMMARY_COLUMNS, committed_results
from unison.rtl.generate import render_ip

RESULT, REASON = "result", "skipped"
"""Columns that every table of results has: how a row ended, and why it was not run (else missing)."""

PROOFS = "tab12_formal"
"""Committed table of the proofs."""

_PASSED = "passed"

ALL_MISMATCHES = "mismatches_all"
"""Column with the mismatches of replayed and of random events together."""


def cosimulation_table() -> pd.DataFrame:
    """The long cosimulation, a row a variant.

    Returns
    -------
    pandas.DataFrame
        The columns of `unison.rtl.full.SUMMARY_COLUMNS`, `ALL_MISMATCHES` and ``skipped``; where the
        committed results are missing or about other Verilog, or nothing can be simulated on this machine,
        a row a variant that says SKIPPED and why, without any number.
    """
    tools = find_toolchain()
    found = tools if isinstance(tools, Skipped) else committed_results()
    columns = [*(column.name for column in SUMMARY_COLUMNS), ALL_MISMATCHES]
    if not isinstance(found, Skipped):
        found = found.assign(**{ALL_MISMATCHES: found["mismatches"] + found["random_mismatches"]})
    return or_skipped(found, "variant", VARIANTS, columns)


def proof_table(sessions: int, folder: Path = FOLDER) -> pd.DataFrame:
    """The proofs, a row a module, size and method.

    Parameters
    ----------
    sessions : int
        Slots of the IP that was proved.
    folder : pathlib.Path
        Of the committed results.

    Returns
    -------
    pandas.DataFrame
        ``module``, ``size``, ``method``, ``depth`` [clock cycles], ``properties`` (how many), ``names``,
        ``proved``, ``result`` and ``skipped``.
    """
    sizes = (sessions, INDUCTION_SESSIONS)
    configs = [default_config(variant, size) for variant in VARIANTS for size in sizes]
    found = committed_rows(PROOFS, [*configs, *map(small_config, VARIANTS)], folder)
    if not isinstance(found, Skipped):
        keys = ["module", "size", "method", "depth"]
        found = pd.DataFrame(
            [
                dict(zip(keys, key, strict=True)) | _proof_row(rows)
                for key, rows in found.groupby(keys, sort=False, dropna=False)
            ]
        )
    columns = ("module", "size", "method", "depth", "properties", "names", "proved", RESULT)
    return or_skipped(found, "module", ["all"], columns)


def mutant_table(folder: Path = FOLDER) -> pd.DataFrame:
    """The planted faults, a row a module.

    Parameters
    ----------
    folder : pathlib.Path
        Of the committed results.

    Returns
    -------
    pandas.DataFrame
        ``module``, ``mutants`` (how many), ``by_proof`` and ``by_cosimulation`` (caught so), ``uncaught`` (by
        name; missing if there is none), ``result`` and ``skipped``.
    """
    tools = find_toolchain()
    every = [mutant.config for mutant in mutants.all_mutants()]
    found = tools if isinstance(tools, Skipped) else committed_rows(mutants.STEM, every, folder)
    if not isinstance(found, Skipped):
        parts = found.groupby("module", sort=False)
        found = pd.DataFrame([{"module": module} | _mutant_row(rows) for module, rows in parts])
    columns = ("module", "mutants", "by_proof", "by_cosimulation", "uncaught", RESULT)
    return or_skipped(found, "module", ["all"], columns)


def committed_rows(stem: str, configs: Iterable[Config], folder: Path = FOLDER) -> pd.DataFrame | Skipped:
    """A committed table, if each of its rows is about the Verilog that a configuration has now.

    Parameters
    ----------
    stem : str
    configs : iterable of Config
        Those that rows may be about; ``configuration`` names one, ``verilog`` has the digest of its text.
    folder : pathlib.Path
    """
    try:
        table = read_table(stem, out=folder)
    except UnisonError:
        return Skipped(f"there is no {stem}.csv of a run")
    if not {"configuration", "verilog"} <= set(table.columns):
        return Skipped(f"{stem}.csv does not say which Verilog it is about")
    known = {f"0x{config.hash32:08x}": config for config in configs}
    for name, digest in sorted(set(zip(table["configuration"], table["verilog"], strict=True))):
        config = known.get(str(name))
        if config is None or digest != f"sha256:{verilog_digest(render_ip(config))}":
            return Skipped(f"{stem}.csv was made with other Verilog than there is now")
    return table


def _proof_row(rows: pd.DataFrame) -> dict[str, object]:
    proved = int((rows["verdict"] == _PASSED).sum())
    return {
        "properties": len(rows),
        "names": ", ".join(str(name).removeprefix("p_") for name in rows["property"]),
        "proved": proved,
        RESULT: "proved" if proved == len(rows) else _worst(rows["verdict"]),
    }


def _mutant_row(rows: pd.DataFrame) -> dict[str, object]:
    caught = rows[rows["verdict"] == _PASSED]
    by_proof = int((caught["caught_by"] == "formal").sum())
    uncaught = rows[rows["verdict"] != _PASSED]["fault"]
    return {
        "mutants": len(rows),
        "by_proof": by_proof,
        "by_cosimulation": len(caught) - by_proof,
        "uncaught": ", ".join(uncaught) or None,
        RESULT: "all caught" if uncaught.empty else _worst(rows["verdict"]),
    }


def _worst(verdicts: pd.Series) -> str:
    """FAILED if one is, else what else is no pass."""
    other = sorted({str(verdict) for verdict in verdicts} - {_PASSED})
    return other[0]


def skipped_frame(skipped: Skipped) -> pd.DataFrame:
    """One row without any number, for what could not be run."""
    return pd.DataFrame([{RESULT: SKIPPED, REASON: skipped.reason}])


def or_skipped(
    found: pd.DataFrame | Skipped, key: str, rows: Sequence[str], columns: Sequence[str]
) -> pd.DataFrame:
    """Results with an empty ``skipped``, or rows that say why there are none.

    Parameters
    ----------
    found : pandas.DataFrame or Skipped
    key : str
        Column that names a row.
    rows : sequence of str
        Its values where nothing was run.
    columns : sequence of str
        Columns of the results; all but `key` and ``result`` are missing where nothing was run.
    """
    if isinstance(found, Skipped):
        empty = dict.fromkeys(columns)
        return pd.DataFrame(
            [{**empty, key: row, RESULT: SKIPPED, REASON: found.reason} for row in rows],
            columns=[*columns, REASON],
        )
    return found.assign(**{REASON: None})
