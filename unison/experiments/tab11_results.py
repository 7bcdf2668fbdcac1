"""Results of the long runs on the hardware, as far as they are about the Verilog that is generated now."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unison.rtl.config import VARIANTS
from unison.rtl.cosim.toolchain import SKIPPED, Skipped
from unison.rtl.full import SUMMARY_COLUMNS, committed_results

RESULT, REASON = "result", "skipped"
"""Columns that every table of results has: how a row ended, and why it was not run (else missing)."""

ALL_MISMATCHES = "mismatches_all"
"""Column with the mismatches of replayed and of random events together."""


def cosimulation_table() -> pd.DataFrame:
    """The long cosimulation, a row a variant.

    Returns
    -------
    pandas.DataFrame
        The columns of `unison.rtl.full.SUMMARY_COLUMNS`, `ALL_MISMATCHES` and ``skipped``; where the
        committed results are missing or about other Verilog, a row a variant that says SKIPPED and why,
        without any number.
    """
    found = committed_results()
    columns = [*(column.name for column in SUMMARY_COLUMNS), ALL_MISMATCHES]
    if not isinstance(found, Skipped):
        found = found.assign(**{ALL_MISMATCHES: found["mismatches"] + found["random_mismatches"]})
    return or_skipped(found, "variant", VARIANTS, columns)


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
