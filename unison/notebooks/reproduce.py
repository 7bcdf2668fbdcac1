"""Running the series: what is stale is run, two notebooks at a time, and stamped when it is whole.

Notebooks that read the tables of others come in a second wave, when these are there.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

from unison import paths
from unison.errors import UnisonError, unknown_name
from unison.notebooks.imports import ImportGraph
from unison.notebooks.layout import Layout, shown
from unison.notebooks.parameters import Value
from unison.notebooks.progress import Progress
from unison.notebooks.runner import NotebookRun, checked_parameters
from unison.notebooks.series import Entry
from unison.notebooks.stamps import Stamp, notebook_inputs, outside_inputs, project_inputs, table_inputs

RESERVED = ("smoke", "verify", "figures", "executed", "html", "stamps", "staging", "jupyter", "notebooks")
"""Names of folders in build/ that no corpus may take."""

_TICK_S = 0.1
_LEAST_LIMIT_S = 600.0
_LIMIT_FACTOR = 10.0


@dataclass(frozen=True)
class Plan:
    """One call of ``unison reproduce``.

    Attributes
    ----------
    entries : sequence of Entry
        Notebooks to bring up to date.
    profile : str
        ``"smoke"`` or ``"full"``.
    layout : Layout
        Where things go.
    corpus : str
        Name or absolute path of one corpus; empty for the synthetic ones.
    overrides : mapping of str to object
        More parameters.
    jobs : int
        Notebooks run at once.
    is_forced : bool
        Run everything, stale or not.
    """

    entries: Sequence[Entry]
    profile: str
    layout: Layout
    corpus: str = ""
    overrides: Mapping[str, object] = field(default_factory=dict)
    jobs: int = 1
    is_forced: bool = False


@dataclass(frozen=True)
class Outcome:
    """What became of one notebook.

    Attributes
    ----------
    name : str
    was_run : bool
        False: it was up to date.
    expected_min, actual_min : float
        Run time [min]; 0 actual if it was not run.
    """

    name: str
    was_run: bool
    expected_min: float
    actual_min: float


@dataclass(frozen=True)
class _Task:
    """A notebook with its checked parameters and its stamp."""

    entry: Entry
    values: dict[str, Value]
    stamp: Stamp
    why: str


def corpus_layout(corpus: str, profile: str) -> Layout:
    """Where a run goes that names no folder: figures/, build/smoke/ or build/<corpus>/.

    Raises
    ------
    UnisonError
        If the corpus has the name of a folder that build/ uses itself.
    """
    if not corpus:
        return Layout.committed() if profile == "full" else Layout.under(paths.BUILD / "smoke")
    name = Path(corpus).stem
    if name in RESERVED:
        raise UnisonError(f"corpus {name!r}: build/{name}/ has another use; choose a folder with --out")
    return Layout.under((paths.BUILD if profile == "full" else paths.BUILD / "smoke") / name)


def resolved_corpus(corpus: str) -> str:
    """A corpus as notebooks get it: the absolute path of a file, or the name of a synthetic corpus.

    Raises
    ------
    UnisonError
        If it is neither.
    """
    from unison.traces.synthetic import CORPORA

    if corpus in CORPORA:
        return corpus
    path = Path(corpus)
    if path.is_file():
        return str(path.absolute())
    if path.suffix == ".parquet" or len(path.parts) > 1:
        raise UnisonError(f"corpus {corpus!r}: no such file; give one made by `unison import`, or a name")
    raise unknown_name("corpus", corpus, CORPORA)


def reproduce(plan: Plan, stream: TextIO) -> list[Outcome]:
    """Bring the products of a plan up to date.

    Parameters
    ----------
    plan : Plan
    stream : TextIO
        Where progress is shown.

    Returns
    -------
    list of Outcome
        One for each notebook, in their order.

    Raises
    ------
    UnisonError
        At the first notebook that fails; the others at work are stopped, finished ones stay stamped.
    """
    given = {"profile": plan.profile, "corpus": plan.corpus, **plan.overrides}
    values = [(entry, checked_parameters(entry, given)) for entry in plan.entries]
    package = ImportGraph(paths.ROOT / "unison")
    outcomes: dict[str, Outcome] = {}
    with plan.layout.locked():
        for reads_products in (False, True):
            wave = [(e, checked) for e, checked in values if e.reads_products == reads_products]
            tasks = [_task(entry, checked, plan, package) for entry, checked in wave]
            expected_s = {t.entry.name: 60 * t.entry.minutes[plan.profile] for t in tasks if t.why}
            with Progress(stream, expected_s) as progress:
                actual = _run_all([task for task in tasks if task.why], plan, progress)
            outcomes |= {task.entry.name: _outcome(task, plan, actual) for task in tasks}
    return [outcomes[entry.name] for entry in plan.entries]


def _task(entry: Entry, values: dict[str, Value], plan: Plan, package: ImportGraph) -> _Task:
    """A notebook with why it has to be run, by what is there now."""
    corpus = Path(plan.corpus) if Path(plan.corpus).is_absolute() else None
    inputs = notebook_inputs(entry, values, corpus, project_inputs(entry, package))
    inputs |= table_inputs(entry, plan.layout.figures) | outside_inputs(entry)
    stamp = Stamp(plan.layout.stamps / f"{entry.name}.json", inputs)
    return _Task(entry, values, stamp, "asked for" if plan.is_forced else stamp.stale_because())


def _outcome(task: _Task, plan: Plan, actual: Mapping[str, float]) -> Outcome:
    name = task.entry.name
    return Outcome(name, bool(task.why), task.entry.minutes[plan.profile], actual.get(name, 0.0))


def _run_all(tasks: list[_Task], plan: Plan, progress: Progress) -> dict[str, float]:
    """Run tasks, at most `plan.jobs` at once; their minutes by name."""
    waiting = list(tasks)
    running: dict[str, tuple[_Task, NotebookRun]] = {}
    minutes: dict[str, float] = {}
    try:
        while waiting or running:
            while waiting and len(running) < plan.jobs:
                task = waiting.pop(0)
                task.stamp.path.unlink(missing_ok=True)
                progress.begin(task.entry.name, task.why)
                limit_s = max(_LEAST_LIMIT_S, _LIMIT_FACTOR * 60 * task.entry.minutes[plan.profile])
                run = NotebookRun.start(task.entry, task.values, plan.layout, limit_s)
                running[task.entry.name] = (task, run)
            time.sleep(_TICK_S)
            progress.tick()
            for name, (task, run) in list(running.items()):
                if not run.is_running():
                    task.stamp.write(run.publish())
                    minutes[name] = progress.end(name)
                    del running[name]
    finally:
        for _, run in running.values():
            run.stop()
    return minutes


def summary(outcomes: Sequence[Outcome], layout: Layout) -> str:
    """The table of expected and actual minutes, and where the products are."""
    width = max(len(outcome.name) for outcome in outcomes)
    lines = [f"{'notebook':{width}}  expected [min]  actual [min]"]
    for outcome in outcomes:
        actual = f"{outcome.actual_min:12.1f}" if outcome.was_run else f"{'up to date':>12}"
        lines.append(f"{outcome.name:{width}}  {outcome.expected_min:14.1f}  {actual}")
    made = [outcome for outcome in outcomes if outcome.was_run]
    expected, actual_sum = sum(o.expected_min for o in made), sum(o.actual_min for o in made)
    lines.append(f"{'sum of those run':{width}}  {expected:14.1f}  {actual_sum:12.1f}")
    lines.append("Notebooks run side by side where there are cores, so the wall time is less than the sum.")
    lines.append(f"Figures and tables: {shown(layout.figures)}/  Pages: {shown(layout.html)}/")
    return "\n".join(lines)
