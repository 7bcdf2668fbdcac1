"""What the ablations show, in sentences made from their numbers."""

from __future__ import annotations

import pandas as pd

from unison.claims import paper_claim
from unison.experiments.fig05_evictor_tide import OFF, ON
from unison.experiments.headlines import ALL, COMPLETION
from unison.experiments.tab03_capacity import HBM, PARTITION, SRAM
from unison.experiments.tab06_options import DEFAULT
from unison.replay.dual import EVENTS, REQUESTS
from unison.report.findings.words import listed, named, percent, points, span, tallied

SYSTEM = "spear+tide"


def dual_finding(table: pd.DataFrame, cells: pd.DataFrame) -> str:
    """What two files cost, and where they cost nothing.

    Parameters
    ----------
    table, cells : pandas.DataFrame
        Of `unison.experiments.tab01_dual`: `tab01` and `tab01_cells`.
    """
    by = table.set_index(["unit", "every"])
    first, last = by.loc[(EVENTS, 1)], by.loc[(REQUESTS, table["every"].max())]
    worst = cells.loc[cells["hit_change"].idxmin()]
    up = cells[(cells["unit"] == REQUESTS) & (cells["every"] == table["every"].max())]
    up = up[up["hit_change"] > 0]["corpus"]
    same = first["same_evictions"] and first["same_swaps"]
    text = "Even with a sync after every event the two files act otherwise than one. "
    if same:
        text = (
            "With a sync after every event the two files do what one does, every eviction and every swap. "
            "The paper has them differ even then; in this model a sync takes no time, and no event asks both "
            "engines. "
        )
    signs = "Nowhere does the hit rate rise at that period"
    if len(up):
        signs = f"The sign is not the same everywhere: the hit rate then rises in {listed(up)}"
    return text + (
        f"Every {table['every'].max()} requests the hit rate changes by {points(last['hit_change'])} on "
        f"average; the largest drop of all is {points(worst['hit_change'])} ({worst['corpus']}, every "
        f"{worst['every']} {worst['unit']}), the paper's {paper_claim('tab01.dual.hit_drop').number:g} pp. "
        f"Then {percent(last['stale_share'])} of the victims are not those of a shared file, and "
        f"{percent(last['lost_share'])} of Tide's swaps are lost. {signs}; by the "
        f"interval over sessions it is better on {last['better']}, the same on {last['same']} and worse on "
        f"{last['worse']} of the corpora, and AMAT is better on {last['amat_better']} and worse on "
        f"{last['amat_worse']}."
    )


def evictor_finding(table: pd.DataFrame) -> str:
    """What Tide adds to each evictor, and how much of its work is of use.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.fig05_evictor_tide.fig05`.
    """
    by = table.set_index(["policy", "tide"])
    added = [
        f"{points(by.loc[(name, ON), 'hit_gain'] - by.loc[(name, OFF), 'hit_gain'])} to {named(str(name))}"
        for name in dict.fromkeys(table["policy"])
    ]
    lru, spear = by.loc[("lru", ON)], by.loc[("spear", ON)]
    is_spear = (table["policy"] == "spear") & (table["tide"] == ON)
    joint = spear["hit_rate"] > max(by.loc[("spear", OFF), "hit_rate"], lru["hit_rate"])
    return (
        f"Tide adds {listed(added)}. Of its promotions {percent(spear['prefetch_accuracy'])} are of use "
        f"under Spear and {percent(lru['prefetch_accuracy'])} under LRU, where the paper has "
        f"{paper_claim('fig05.prefetch_accuracy').number:g} %. Spear and Tide together hit "
        f"{'more' if joint else 'no more'} than either alone. The highest hit rate of the eight has "
        f"{_label(table.loc[table['hit_rate'].idxmax()])}; the lowest AMAT "
        f"{_label(table.loc[table['amat_ratio'].idxmin()])}. "
        f"Over {int(spear['points'])} points Spear with Tide has {tallied(table[is_spear])} against "
        f"{named('lru')} without Tide by hit rate, and {tallied(table[is_spear], 'amat_')} by AMAT."
    )


def leave_one_out_finding(table: pd.DataFrame) -> str:
    """Which signal is worth most, and which can be left out.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.fig06_leave_one_out.fig06`.
    """
    out = table[table["axis"] == "left out"].sort_values("hit_gain")
    parts = [
        f"{row.value} {points(row.hit_gain)} (better without it at {row.wins} of {row.points} points, "
        f"worse at {row.losses})"
        for row in out.itertuples()
    ]
    dearest = table.loc[table["amat_ratio"].idxmax()]
    forms = table[table["axis"] == "form"]
    other = [f"{row.value} {points(row.hit_gain)}" for row in forms.itertuples()]
    idle = out.set_index("value").loc["idle"]
    return (
        f"Leaving a signal out changes the mean hit rate by: {'; '.join(parts)}. Completion events are no "
        f"signal of the paper's figure and are shown for scale. By AMAT the largest loss is "
        f"{dearest['amat_ratio'] - 1:+.0%}, without or instead of {dearest['value']}. Elapsed idle moves the "
        f"hit rate by {100 * idle['impact']:.2f} pp in mean size, the paper's "
        f"{paper_claim('fig06.idle').number:g}. The other forms of it differ from (a) by "
        f"{listed(other)}."
    )


def capacity_finding(table: pd.DataFrame) -> str:
    """Where capacity makes the ranking matter.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.tab03_capacity.tab03`.
    """
    negative = table[table["hit_gain"] <= 0]
    hbm = table[table["axis"] == HBM]
    best, last = hbm.loc[hbm["hit_gain"].idxmax()], hbm.loc[hbm["hbm_tokens"].idxmax()]
    grows = {}
    for axis in (SRAM, PARTITION):
        rows = table[table["axis"] == axis].sort_values("sram_tokens")
        grows[axis] = "rises" if rows["hit_gain"].is_monotonic_increasing else "does not rise"
    return (
        f"The mean gain over LRU is above 0 at {len(table) - len(negative)} of {len(table)} capacities. It "
        f"is largest at {best['hbm_tokens'] / 1000:.0f}K tokens of HBM ({points(best['hit_gain'])}, "
        f"{points(best['completion_gain'])} over {named(COMPLETION)}) and {points(last['hit_gain'])} at "
        f"{last['hbm_tokens'] / 1000:.0f}K, where {last['ties']} of {last['points']} corpora tie. Over all "
        f"capacities and corpora {tallied(table)} against {named('lru')}, and "
        f"{tallied(table, 'completion_')} against {named(COMPLETION)}. The mean gain "
        f"{grows[SRAM]} at each step of a growing SRAM and {grows[PARTITION]} at each step of SRAM's part of "
        "a fixed total; the paper has it rise with SRAM's part."
    )


def ancillary_finding(table: pd.DataFrame) -> str:
    """How far device parameters move the mean AMAT gain.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.tab05_ancillary.tab05_ancillary`.
    """
    own = table[table["factor"] == "1"]["amat_gain"].iloc[0]
    most = table.loc[table["shift"].abs().idxmax()]
    return (
        f"The mean AMAT gain is {percent(own)}. Over all factors it moves by at most "
        f"{100 * abs(most['shift']):.2f} pp ({most['parameter']} × {most['factor']}); the paper has less "
        f"than {paper_claim('tab05.ancillary.spread').number:g} pp around "
        f"{paper_claim('tab05.ancillary.mean').number:g} %. Only the ratio of reads to prefill enters the "
        "ratio of two AMATs, so that slower reads and faster prefill are the same change; DMA bandwidth acts "
        f"through Tide's budget and the time of a move alone. At each factor, of "
        f"{most['points']} points, {table['amat_wins'].min()} to {table['amat_wins'].max()} are won by AMAT, "
        f"{table['amat_losses'].min()} to {table['amat_losses'].max()} lost, and the rest tied."
    )


def options_finding(table: pd.DataFrame) -> str:
    """Which options move UNISON most, and whether the rivals gain as much by them.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.tab06_options.tab06_options`.
    """
    ours = table[(table["label"] == SYSTEM) & (table["axis"] != DEFAULT)]
    up, down = ours.loc[ours["token_change"].idxmax()], ours.loc[ours["token_change"].idxmin()]
    by = table.set_index(["label", "axis", "value"])
    parts = []
    for axis in ("admission", "partial eviction"):
        others = [
            f"{points(by.loc[(name, axis, 'on'), 'token_change'])} {named(name)}"
            for name in ("lru", COMPLETION, "agserve_eta", SYSTEM)
        ]
        parts.append(f"{axis} gives {listed(others)}")
    hidden = by.loc[(SYSTEM, "completion", "hidden")]
    tide = ours[ours["axis"] == "Tide's gap"]["token_change"].abs().max()
    free = by.loc[(SYSTEM, "Tide's gap", "unbounded"), "token_change"]
    binds = "a budget without bound changes nothing" if free == 0 else f"no bound at all {points(free)}"
    return (
        f"By token hit rate the best option for {named(SYSTEM)} is {up['axis']} ({up['value']}, "
        f"{points(up['token_change'])}), the worst {down['axis']} ({down['value']}, "
        f"{points(down['token_change'])}). Such options must be given to all: {'; '.join(parts)}. With "
        f"completion hidden {named(SYSTEM)} stands at {points(hidden['hit_gain'])} in hit rate against LRU, "
        "which ages what is dead. Where Tide's gap comes from, the true gap included, moves token hits by at "
        f"most {100 * tide:.2f} pp; {binds}."
    )


def parameters_finding(curves: pd.DataFrame) -> str:
    """How much P and alpha matter, and whether the paper's are the best.

    Parameters
    ----------
    curves : pandas.DataFrame
        Of `unison.experiments.tab06_options.parameter_curves`.
    """
    sentences = []
    for parameter, name, unit in (("penalty_s", "P", " s"), ("alpha", "α", "")):
        rows = curves[curves["parameter"] == parameter]
        width = rows.groupby("corpus", sort=False)["hit_rate"].agg(lambda rate: rate.max() - rate.min())
        best = rows.loc[rows.groupby("corpus", sort=False)["hit_rate"].idxmax()]
        other = rows[~rows["is_default"]]
        chosen = [f"{row.setting:g}{unit} on {row.corpus}" for row in best.itertuples()]
        sentences.append(
            f"Over all {name} tried the hit rate of a corpus moves by "
            f"{span(width.reset_index(), 'hit_rate', _width)}; the best {name} is {listed(chosen)}. Another "
            f"{name} than the paper's is better in {other['better'].sum()}, the same in "
            f"{other['same'].sum()} and worse in {other['worse'].sum()} of "
            f"{int(other[['better', 'same', 'worse']].to_numpy().sum())} cells and settings."
        )
    return " ".join(sentences)


def slots_finding(table: pd.DataFrame) -> str:
    """From how many slots on more are of no use, and how far corpora are apart.

    Parameters
    ----------
    table : pandas.DataFrame
        ``slots``, ``ase``, ``least``, ``most`` (over the corpora), ``paper``.
    """
    parts = [f"{row.ase:.3f} at {row.slots}" for row in table.itertuples()]
    known = table[table["paper"].notna()]
    paper = [f"{row.paper:.3f} at {row.slots}" for row in known.itertuples()]
    wide = table.loc[(table["most"] - table["least"]).idxmax()]
    text = (
        f"ASE is {listed(parts)} slots. Corpora are furthest apart at {wide['slots']:g}, from "
        f"{wide['least']:.3f} to {wide['most']:.3f}."
    )
    return f"{text} The paper has {listed(paper)}." if paper else text


def headlines_finding(table: pd.DataFrame) -> str:
    """The numbers to quote, each with its interval.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.headlines.tab02_headlines`.
    """
    whole = table[table["corpus"] == ALL].set_index("headline")
    seeds = int(table["seeds"].iloc[0])
    single = table[(table["headline"] == "completion_gain") & (table["corpus"] != ALL)]
    unsure = single[(single["low"] <= 0) & (single["high"] >= 0)]["corpus"]
    worse = table[(table["headline"] == "amat_completion_ratio") & (table["low"] > 1)]["corpus"]
    ttft = table[(table["headline"] == "ttft_ratio") & (table["corpus"] != ALL)]
    faster, slower = ttft[ttft["high"] < 1]["corpus"], ttft[ttft["low"] > 1]["corpus"]
    return (
        f"Over {seeds} seeds, means over all corpora with their intervals: hit rate "
        f"{_interval(whole.loc['hit_rate'], '%')}, gain over LRU {_interval(whole.loc['hit_gain'], 'pp')}, "
        f"over {named(COMPLETION)} {_interval(whole.loc['completion_gain'], 'pp')}; AMAT over LRU's "
        f"{_interval(whole.loc['amat_ratio'])}, over {named(COMPLETION)}'s "
        f"{_interval(whole.loc['amat_completion_ratio'])}; median TTFT under load over LRU's "
        f"{_interval(whole.loc['ttft_ratio'])}, over {named(COMPLETION)}'s "
        f"{_interval(whole.loc['ttft_completion_ratio'])}; BR {_interval(whole.loc['oracle_ratio'])}. "
        f"Against {named(COMPLETION)} the interval of the gain holds 0 on {listed(unsure)}, and the whole "
        f"interval of AMAT is worse on {listed(worse)}. Against LRU the whole interval of TTFT is below 1 on "
        f"{listed(faster)}, and above 1 on {listed(slower)}."
    )


def comparisons_finding(table: pd.DataFrame) -> str:
    """How many cells are won, tied and lost against each rival.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `unison.experiments.headlines.tab02_comparisons`.
    """
    sentences = []
    for measure, rows in table.groupby("measure", sort=False):
        parts = [
            f"{row.win}/{row.tie}/{row.loss} against {named(str(row.rival))}" for row in rows.itertuples()
        ]
        cells = int(rows["cells"].iloc[0])
        sentences.append(f"By {measure}, of {cells} cells won/tied/lost: {listed(parts)}.")
    return " ".join(sentences)


def _label(row: pd.Series) -> str:
    return named(str(row["policy"])) + (" with Tide" if row["tide"] == ON else "")


def _width(difference: float) -> str:
    return f"{100 * difference:.2f} pp"


def _interval(row: pd.Series, unit: str = "") -> str:
    if unit:
        return f"{100 * row['mean']:.1f} {unit} [{100 * row['low']:.1f}, {100 * row['high']:.1f}]"
    return f"{row['mean']:.3f} [{row['low']:.3f}, {row['high']:.3f}]"
