"""The generated parts of README.md: tables that come from the registries and from the committed products."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pandas as pd

import unison.policies  # noqa: F401 (registers the policies)
from unison.errors import UnisonError, unknown_name
from unison.notebooks.series import load_series, short
from unison.paths import FIGURES, NOTEBOOKS
from unison.policies.registry import all_policies
from unison.report.tables import Column, markdown_table, read_table
from unison.traces.importers import all_importers

_BLOCK = re.compile(r"(<!-- generated: (?P<name>[a-z_]+) -->\n)(?P<old>.*?)(<!-- end -->)", re.DOTALL)


def fill(text: str) -> str:
    """The text with every block ``<!-- generated: NAME --> ... <!-- end -->`` made anew.

    Parameters
    ----------
    text : str
        Of README.md.

    Raises
    ------
    UnisonError
        If a block's name is unknown, there is no block, or a product that a block shows is missing.
    """

    def replace(match: re.Match[str]) -> str:
        name = match["name"]
        if name not in BLOCKS:
            raise unknown_name("generated block", name, BLOCKS)
        return f"{match[1]}\n{BLOCKS[name]()}\n{match[4]}"

    filled, blocks = _BLOCK.subn(replace, text)
    if not blocks:
        raise UnisonError("no block '<!-- generated: NAME -->'; expected README.md with its markers")
    return filled


def policies_block() -> str:
    """Every registered policy."""
    rows = [
        {
            "name": f"`{entry.name}`",
            "info": str(entry.info),
            "completion": entry.sees_completion,
            "title": entry.title,
            "citation": entry.citation,
        }
        for entry in all_policies()
    ]
    columns = (
        Column("name", "Policy"),
        Column("info", "Knows"),
        Column("completion", "Sees completion"),
        Column("title", "Evicts first"),
        Column("citation", "Source"),
    )
    return markdown_table(pd.DataFrame(rows), columns)


def formats_block() -> str:
    """Every log format that `unison import` reads."""
    rows = [{"name": f"`{e.name}`", "title": e.title, "path": e.path_help} for e in all_importers()]
    columns = (Column("name", "FORMAT"), Column("title", "What it is"), Column("path", "PATH"))
    return markdown_table(pd.DataFrame(rows), columns)


def products_block() -> str:
    """Every figure and table: where it is shown, the command that makes it, minutes and files."""
    rows = [
        {
            "product": f"`{stem}`",
            "notebook": f"[{entry.name}](notebooks/rendered/{entry.name}.md)",
            "command": f"`make {short(stem)}`",
            "smoke": entry.minutes["smoke"],
            "full": entry.minutes["full"],
            "output": f"[figures/{stem}.csv](figures/{stem}.csv)",
        }
        for entry in load_series(NOTEBOOKS)
        for stem in entry.products
    ]
    columns = (
        Column("product", "Product"),
        Column("notebook", "Shown in"),
        Column("command", "Command"),
        Column("smoke", "Smoke", "min", 1),
        Column("full", "Full", "min", 1),
        Column("output", "Data"),
    )
    return markdown_table(pd.DataFrame(rows), columns)


def comparison_block() -> str:
    """Gain in hit rate over LRU of every policy, on the synthetic corpora and on the real traces."""
    synthetic = read_table("tab02_policies", out=FIGURES)
    real = read_table("real_tab02", out=FIGURES / "real")
    groups = {"SWE, synthetic": "swe-", "GAIA, synthetic": "gaia-"}
    columns = [Column("policy", "Policy"), Column("info", "Knows"), Column("completion", "Sees completion")]
    table = synthetic.drop_duplicates("policy")[["policy", "info", "sees_completion"]].set_index("policy")
    table = table.rename(columns={"sees_completion": "completion"})
    for title, prefix in groups.items():
        chosen = synthetic[synthetic["corpus"].str.startswith(prefix)]
        table[title] = chosen.groupby("policy")["hit_gain"].mean() * 100
        columns.append(Column(title, title, decimals=1, signed=True))
    for corpus, rows in real[real["sessions"] >= MIN_SESSIONS].groupby("corpus", sort=False):
        rows = rows.set_index("policy")
        table[corpus] = [_real_cell(rows, policy) for policy in table.index]
        columns.append(Column(str(corpus), str(corpus).replace("_", " ")))
    return markdown_table(table.reset_index(), columns)


MIN_SESSIONS = 10
"""Real corpora with fewer sessions are left out of the comparison."""


def _real_cell(rows: pd.DataFrame, policy: str) -> str:
    if policy not in rows.index:
        return "–"
    row = rows.loc[policy]
    return f"{100 * row['hit_gain']:+z.1f} ({row['win']}/{row['tie']}/{row['loss']})"


BLOCKS: dict[str, Callable[[], str]] = {
    "policies": policies_block,
    "formats": formats_block,
    "products": products_block,
    "comparison": comparison_block,
}


def refresh(path: Path) -> tuple[str, str]:
    """The text of a file and what it should be."""
    text = path.read_text(encoding="utf-8")
    return text, fill(text)
