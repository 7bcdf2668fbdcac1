"""What Table II and its figures show."""

from __future__ import annotations

import pandas as pd

from unison.claims import paper_claim
from unison.experiments.contenders import BASELINE, ORACLE, UNISON
from unison.policies.registry import InfoClass
from unison.report.findings.words import listed, named, percent, points, span, tallied

SATURATED_S = 60.0
"""A median TTFT above this is a queue that grows through the trace."""


def gain_finding(curves: pd.DataFrame) -> str:
    """Where the gain is, and where no ranking matters.

    Parameters
    ----------
    curves : pandas.DataFrame
        Of `unison.experiments.tab02_views.hit_rate_curves`.
    """
    system = curves[curves["policy"] == UNISON]
    best = system.loc[system.groupby("corpus", sort=False)["hit_gain"].idxmax()]
    tight = curves[curves["policy"] == BASELINE]
    tight = tight.loc[tight.groupby("corpus", sort=False)["live_share"].idxmin()]
    return (
        f"The largest gain of {named(UNISON)} over {named(BASELINE)} in any envelope is "
        f"{span(best, 'hit_gain', points)}, at a capacity of {span(best, 'live_share', _times)} the "
        f"live working "
        f"set. In the tightest envelope {span(tight, 'bypass_share', percent)} of the turns find no "
        f"room beside "
        f"running ones, which hold {span(tight, 'running_share', percent)} of the resident tokens: that "
        f"part no ranking can change. Of all cells {_verdicts(system)} against {named(BASELINE)}."
    )


def rivals_finding(table: pd.DataFrame) -> str:
    """How UNISON stands to the best other causal policy on each corpus.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.tab02_policies.tab02`.
    """
    parts = []
    for column, what, best in (("hit_rate", "hit rate", "max"), ("amat_ratio", "AMAT", "min")):
        ahead = []
        for corpus, group in table.groupby("corpus", sort=False):
            causal = group[group["info"] != InfoClass.ORACLE]
            causal = causal[causal["envelopes"] == causal["envelopes"].max()].set_index("policy")
            leader = str(causal[column].idxmax() if best == "max" else causal[column].idxmin())
            ahead.append(f"{named(leader)} on {corpus}")
        parts.append(f"The best causal policy by {what} is {listed(ahead)}.")
    system = table[table["policy"] == UNISON]
    return (
        f"{' '.join(parts)} Of {system['envelopes'].sum()} cells (a corpus in an envelope) {named(UNISON)} "
        f"has {tallied(system)} against {named(BASELINE)}, by the interval of the hit rate over sessions."
    )


def seeds_finding(seeds: pd.DataFrame) -> str:
    """Against which rivals the gain survives other seeds.

    Parameters
    ----------
    seeds : pandas.DataFrame
        Of `unison.experiments.tab02_seeds.tab02_seeds`.
    """
    count = int(seeds["seeds"].iloc[0])
    sentences = []
    for rival, rows in seeds.groupby("rival", sort=False):
        outcome = {kind: rows[rows["verdict"] == kind]["corpus"] for kind in ("win", "tie", "loss")}
        sentences.append(
            f"Against {named(str(rival))}, {named(UNISON)} wins on {listed(outcome['win'])}, ties on "
            f"{listed(outcome['tie'])} and loses on {listed(outcome['loss'])} "
            f"(mean difference {span(rows, 'gain', points)})."
        )
    return f"Over {count} {'seed' if count == 1 else 'seeds'}: " + " ".join(sentences)


def size_finding(table: pd.DataFrame) -> str:
    """How large the effects are beside the paper's, whatever their signs."""
    system = table[table["policy"] == UNISON]
    reduction = 1 - system["amat_ratio"].mean()
    gain, fall, ratio = (
        paper_claim(f"tab02.{name}").number
        for name in ("hit_gain.most", "amat_reduction.mean", "oracle_ratio")
    )
    return (
        f"In size: the hit-rate gain over {named(BASELINE)} is "
        f"{span(system, 'hit_gain', points)}, the paper's up to +{gain:.1f} pp; AMAT falls by "
        f"{percent(reduction)} "
        f"on average, the paper's by {percent(fall)}. Mean hit rate over "
        f"Bélády's is {system['oracle_ratio'].mean():.2f}, the paper's "
        f"{ratio:.2f}."
    )


def causes_finding(causes: pd.DataFrame) -> str:
    """How much of the misses a policy could avoid at all.

    Parameters
    ----------
    causes : pandas.DataFrame
        Of `unison.experiments.tab02_views.miss_causes`.
    """
    evicted = causes[causes["cause"] == "evicted"].set_index(["corpus", "policy"])["share"].unstack()
    frame = evicted.reset_index()
    first = causes[(causes["cause"] == "first_turn") & (causes["policy"] == BASELINE)]
    return (
        f"First turns alone are {span(first, 'share', percent)} of the requests. Evictions during a "
        f"pause cost "
        f"{named(BASELINE)} {span(frame, BASELINE, percent)} of the requests, {named(UNISON)} "
        f"{span(frame, UNISON, percent)}, and {named(ORACLE)} {span(frame, ORACLE, percent)}."
    )


def ttft_finding(ttft: pd.DataFrame, *, load: float) -> str:
    """TTFT at the headline load, how often it is below LRU's, and where its queue has long overflowed.

    Parameters
    ----------
    ttft : pandas.DataFrame
        Of `unison.experiments.tab02_views.ttft_by_load`.
    load : float
        The headline load factor.
    """
    at = ttft[(ttft["load"] == load) & (ttft["policy"] == UNISON)]
    median, tail = (at[at["quantile"] == quantile] for quantile in ("p50", "p99"))
    flooded = median[median["lru_ttft_s"] > SATURATED_S]["corpus"]
    text = (
        f"At {load:g}× load the median TTFT of {named(UNISON)} is "
        f"{span(median, 'ttft_ratio', _times)} that of "
        f"{named(BASELINE)}, the 99th percentile {span(tail, 'ttft_ratio', _times)}. The geometric mean over "
        f"the envelopes is below {named(BASELINE)}'s in {_below(ttft, 'p50')} of a corpus and a load by the "
        f"median, in {_below(ttft, 'p99')} by the 99th percentile; which cells are won, tied and lost beyond "
        "an interval over ten draws is in notebook 04."
    )
    text += " " + _outliers(ttft[ttft["policy"] == UNISON])
    if not len(flooded):
        return text
    return (
        f"{text} {named(BASELINE)}'s median there is above {SATURATED_S:g} s in {listed(flooded)}: "
        f"one prefill engine is then overloaded, the "
        "queue grows through the trace, and a ratio says little about service that anyone would accept."
    )


def _outliers(ours: pd.DataFrame) -> str:
    """The two ends of TTFT over the baseline's, with where they are."""
    names = {"p50": "median", "p99": "99th percentile"}
    ends = [ours.loc[ours["ttft_ratio"].idxmin()], ours.loc[ours["ttft_ratio"].idxmax()]]
    told = [
        f"{_times(row['ttft_ratio'])} ({names[row['quantile']]}, {row['corpus']} at {row['load']:g}×, where "
        f"{named(BASELINE)}'s is {row['lru_ttft_s']:.3g} s)"
        for row in ends
    ]
    return f"The two ends of all curves of {named(UNISON)} are {listed(told)}."


def sensitivity_finding(table: pd.DataFrame) -> str:
    """How much of the AMAT result depends on the costs.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.tab02_sensitivity.tab02_sensitivity`.
    """
    system = table[table["policy"] == UNISON]
    own = system[system["is_device"]]["amat_reduction"].mean()
    means = system[~system["is_device"]].groupby("read_to_prefill")["amat_reduction"].mean()
    least, most, mean = (
        paper_claim(f"tab02.amat_reduction.{name}").number for name in ("least", "most", "mean")
    )
    below = system[system["amat_reduction"] > 0]
    inside = system[(system["amat_reduction"] >= least) & (system["amat_reduction"] <= most)]
    count = len(system)
    return (
        f"With the device model's costs AMAT falls by {percent(own)} on average; over the ratios "
        f"tried the mean "
        f"runs from {percent(means.min())} (at {means.idxmin():g}) to {percent(means.max())} (at "
        f"{means.idxmax():g}). The paper has {percent(least, 0)} to {percent(most, 0)}, mean "
        f"{percent(mean)}; "
        f"{len(inside)} of the {count} numbers here lie in that range, and {len(below)} are above 0."
    )


def definitions_finding(table: pd.DataFrame) -> str:
    """How far one replay moves by definition alone.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.tab02_definitions.tab02_definitions`.
    """
    whole = table[table["definition"] != "sram_hit_rate"]
    row = table.iloc[0]
    return (
        f"One replay of {named(BASELINE)} on {row['corpus']} in envelope {row['envelope']} has a hit rate of "
        f"{percent(whole['lru'].min())} to {percent(whole['lru'].max())} depending on the "
        f"definition (SRAM hits "
        f"apart), and the gain of {named(UNISON)} is {points(whole['gain'].min())} to "
        f"{points(whole['gain'].max())}. This project says `{row['definition']}` when it says hit rate."
    )


def _below(ttft: pd.DataFrame, quantile: str) -> str:
    ratio = ttft[(ttft["policy"] == UNISON) & (ttft["quantile"] == quantile)]["ttft_ratio"]
    return f"{int((ratio < 1).sum())} of {len(ratio)} pairs"


def _verdicts(curves: pd.DataFrame) -> str:
    words = {"win": "won", "tie": "tied", "loss": "lost"}
    return ", ".join(f"{int((curves['verdict'] == kind).sum())} are {word}" for kind, word in words.items())


def _times(value: float) -> str:
    return f"{value:.2f}×"
