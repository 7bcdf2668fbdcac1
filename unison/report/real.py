"""Results on real traces: written from the inputs at hand, kept from the committed files for the others."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from unison.config import Defaults
from unison.errors import UnisonError
from unison.experiments.real import describe_input, real_cells, real_table
from unison.files import write_text
from unison.report.figures import csv_text, read_csv, rounded, save_figure
from unison.report.plots.real_gain import plot_real_gain, real_gain_data, real_gain_sentence
from unison.report.style import figure_style
from unison.report.tables import Column, read_table, save_table
from unison.traces.corpus import Corpus
from unison.traces.importers.names import is_corpus_name
from unison.traces.library import load_corpus
from unison.traces.synthetic import CORPORA

SUFFIXES = (".parquet", ".csv")
NOT_RERUN = "not re-run here: its input is absent"
NOT_REPLAYABLE = "not replayable: no session has known gaps and service times"

TABLE_COLUMNS = (
    Column("corpus", "Corpus"), Column("policy", "Policy"), Column("info", "Knows"),
    Column("sees_completion", "Sees completion"), Column("envelopes", "Envelopes"),
    Column("hit_rate", "Hit rate", "%", 1), Column("hit_gain", "Gain over LRU, points", "%", 2, signed=True),
    Column("win", "Wins"), Column("tie", "Ties"), Column("loss", "Losses"),
    Column("oracle_ratio", "Bélády ratio", "", 3), Column("amat_ratio", "AMAT / LRU", "", 3),
    Column("prefill_reduction", "Prefill saved", "%", 1), Column("bypass_share", "Bypassed", "%", 1),
    Column("running_share", "Held by running turns", "%", 1),
)  # fmt: skip


@dataclass(frozen=True)
class RealStatus:
    """What became of one corpus in a run of `reproduce_real`.

    Attributes
    ----------
    corpus : str
    sha256 : str
        Of the input file.
    status : str
        ``new``, ``identical``, ``changed``, `NOT_RERUN` or `NOT_REPLAYABLE`.
    """

    corpus: str
    sha256: str
    status: str


def reproduce_real(folder: Path, out: Path, defaults: Defaults) -> list[RealStatus]:
    """Run Table II on every corpus file of a folder and bring the combined products up to date.

    Each corpus has a ``<name>_cells.csv`` and a line in ``real_inputs``; the combined table and figure are
    made from all of them, those of absent inputs included.

    Parameters
    ----------
    folder : pathlib.Path
        Holds Parquet or CSV files: imported corpora or common tables.
    out : pathlib.Path
        Where the products go. Nothing is written before every corpus has been replayed.
    defaults : Defaults

    Returns
    -------
    list of RealStatus
        One a corpus, those of the folder first.

    Raises
    ------
    UnisonError
        If the folder is missing or holds no such file, if a file is broken or its corpus cannot be called
        by its name or is called as another, or if `out` cannot be written.
    """
    inputs = _open_inputs(folder)
    results = [_replay(source, defaults) for source in inputs]
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UnisonError(f"{out}: no folder can be made there ({error.strerror}); choose another") from None
    known = _known_inputs(out)
    statuses = []
    for source, cells in zip(inputs, results, strict=True):
        name = source.corpus.name
        known[name] = {**describe_input(source.corpus), "sha256": source.sha256}
        statuses.append(RealStatus(name, source.sha256, _save_cells(name, cells, out)))
    seen = {status.corpus for status in statuses}
    statuses += [
        RealStatus(name, str(about["sha256"]), NOT_RERUN) for name, about in known.items() if name not in seen
    ]
    save_table(pd.DataFrame([known[name] for name in sorted(known)]), "real_inputs", out=out)
    _combine(out, sorted(known), defaults.statistics.confidence)
    return statuses


@dataclass(frozen=True)
class _Input:
    """A corpus and the file it comes from."""

    path: Path
    sha256: str
    corpus: Corpus


def _open_inputs(folder: Path) -> list[_Input]:
    """Every corpus of a folder, sorted by file name; hidden files are passed over."""
    if not folder.is_dir():
        raise UnisonError(f"{folder}: no such folder; give one that holds corpora: make real TRACES=DIR")
    files = sorted(path for path in folder.iterdir() if _is_corpus_file(path))
    if not files:
        raise UnisonError(
            f"{folder}: holds no {' or '.join(SUFFIXES)} file; import a log first: unison import"
        )
    inputs: dict[str, _Input] = {}
    for path in files:
        corpus = load_corpus(path)
        _check_name(corpus.name, path)
        if corpus.name in inputs:
            raise UnisonError(
                f"{inputs[corpus.name].path} and {path} both hold a corpus called {corpus.name!r}; "
                "move one away, or import it again under another name (--name)"
            )
        inputs[corpus.name] = _Input(path, hashlib.sha256(path.read_bytes()).hexdigest(), corpus)
    return list(inputs.values())


def _is_corpus_file(path: Path) -> bool:
    return path.suffix.lower() in SUFFIXES and not path.name.startswith(".") and path.is_file()


def _check_name(name: str, path: Path) -> None:
    """Refuse a name that would not survive as part of a file name and as text in a CSV, or that misleads."""
    if name in CORPORA:
        raise UnisonError(f"{path}: {name!r} is a synthetic corpus; give real traces another name (--name)")
    column = read_csv(io.StringIO(f"corpus\n{name}\n"))["corpus"].tolist()
    if not is_corpus_name(name) or column != [name]:
        raise UnisonError(
            f"{path}: a corpus called {name!r}; expected 1 to 64 letters, digits and _ . - that are not a "
            "number; rename the table, or import the log again with --name"
        )


def _known_inputs(out: Path) -> dict[str, dict[str, object]]:
    if not (out / "real_inputs.csv").is_file():
        return {}
    return {str(row["corpus"]): row for row in read_table("real_inputs", out=out).to_dict("records")}


def _replay(source: _Input, defaults: Defaults) -> pd.DataFrame | None:
    """The cells of a corpus; None if none of its sessions has times."""
    if not source.corpus.is_timed.any():
        return None
    try:
        return real_cells(source.corpus, defaults)
    except UnisonError as error:
        raise UnisonError(f"{source.path}: {error}") from None


def _save_cells(name: str, cells: pd.DataFrame | None, out: Path) -> str:
    """Write the cells of a corpus, or remove those of an earlier file of that name; the status."""
    path = out / f"{name}_cells.csv"
    if cells is None:
        path.unlink(missing_ok=True)
        return NOT_REPLAYABLE
    before = path.read_bytes() if path.is_file() else None
    write_text(path, csv_text(rounded(cells)))
    if before is None:
        return "new"
    return "identical" if path.read_bytes() == before else "changed"


def _combine(out: Path, names: Iterable[str], confidence: float) -> None:
    frames = [read_csv(out / f"{name}_cells.csv") for name in names if (out / f"{name}_cells.csv").is_file()]
    if not frames:
        return
    cells = pd.concat(frames, ignore_index=True)
    percent = f"{100 * confidence:g} %"
    save_table(
        real_table(cells),
        "real_tab02",
        out=out,
        columns=TABLE_COLUMNS,
        caption="Means over the envelopes; wins, ties and losses count envelopes by the "
        f"{percent} interval of the gain over sessions. A policy that runs in fewer envelopes is compared "
        "with LRU and Bélády in those.",
    )
    data = rounded(real_gain_data(cells))
    if data.empty:
        for suffix in ("svg", "png", "csv"):
            (out / f"real_gain.{suffix}").unlink(missing_ok=True)
        return
    with figure_style():
        figure = plot_real_gain(data)
        save_figure(
            figure,
            "real_gain",
            data,
            out=out,
            caption=f"Gain in hit rate over LRU on real traces; bands are {percent} intervals over sessions.",
            alt=real_gain_sentence(data),
        )
