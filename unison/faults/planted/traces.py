"""Faults of corpora and traces."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unison.checks.corpora import check_synthetic
from unison.checks.trace_files import check_trace_file
from unison.faults.planting import patched, rewritten
from unison.faults.registry import fault
from unison.traces import synthetic, trace_file
from unison.traces.corpus import Corpus
from unison.traces.schema import read_corpus, write_corpus

CORPUS = "gaia-gemma4"


def _moved(gaps: NDArray[np.int64], turn: NDArray) -> NDArray[np.int64]:
    """Each gap at the turn after its own."""
    moved = gaps.copy()
    moved[turn > 0] = np.roll(gaps[turn > 0], 1)
    return moved


@fault("a shifted gap", "corpus", check_synthetic, arguments=lambda _: (CORPUS,))
def shifted_gap(folder: Path) -> Iterator[None]:
    """A synthetic corpus gives each gap to the turn after its own."""
    draw = synthetic._Synthesis._gap_ns

    def moved(self: synthetic._Synthesis, *arguments: object) -> NDArray[np.int64]:
        return _moved(draw(self, *arguments), self._turn)  # type: ignore[arg-type]

    with patched(synthetic._Synthesis, "_gap_ns", moved):
        yield


@fault("a shifted gap under its schedule", "trace", check_trace_file, arguments=lambda folder: (folder,))
def shifted_gap_under_its_schedule(folder: Path) -> Iterator[None]:
    """A trace is written with each gap at the turn after its own, the schedule as it was."""
    to_frame = vars(trace_file)["corpus_to_frame"]

    def moved(corpus: Corpus) -> pd.DataFrame:
        gaps = _moved(corpus.gap_ns, corpus.turn)
        frame: pd.DataFrame = to_frame(corpus)
        return frame.assign(gap_ns=pd.array(gaps, dtype="Int64"))

    with patched(trace_file, "corpus_to_frame", moved):
        yield


def _corpus_file(folder: Path) -> Path:
    return folder / "corpus.parquet"


@fault(
    "a half-written corpus",
    "corpus",
    read_corpus,
    arguments=lambda folder: (_corpus_file(folder),),
    prepare=lambda folder: write_corpus(synthetic.synthesize(CORPUS), _corpus_file(folder)),
)
def half_written_corpus(folder: Path) -> Iterator[None]:
    """A corpus file ends in its middle."""
    content = _corpus_file(folder).read_bytes()
    with rewritten(_corpus_file(folder), content[: len(content) // 2]):
        yield
