"""A small run of the mixed regime that several tests share."""

from __future__ import annotations

import pytest

from unison.experiments.flash_cells import Cell, Prepared


@pytest.fixture(scope="session")
def small_cell():
    """The setting of the reference GPU, mixed regime, at the size of the smoke profile."""
    prepared = Prepared(Cell("mixed", "llama-4-maverick", "hbm2", "tight", profile="smoke"))
    prepared.shorten(2_500)
    return prepared.setting
