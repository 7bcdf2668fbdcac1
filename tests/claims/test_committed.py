"""The committed ledger on the committed tables: nothing fails, and no table can be perturbed unseen."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from unison import paths
from unison.claims import Ledger, Tables, Verdict, due_products, evaluate, load_ledger, read_record
from unison.claims.record import PRODUCT
from unison.report.claims import claims_frame
from unison.report.figures import csv_text, rounded

STEMS = sorted({stem for claim in load_ledger().values() for stem in claim.stems})


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables that claims read, with a record of claims made from them."""
    folder = tmp_path_factory.mktemp("copy") / "figures"
    committed = Tables.of(paths.FIGURES)
    for stem in STEMS:
        target = folder / f"{stem}.csv"
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(committed.path(stem), target)
    frame = claims_frame(evaluate(load_ledger(), Tables.of(folder)))
    (folder / f"{PRODUCT}.csv").write_text(csv_text(rounded(frame)), encoding="utf-8")
    return folder


def failed(folder: Path, ledger: Ledger) -> set[str]:
    tables = Tables.of(folder)
    found = evaluate(ledger, tables, due=due_products(), record=read_record(tables))
    return {result.claim.id for result in found if result.is_failed}


def test_the_committed_record_fits_the_committed_tables():
    tables = Tables.of(paths.FIGURES)
    found = evaluate(load_ledger(), tables, due=due_products(), record=read_record(tables))
    assert [(result.claim.id, result.why) for result in found if result.is_failed] == []
    assert read_record(tables) is not None, "figures/claims.csv is missing: run make claims"


def test_every_claim_that_differs_has_the_reason_found():
    found = evaluate(load_ledger(), Tables.of(paths.FIGURES))
    bare = [r.claim.id for r in found if r.verdict == Verdict.DIFFERS and not r.claim.differs_because]
    assert bare == []


@pytest.mark.parametrize("stem", STEMS)
@pytest.mark.parametrize("damage", ["perturbed", "removed"])
def test_perturbing_or_removing_a_table_fails_every_claim_that_reads_it(copied: Path, stem: str, damage: str):
    ledger = load_ledger()
    path = copied / f"{stem}.csv"
    whole = path.read_bytes()
    assert failed(copied, ledger) == set()
    try:
        if damage == "removed":
            path.unlink()
        else:
            path.write_bytes(perturbed(whole))
        assert failed(copied, ledger) == {name for name, claim in ledger.items() if stem in claim.stems}
    finally:
        path.write_bytes(whole)


def perturbed(content: bytes) -> bytes:
    """The table with the last of its digits changed."""
    at = max(content.rfind(str(digit).encode()) for digit in range(10))
    return content[:at] + str((int(content[at : at + 1]) + 1) % 10).encode() + content[at + 1 :]
