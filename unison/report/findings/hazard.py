"""What the hazard, its cross-validation and its online form show."""

from __future__ import annotations

import pandas as pd

from unison.experiments.fig02_hazard import CUMULATIVE, LOCAL
from unison.experiments.tab04_cross_validation import FOLD, TIME
from unison.report.findings.words import listed, percent, points, span

EARLY_TURNS = 10
CLEARLY_MORE = 1.1
"""A share of the offline gain above which a table is said to do better than the offline one."""


def hazard_finding(curves: pd.DataFrame) -> str:
    """How the hazard of early turns compares with that of later ones.

    Parameters
    ----------
    curves : pandas.DataFrame
        Of `unison.experiments.fig02_hazard.hazard_curves`.
    """
    rates = []
    for corpus, rows in curves.groupby("corpus", sort=False):
        early, late = rows[rows["turn"] <= EARLY_TURNS], rows[rows["turn"] > EARLY_TURNS]
        rates.append({"corpus": corpus, "early": _rate(early), "late": _rate(late)})
    table = pd.DataFrame(rates)
    rising = table[table["late"] > table["early"]]["corpus"]
    return (
        f"Over turns 1 to {EARLY_TURNS} a session ends with a hazard of "
        f"{span(table, 'early', percent)} a turn, "
        f"over the later turns shown with {span(table, 'late', percent)}. It is higher late than early in "
        f"{listed(rising)}."
    )


def survival_finding(curves: pd.DataFrame) -> str:
    """How far apart the two readings of survival are.

    Parameters
    ----------
    curves : pandas.DataFrame
        Of `unison.experiments.fig02_hazard.survival_curves`.
    """
    last = curves.groupby(["corpus", "form"], sort=False).last().reset_index()
    local, kept = last[last["form"] == LOCAL], last[last["form"] == CUMULATIVE]
    return (
        f"At the last turn shown the local survival is {span(local, 'survival', percent)}, the cumulative "
        f"{span(kept, 'survival', percent)}. The score takes the local one: what counts at a pause "
        f"is whether "
        "this session goes on from here, not how many came this far."
    )


def scores_finding(scores: pd.DataFrame) -> str:
    """Whether the table foretells held-out ends better than a constant hazard.

    Parameters
    ----------
    scores : pandas.DataFrame
        Of `unison.experiments.tab04_cross_validation.tab04_scores`.
    """
    means = _mean_scores(scores[scores["split"] == FOLD])
    better = means[means["log_loss"] < means["base_log_loss"]]
    change = means.assign(change=means["log_loss"] / means["base_log_loss"] - 1)
    worse = means[means["log_loss"] >= means["base_log_loss"]]["corpus"]
    return (
        f"On held-out sessions the table has a smaller log-loss than a constant hazard in {len(better)} of "
        f"{len(means)} corpora (not in: {listed(worse)}); relative to it the "
        f"log-loss changes by {span(change, 'change', _signed)}."
    )


def folds_finding(summary: pd.DataFrame) -> str:
    """How far held-out hit rates move.

    Parameters
    ----------
    summary : pandas.DataFrame
        Of `unison.experiments.tab04_cross_validation.tab04_summary`.
    """
    folds, time = (summary[summary["split"] == split] for split in (FOLD, TIME))
    return (
        f"Leaving a fold out moves the hit rate of its sessions by "
        f"{span(folds, 'mean_pp', _points)} on average "
        f"and by at most {span(folds, 'max_pp', _points)}. With the first half in time foretelling "
        f"the second, "
        f"the largest difference is {span(time, 'max_pp', _points)}. Of the {summary['cells'].sum()} cells "
        f"the table of the other sessions hits more in {summary['better'].sum()}, as much within the "
        f"interval in {summary['same'].sum()} and less in {summary['worse'].sum()}."
    )


def online_finding(online: pd.DataFrame) -> str:
    """From when on the online table serves as well as the offline one, and where it serves better.

    Parameters
    ----------
    online : pandas.DataFrame
        Of `unison.experiments.fig07_online.fig07_mean`.
    """
    names = online["corpus"].unique().tolist()
    late = online[online["n_completed"] >= online.groupby("corpus")["n_completed"].transform("max") / 2]
    late = late[late["convergence"].notna()]
    farthest = late.loc[(late["convergence"] - 1).abs().groupby(late["corpus"], sort=False).idxmax()]
    first = online[online["n_completed"] == online["n_completed"].min()]
    bias = first.groupby("update")["hazard_bias"].mean()
    gains = online[online["hit_rate_offline"] > online["hit_rate_lru"]]
    above = gains[gains["convergence"] > CLEARLY_MORE]["corpus"].unique()
    lost = [name for name in names if name not in set(gains["corpus"])]
    text = (
        f"From half of the sessions on, A(n) is at its farthest from 1 "
        f"{span(farthest, 'convergence', _plain)}. After the first completed session the table's "
        f"hazard is off by {points(bias['on_complete'])} on average when only "
        f"finished sessions count, and by {points(bias['risk_set'])} when running ones count too."
    )
    if lost:
        text += (
            f" In {listed(lost)} even the offline table does not beat LRU: A(n) is no share of a gain there."
        )
    if not len(above):
        return text
    return (
        f"{text} A half-learned table does better than the full one (A(n) above {CLEARLY_MORE:g}) in "
        f"{listed(above)}: there the hazard term is no help to rank by."
    )


def _plain(value: float) -> str:
    return f"{value:.2f}"


def _rate(rows: pd.DataFrame) -> float:
    return float(rows["events"].sum() / rows["at_risk"].sum()) if len(rows) else float("nan")


def _mean_scores(scores: pd.DataFrame) -> pd.DataFrame:
    names = ["log_loss", "base_log_loss", "brier", "base_brier"]
    return scores.groupby("corpus", sort=False)[names].mean().reset_index()


def _points(value: float) -> str:
    return f"{value:.2f} pp"


def _signed(share: float) -> str:
    return f"{100 * share:+z.1f} %"
