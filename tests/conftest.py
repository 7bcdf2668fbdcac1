"""What every test shares: the environment that `make` sets, seeded properties, slow tests last."""

from __future__ import annotations

import os

import hypothesis
import pytest

for _name, _value in {
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "TZ": "UTC",
    "SOURCE_DATE_EPOCH": "1767225600",
}.items():
    os.environ.setdefault(_name, _value)

# Derandomised, so that a run is the same everywhere; no deadline, since a compilation may fall in a test.
hypothesis.settings.register_profile("unison", derandomize=True, deadline=None)
hypothesis.settings.load_profile("unison")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the slow tests after all others, so that a small mistake shows early."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is not None)
