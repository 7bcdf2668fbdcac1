"""Wall time of Table II, and the memory that the process has taken so far."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Sequence
from typing import Any

from unison.config import load_defaults
from unison.experiments.contenders import contenders
from unison.experiments.tab02_policies import tab02, tab02_cells
from unison.traces.library import load_corpus

_BYTES_PER_UNIT = 1 if sys.platform == "darwin" else 1024


def time_table(corpora: Sequence[str], labels: Sequence[str] | None = None) -> dict[str, Any]:
    """Time Table II from the corpora's synthesis to its last row, the kernels being compiled.

    It runs every policy with columns in every envelope, at load 1 and at the headline load, and measures
    every metric of the table. A stateful policy, which only the reference engine runs, is not counted.

    Parameters
    ----------
    corpora : sequence of str
        Names of synthetic corpora.
    labels : sequence of str, optional
        Contenders, LRU first; by default all with columns.

    Returns
    -------
    dict
        ``corpora``, ``replays``, ``seconds`` (wall), ``cpu_seconds`` (processor time of the process, what the
        wall time would be on a machine that nobody else uses).
    """
    if labels is None:
        labels = [entry.label for entry in contenders() if not entry.entry.is_stateful]
    defaults = load_defaults()
    headline, statistics = defaults.load.headline, defaults.statistics
    tab02_cells([load_corpus(corpora[0])], loads=(1,), statistics=statistics, labels=[labels[0]])
    start, cpu_start = time.perf_counter(), time.process_time()
    series = [load_corpus(name) for name in corpora]
    cells = tab02_cells(series, loads=(1, headline), statistics=statistics, labels=labels)
    tab02(cells, headline_load=headline)
    return {
        "corpora": len(corpora),
        "replays": len(cells),
        "seconds": time.perf_counter() - start,
        "cpu_seconds": time.process_time() - cpu_start,
    }


def peak_memory_bytes() -> int:
    """Largest resident size of this process so far [bytes]."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _BYTES_PER_UNIT
