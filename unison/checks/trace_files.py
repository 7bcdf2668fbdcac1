"""A schedule is that of its corpus, and a written trace reads as the trace that was written."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from unison.checks.failed import CheckFailed
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule, synthesize
from unison.traces.trace_file import read_trace, write_trace


def check_trace_file(folder: Path, name: str = "gaia-gemma4") -> None:
    """Schedule a corpus, write the trace, read it again.

    Raises
    ------
    UnisonError
        If the file's gaps and service times do not give its schedule.
    CheckFailed
        If a column is not the one written.
    """
    written = base_schedule(synthesize(name))
    write_trace(written, folder / "trace.parquet")
    found = read_trace(folder / "trace.parquet")
    for column in Corpus.__dataclass_fields__:
        ours, theirs = getattr(found.corpus, column), getattr(written.corpus, column)
        if not np.array_equal(ours, theirs):
            raise CheckFailed(f"column {column} is not as written")
