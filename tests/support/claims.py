"""A small ledger with a claim of every rule, and the tables that it reads."""

from __future__ import annotations

from pathlib import Path

HEAD = """
place = "Table II"
statement = "It is so"
unit = "1"
grade = ["P"]
command = "make tab02"
"""

LEDGER = f"""
[[claim]]
id = "a.exact"
rule = "exact"
paper = 3
tolerance = 0
ours = {{ table = "tab01_count", column = "n", reduce = "sum" }}
{HEAD}
[[claim]]
id = "a.gate"
rule = "gate"
paper = 0.9
tolerance = 0
expect = ">= paper"
ours = {{ table = "tab02_rates", column = "rate", reduce = "min" }}
{HEAD}
[[claim]]
id = "a.direction"
rule = "direction"
paper = 0.5
tolerance = 0.05
expect = "> 0"
ours = {{ table = "tab03_gains", column = "gain", reduce = "mean" }}
{HEAD}
[[claim]]
id = "a.hardware"
rule = "hardware"
paper = 40
tolerance = 0
expect = "<= paper"
ours = {{ table = "tab07_area", column = "lut" }}
{HEAD}
[[claim]]
id = "a.inconsistent"
rule = "inconsistent"
paper = "two counts"
arithmetic = "multiple"
stated = {{ count = "a.exact", group = [2] }}
{HEAD}
"""

TABLES = {
    "tab01_count": "n\n1\n2\n",
    "tab02_rates": "rate\n0.95\n0.9\n",
    "tab03_gains": "corpus,gain\nx,1.0\ny,3.0\n",
    "tab07_area": "lut\n30\n",
}
RULES = {
    "exact": "tab01_count", "gate": "tab02_rates", "direction": "tab03_gains", "hardware": "tab07_area",
}  # fmt: skip
"""The table that the claim of each rule reads."""


def write_tables(folder: Path) -> None:
    """Write the tables of the small ledger."""
    folder.mkdir(parents=True, exist_ok=True)
    for stem, text in TABLES.items():
        (folder / f"{stem}.csv").write_text(text, encoding="utf-8")
