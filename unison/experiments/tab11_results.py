"""Results of the long runs on the hardware, as far as they are about the Verilog that is generated now."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from unison.experiments.tab11_checks import named_variants
from unison.rtl import mutants
from unison.rtl.committed import FOLDER, committed_rows
from unison.rtl.config import VARIANTS
from unison.rtl.cosim.toolchain import SKIPPED, Skipped, find_toolchain
from unison.rtl.formal import run as formal
from unison.rtl.full import SUMMARY_COLUMNS, committed_results

RESULT, REASON = "result", "skipped"
"""Columns that every table of results has: how a row ended, and why it was not run (else missing)."""

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


def proof_table(folder: Path = FOLDER) -> pd.DataFrame:
    """The proofs, a row a module, size and method.

    Parameters
    ----------
    folder : pathlib.Path
        Of the committed results.

    Returns
    -------
    pandas.DataFrame
        ``module``, ``size``, ``method``, ``depth`` [clock cycles], ``variants`` (for which it is proved, by
        name), ``properties`` (how many), ``names``, ``proved`` (in all of these variants), ``result`` and
        ``skipped``.
    """
    found = committed_rows(formal.STEM, formal.plan_configs(), command=formal.COMMAND, folder=folder)
    keys = ["module", "size", "method", "depth"]
    if not isinstance(found, Skipped):
        found = pd.DataFrame(
            [
                dict(zip(keys, key, strict=True)) | _proof_row(rows)
                for key, rows in found.groupby(keys, sort=False, dropna=False)
            ]
        )
    columns = (*keys, "variants", "properties", "names", "proved", RESULT)
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
        ``module``, ``variants`` (in which they are planted), ``mutants`` (how many), ``by_proof`` and
        ``by_cosimulation`` (caught so), ``uncaught`` (by name; missing if there is none), ``result`` and
        ``skipped``.
    """
    found: Any = find_toolchain()
    if not isinstance(found, Skipped):
        every = dict.fromkeys(mutant.config for mutant in mutants.all_mutants())
        found = committed_rows(mutants.STEM, every, command=mutants.COMMAND, folder=folder)
    if not isinstance(found, Skipped):
        parts = found.groupby("module", sort=False)
        found = pd.DataFrame([{"module": module} | _mutant_row(rows) for module, rows in parts])
    columns = ("module", "variants", "mutants", "by_proof", "by_cosimulation", "uncaught", RESULT)
    return or_skipped(found, "module", ["all"], columns)


def _proof_row(rows: pd.DataFrame) -> dict[str, object]:
    has_passed = (rows["verdict"] == _PASSED).groupby(rows["property"], sort=False).all()
    return {
        "variants": named_variants(rows["variant"], VARIANTS),
        "properties": len(has_passed),
        "names": ", ".join(str(name).removeprefix("p_") for name in has_passed.index),
        "proved": int(has_passed.sum()),
        RESULT: "proved" if has_passed.all() else _worst(rows["verdict"]),
    }


def _mutant_row(rows: pd.DataFrame) -> dict[str, object]:
    caught = rows[rows["verdict"] == _PASSED]
    by_proof = int((caught["caught_by"] == "formal").sum())
    uncaught = rows[rows["verdict"] != _PASSED]["fault"]
    return {
        "variants": named_variants(rows["variant"], VARIANTS),
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
