"""Products: where a notebook puts its figures and tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from unison import paths
from unison.report.figures import SavedFigure, save_figure
from unison.report.tables import Column, SavedTable, save_table


@dataclass(frozen=True)
class Products:
    """The output folder of one run of a notebook, from its ``out_dir`` parameter.

    In a notebook, right after the parameters::

        products = Products(out_dir)
        ...
        products.figure(figure, "fig02_gaps", data, caption="...", alt="...")

    Attributes
    ----------
    out_dir : str
        A folder; ``""`` is ``build/smoke/figures``, which opening the notebook by hand writes to.
    saved : list of str
        Stems of what has been saved so far.
    """

    out_dir: str = ""
    saved: list[str] = field(default_factory=list, compare=False)

    @property
    def folder(self) -> Path:
        """The folder, anchored at the project's root if relative."""
        return paths.ROOT / self.out_dir if self.out_dir else paths.BUILD / "smoke" / "figures"

    def figure(self, figure: Figure, stem: str, data: pd.DataFrame, *, caption: str, alt: str) -> SavedFigure:
        """Save a figure here; see `unison.report.figures.save_figure`."""
        self.saved.append(stem)
        return save_figure(figure, stem, data, out=self.folder, caption=caption, alt=alt)

    def table(
        self, frame: pd.DataFrame, stem: str, *, columns: Sequence[Column] = (), caption: str = ""
    ) -> SavedTable:
        """Save a table here; see `unison.report.tables.save_table`."""
        self.saved.append(stem)
        return save_table(frame, stem, out=self.folder, columns=columns, caption=caption)
