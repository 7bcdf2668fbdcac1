"""No policy but an oracle knows the future, and none reads what its information class does not know."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from unison.checks.cases import NS_PER_S, build, coarse_trace
from unison.checks.failed import CheckFailed
from unison.policies.ranking import Ranking
from unison.policies.registry import InfoClass, PolicyEntry, get_policy
from unison.traces.corpus import Corpus
from unison.traces.trace import Trace

INSTANTS = 24
COLUMNS = (
    "base", "slope", "lo", "hi", "late", "weight", "pin_ns", "drop_after_ns", "keep", "gap_estimate_ns",
)  # fmt: skip
_FUTURE = ("prompt_tokens", "new_prompt_tokens", "output_tokens", "role")


def ranking_columns(ranking: Ranking, rows: NDArray[np.int64]) -> dict[str, NDArray]:
    """What a ranking says about some rows, by column; the columns that it has not are left out."""
    found = {name: getattr(ranking, name) for name in COLUMNS}
    columns = {name: column[rows] for name, column in found.items() if column is not None}
    if ranking.table is not None and ranking.table_class is not None:
        columns["table"] = ranking.table[ranking.table_class[rows]]
    return columns


def check_same_columns(found: dict[str, NDArray], expected: dict[str, NDArray]) -> None:
    """Compare what two rankings say.

    Raises
    ------
    CheckFailed
        Naming the first difference.
    """
    if found.keys() != expected.keys():
        raise CheckFailed(f"columns {sorted(found)}, expected {sorted(expected)}")
    for name, column in expected.items():
        if found[name].shape != column.shape:
            raise CheckFailed(f"{name}: shape {found[name].shape}, expected {column.shape}")
        wrong = np.argwhere(found[name] != column)
        if wrong.size:
            at = tuple(wrong[0])
            raise CheckFailed(f"{name}[{at[0]}]: {found[name][at]}, expected {column[at]}")


def another_future(trace: Trace, now: int, rng: np.random.Generator) -> Trace:
    """The trace with everything that is not known at an instant drawn again.

    Known and kept: the requests before `now`, the completions up to `now`, and the tool awaited at a pause up
    to `now`. Sessions that have not completed get other gaps, services, sizes and roles, and end earlier.

    Parameters
    ----------
    trace : Trace
        All sessions completed.
    now : int
        The instant [ns].
    rng : numpy.random.Generator

    Returns
    -------
    Trace
        Its rows up to the instant are those of `trace`, found by session and turn.
    """
    corpus, turns = trace.corpus, trace.corpus.n_turns
    come, over = trace.arrival_ns < now, trace.end_ns <= now
    ended_before = np.where(corpus.turn == 0, trace.arrival_ns, np.roll(trace.end_ns, 1))
    spare = NS_PER_S * rng.integers(0, 9, size=(2, turns))
    # What has begun by now lasts until now at least.
    gap = np.where(come, corpus.gap_ns, np.maximum(now - ended_before, 0) + spare[0])
    service = np.where(over, corpus.service_ns, np.maximum(now - trace.arrival_ns, 0) + NS_PER_S + spare[1])
    first = corpus.turn == 0
    start = np.where(come, trace.arrival_ns, now + spare[0])[first][corpus.session]
    gap[first] = 0
    within = np.cumsum(gap + service)
    end = within - (within - gap - service)[first][corpus.session] + start
    redrawn: dict[str, Any] = {name: _redrawn(getattr(corpus, name), ~come, rng) for name in _FUTURE}
    redrawn["output_tokens"] = np.where(over, corpus.output_tokens, redrawn["output_tokens"] + 1)
    redrawn["new_prompt_tokens"] = np.minimum(redrawn["new_prompt_tokens"], redrawn["prompt_tokens"])
    awaited = first | np.roll(over, 1)
    changed = replace(
        corpus, gap_ns=gap, service_ns=service, tool=_redrawn(corpus.tool, ~awaited, rng), **redrawn
    )
    return _cut_short(replace(trace, corpus=changed, arrival_ns=end - service, end_ns=end), over, rng)


def _redrawn(column: NDArray, at: NDArray[np.bool_], rng: np.random.Generator) -> NDArray:
    result = column.copy()
    result[at] = rng.permutation(column[at])
    return result


def _cut_short(trace: Trace, over: NDArray[np.bool_], rng: np.random.Generator) -> Trace:
    """The trace with some turns less in each session that has not completed, but with every turn awaited."""
    corpus = trace.corpus
    known = np.add.reduceat(over.astype(np.int64), corpus.first_row[:-1])
    least = np.minimum(known + 1, corpus.turns_per_session)
    kept = rng.integers(least, corpus.turns_per_session, endpoint=True)
    rows = np.flatnonzero(corpus.turn < kept[corpus.session])
    columns: dict[str, Any] = {
        name: value[rows]
        for name, value in ((n, getattr(corpus, n)) for n in Corpus.__dataclass_fields__)
        if isinstance(value, np.ndarray) and name != "completed"
    }
    return replace(
        trace,
        corpus=replace(corpus, **columns),
        arrival_ns=trace.arrival_ns[rows],
        end_ns=trace.end_ns[rows],
    )


def check_future_is_unknown(entry: PolicyEntry) -> None:
    """A policy says the same of every pause up to an instant, whatever comes after it.

    Parameters
    ----------
    entry : PolicyEntry
        Of a columnar policy.

    Raises
    ------
    CheckFailed
        If another future changes what it says.
    """
    trace = coarse_trace()
    mine = build(entry, trace)
    assert isinstance(mine, Ranking)
    for seed in range(INSTANTS):
        rng = np.random.default_rng(seed)
        now = int(rng.choice(trace.end_ns))
        other = another_future(trace, now, rng)
        theirs = build(entry, other)
        assert isinstance(theirs, Ranking)
        rows, other_rows = np.flatnonzero(trace.end_ns <= now), np.flatnonzero(other.end_ns <= now)
        try:
            check_same_columns(ranking_columns(theirs, other_rows), ranking_columns(mine, rows))
        except CheckFailed as error:
            raise CheckFailed(
                f"policy {entry.name} ({entry.info}) knows at {now / NS_PER_S:g} s what comes after: {error}"
            ) from None


def check_information(entry: PolicyEntry) -> None:
    """A policy of class F0 reads neither sizes nor idle time, one below F2 no tool, one below F3 no role.

    Parameters
    ----------
    entry : PolicyEntry
        Of a columnar policy.

    Raises
    ------
    CheckFailed
        If it does.
    """
    trace = coarse_trace()
    ranking = build(entry, trace)
    assert isinstance(ranking, Ranking)
    timed = (ranking.lo, ranking.hi, ranking.late, ranking.table, ranking.pin_ns, ranking.drop_after_ns)
    if entry.info == InfoClass.F0 and (ranking.slope.any() or any(column is not None for column in timed)):
        raise CheckFailed(f"policy {entry.name} (F0) reads idle time")
    hidden = {"output_tokens": (InfoClass.F0,), "tool": (InfoClass.F0, InfoClass.F1)}
    rng = np.random.default_rng(0)
    for name, blind in hidden.items():
        if entry.info in blind:
            values: Any = {name: rng.permutation(getattr(trace.corpus, name))}
            other = build(entry, replace(trace, corpus=replace(trace.corpus, **values)))
            assert isinstance(other, Ranking)
            rows = np.arange(trace.corpus.n_turns)
            try:
                check_same_columns(ranking_columns(other, rows), ranking_columns(ranking, rows))
            except CheckFailed as error:
                raise CheckFailed(f"policy {entry.name} ({entry.info}) reads {name}: {error}") from None


def check_causality(name: str) -> None:
    """`check_future_is_unknown` and `check_information` for the columnar policy of that name."""
    check_information(get_policy(name))
    check_future_is_unknown(get_policy(name))
