"""The integer contract of the hardware: widths, arithmetic, columns over turns, and the integer ranking."""

from unison.fixed_point.contract import Contract, paper_contract, stored_penalty

__all__ = ["Contract", "paper_contract", "stored_penalty"]
