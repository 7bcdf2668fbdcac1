"""Imports Pyverilog, which leaves a file of its own open, before a warning of that can become an error."""

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", ResourceWarning)
    import pyverilog

__all__ = ["pyverilog"]
