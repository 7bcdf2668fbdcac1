"""The small ledger of `support.claims`, read, with its tables in a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.claims import LEDGER, write_tables

from unison.claims import Ledger, Tables, read_ledger


@pytest.fixture
def read(tmp_path: Path) -> Callable[[str], Ledger]:
    """Reads a ledger from its text."""

    def ledger(text: str) -> Ledger:
        path = tmp_path / "claims.toml"
        path.write_text(text, encoding="utf-8")
        return read_ledger(path)

    return ledger


@pytest.fixture
def ledger(read: Callable[[str], Ledger]) -> Ledger:
    return read(LEDGER)


@pytest.fixture
def figures(tmp_path: Path) -> Path:
    write_tables(tmp_path / "figures")
    return tmp_path / "figures"


@pytest.fixture
def tables(figures: Path) -> Tables:
    return Tables.of(figures)
