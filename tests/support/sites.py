"""A small made-up project with a run of its series, to build a site from."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pandas as pd

from unison.notebooks.layout import Layout
from unison.report import figure_style, new_figure, policy_line, save_figure

NOTEBOOK = """\
<!-- Made from notebooks/01_small.ipynb by `unison reproduce`; edit that. -->

# 01. What is small?

Spear's hazard is $h(t) = d(t) / n(t)$; see [the next](../02_next.ipynb) and [nothing](../99_gone.ipynb).

```python
profile = "smoke"

table = "tab01_small"
```

## First part

```python
products.table(frame, "tab01_small")
```

| Policy | Hit rate [%] |
| ------ | -----------: |
| lru    |         12.3 |

## Second part

![One line that goes up.](../../figures/fig01_small.png)

*Hit rate against load. Corpus: small; seed 0.*

The line ends at 3.0.

## Third part

Nothing else.
"""

README = """\
# Small

It shows *one* thing.

![One line.](figures/fig01_small.png)

## What came out

- It goes up, see [the code](unison/small.py), [the notebook](notebooks/rendered/01_small.md)
  and [a folder](data).

## What is not reproduced, and why

- The rest.

## Threats to validity

- **Size.** It is small.
"""

MODULE = '''\
"""A package of one function."""

SIZE = 3
"""How many there are."""


def reached(corpus: str, *, seed: int = 0, **options: object) -> list[str]:
    """The sessions that are reached; see `SIZE`.

    Parameters
    ----------
    corpus : str
        Its name.
    **options
        Passed on.
    """
    raise NotImplementedError


def _hidden() -> None:
    """Private."""
'''


def grid_frame() -> pd.DataFrame:
    """A grid in which Unison's gain falls with dispersion down to a loss, and rises with the share."""
    rows = []
    for corpus, level in (("swe-small", 0.2), ("gaia-small", 0.4)):
        for dispersion, share, capacity in product((0.0, 1.0, 2.0), (0.0, 0.5, 1.0), (0.25, 0.5, 1.0, 2.0)):
            base = min(0.95, level + 0.2 * capacity)
            unison = 0.06 - 0.04 * dispersion + 0.01 * share
            bound = 0.09 - 0.01 * dispersion + 0.005 * share
            gains = {"lru": 0.0, "lru_completion": 0.012, "spear+tide": unison, "belady": bound}
            for policy, gain in gains.items():
                gain *= 2 - capacity / 2
                rows.append(
                    {
                        "corpus": corpus, "dispersion": dispersion, "session_share": share,
                        "capacity_share": capacity, "policy": policy, "hit_rate": base + gain,
                        "low": base + gain - 0.01, "high": base + gain + 0.01, "gain_low": gain - 0.005,
                        "gain_high": gain + 0.005, "token_hit_rate": 0.8 * (base + gain),
                    }
                )  # fmt: skip
    return pd.DataFrame(rows).round(5)


CLAIMS = pd.DataFrame(
    [
        {
            "id": "small.up", "place": "Table I", "statement": "It goes *up*", "paper": "3", "ours": 3.0,
            "unit": "1", "grade": "prose", "rule": "direction", "verdict": "reproduced", "why": "",
            "command": "make tab01", "tables": "fig01_small=abc",
        },
        {
            "id": "small.far", "place": "Table I", "statement": "It goes far", "paper": "30", "ours": 3.0,
            "unit": "1", "grade": "notes", "rule": "direction", "verdict": "differs", "why": "other traces",
            "command": "make tab01", "tables": "tab01_small=abc",
        },
    ]
)  # fmt: skip


def write_project(root: Path) -> Path:
    """A made-up project: a README and a package of one module."""
    (root / "unison").mkdir(parents=True)
    (root / "README.md").write_text(README, encoding="utf-8")
    (root / "unison" / "__init__.py").write_text('"""The whole."""\n', encoding="utf-8")
    (root / "unison" / "small.py").write_text(MODULE, encoding="utf-8")
    return root


def write_run(folder: Path) -> Layout:
    """A made-up run: one notebook with a figure, Table II, the grid and the ledger."""
    layout = Layout.under(folder)
    layout.rendered.mkdir(parents=True)
    (layout.rendered / "01_small.md").write_text(NOTEBOOK, encoding="utf-8")
    (layout.rendered / "02_next.md").write_text("# 02. Next\n\nNothing.\n", encoding="utf-8")
    data = pd.DataFrame({"load": [1.0, 2.0], "hit_rate": [1.0, 3.0]})
    with figure_style():
        figure, axes = new_figure()
        axes.plot(data["load"], data["hit_rate"], **policy_line("lru"))
    save_figure(figure, "fig01_small", data, out=layout.figures, caption="Up.", alt="One line that goes up.")
    data.to_csv(layout.figures / "tab01_small.csv", index=False)
    policies = [
        ("lru", 0.0),
        ("lru_completion", 0.01),
        ("spear", -0.03),
        ("spear+tide", 0.05),
        ("belady", 0.06),
    ]
    table = [{"corpus": "swe-small", "policy": name, "hit_gain": gain} for name, gain in policies]
    pd.DataFrame(table).to_csv(layout.figures / "tab02_policies.csv", index=False)
    grid_frame().to_csv(layout.figures / "tab09_grid.csv", index=False)
    CLAIMS.to_csv(layout.figures / "claims.csv", index=False)
    return layout
