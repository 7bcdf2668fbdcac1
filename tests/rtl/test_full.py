"""The long cosimulation: its tables, and for which Verilog they hold."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from unison.report.tables import read_table, save_table
from unison.rtl import full
from unison.rtl.config import VARIANTS, default_config
from unison.rtl.cosim import compare
from unison.rtl.cosim.toolchain import Skipped, Toolchain
from unison.rtl.full import SUMMARY, committed_results
from unison.rtl.generate import render_ip

N = 16
CORPUS, ENVELOPE = "gaia-gemma4", "edge"


def test_results_of_other_verilog_are_skipped(tmp_path: Path) -> None:
    assert isinstance(committed_results(tmp_path), Skipped)
    rows = [
        {
            "variant": variant,
            "configuration": f"0x{(config := default_config(variant)).hash32:08x}",
            "verilog": f"sha256:{compare.verilog_digest(render_ip(config))}",
            "result": "PASS",
        }
        for variant in VARIANTS
    ]
    save_table(pd.DataFrame(rows), SUMMARY, out=tmp_path)
    assert isinstance(committed_results(tmp_path), pd.DataFrame)
    save_table(pd.DataFrame(rows[:-1]), SUMMARY, out=tmp_path)
    assert "has not been run for variant dual" in str(committed_results(tmp_path))
    for column in ("configuration", "verilog"):
        save_table(pd.DataFrame([{**row, column: "0xother"} for row in rows]), SUMMARY, out=tmp_path)
        assert "made with other Verilog than there is now" in str(committed_results(tmp_path))


def test_the_full_run_writes_tables_that_are_its_own(
    tools: Toolchain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    del tools
    monkeypatch.setattr(full, "VARIANTS", ("score_scan",))
    monkeypatch.setattr(full, "CORPORA", (CORPUS,))
    monkeypatch.setattr(full, "campaign_configs", lambda: [default_config("score_scan", N)])
    monkeypatch.setattr(full, "RANDOM_EVENTS", 1500)
    monkeypatch.setattr(full, "RANDOM_ACCESSES", 1500)
    summary = full.run_full(tmp_path, jobs=1)
    assert isinstance(summary, pd.DataFrame)
    (row,) = summary.to_dict("records")
    assert (row["cells"], row["result"], row["mismatches"], row["random_mismatches"]) == (6, "PASS", 0, 0)
    assert row["random_events"] >= 1500
    assert row["random_accesses"] >= 1500
    cells = read_table(full.CELLS, out=tmp_path)
    assert int(cells["events"].sum()) == row["events"]
    committed = committed_results(tmp_path)
    assert isinstance(committed, pd.DataFrame)
    assert committed["result"].tolist() == ["PASS"]
    text = (tmp_path / f"{SUMMARY}.md").read_text()
    assert "0.44" in text  # 66 cycles at 150 MHz
    assert "Made by `make rtl-full`." in text
