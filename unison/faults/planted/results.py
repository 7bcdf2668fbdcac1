"""Faults of metrics, files, products and claims."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import numpy as np

import unison.files as files
from unison import metrics, paths
from unison.checks.claims import check_claims, claims_record
from unison.checks.files import check_whole_files
from unison.checks.measures import check_measures
from unison.checks.products import check_products, check_stamp
from unison.errors import UnisonError
from unison.faults.planting import another_digit, patched, rewritten
from unison.faults.registry import fault
from unison.notebooks.layout import Layout
from unison.notebooks.runner import checked_parameters
from unison.notebooks.series import entry_of, load_series, read_notebook
from unison.notebooks.stamps import Stamp, notebook_inputs


@fault("a hit counted twice", "metrics", check_measures)
def hit_counted_twice(folder: Path) -> Iterator[None]:
    """A hit in the first tier counts once for its tier and once more for the store."""

    def twice(m: metrics.Measured) -> float:
        return float((m.outcomes.is_hit.astype(np.int64) + (m.outcomes.hit_tier == 0)).mean())

    changed = tuple(replace(m, compute=twice) if m.name == "hit_rate" else m for m in metrics.METRICS)
    with patched(metrics, "METRICS", changed):
        yield


@fault("a half-written file", "files", check_whole_files, arguments=lambda folder: (folder,))
def half_written_file(folder: Path) -> Iterator[None]:
    """Files are written in place, not beside it and moved."""

    @contextmanager
    def in_place(path: Path) -> Iterator[Path]:
        yield path

    with patched(files, "atomic_path", in_place):
        yield


# --- stamps ---------------------------------------------------------------------------------------------


def _finished_notebook(folder: Path) -> None:
    """A copy of the first notebook, products for it, and the stamp of a finished run."""
    source = load_series(paths.NOTEBOOKS)[0].path
    shutil.copy(source, folder / source.name)
    [stamp] = _stamp(folder)
    entry = load_series(folder)[0]
    products = [folder / "figures" / name for name in entry.files]
    for product in products:
        files.write_text(product, f"{product.name}\n0.125\n")
    stamp.write(products)


def _stamp(folder: Path) -> tuple[Stamp]:
    [path] = folder.glob("*.ipynb")
    entry = entry_of(path, read_notebook(path))
    inputs = notebook_inputs(entry, checked_parameters(entry, {"profile": "full"}), None, {})
    return (Stamp(folder / "stamps" / f"{entry.name}.json", inputs),)


@fault("a stale notebook", "products", check_stamp, arguments=_stamp, prepare=_finished_notebook)
def stale_notebook(folder: Path) -> Iterator[None]:
    """A notebook is edited after its products were stamped."""
    [path] = folder.glob("*.ipynb")
    with rewritten(path, path.read_bytes() + b"\n"):
        yield


@fault(
    "a product altered after its stamp", "products", check_stamp, arguments=_stamp, prepare=_finished_notebook
)
def product_altered_after_its_stamp(folder: Path) -> Iterator[None]:
    """One digit of a finished notebook's table is another."""
    path = min((folder / "figures").glob("*.csv"))
    with rewritten(path, another_digit(path)):
        yield


# --- committed tables -----------------------------------------------------------------------------------


def _copied_tables(target: Path) -> list[Path]:
    """Copies of the committed tables.

    Raises
    ------
    UnisonError
        If there is none.
    """
    tables = sorted(paths.FIGURES.glob("*.csv"))
    if not tables:
        raise UnisonError("figures/: no table to perturb; make them first: unison reproduce")
    target.mkdir(parents=True)
    return [Path(shutil.copy(table, target)) for table in tables]


def _layouts(folder: Path) -> tuple[Layout, Layout]:
    return Layout.under(folder / "committed"), Layout.under(folder / "fresh")


def _two_layouts(folder: Path) -> None:
    committed, fresh = _layouts(folder)
    _copied_tables(committed.figures)
    shutil.copytree(committed.figures, fresh.figures)


@fault("a table edited by hand", "products", check_products, arguments=_layouts, prepare=_two_layouts)
def table_edited_by_hand(folder: Path) -> Iterator[None]:
    """One digit of a committed table is not as a fresh run makes it."""
    path = max(_layouts(folder)[0].figures.glob("*.csv"))
    with rewritten(path, another_digit(path)):
        yield


def _evaluated_claims(folder: Path) -> None:
    _copied_tables(folder / "figures")
    record = claims_record(folder / "figures")
    if not record:
        raise UnisonError("data/claims.toml: no claim holds on figures/; make them first: unison reproduce")
    files.write_text(folder / "record.json", json.dumps(record))


def _recorded(folder: Path) -> tuple[Path, dict[str, dict[str, str]]]:
    return folder / "figures", json.loads((folder / "record.json").read_text(encoding="utf-8"))


@fault("a perturbed table", "claims", check_claims, arguments=_recorded, prepare=_evaluated_claims)
def perturbed_table(folder: Path) -> Iterator[None]:
    """One digit of a table that claims are evaluated from is another."""
    figures, record = _recorded(folder)
    stem = min(stem for tables in record.values() for stem in tables)
    path = figures / f"{stem}.csv"
    with rewritten(path, another_digit(path)):
        yield
