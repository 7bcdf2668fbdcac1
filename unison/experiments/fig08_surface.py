"""When does the ranking win? Gain over LRU against gap dispersion, capacity and what the session explains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import joblib
import numpy as np
import pandas as pd

from unison.device import costs_for
from unison.experiments.contenders import BASELINE, UNISON, contender
from unison.experiments.dispersed import with_gap_dispersion
from unison.experiments.intervals import mean_intervals, verdict_flags
from unison.experiments.runner import Evaluator, model_of
from unison.replay.envelope import share_envelope
from unison.traces.corpus import Corpus
from unison.traces.stats import gap_variance_explained, summarize
from unison.traces.synthetic import base_schedule, synthesize

LABELS = (BASELINE, "lru_completion", UNISON, "spear_idle_max", "belady")
RIVALS = {"gain": BASELINE, "gain_completion": "lru_completion"}
KEYS = ["corpus", "dispersion", "session_share", "capacity_share", "policy"]


@dataclass(frozen=True)
class Grid:
    """Axes of the surface.

    Attributes
    ----------
    log_sd : tuple of float
        Spreads of the log gap.
    session_share : tuple of float
        Shares of that variance that the session explains.
    capacity_share : tuple of float
        Total capacity over mean live tokens.
    seeds : tuple of int
        Corpus seeds, paired between policies.
    """

    log_sd: tuple[float, ...]
    session_share: tuple[float, ...]
    capacity_share: tuple[float, ...]
    seeds: tuple[int, ...]


def surface_rates(name: str, grid: Grid, *, jobs: int = 2) -> pd.DataFrame:
    """Hit rate of every policy at every grid point and seed.

    Parameters
    ----------
    name : str
        Synthetic corpus that gives sessions, turns, lengths, services and the mean gap.
    grid : Grid
    jobs : int
        Processes.

    Returns
    -------
    pandas.DataFrame
        Columns ``corpus``, ``dispersion``, ``session_share``, ``capacity_share``, ``policy``, ``seed``,
        ``hit_rate``, ``token_hit_rate``.
    """
    tasks = [
        (seed, log_sd, share)
        for seed in grid.seeds
        for log_sd in grid.log_sd
        for share in (grid.session_share if log_sd > 0 else grid.session_share[:1])
    ]
    run = joblib.delayed(_point)
    points = joblib.Parallel(n_jobs=jobs)(run(name, *task, grid.capacity_share) for task in tasks)
    rates = pd.DataFrame([row for rows in points for row in rows])
    same = [rates[rates["dispersion"] == 0].assign(session_share=share) for share in grid.session_share[1:]]
    return pd.concat([rates, *same], ignore_index=True).sort_values([*KEYS[:-1], "seed"], kind="stable")


def _point(
    name: str, seed: int, log_sd: float, session_share: float, capacity_share: Sequence[float]
) -> list[dict[str, Any]]:
    corpus = with_gap_dispersion(synthesize(name, seed), log_sd, session_share, seed=seed)
    trace = base_schedule(corpus, seed=seed)
    costs = costs_for(model_of(name))
    evaluate = Evaluator(metrics=("hit_rate", "token_hit_rate"))
    rows = []
    for share in capacity_share:
        envelope = share_envelope(Fraction(share), trace.mean_live_tokens, costs)
        for label in LABELS:
            entry = contender(label)
            result = evaluate(trace, entry.entry.name, envelope, tide=entry.tide)
            at = dict(zip(KEYS, (name, log_sd, session_share, share, label), strict=True))
            rates = {metric: result[metric] for metric in ("hit_rate", "token_hit_rate")}
            rows.append(at | {"seed": seed} | rates)
    return rows


def surface_grid(rates: pd.DataFrame, *, confidence: float) -> pd.DataFrame:
    """Means over the seeds with intervals; gains are paired by seed.

    Returns
    -------
    pandas.DataFrame
        A row for each grid point and policy: ``hit_rate`` with ``low`` and ``high``, ``token_hit_rate``, and
        for LRU (``gain``) and LRU with completion (``gain_completion``) the gain with its interval
        (``gain_low``, ``gain_high``, ...): Student's t over the seeds.
    """
    point = [key for key in KEYS if key != "policy"]
    wide = rates.pivot_table(index=[*point, "seed"], columns="policy", values="hit_rate")
    frames = []
    for policy in dict.fromkeys(rates["policy"]):
        groups = {"hit_rate": wide[policy]} | {
            gain: wide[policy] - wide[rival] for gain, rival in RIVALS.items()
        }
        frame = pd.concat(
            [_interval(values, point, column, confidence) for column, values in groups.items()], axis=1
        )
        frames.append(frame.assign(policy=policy).reset_index())
    grid = pd.concat(frames, ignore_index=True)
    tokens = rates.groupby(KEYS, sort=False)["token_hit_rate"].mean()
    grid = grid.join(tokens, on=KEYS).rename(columns={"hit_rate_low": "low", "hit_rate_high": "high"})
    first = [*KEYS, "hit_rate", "low", "high", "token_hit_rate"]
    return grid[first + [column for column in grid.columns if column not in first]]


def _interval(values: pd.Series, by: list[str], column: str, confidence: float) -> pd.DataFrame:
    at = [values.index.get_level_values(name).to_series(values.index) for name in by]
    names = {"mean": column, "low": f"{column}_low", "high": f"{column}_high"}
    return mean_intervals(values, at, confidence).rename(columns=names)


def coordinates(corpora: Sequence[Corpus]) -> pd.DataFrame:
    """Where corpora lie on the surface: spread of the log gap, and the share that the session explains.

    The share is eta squared less what chance would explain, over what chance leaves.
    """
    summary = summarize(corpora).set_index("corpus")
    rows = []
    for corpus in corpora:
        explained = gap_variance_explained(corpus).set_index("factor").loc["session"]
        chance = float(explained["eta2_by_chance"])
        share = (float(explained["eta2"]) - chance) / (1 - chance) if chance < 1 else np.nan
        rows.append(
            {
                "corpus": corpus.name,
                "dispersion": float(summary.loc[corpus.name, "gap_log_sd"]),
                "session_share": max(share, 0.0),
            }
        )
    return pd.DataFrame(rows)


def verdicts(grid: pd.DataFrame, *, policy: str = UNISON) -> pd.DataFrame:
    """How many grid points the policy wins, ties and loses against each rival, by spread of the log gap."""
    mine = grid[grid["policy"] == policy]
    rows = []
    for dispersion, points in mine.groupby("dispersion"):
        for gain, rival in RIVALS.items():
            rows.append(
                {
                    "dispersion": dispersion,
                    "rival": rival,
                    "points": len(points),
                    **verdict_flags(_as_interval(points, gain)).sum().to_dict(),
                    "gain": float(points[gain].mean()),
                    "gain_least": float(points[gain].min()),
                    "gain_most": float(points[gain].max()),
                }
            )
    return pd.DataFrame(rows).sort_values(["rival", "dispersion"], kind="stable", ignore_index=True)


def grid_summary(grid: pd.DataFrame) -> pd.DataFrame:
    """The grid in a row a policy: its hit rate, and the points that it wins, ties and loses.

    Returns
    -------
    pandas.DataFrame
        ``policy``, ``points``, ``hit_rate`` (mean), ``hit_rate_least``, ``hit_rate_most``, and for each of
        `RIVALS` the mean gain and ``<gain>_wins``, ``<gain>_ties``, ``<gain>_losses`` by its interval.
    """
    rows = []
    for policy, points in grid.groupby("policy", sort=False):
        rate = points["hit_rate"]
        row: dict[str, object] = {"policy": policy, "points": len(points), "hit_rate": float(rate.mean())}
        row |= {"hit_rate_least": float(rate.min()), "hit_rate_most": float(rate.max())}
        for gain in RIVALS:
            row |= {gain: float(points[gain].mean())}
            row |= verdict_flags(_as_interval(points, gain)).sum().add_prefix(f"{gain}_").to_dict()
        rows.append(row)
    return pd.DataFrame(rows)


def _as_interval(points: pd.DataFrame, gain: str) -> pd.DataFrame:
    return pd.DataFrame({"low": points[f"{gain}_low"], "high": points[f"{gain}_high"]})
