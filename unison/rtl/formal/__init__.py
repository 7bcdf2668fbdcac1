"""Formal properties of the generated Verilog and their proofs."""

from unison.rtl.formal.catalogue import proofs
from unison.rtl.formal.proof import Method, Proof, Result, refute, run_proof

__all__ = ["Method", "Proof", "Result", "proofs", "refute", "run_proof"]
