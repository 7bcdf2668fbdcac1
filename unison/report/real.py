"""Results on real traces: written from the inputs at hand, kept from the committed files for the others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from unison.config import Defaults
from unison.errors import UnisonError
from unison.experiments.real import describe_input, real_cells, real_table
from unison.report.figures import read_csv, rounded, save_figure
from unison.report.plots.real_gain import plot_real_gain, real_gain_data, real_gain_sentence
from unison.report.style import figure_style
from unison.report.tables import Column, read_table, save_table
from unison.traces.corpus import Corpus
from unison.traces.library import load_corpus

SUFFIXES = (".parquet", ".csv")
NOT_RERUN = "not re-run here: its input is absent"

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
        ``new``, ``identical``, ``changed``, `NOT_RERUN`, or why it cannot be replayed.
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
        Where the products go.
    defaults : Defaults

    Returns
    -------
    list of RealStatus
        One a corpus, those of the folder first.

    Raises
    ------
    UnisonError
        If the folder is missing or holds no such file, or a file is broken.
    """
    if not folder.is_dir():
        raise UnisonError(f"{folder}: no such folder; give one that holds corpora: make real TRACES=DIR")
    files = sorted(path for path in folder.iterdir() if path.suffix in SUFFIXES and path.is_file())
    if not files:
        raise UnisonError(
            f"{folder}: holds no {' or '.join(SUFFIXES)} file; import a log first: unison import"
        )
    known = _known_inputs(out)
    statuses = []
    for path in files:
        corpus = load_corpus(path)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        known[corpus.name] = {**describe_input(corpus), "sha256": digest}
        statuses.append(RealStatus(corpus.name, digest, _run_corpus(corpus, out, defaults)))
    seen = {status.corpus for status in statuses}
    statuses += [
        RealStatus(name, str(about["sha256"]), NOT_RERUN) for name, about in known.items() if name not in seen
    ]
    save_table(pd.DataFrame([known[name] for name in sorted(known)]), "real_inputs", out=out)
    _combine(out, sorted(known))
    return statuses


def _known_inputs(out: Path) -> dict[str, dict[str, object]]:
    if not (out / "real_inputs.csv").is_file():
        return {}
    return {str(row["corpus"]): row for row in read_table("real_inputs", out=out).to_dict("records")}


def _run_corpus(corpus: Corpus, out: Path, defaults: Defaults) -> str:
    if not corpus.is_timed.any():
        return "not replayable: no session has known gaps and service times"
    path = out / f"{corpus.name}_cells.csv"
    before = path.read_bytes() if path.is_file() else None
    save_table(real_cells(corpus, defaults), f"{corpus.name}_cells", out=out)
    (out / f"{corpus.name}_cells.md").unlink()
    if before is None:
        return "new"
    return "identical" if path.read_bytes() == before else "changed"


def _combine(out: Path, names: Iterable[str]) -> None:
    frames = [read_csv(out / f"{name}_cells.csv") for name in names if (out / f"{name}_cells.csv").is_file()]
    if not frames:
        return
    cells = pd.concat(frames, ignore_index=True)
    save_table(
        real_table(cells),
        "real_tab02",
        out=out,
        columns=TABLE_COLUMNS,
        caption="Means over the envelopes; wins, ties and losses count envelopes by the 95 % interval of the "
        "gain over sessions. CacheScout runs in the tightest envelope only and is compared with LRU there.",
    )
    data = rounded(real_gain_data(cells))
    with figure_style():
        figure = plot_real_gain(data)
        save_figure(
            figure,
            "real_gain",
            data,
            out=out,
            caption="Gain in hit rate over LRU on real traces; bands are 95 % intervals over sessions.",
            alt=real_gain_sentence(data),
        )
