"""One real run of the benchmark on the smallest corpus, for all its tests."""

from __future__ import annotations

from typing import Any

import pytest

from unison.bench import report

SMALL = "gaia-gemma4"
PLAN = report.Plan(runs=1, long_runs=1, corpora=(SMALL,), live=(64,))


@pytest.fixture(scope="session")
def document() -> dict[str, Any]:
    """The document of that run; a test that changes it copies it first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(report, "CORPUS", SMALL)
        return report.bench(PLAN)
