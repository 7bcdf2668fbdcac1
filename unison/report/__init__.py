"""Figures and tables: one style, one way to save, the same bytes on every run."""

from unison.report.figures import SavedFigure, rounded, save_figure
from unison.report.products import Products
from unison.report.style import direct_labels, figure_style, new_figure, policy_line, policy_look
from unison.report.tables import Column, SavedTable, markdown_table, read_table, save_table, show_table

__all__ = [
    "Column",
    "Products",
    "SavedFigure",
    "SavedTable",
    "direct_labels",
    "figure_style",
    "markdown_table",
    "new_figure",
    "policy_line",
    "policy_look",
    "read_table",
    "rounded",
    "save_figure",
    "save_table",
    "show_table",
]
