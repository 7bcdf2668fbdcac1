"""Pictures of an open notebook, written as SVG from the numbers: moving a control lays out no figure."""

from unison.report.live.ranking import live_ranking
from unison.report.live.residency import live_residency

__all__ = ["live_ranking", "live_residency"]
