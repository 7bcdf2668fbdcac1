"""Lines and points of single corpora: colour by model, stroke and marker by workload."""

from __future__ import annotations

from typing import Any

from unison.report.plots.panels import model_colour

_STROKES = {"swe": ("-", "o"), "gaia": ("--", "s")}


def corpus_line(corpus: str) -> dict[str, Any]:
    """The keyword arguments of ``Axes.plot`` for a corpus: label, color, linestyle, marker."""
    linestyle, marker = _STROKES.get(corpus.split("-")[0], ("-", "o"))
    return {"label": corpus, "color": model_colour(corpus), "linestyle": linestyle, "marker": marker}
