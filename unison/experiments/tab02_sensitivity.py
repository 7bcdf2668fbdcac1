"""Table II under other costs: the same replays, priced at other ratios of read to prefill cost."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pandas as pd

from unison.device import Costs, sensitivity
from unison.experiments.contenders import BASELINE, contender
from unison.experiments.runner import Evaluator, envelopes_of
from unison.experiments.tab02_policies import geometric_mean
from unison.metrics import Measured, measure
from unison.replay.envelope import Envelope
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule
from unison.traces.trace import Trace

_AT = ["corpus", "envelope", "read_to_prefill", "is_device"]


def tab02_sensitivity(
    corpora: Sequence[Corpus], labels: Sequence[str], ratios: Sequence[float], *, seed: int = 0
) -> pd.DataFrame:
    """Reduction of AMAT against LRU at each ratio t_h / t_p, geometric mean over the envelopes.

    No decision of a replay depends on the read costs, so each replay is run once and priced at every ratio,
    the device model's own among them.

    Parameters
    ----------
    corpora : sequence of Corpus
    labels : sequence of str
        Contenders to compare with LRU.
    ratios : sequence of float
        Ratios of HBM read to prefill cost per token; SRAM reads keep their ratio to HBM reads.
    seed : int
        Of the schedule.

    Returns
    -------
    pandas.DataFrame
        ``policy``, ``corpus``, ``read_to_prefill``, ``is_device``, ``amat_ratio``, ``amat_reduction``.
    """
    evaluate = Evaluator()
    rows: list[dict[str, object]] = []
    for corpus in corpora:
        trace = base_schedule(corpus, seed=seed)
        own = evaluate.costs(trace)
        priced = [(own.read_to_prefill, own), *zip(ratios, sensitivity(own, ratios), strict=True)]
        for envelope in envelopes_of(trace, own):
            for label in (BASELINE, *labels):
                rows += _price(evaluate, trace, envelope, label, priced)
    cells = pd.DataFrame(rows)
    base = cells[cells["policy"] == BASELINE].set_index(_AT)["amat_ns"].rename("base_ns")
    joined = cells[cells["policy"] != BASELINE].join(base, on=_AT)
    joined["amat_ratio"] = joined["amat_ns"] / joined["base_ns"]
    keys = ["policy", "corpus", "read_to_prefill", "is_device"]
    table = joined.groupby(keys, sort=False)["amat_ratio"].agg(geometric_mean).reset_index()
    return table.assign(amat_reduction=1 - table["amat_ratio"])


def _price(
    evaluate: Evaluator, trace: Trace, envelope: Envelope, label: str, priced: Sequence[tuple[float, Costs]]
) -> list[dict[str, object]]:
    """One replay at each set of costs, by ratio; the first is the device model's own."""
    entry = contender(label)
    outcomes = evaluate.replay(trace, entry.entry.name, envelope, tide=entry.tide)
    rows: list[dict[str, object]] = []
    for position, (ratio, costs) in enumerate(priced):
        measured = Measured(outcomes, trace, with_costs(envelope, costs), costs)
        about: dict[str, object] = {
            "policy": label,
            "corpus": trace.corpus.name,
            "envelope": envelope.name,
            "read_to_prefill": ratio,
            "is_device": position == 0,
        }
        rows.append(about | dict(measure(measured, ("amat_ns",))))
    return rows


def with_costs(envelope: Envelope, costs: Costs) -> Envelope:
    """The envelope with the read costs of its tiers taken from `costs`, fastest tier first."""
    tiers = tuple(
        dataclasses.replace(tier, read_ns_per_token=read)
        for tier, read in zip(envelope.tiers, costs.read_ns_per_token, strict=False)
    )
    return dataclasses.replace(envelope, tiers=tiers)


def sensitivity_wide(table: pd.DataFrame) -> pd.DataFrame:
    """The AMAT reductions as a row for each policy and corpus and a column for each ratio.

    Returns
    -------
    pandas.DataFrame
        ``policy``, ``corpus``, ``device_ratio`` and ``at_device`` (the device model's own), then
        ``at_<ratio>`` in rising order.
    """
    keys = ["policy", "corpus"]
    own = table[table["is_device"]].set_index(keys)
    swept = table[~table["is_device"]].pivot(index=keys, columns="read_to_prefill", values="amat_reduction")
    swept.columns = [f"at_{ratio:g}" for ratio in swept.columns]
    named = own.rename(columns={"read_to_prefill": "device_ratio", "amat_reduction": "at_device"})
    return named[["device_ratio", "at_device"]].join(swept).reset_index()
