"""What the study of the integer form shows."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from unison.experiments.tab10_quantization import ALL
from unison.fixed_point.study import Study
from unison.report.findings.words import listed, percent

NO_SNAPSHOT = "No victim was ever selected among two paused residents: there is nothing to agree on."
_POINTS = {"selected": "The selected point", "paper": "The paper's point"}
_OTHERS = ["gap_bits", "score_bits", "tau_ns", "divider", "penalty_form"]
"""What names a point beside its hazard width."""


def grid_finding(grid: pd.DataFrame) -> str:
    """How many points pass, at which hazard widths, which one is selected, and whether it is the paper's.

    Parameters
    ----------
    grid : pandas.DataFrame
        Of `unison.experiments.tab10_quantization.quantization_grid`.
    """
    if not grid["snapshots"].any():
        return f"{NO_SNAPSHOT} No point can pass or fail, and none is selected."
    passing = grid[grid["passes"]]
    counts = [
        f"{int(rows['passes'].sum())} of {len(rows)} with {bits} hazard bits"
        for bits, rows in grid.groupby("hazard_bits")
    ]
    text = (
        f"{len(passing)} of the {len(grid)} points pass every gate: {listed(counts)}. "
        f"{int(grid['overflows'].sum())} overflow at the median."
    )
    if passing.empty:
        return f"{text} None can be selected."
    selected, paper = (grid[grid[flag]].iloc[0] for flag in ("is_selected", "is_paper"))
    text += f" The rule selects {_described(selected)}."
    if bool(paper["is_selected"]):
        return f"{text} It is the point that the paper locks."
    return (
        f"{text} The point that the paper locks, {_described(paper)}, "
        f"{'passes too' if paper['passes'] else 'fails a gate'} but does not come out. Disagreement is "
        f"{percent(1 - paper['top1'], 2)} for the paper's and {percent(1 - selected['top1'], 2)} for the "
        f"selected one, the largest drift {_points(paper['hit_drift_worst'])} and "
        f"{_points(selected['hit_drift_worst'])}; they take {paper['bits']} and {selected['bits']} bits."
    )


def forms_finding(grid: pd.DataFrame) -> str:
    """How much the divider, the penalty form and the score width change, all else equal.

    Parameters
    ----------
    grid : pandas.DataFrame
        Of `unison.experiments.tab10_quantization.quantization_grid`.
    """
    if not grid["snapshots"].any():
        return NO_SNAPSHOT
    sound = grid[grid["saturated_share"] == 0]
    parts = [
        f"{what} changes agreement by at most {_points(_change(sound, axis, 'top1'))} and the largest drift "
        f"by at most {_points(_change(sound, axis, 'hit_drift_worst'))}"
        for what, axis in (
            ("a reciprocal in place of the exact divider", "divider"),
            ("a shift in place of the affine penalty", "penalty_form"),
            ("a score of 64 bits in place of 32", "score_bits"),
        )
    ]
    passing = [
        f"{form} {int(rows['passes'].sum())} of {len(rows)}" for form, rows in grid.groupby("penalty_form")
    ]
    return (
        f"Of the {len(sound)} points at which nothing saturates, all else equal: {'; '.join(parts)}. Points "
        f"that pass by penalty form: {listed(passing)}. The reciprocal alone turns "
        f"{_turned(sound, 'divider')}."
    )


def agreement_finding(table: pd.DataFrame, requests: Mapping[str, int], study: Study) -> str:
    """Agreement and drift over the corpora, and what the drift gate means on the smallest.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.tab10_quantization.by_corpus`.
    requests : mapping of str to int
        Requests of each corpus.
    study : Study
    """
    if not table["snapshots"].any():
        return NO_SNAPSHOT
    sentences = []
    for which, rows in table.groupby("which", sort=False):
        single, whole = rows[rows["corpus"] != ALL], rows[rows["corpus"] == ALL].iloc[0]
        name = _POINTS.get(str(which), "The selected point, which is the paper's,")
        sentences.append(
            f"{name} over {whole['snapshots']:,} snapshots: the same resident "
            f"first in {percent(whole['top1'], 2)} ({percent(single['top1'].min(), 2)} to "
            f"{percent(single['top1'].max(), 2)} by corpus; {percent(whole['top1_live'], 2)} of those in "
            f"which nobody has completed), tau-b {whole['tau_b']:.4f}, drift of hit rate at most "
            f"{_points(whole['hit_drift_worst'])}, {_points(whole['hit_drift_mean'])} on average, of AMAT "
            f"{100 * whole['amat_drift']:+.3f} %."
        )
    smallest = min(requests, key=lambda name: requests[name])
    one = 100 / requests[smallest]
    sentences.append(
        f"On {smallest} a single request is {one:.3f} pp of hit rate: there the drift gate allows a change "
        f"of {int(study.gates.hit_drift_pp / one)}."
    )
    return " ".join(sentences)


def seeds_finding(table: pd.DataFrame) -> str:
    """Whether the gates hold for other draws of the corpora.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.tab10_quantization.over_seeds`.
    """
    if not table["top1_worst"].notna().any():
        return NO_SNAPSHOT
    parts = []
    for _, rows in table.groupby(_OTHERS, sort=False):
        counts = [f"{row.passed} with {row.hazard_bits} hazard bits" for row in rows.itertuples()]
        first = rows.iloc[0]
        parts.append(f"gap {first['gap_bits']} and score {first['score_bits']} bits: {listed(counts)}")
    by_gate = [
        f"agreement in {rows['passed_top1'].min()} and drift in {rows['passed_drift'].min()} with {bits}"
        for bits, rows in table.groupby("hazard_bits")
    ]
    return (
        f"Of {int(table['seeds'].iloc[0])} draws, the one that the selection was made on among them, both "
        f"gates hold in this many ({'; '.join(parts)}). Gate by gate, the fewer of the two points: "
        f"{listed(by_gate)} hazard bits. The largest drift of any draw is "
        f"{_points(table['hit_drift_worst'].max())}."
    )


def _described(point: pd.Series) -> str:
    return (
        f"{point['hazard_bits']} hazard, {point['gap_bits']} gap and {point['score_bits']} score bits in "
        f"units of {point['tau_ns']:,} ns with the {point['divider']} divider and the "
        f"{point['penalty_form']} penalty"
    )


def _change(grid: pd.DataFrame, axis: str, column: str) -> float:
    """The largest difference of a column between points that differ in one axis alone."""
    others = ["hazard_bits", *(name for name in _OTHERS if name != axis)]
    spread = grid.groupby(others)[column].agg(lambda values: values.max() - values.min())
    return float(spread.max()) if len(spread) else 0.0


def _turned(grid: pd.DataFrame, axis: str) -> str:
    """In how many pairs that differ in one axis alone a point passes and the other does not."""
    others = ["hazard_bits", *(name for name in _OTHERS if name != axis)]
    passes = grid.groupby(others)["passes"].nunique()
    return f"{int((passes > 1).sum())} of {len(passes)} verdicts"


def _points(share: float) -> str:
    return f"{100 * share:.3f} pp"
