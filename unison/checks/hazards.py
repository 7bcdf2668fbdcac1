"""The hazard table is what counting sessions one by one gives."""

from __future__ import annotations

import unison.hazard as hazard
from unison.checks.failed import CheckFailed

MAX_TURN = 8


def check_hazard() -> None:
    """Fit a table to sessions of 1 to 12 turns, a third of them cut off, and count them by hand.

    Raises
    ------
    CheckFailed
        If a turn's hazard is not d(t) / n(t) (EQUATIONS eq. 5).
    """
    turns = [1 + (7 * index) % 12 for index in range(60)]
    completed = [int(index % 3 != 0) for index in range(60)]
    table = hazard.TurnHazard(max_turn=MAX_TURN, n_min=0).fit(turns, completed)
    for turn in range(1, MAX_TURN):
        at_risk = sum(count >= turn for count in turns)
        ended = sum(count == turn and done == 1 for count, done in zip(turns, completed, strict=True))
        found = float(table.hazard_[turn - 1])
        if found != ended / at_risk:
            raise CheckFailed(f"h({turn}) is {found:.6f}; {ended} of {at_risk} sessions at risk ended there")
