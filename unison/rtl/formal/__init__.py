"""Formal properties of the generated Verilog and their proofs."""

from unison.rtl.formal.catalogue import proofs
from unison.rtl.formal.proof import Method, Proof, Result, refute, run_proof
from unison.rtl.formal.run import (
    formal_plan,
    formal_table,
    full_plan,
    run_formal,
    save_formal,
    small_config,
)

__all__ = [
    "Method",
    "Proof",
    "Result",
    "formal_plan",
    "formal_table",
    "full_plan",
    "proofs",
    "refute",
    "run_formal",
    "run_proof",
    "save_formal",
    "small_config",
]
