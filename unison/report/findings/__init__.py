"""Findings: what figures and tables show, in sentences made from their numbers."""

from unison.report.findings.flash import (
    flash_corpora_finding,
    flash_fit_finding,
    flash_gap_finding,
    flash_grid_finding,
    flash_guard_finding,
    flash_inputs_finding,
    flash_occupancy_finding,
    flash_pareto_finding,
    flash_path_finding,
    flash_predictors_finding,
    flash_told_finding,
    flash_wear_finding,
)
from unison.report.findings.hazard import (
    folds_finding,
    hazard_finding,
    online_finding,
    scores_finding,
    survival_finding,
)
from unison.report.findings.policies import (
    causes_finding,
    definitions_finding,
    gain_finding,
    rivals_finding,
    seeds_finding,
    sensitivity_finding,
    size_finding,
    ttft_finding,
)
from unison.report.findings.surface import surface_finding
from unison.report.findings.traces import gaps_finding, live_finding, turns_finding

__all__ = [
    "causes_finding",
    "definitions_finding",
    "flash_corpora_finding",
    "flash_fit_finding",
    "flash_gap_finding",
    "flash_grid_finding",
    "flash_guard_finding",
    "flash_inputs_finding",
    "flash_occupancy_finding",
    "flash_pareto_finding",
    "flash_path_finding",
    "flash_predictors_finding",
    "flash_told_finding",
    "flash_wear_finding",
    "folds_finding",
    "gain_finding",
    "gaps_finding",
    "hazard_finding",
    "live_finding",
    "online_finding",
    "rivals_finding",
    "scores_finding",
    "seeds_finding",
    "sensitivity_finding",
    "size_finding",
    "surface_finding",
    "survival_finding",
    "ttft_finding",
    "turns_finding",
]
