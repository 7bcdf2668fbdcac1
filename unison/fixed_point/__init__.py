"""The integer contract of the hardware: widths, arithmetic, columns over turns, and the integer ranking.

`arithmetic` is the specification in plain whole numbers, `columns` the same in NumPy, `signals` a trace as
the hardware sees it. Integer signals flow where float ones do: `Signals` to `IntegerSignals` to `Ranking`.
"""

from unison.fixed_point.contract import Contract, paper_contract, stored_penalty
from unison.fixed_point.signals import IntegerSignals, integer_ranking, integer_signals

__all__ = [
    "Contract",
    "IntegerSignals",
    "integer_ranking",
    "integer_signals",
    "paper_contract",
    "stored_penalty",
]
