"""Faults planted on purpose, one or more at each stage, and the check that has to catch each."""

from unison.faults.registry import Fault, all_faults
from unison.faults.runner import Finding, run_faults

__all__ = ["Fault", "Finding", "all_faults", "run_faults"]
