"""Sweep: variants of policy, signals, tiering and costs over corpora, envelopes and seeds, in one way."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import joblib
import numpy as np
import pandas as pd

import unison.policies  # noqa: F401 (registers the policies)
from unison.config import load_defaults
from unison.device import Costs, costs_for
from unison.errors import UnisonError
from unison.experiments.gap_sources import OWN, gap_estimate_ns
from unison.experiments.intervals import mean_intervals, verdict_flags
from unison.experiments.runner import NS_PER_S, envelopes_of, model_of
from unison.experiments.tab02_sensitivity import with_costs
from unison.hazard import TurnHazard, fit_corpus
from unison.metrics import Measured, measure
from unison.policies.ranking import Ranking
from unison.policies.registry import build_policy
from unison.policies.stateful import StatefulPolicy
from unison.replay.engine import replay
from unison.replay.envelope import Envelope
from unison.replay.tiering import Tiering
from unison.signals import Signals
from unison.traces.corpus import Corpus
from unison.traces.synthetic import CORPORA, base_schedule, synthesize
from unison.traces.trace import Trace

AT = ["corpus", "seed", "envelope"]
"""A point: what two variants have in common when they are compared."""

METRICS = ("hit_rate", "sram_hit_rate", "token_hit_rate", "prefill_reduction", "amat_ns", "prefetch_accuracy",
           "bypass_share")  # fmt: skip

POINT = ("corpus", "envelope")
"""What is left of a point when seeds are taken together."""

_DIFFERENCES = {"hit_rate": "hit_gain", "token_hit_rate": "token_gain"}
_RATIOS = {"amat_ns": "amat_ratio", "ttft_p50_s": "ttft_ratio"}

JOBS = 2
"""Processes of a sweep."""

Envelopes = Callable[[Trace, Costs], Sequence[Envelope]]
"""The envelopes of a trace under the device's costs; a function of a module, since processes share it."""


@dataclass(frozen=True)
class Variant:
    """One way to run a replay; what is not given is the default of data/defaults.toml.

    Attributes
    ----------
    label : str
        Name in results.
    policy : str
        A registered policy with a `Ranking`.
    tiering : Tiering
    params : tuple of (str, float)
        Parameters of the policy.
    axis, value : str
        What a result is sorted under, copied into it.
    alpha : float or None
        Weight of the newest gap.
    ema_init : str
        Start of the EMA, of `unison.signals.EMA_INITS`.
    survival : str
        ``local`` or ``cumulative``, see `unison.hazard.TurnHazard`.
    hide_completion : bool
        Deliver COMPLETE as GAP_START.
    gap_source : str
        Tide's gap estimate: ``own``, or of `unison.experiments.gap_sources.GAP_SOURCES`.
    slots : int or None
        Session slots.
    read_factor, dma_factor, prefill_factor : float
        Factors of the read latency of every tier, of the DMA bandwidth and of the prefill rate.
    """

    label: str
    policy: str
    tiering: Tiering = field(default_factory=Tiering)
    params: tuple[tuple[str, float], ...] = ()
    axis: str = ""
    value: str = ""
    alpha: float | None = None
    ema_init: str = "prior"
    survival: str = "local"
    hide_completion: bool = False
    gap_source: str = OWN
    slots: int | None = None
    read_factor: float = 1.0
    dma_factor: float = 1.0
    prefill_factor: float = 1.0

    def costs(self, device: Costs) -> Costs:
        """The device's costs under this variant's factors."""
        sram, hbm, host = (read * self.read_factor for read in device.read_ns_per_token)
        return dataclasses.replace(
            device,
            sram_ns_per_token=sram,
            hbm_ns_per_token=hbm,
            host_ns_per_token=host,
            prefill_ns_per_token=device.prefill_ns_per_token / self.prefill_factor,
            dma_ps_per_token=math.ceil(device.dma_ps_per_token / self.dma_factor),
        )

    def envelope(self, envelope: Envelope, costs: Costs) -> Envelope:
        """The envelope with this variant's slots and costs."""
        slots = envelope.slots if self.slots is None else self.slots
        priced = with_costs(envelope, costs)
        return dataclasses.replace(priced, slots=slots, dma_ps_per_token=costs.dma_ps_per_token)


@dataclass
class _Replays:
    """Replays of one trace; signals, rankings and results are kept and found again by what made them."""

    trace: Trace
    metrics: tuple[str, ...]
    _signals: dict[tuple[object, ...], Signals] = field(default_factory=dict)
    _rankings: dict[Variant, Ranking] = field(default_factory=dict)
    _results: dict[tuple[Variant, Envelope], dict[str, float]] = field(default_factory=dict)

    def __call__(self, variant: Variant, envelope: Envelope, device: Costs) -> dict[str, float]:
        """The metrics of one replay."""
        key = (dataclasses.replace(variant, label="", axis="", value=""), envelope)
        if key not in self._results:
            costs = variant.costs(device)
            priced = variant.envelope(envelope, costs)
            outcomes = replay(self.trace, self._ranking(variant), priced, variant.tiering)
            self._results[key] = measure(Measured(outcomes, self.trace, priced, costs), self.metrics)
        return self._results[key]

    def _ranking(self, variant: Variant) -> Ranking:
        of_policy = Variant(
            "", variant.policy, params=variant.params, alpha=variant.alpha, ema_init=variant.ema_init,
            survival=variant.survival, hide_completion=variant.hide_completion, gap_source=variant.gap_source,
        )  # fmt: skip
        if of_policy not in self._rankings:
            self._rankings[of_policy] = self._build(of_policy)
        return self._rankings[of_policy]

    def _build(self, variant: Variant) -> Ranking:
        signals = self._signals_of(variant)
        ranking = build_policy(variant.policy, signals, **dict(variant.params))
        if isinstance(ranking, StatefulPolicy):
            raise UnisonError(f"sweep: {variant.policy} keeps state; a sweep runs policies that are rankings")
        if variant.hide_completion:
            ranking = dataclasses.replace(ranking, sees_completion=False)
        if variant.gap_source != OWN:
            estimate = gap_estimate_ns(variant.gap_source, signals)
            ranking = dataclasses.replace(ranking, gap_estimate_ns=estimate)
        return ranking

    def _signals_of(self, variant: Variant) -> Signals:
        key = (variant.alpha, variant.ema_init, variant.survival)
        if key not in self._signals:
            spear = load_defaults().spear
            self._signals[key] = Signals(
                trace=self.trace,
                hazard=hazard_of(self.trace.corpus, variant.survival),
                alpha=spear.alpha if variant.alpha is None else variant.alpha,
                ema_init=variant.ema_init,
                prior_gap_ns=round(spear.gap_prior_s * NS_PER_S),
            )
        return self._signals[key]


def hazard_of(corpus: Corpus, survival: str) -> TurnHazard:
    """The hazard fitted on a corpus' own sessions, with the local or the cumulative survival."""
    spear = load_defaults().spear
    return fit_corpus(corpus, max_turn=spear.max_turn, epsilon=spear.epsilon, surv=survival)


def drawn(corpus: Corpus, seed: int) -> Corpus:
    """The synthetic corpus of that name drawn with another seed; any other corpus as it is."""
    return synthesize(corpus.name, seed) if corpus.name in CORPORA else corpus


def sweep(
    corpora: Sequence[Corpus],
    variants: Sequence[Variant],
    *,
    seeds: Sequence[int] = (0,),
    envelopes: Envelopes = envelopes_of,
    metrics: Sequence[str] = METRICS,
    load: float = 1.0,
    jobs: int = JOBS,
) -> pd.DataFrame:
    """Run every variant on every corpus, seed and envelope.

    A synthetic corpus is drawn anew for each seed, with its schedule; of any other only the schedule is.

    Parameters
    ----------
    corpora : sequence of Corpus
    variants : sequence of Variant
    seeds : sequence of int
        Of corpora and schedules.
    envelopes : callable
        The envelopes of each trace.
    metrics : sequence of str
        Of `unison.metrics`.
    load : float
        Load factor of the schedules; envelopes are those of load 1.
    jobs : int
        Processes; the rows are the same for any number.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``seed``, ``envelope``, ``sram_tokens``, ``total_tokens``, ``live_share``, ``label``,
        ``policy``, ``axis``, ``value`` and the metrics, in the order of the arguments.
    """
    run = joblib.delayed(_run)
    tasks = [(corpus, seed) for corpus in corpora for seed in seeds]
    done = joblib.Parallel(n_jobs=jobs)(
        run(corpus, seed, load, tuple(variants), envelopes, tuple(metrics)) for corpus, seed in tasks
    )
    return pd.DataFrame([row for rows in done for row in rows])


def _run(
    corpus: Corpus,
    seed: int,
    load: float,
    variants: tuple[Variant, ...],
    envelopes: Envelopes,
    metrics: tuple[str, ...],
) -> list[dict[str, object]]:
    drawn_corpus = drawn(corpus, seed)
    base = base_schedule(drawn_corpus, seed=seed)
    device = costs_for(model_of(corpus.name))
    replays = _Replays(base if load == 1 else base_schedule(drawn_corpus, load=load, seed=seed), metrics)
    rows: list[dict[str, object]] = []
    for envelope in envelopes(base, device):
        about: dict[str, object] = {
            "corpus": corpus.name,
            "seed": seed,
            "envelope": envelope.name,
            "sram_tokens": envelope.tiers[0].capacity_tokens,
            "total_tokens": envelope.total_tokens,
            "live_share": envelope.total_tokens / base.mean_live_tokens,
        }
        for variant in variants:
            named = {"label": variant.label, "policy": variant.policy}
            sorted_under = {"axis": variant.axis, "value": variant.value}
            rows.append(about | named | sorted_under | replays(variant, envelope, device))
    return rows


def default_envelope_of(trace: Trace, costs: Costs) -> tuple[Envelope, ...]:
    """The default envelope of a trace, or the one at its place where envelopes are shares."""
    defaults = load_defaults()
    return (envelopes_of(trace, costs)[defaults.envelope.names.index(defaults.replay.envelope)],)


def beside_label(cells: pd.DataFrame, label: str, on: Sequence[str] = AT) -> pd.DataFrame:
    """The cells with those of one label at the same point beside each.

    Parameters
    ----------
    cells : pandas.DataFrame
        Of `sweep`.
    label : str
        Its values are what each is compared with.
    on : sequence of str
        Columns that make two cells comparable.

    Returns
    -------
    pandas.DataFrame
        The cells with ``hit_gain`` (difference of hit rate), and where they are measured ``token_gain`` (of
        token hit rate), ``amat_ratio`` and ``ttft_ratio`` (of the median).
    """
    wanted = [name for name in (*_DIFFERENCES, *_RATIOS) if name in cells]
    base = cells[cells["label"] == label].set_index(list(on))[wanted].add_suffix("_base")
    if base.index.has_duplicates:
        raise UnisonError(f"sweep: {label!r} has several cells at one point; add what tells them apart")
    joined = cells.join(base, on=list(on))
    for name in wanted:
        if name in _DIFFERENCES:
            joined[_DIFFERENCES[name]] = joined[name] - joined[f"{name}_base"]
        else:
            joined[_RATIOS[name]] = joined[name] / joined[f"{name}_base"]
    return joined.drop(columns=base.columns)


def over_seeds(joined: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Means over what `by` leaves apart, the seeds: of ratios geometric, of all other numbers arithmetic.

    Returns
    -------
    pandas.DataFrame
        `by` and the columns of numbers.
    """
    keys = list(by)
    numbers = [name for name in joined.select_dtypes("number") if name not in keys]
    ratios = [name for name in numbers if name in _RATIOS.values()]
    means = joined.groupby(keys, sort=False)[numbers].mean()
    means[ratios] = np.exp(np.log(joined[ratios]).groupby([joined[key] for key in keys], sort=False).mean())
    return means.reset_index()


def counted(joined: pd.DataFrame, gain: pd.Series, by: Sequence[str], *, confidence: float) -> pd.DataFrame:
    """At how many points a gain is above 0, holds 0 in its interval over the seeds, or is below.

    Parameters
    ----------
    joined : pandas.DataFrame
        Of `beside_label`; a point is a corpus in an envelope.
    gain : pandas.Series
        Aligned with it, positive where it is a gain.
    by : sequence of str
        Columns that make a row.
    confidence : float
        Of the intervals.

    Returns
    -------
    pandas.DataFrame
        ``wins``, ``ties``, ``losses``, indexed by `by`.
    """
    keys = list(by)
    at = [joined[name] for name in dict.fromkeys((*keys, *POINT))]
    return verdict_flags(mean_intervals(gain, at, confidence)).groupby(level=keys, sort=False).sum()


def over_points(joined: pd.DataFrame, by: Sequence[str], *, confidence: float) -> pd.DataFrame:
    """Means over points and seeds: of rates and gains arithmetic, of AMAT ratios geometric.

    Parameters
    ----------
    joined : pandas.DataFrame
        Of `beside_label`.
    by : sequence of str
        Columns that make a row.
    confidence : float
        Of the intervals over the seeds by which points are counted.

    Returns
    -------
    pandas.DataFrame
        `by`, ``points``, the mean of each metric present, ``hit_gain``, ``amat_ratio``, ``amat_reduction``,
        ``wins``, ``ties``, ``losses`` of the hit rate, and ``amat_wins``, ``amat_ties``, ``amat_losses``.
    """
    keys = list(by)
    rates = [name for name in METRICS if name in joined and name != "amat_ns"]
    gains = [name for name in ("hit_gain", "token_gain") if name in joined]
    means = over_seeds(joined, keys).set_index(keys)
    counts = counted(joined, joined["hit_gain"], keys, confidence=confidence)
    amat = counted(joined, 1 - joined["amat_ratio"], keys, confidence=confidence).add_prefix("amat_")
    rows = means[[*rates, *gains, "amat_ratio"]].assign(amat_reduction=1 - means["amat_ratio"])
    rows.insert(0, "points", counts.sum(axis=1))
    return rows.join(counts).join(amat).reset_index()
