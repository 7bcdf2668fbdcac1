"""Views of the cells of Table II: what its figures show, with no replay of their own."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from unison.config import load_defaults
from unison.experiments.contenders import BASELINE
from unison.experiments.tab02_policies import against_baseline, geometric_mean

CAUSES = ("first_turn", "shrunk_prefix", "evicted", "timeout", "bypassed")
"""Causes of a miss: the first two no policy can avoid."""

QUANTILES = ("p50", "p99")


def default_envelope(cells: pd.DataFrame) -> str:
    """Name of the default envelope, or of the one at its place where envelopes are shares of the live set."""
    defaults = load_defaults()
    names = list(dict.fromkeys(cells["envelope"]))
    if defaults.replay.envelope in names:
        return defaults.replay.envelope
    return str(names[defaults.envelope.names.index(defaults.replay.envelope)])


def hit_rate_curves(cells: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    """Hit rate and gain over LRU against capacity, at load 1.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``policy``, ``envelope``, ``total_tokens``, ``live_share``, ``hit_rate``, ``hit_gain``
        with its interval over sessions (``gain_low``, ``gain_high``, ``verdict``), ``bypass_share``,
        ``running_share``.
    """
    joined = against_baseline(cells[cells["load"] == 1])
    columns = [
        "corpus", "policy", "envelope", "total_tokens", "live_share", "hit_rate", "hit_gain", "gain_low",
        "gain_high", "verdict", "bypass_share", "running_share",
    ]  # fmt: skip
    return _of(joined, labels)[columns].reset_index(drop=True)


def miss_causes(cells: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    """Share of requests that miss, by cause, in the default envelope at load 1.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``policy``, ``cause``, ``share``.
    """
    chosen = cells[(cells["load"] == 1) & (cells["envelope"] == default_envelope(cells))]
    columns = [f"miss_{cause}" for cause in CAUSES]
    tidy = _of(chosen, labels).melt(["corpus", "policy"], columns, var_name="cause", value_name="share")
    tidy["cause"] = tidy["cause"].str.removeprefix("miss_")
    return tidy


def ttft_by_load(cells: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    """Median and 99th percentile of TTFT over LRU's, geometric mean over the envelopes, by load.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``policy``, ``load``, ``quantile`` (p50, p99), ``ttft_ratio``, and ``lru_ttft_s``, the
        geometric mean of LRU's own.
    """
    at = ["corpus", "load", "envelope"]
    names = [f"ttft_{quantile}_s" for quantile in QUANTILES]
    tidy = cells.melt([*at, "policy"], names, var_name="quantile", value_name="ttft_s")
    tidy["quantile"] = tidy["quantile"].str.split("_").str[1]
    keys = [*at, "quantile"]
    base = tidy[tidy["policy"] == BASELINE].set_index(keys)["ttft_s"].rename("lru_ttft_s")
    joined = _of(tidy, labels).join(base, on=keys)
    joined["ttft_ratio"] = joined["ttft_s"] / joined["lru_ttft_s"]
    groups = joined.groupby(["corpus", "policy", "load", "quantile"], sort=False)
    return groups[["ttft_ratio", "lru_ttft_s"]].agg(geometric_mean).reset_index()


def _of(frame: pd.DataFrame, labels: Sequence[str]) -> pd.DataFrame:
    """Rows of the given policies, in the order given."""
    return pd.concat([frame[frame["policy"] == label] for label in labels])
