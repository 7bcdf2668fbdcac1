"""Committed tables of the long runs: each row says which Verilog it is about, and is shown for no other."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pandas as pd

from unison.errors import UnisonError
from unison.paths import FIGURES
from unison.report.tables import read_table
from unison.rtl.config import Config
from unison.rtl.cosim.compare import verilog_digest
from unison.rtl.cosim.toolchain import Skipped
from unison.rtl.generate import render_ip

FOLDER = FIGURES / "rtl"
"""Where they are."""


def about(config: Config) -> dict[str, str]:
    """What a row says of the Verilog that it is about.

    Parameters
    ----------
    config : Config

    Returns
    -------
    dict of str to str
        ``configuration``, its label, and ``verilog``, the digest of the text that is generated for it.
    """
    digest = f"sha256:{verilog_digest(render_ip(config))}"
    return {"configuration": config.label, "verilog": digest}


def committed_rows(
    stem: str, configs: Iterable[Config], *, command: str, folder: Path = FOLDER
) -> pd.DataFrame | Skipped:
    """A committed table, if each of its rows is about the Verilog that a configuration has now.

    Parameters
    ----------
    stem : str
    configs : iterable of Config
        Those that rows may be about.
    command : str
        What makes the table, for people.
    folder : pathlib.Path
    """
    try:
        table = read_table(stem, out=folder)
    except UnisonError:
        return Skipped(f"there is no {stem}.csv of a run; `{command}` makes it")
    if not {"configuration", "verilog"} <= set(table.columns):
        return Skipped(f"{stem}.csv does not say which Verilog it is about; `{command}` makes it anew")
    known = {tuple(about(config).values()) for config in configs}
    if not set(zip(table["configuration"], table["verilog"], strict=True)) <= known:
        return Skipped(f"{stem}.csv was made with other Verilog than there is now; `{command}` makes it anew")
    return table
