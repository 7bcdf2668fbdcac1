"""Plots: one module a figure, each a pure function from a tidy frame to a matplotlib figure."""

from unison.report.plots.capacity import plot_capacity
from unison.report.plots.cell import plot_cell
from unison.report.plots.cycles import plot_cycles
from unison.report.plots.dual import plot_dual
from unison.report.plots.evictor_tide import plot_evictor_tide
from unison.report.plots.flash import (
    plot_flash_kept,
    plot_flash_predictors,
    plot_flash_years,
)
from unison.report.plots.flash_moves import plot_flash_occupancy, plot_flash_pareto
from unison.report.plots.gaps import plot_gaps
from unison.report.plots.hazard import plot_hazard
from unison.report.plots.headlines import plot_headlines
from unison.report.plots.hit_rate import plot_gain, plot_hit_rate
from unison.report.plots.ip_blocks import plot_ip_blocks
from unison.report.plots.leave_one_out import plot_leave_one_out
from unison.report.plots.live_set import plot_live_set
from unison.report.plots.miss_causes import plot_miss_causes
from unison.report.plots.online import plot_online
from unison.report.plots.parameters import plot_parameters
from unison.report.plots.quantization import plot_quantization
from unison.report.plots.skipped import plot_skipped
from unison.report.plots.slots import plot_slots
from unison.report.plots.surface import place_label, plot_surface, surface_data
from unison.report.plots.survival import plot_survival
from unison.report.plots.timing import plot_timing
from unison.report.plots.ttft_load import plot_ttft_load
from unison.report.plots.turns import plot_turns

__all__ = [
    "place_label",
    "plot_capacity",
    "plot_cell",
    "plot_cycles",
    "plot_dual",
    "plot_evictor_tide",
    "plot_flash_kept",
    "plot_flash_occupancy",
    "plot_flash_pareto",
    "plot_flash_predictors",
    "plot_flash_years",
    "plot_gain",
    "plot_gaps",
    "plot_hazard",
    "plot_headlines",
    "plot_hit_rate",
    "plot_ip_blocks",
    "plot_leave_one_out",
    "plot_live_set",
    "plot_miss_causes",
    "plot_online",
    "plot_parameters",
    "plot_quantization",
    "plot_skipped",
    "plot_slots",
    "plot_surface",
    "plot_survival",
    "plot_timing",
    "plot_ttft_load",
    "plot_turns",
    "surface_data",
]
