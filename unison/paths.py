"""Places of the project, anchored at its root so that notebooks run from any directory."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DATA = ROOT / "data"
CALIBRATION = DATA / "calibration"
CORPORA = DATA / "corpora"
FIGURES = ROOT / "figures"
NOTEBOOKS = ROOT / "notebooks"
BUILD = ROOT / "build"
