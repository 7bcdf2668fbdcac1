"""What the checks and simulations of the generated Verilog show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from unison.experiments.fig11_blocks import BLOCK
from unison.experiments.fig11_cycles import DECIDING, DECISION, PASSED
from unison.experiments.tab11_checks import ALL, CONTRACT
from unison.experiments.tab11_results import REASON
from unison.report.findings.words import listed
from unison.rtl.checks import Verdict
from unison.rtl.config import VARIANTS


def blocks_finding(data: pd.DataFrame) -> str:
    """How many instances there are, and where the state is.

    Parameters
    ----------
    data : pandas.DataFrame
        Of `unison.experiments.fig11_blocks.ip_blocks`.
    """
    blocks = data[data["kind"] == BLOCK]
    state = (blocks["register_bits"] + blocks["memory_bits"]).groupby(blocks["instance"]).sum()
    largest = state.idxmax()
    registers, memory = int(blocks["register_bits"].sum()), int(blocks["memory_bits"].sum())
    return (
        f"{len(blocks)} instances of {blocks['module'].nunique()} modules hold {registers:,} bits in "
        f"registers and {memory:,} in memories; {largest} has the most, "
        f"{100 * state.max() / state.sum():.0f} %."
    )


def slots_finding(slots: pd.DataFrame) -> str:
    """The bits of a slot by the contract, and what variants keep of it.

    Parameters
    ----------
    slots : pandas.DataFrame
        Of `unison.experiments.tab11_checks.slot_table`.
    """
    contract = slots[slots["variant"] == CONTRACT].iloc[0]
    kept = slots[slots["variant"] != CONTRACT]
    by_bits = [f"{bits} in {listed(rows['variant'])}" for bits, rows in kept.groupby("bits", sort=True)]
    return (
        f"By the widths of the contract a slot has {contract['bits']} bits. The tables keep "
        f"{listed(by_bits)}: a score is stored only where a scan reads it, and in as many bits as the "
        "largest that can come."
    )


def checks_finding(checks: pd.DataFrame, variants: int) -> str:
    """Which checks passed on all variants, which found something, which were not run.

    Parameters
    ----------
    checks : pandas.DataFrame
        Of `unison.experiments.tab11_checks.check_table`.
    variants : int
        How many there are.
    """
    passed = checks[(checks["result"] == Verdict.PASSED) & (checks["variants"] == variants)]
    text = f"{len(passed)} of {len(checks)} checks pass on all {variants} variants."
    failed = checks[checks["result"] == Verdict.FAILED]
    if len(failed):
        told = [f"{row['check']} ({row['findings']} findings)" for row in failed.to_dict("records")]
        text += f" Failed: {listed(told)}."
    skipped = checks[checks["result"] == Verdict.SKIPPED]
    if len(skipped):
        told = [f"{row['check']} ({row['note']})" for row in skipped.to_dict("records")]
        text += f" SKIPPED, which is no pass: {listed(told)}."
    return text


def timing_finding(spans: Mapping[str, tuple[int, int]]) -> str:
    """What is counted in the timing diagram.

    Parameters
    ----------
    spans : mapping of str to (int, int)
        Of `unison.experiments.fig11_timing.span_labels`.
    """
    return f"Counted in the waveform, first and last cycle included: {listed(spans)}."


def cycles_finding(data: pd.DataFrame, paper: pd.DataFrame, *, extra_cycles: int, clock_mhz: float) -> str:
    """Cycles of a selection by variant; and how far the paper's means are from a scan, and from ours.

    Parameters
    ----------
    data : pandas.DataFrame
        Of `unison.experiments.fig11_cycles.decision_cycles`.
    paper : pandas.DataFrame
        Of `unison.experiments.fig11_cycles.paper_latencies`.
    extra_cycles : int
        Clock cycles that the paper gives a scan beyond one for each slot.
    clock_mhz : float
    """
    if data[REASON].notna().any():
        return f"SKIPPED, so that nothing is known of cycles here: {data[REASON].dropna().iloc[0]}."
    decisions = data[(data["what"] == DECISION) & (data["count"] > 0)]
    if decisions.empty:
        return "No event of this corpus needs a selection."
    beyond = (decisions["worst_cycles"] - decisions["sessions"]).groupby(decisions["variant"], sort=False)
    alike: dict[str, list[str]] = {}
    for name, group in beyond:
        alike.setdefault(_beyond(str(name), group, decisions), []).append(str(name))
    told = [f"{cycles} in {listed(names)}" for cycles, names in alike.items()]
    means = paper[(paper["statistic"] == "mean") & paper["sessions"].isin(decisions["sessions"])]
    first = str(decisions["variant"].iloc[0])
    ours = data[(data["variant"] == first) & (data["what"] == DECIDING)].set_index("sessions")["mean_us"]
    pairs = [
        f"{us:.2f} us at {n} slots, where a scan of N + {extra_cycles} cycles takes "
        f"{(n + extra_cycles) / clock_mhz:.2f} us and an event of {first} that decides {ours[n]:.2f} us"
        for n, us in zip(means["sessions"], means["us"], strict=True)
    ]
    wrong = int((data["result"] != PASSED).sum())
    verdict = "no response differs from the model's" if not wrong else f"{wrong} rows have wrong responses"
    return (
        f"A selection takes {'; '.join(told)}. The paper prints means of {'; '.join(pairs)}: its latencies "
        f"are not those of single scans. In these simulations {verdict}."
    )


def _beyond(variant: str, cycles: pd.Series, decisions: pd.DataFrame) -> str:
    if cycles.nunique() == 1:
        beyond = int(cycles.iloc[0])
        return f"N {'+' if beyond >= 0 else '-'} {abs(beyond)} cycles"
    worst = decisions[decisions["variant"] == variant]["worst_cycles"].astype(int)
    return f"at most {worst.min()} to {worst.max()} cycles"


def proofs_finding(proofs: pd.DataFrame, modules: pd.DataFrame, variants: Sequence[str]) -> str:
    """How the proofs ended, and which modules of which variants have none.

    Parameters
    ----------
    proofs : pandas.DataFrame
        Of `unison.experiments.tab11_results.proof_table`.
    modules : pandas.DataFrame
        Of `unison.experiments.tab11_checks.module_table`.
    variants : sequence of str
        Those that `modules` is about.
    """
    text = results_finding(proofs, "proofs")
    if proofs[REASON].notna().any():
        return text
    proved = {
        (row.module, variant) for row in proofs.itertuples() for variant in _split(row.variants, VARIANTS)
    }
    lacking: dict[str, list[str]] = {}
    having: set[str] = {module for module, _ in proved}
    for row in modules.itertuples():
        names = [name for name in _split(row.variants, variants) if (row.module, name) not in proved]
        lacking.setdefault(str(row.module), []).extend(names)
    parts = [
        f"{module} of {listed(names)}" if module in having else module
        for module, names in lacking.items()
        if names
    ]
    return f"{text} Without a proof of their own, and held by the simulation alone: {listed(parts)}."


def _split(names: object, every: Sequence[str]) -> list[str]:
    """The variants that a cell names."""
    return list(every) if names == ALL else str(names).split(", ")


def results_finding(table: pd.DataFrame, what: str) -> str:
    """How the rows of a table of results ended.

    Parameters
    ----------
    table : pandas.DataFrame
        With ``result`` and ``skipped``.
    what : str
        What a row is, in the plural.
    """
    skipped = table[REASON].dropna()
    if len(skipped):
        return f"{len(skipped)} of {len(table)} {what} are SKIPPED, which is no pass: {skipped.iloc[0]}."
    counts = table["result"].astype(str).value_counts(sort=False)
    return f"Of {len(table)} {what}: {listed(f'{count} {result}' for result, count in counts.items())}."
