"""Checks of the generated Verilog that need no simulation: Pyverilog, Verilator's lint and Yosys."""

from unison.rtl.checks import quiet
from unison.rtl.checks.findings import Finding, Outcome, Verdict
from unison.rtl.checks.run import check_ip, check_texts

__all__ = ["Finding", "Outcome", "Verdict", "check_ip", "check_texts", "quiet"]
