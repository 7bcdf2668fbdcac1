"""Which integer form of Spear decides as the float one does? The grid, measured; the rule, applied.

Float Spear with Tide replays each corpus in the study's envelopes. At every victim selection each point of
the grid scores the same residents. Then the point's own ranking is replayed, and hit rate and AMAT are set
against the float replay's. Grid, gates and preference are those of data/quantization.toml.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import joblib
import numpy as np
import pandas as pd

from unison.config import load_defaults
from unison.device import Costs, costs_for
from unison.errors import UnisonError
from unison.experiments.contenders import UNISON, contender
from unison.experiments.runner import envelopes_of, model_of, signals_of
from unison.experiments.snapshots import record_snapshots
from unison.experiments.sweep import JOBS, drawn
from unison.fixed_point import Contract, IntegerSignals, integer_ranking, integer_signals, paper_contract
from unison.fixed_point.fidelity import Snapshots, agreement
from unison.fixed_point.study import Gates, Study
from unison.metrics import Measured, measure
from unison.policies.ranking import Ranking
from unison.policies.registry import build_policy
from unison.policies.stateful import StatefulPolicy
from unison.replay.engine import replay
from unison.replay.envelope import Envelope
from unison.replay.outcomes import Outcomes
from unison.replay.tiering import Tiering
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule
from unison.traces.trace import Trace

METRICS = ("hit_rate", "amat_ns")
POINT = ["hazard_bits", "gap_bits", "score_bits", "tau_ns", "divider", "penalty_form"]
"""What names a point of the grid."""

ALL = "all"
"""Name of the row over all corpora."""

_COUNTS = ["snapshots", "same_first", "live_snapshots", "live_same_first", "same_victim", "tau_b"]


@dataclass
class _Cell:
    """One corpus in one envelope: what the float form did, and what any integer form would do there."""

    trace: Trace
    envelope: Envelope
    costs: Costs
    tiering: Tiering
    ranking: Ranking
    least_residents: int
    _agreements: dict[bytes, dict[str, float]] = field(default_factory=dict)
    _drifts: dict[bytes, dict[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Replay the float form."""
        self.snapshots: Snapshots
        outcomes, self.snapshots = record_snapshots(
            self.trace, self.ranking, self.envelope, self.tiering, least_residents=self.least_residents
        )
        self.base = self._measured(outcomes)

    def row(self, columns: IntegerSignals) -> dict[str, object]:
        """The results of one point; points whose columns are equal are measured once."""
        ranking = integer_ranking(columns, self.envelope.dma_ps_per_token)
        order = hashlib.sha256(ranking.base.tobytes()).digest()
        whole = hashlib.sha256(order + ranking.gap_estimate_ns.tobytes()).digest()
        if order not in self._agreements:
            self._agreements[order] = self._agree(ranking)
        if whole not in self._drifts:
            self._drifts[whole] = self._drift(ranking)
        return {"envelope": self.envelope.name, **self._agreements[order], **self._drifts[whole]}

    def _measured(self, outcomes: Outcomes) -> dict[str, float]:
        return measure(Measured(outcomes, self.trace, self.envelope, self.costs), METRICS)

    def _agree(self, ranking: Ranking) -> dict[str, float]:
        found = agreement(self.snapshots, self.ranking.base, ranking.base)
        live = ~self.snapshots.has_dead
        return {
            "snapshots": len(self.snapshots),
            "same_first": int(found.same_first.sum()),
            "live_snapshots": int(live.sum()),
            "live_same_first": int(found.same_first[live].sum()),
            "same_victim": int(found.same_victim.sum()),
            "tau_b": float(found.tau_b.sum()),
        }

    def _drift(self, ranking: Ranking) -> dict[str, float]:
        ours = self._measured(replay(self.trace, ranking, self.envelope, self.tiering))
        return {
            "hit_rate_float": self.base["hit_rate"],
            "hit_rate": ours["hit_rate"],
            "hit_drift": ours["hit_rate"] - self.base["hit_rate"],
            "amat_drift": ours["amat_ns"] / self.base["amat_ns"] - 1,
        }


def quantization_cells(
    corpora: Sequence[Corpus],
    contracts: Sequence[Contract],
    study: Study,
    *,
    seeds: Sequence[int] = (0,),
    jobs: int = JOBS,
) -> pd.DataFrame:
    """Every contract on every corpus and envelope of the study.

    Parameters
    ----------
    corpora : sequence of Corpus
        Synthetic ones are drawn anew for each seed.
    contracts : sequence of Contract
        The points to measure; the whole grid is ``study.contracts()``.
    study : Study
    seeds : sequence of int
        Of corpora and schedules.
    jobs : int
        Processes; the rows are the same for any number.

    Returns
    -------
    pandas.DataFrame
        A row a point, corpus, seed and envelope: ``point`` (place in `contracts`), ``corpus``, ``seed``,
        ``envelope``; ``snapshots``, those in which both forms rank the same resident first
        (``same_first``), the same without any completed resident (``live_snapshots``, ``live_same_first``),
        those with the same victim (``same_victim``), the sum of Kendall's ``tau_b``; ``hit_rate_float``,
        ``hit_rate``, ``hit_drift`` and ``amat_drift`` (relative); ``saturated_gaps`` and
        ``saturated_scores``, shares of the corpus.

    Raises
    ------
    UnisonError
        If the study names an envelope that there is not.
    """
    run = joblib.delayed(_rows)
    done = joblib.Parallel(n_jobs=jobs)(
        run(corpus, seed, tuple(contracts), study) for seed in seeds for corpus in corpora
    )
    return pd.DataFrame([row for rows in done for row in rows])


def _rows(
    corpus: Corpus, seed: int, contracts: tuple[Contract, ...], study: Study
) -> list[dict[str, object]]:
    trace = base_schedule(drawn(corpus, seed), seed=seed)
    system = contender(UNISON)
    tiering = Tiering(tide=system.tide, max_swaps=load_defaults().tide.max_swaps)
    signals = signals_of(trace)
    ranking = build_policy(system.entry.name, signals)
    assert not isinstance(ranking, StatefulPolicy)
    costs = costs_for(model_of(corpus.name))
    cells = [
        _Cell(trace, envelope, costs, tiering, ranking, study.snapshots.least_residents)
        for envelope in _envelopes(trace, costs, study)
    ]
    rows = []
    for point, contract in enumerate(contracts):
        columns = integer_signals(signals, contract)
        about = {"point": point, "corpus": corpus.name, "seed": seed}
        rows += [about | cell.row(columns) | _saturation(columns) for cell in cells]
    return rows


def _envelopes(trace: Trace, costs: Costs, study: Study) -> list[Envelope]:
    """The study's envelopes; of an imported corpus those at the same places of its own series."""
    every = envelopes_of(trace, costs)
    names = load_defaults().envelope.names
    unknown = [name for name in study.snapshots.envelopes if name not in names]
    if unknown or len(every) != len(names):
        raise UnisonError(f"quantization: no envelope {', '.join(unknown)}; there are {', '.join(names)}")
    return [every[names.index(name)] for name in study.snapshots.envelopes]


def _saturation(columns: IntegerSignals) -> dict[str, float]:
    """Shares of the gaps closed, and of the scores, that have the last code of their width."""
    contract = columns.contract
    return {
        "saturated_gaps": float((columns.gap == np.uint64(contract.largest_gap)).sum())
        / max(1, int((columns.turn > 1).sum())),
        "saturated_scores": float((columns.score == np.uint64(contract.largest_score)).mean()),
    }


def quantization_grid(cells: pd.DataFrame, contracts: Sequence[Contract], study: Study) -> pd.DataFrame:
    """A row a point, with the gates applied, and the preferred of those that pass them.

    Parameters
    ----------
    cells : pandas.DataFrame
        Of `quantization_cells`.
    contracts : sequence of Contract
        The points it was measured on.
    study : Study

    Returns
    -------
    pandas.DataFrame
        ``point``, the columns of `POINT`, ``bits`` (hazard, gap and score); the columns of `_fidelity` with
        ``top1_least`` and ``tau_b_least`` (of a corpus); ``hit_drift_worst`` and ``hit_drift_mean``
        (absolute, over cells), ``amat_drift`` (mean over cells); ``saturated_share`` (of gaps or of scores,
        the most of any corpus), ``overflows`` (at the median), ``is_paper``, ``passes_top1``,
        ``passes_drift``, ``passes`` (both, without overflow), ``is_selected``.
    """
    grid = pd.DataFrame(
        [
            {"point": point} | _point_row(contracts[int(str(point))], group, study.gates)
            for point, group in cells.groupby("point", sort=False)
        ]
    )
    grid["passes"] = grid["passes_top1"] & grid["passes_drift"] & ~grid["overflows"]
    chosen = study.preferred([contracts[point] for point in grid.loc[grid["passes"], "point"]])
    grid["is_selected"] = [contracts[point] == chosen for point in grid["point"]]
    return grid


def in_order(grid: pd.DataFrame, contracts: Sequence[Contract], study: Study) -> pd.DataFrame:
    """The rows of the points that pass, the preferred first."""
    passing = grid[grid["passes"]]
    ranked = sorted(passing.index, key=lambda at: study.preference.key(contracts[grid.at[at, "point"]]))
    return passing.loc[ranked]


def _point_row(contract: Contract, cells: pd.DataFrame, gates: Gates) -> dict[str, object]:
    corpora = pd.DataFrame([_fidelity(group) for _, group in cells.groupby("corpus", sort=False)])
    fidelity, drifts = _fidelity(cells), _drifts(cells)
    saturated = float(cells[["saturated_gaps", "saturated_scores"]].to_numpy().max())
    return {
        **{name: getattr(contract, name) for name in POINT},
        "bits": contract.hazard_bits + contract.gap_bits + contract.score_bits,
        **fidelity,
        "top1_least": corpora["top1"].min(),
        "tau_b_least": corpora["tau_b"].min(),
        **drifts,
        "saturated_share": saturated,
        "overflows": gates.overflow(saturated),
        "is_paper": contract == paper_contract(),
        "passes_top1": gates.pass_top1(fidelity["top1"]),
        "passes_drift": gates.pass_drift(100 * drifts["hit_drift_worst"]),
    }


def over_seeds(
    corpora: Sequence[Corpus],
    contracts: Sequence[Contract],
    study: Study,
    *,
    seeds: Sequence[int],
    jobs: int = JOBS,
) -> pd.DataFrame:
    """Do the gates hold for other draws of the corpora? Nothing is selected by it.

    Parameters
    ----------
    corpora, contracts, study, seeds, jobs
        As for `quantization_cells`.

    Returns
    -------
    pandas.DataFrame
        The columns of `POINT`, ``is_paper``, ``seeds``, ``passed`` (seeds), ``passed_top1`` and
        ``passed_drift`` (by one gate), ``top1_worst`` and ``hit_drift_worst`` (over seeds),
        ``hit_drift_mean``.
    """
    cells = quantization_cells(corpora, contracts, study, seeds=seeds, jobs=jobs)
    grids = [quantization_grid(of_seed, contracts, study) for _, of_seed in cells.groupby("seed")]
    by_point = pd.concat(grids).groupby([*POINT, "is_paper"], sort=False)
    return by_point.agg(
        seeds=("passes", "size"),
        passed=("passes", "sum"),
        passed_top1=("passes_top1", "sum"),
        passed_drift=("passes_drift", "sum"),
        top1_worst=("top1", "min"),
        hit_drift_worst=("hit_drift_worst", "max"),
        hit_drift_mean=("hit_drift_mean", "mean"),
    ).reset_index()


def at_all_hazard_bits(grid: pd.DataFrame, contracts: Sequence[Contract], study: Study) -> list[Contract]:
    """The selected point and the paper's, each with every hazard width of the grid."""
    chosen = [contracts[point] for point in grid[grid["is_selected"] | grid["is_paper"]]["point"]]
    return [replace(contract, hazard_bits=bits) for contract in chosen for bits in study.grid.hazard_bits]


def by_corpus(cells: pd.DataFrame, grid: pd.DataFrame) -> pd.DataFrame:
    """The selected point and the paper's, corpus by corpus, and over all of them.

    Returns
    -------
    pandas.DataFrame
        ``which`` (``selected``, ``paper`` or both), ``corpus`` (`ALL` for the whole), the columns of
        `_fidelity`, ``hit_drift_worst``, ``hit_drift_mean``, ``amat_drift``.
    """
    rows = []
    for at in grid[grid["is_selected"] | grid["is_paper"]].itertuples():
        which = " and ".join(
            name for name, flag in (("selected", at.is_selected), ("paper", at.is_paper)) if flag
        )
        of_point = cells[cells["point"] == at.point]
        parts = [(str(name), group) for name, group in of_point.groupby("corpus", sort=False)]
        for name, group in [*parts, (ALL, of_point)]:
            rows.append({"which": which, "corpus": name, **_fidelity(group), **_drifts(group)})
    return pd.DataFrame(rows)


def hazard_steps(study: Study) -> pd.DataFrame:
    """What one step of the hazard code is worth at each width.

    Returns
    -------
    pandas.DataFrame
        ``hazard_bits``, ``step`` (of a probability), ``step_s``: the same in the score's hazard term,
        P / (2^b - 1) [s].
    """
    penalty_s = load_defaults().spear.penalty_s
    largest = [(bits, (1 << bits) - 1) for bits in study.grid.hazard_bits]
    return pd.DataFrame(
        {"hazard_bits": bits, "step": 1 / codes, "step_s": penalty_s / codes} for bits, codes in largest
    )


def _fidelity(group: pd.DataFrame) -> dict[str, float]:
    """Over the snapshots of some cells.

    ``snapshots`` and ``top1`` (share that ranks the same resident first), the same where no resident has
    completed (``live_snapshots``, ``top1_live``), ``victim`` (share with the same victim) and ``tau_b``
    (mean). Over no snapshot there is no share: it is NaN, which no gate lets pass.
    """
    total = group[_COUNTS].sum()
    snapshots, live = total["snapshots"] or math.nan, total["live_snapshots"] or math.nan
    return {
        "snapshots": int(total["snapshots"]),
        "top1": total["same_first"] / snapshots,
        "live_snapshots": int(total["live_snapshots"]),
        "top1_live": total["live_same_first"] / live,
        "victim": total["same_victim"] / snapshots,
        "tau_b": total["tau_b"] / snapshots,
    }


def _drifts(group: pd.DataFrame) -> dict[str, float]:
    size = group["hit_drift"].abs()
    return {
        "hit_drift_worst": float(size.max()),
        "hit_drift_mean": float(size.mean()),
        "amat_drift": float(group["amat_drift"].mean()),
    }
