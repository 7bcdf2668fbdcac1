"""Completion hazard by turn: how likely a session ends at the turn it has reached."""

from unison.hazard.estimator import TurnHazard
from unison.hazard.learning import OnlineTable, fit_corpus, online_tables
from unison.hazard.scoring import HazardScores, score_hazard

__all__ = ["HazardScores", "OnlineTable", "TurnHazard", "fit_corpus", "online_tables", "score_hazard"]
