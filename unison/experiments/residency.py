"""Residency: which session sat where and when, and who would go next, in one replay of a chosen setting."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from unison.config import load_defaults
from unison.device import Costs, costs_for
from unison.errors import UnisonError
from unison.experiments.contenders import contender
from unison.experiments.dispersed import with_gap_dispersion
from unison.experiments.runner import NS_PER_S, model_of, signals_of
from unison.metrics import Measured, measure
from unison.policies.ranking import DEAD_SCORE, Ranking
from unison.policies.registry import build_policy
from unison.policies.stateful import StatefulPolicy
from unison.replay.engine import replay
from unison.replay.envelope import Envelope, parse_envelope
from unison.replay.outcomes import NOWHERE, Action, Outcomes
from unison.replay.resident import ranking_score
from unison.replay.tiering import Tiering
from unison.signals import Signals
from unison.traces.corpus import Corpus
from unison.traces.library import load_corpus
from unison.traces.synthetic import base_schedule
from unison.traces.trace import Trace

KEPT = 16
"""Corpora, traces, signals and replays kept of each, so that moving a control makes only what it changes."""

AWAY = "away"
"""Place of a session that is alive and not resident."""

METRICS = ("hit_rate", "sram_hit_rate", "amat_ns", "miss_evicted", "bypass_share", "evictions", "promotions")
_ENDLESS = 2.0**61
_STAY_TYPES = {"policy": "object", "session": "int64", "place": "object", "start_s": "float64",
               "end_s": "float64", "is_over": "bool", "event": "object"}  # fmt: skip
_VICTIM_TYPES = {"policy": "object", "rank": "int64", "session": "int64", "place": "object",
                 "length": "int64", "idle_s": "float64", "score": "float64", "back_s": "float64"}  # fmt: skip
_EVENTS = {Action.EVICT: "evicted", Action.DEMOTE: "demoted", Action.DROP: "dropped",
           Action.RELEASE: "released", Action.PROMOTE: "promoted", Action.SWAP_OUT: "swapped out",
           Action.TRUNCATE: "truncated"}  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """What one replay of the explorer is made of.

    Attributes
    ----------
    corpus : str
        A name or a file, see `unison.traces.library.load_corpus`.
    policy : str
        A label such as ``spear+tide``; the policy must be a ranking.
    envelope : str
        See `unison.replay.envelope.parse_envelope`.
    alpha : float
        Weight of the newest gap in the EMA.
    penalty_s : float
        P [s]; used by the policies that have it.
    log_sd : float or None
        Standard deviation of the log of the gaps, drawn anew; None keeps the corpus' own gaps.
    session_share : float
        Share of that variance that lies between sessions; of no effect on the corpus' own gaps.
    """

    corpus: str
    policy: str
    envelope: str
    alpha: float
    penalty_s: float
    log_sd: float | None = None
    session_share: float = 0.5


@dataclass(frozen=True, eq=False)
class Replayed:
    """A recorded replay with what it was made from."""

    setting: Setting
    trace: Trace
    ranking: Ranking
    envelope: Envelope
    costs: Costs
    outcomes: Outcomes

    @cached_property
    def stays(self) -> Stays:
        """Every stay of the replay."""
        return _stays(self)

    @property
    def span_ns(self) -> tuple[int, int]:
        """First arrival and last completion [ns]."""
        return int(self.trace.arrival_ns.min()), int(self.trace.end_ns.max())

    def place(self, tier: int) -> str:
        """Name of a tier, or `AWAY`."""
        return AWAY if tier == NOWHERE else self.envelope.tiers[tier].name


@dataclass(frozen=True, eq=False)
class Stays:
    """Stretches in which a session was in one place, by session, then time.

    Attributes
    ----------
    session, tier, start_ns, end_ns, cause : int64 [stays]
        Tier ``NOWHERE`` is away; `cause` is the `Action` that began the stay.
    """

    session: NDArray[np.int64]
    tier: NDArray[np.int64]
    start_ns: NDArray[np.int64]
    end_ns: NDArray[np.int64]
    cause: NDArray[np.int64]


def replayed(setting: Setting) -> Replayed:
    """The recorded replay of a setting; one that was asked for lately is found again.

    Raises
    ------
    UnisonError
        If a part of the setting is unknown or out of range, or the policy keeps state.
    """
    return _replayed(setting, _stamp(setting.corpus))


def pair_table(runs: Sequence[Replayed]) -> pd.DataFrame:
    """A row a replay: what the policy knows and the metrics of `METRICS`.

    Returns
    -------
    pandas.DataFrame
        ``corpus``, ``envelope``, ``policy``, ``info``, ``sees_completion`` and the metrics.
    """
    rows = []
    for run in runs:
        named = {"corpus": run.trace.corpus.name, "envelope": run.envelope.name}
        measured = Measured(run.outcomes, run.trace, run.envelope, run.costs)
        rows.append(named | contender(run.setting.policy).about() | measure(measured, METRICS))
    return pd.DataFrame(rows)


def residency(run: Replayed, from_ns: int, until_ns: int) -> pd.DataFrame:
    """Where each session was in a window of the replay, and how it left.

    Parameters
    ----------
    run : Replayed
    from_ns, until_ns : int
        The window [ns]; stays are cut at its ends.

    Returns
    -------
    pandas.DataFrame
        ``policy``, ``session``, ``place`` (a tier or ``away``), ``start_s`` and ``end_s``, ``is_over`` (the
        session had completed, yet held its place) and ``event``, which began the stay: ``started``, ``hit``,
        ``miss``, ``evicted``, ``demoted``, ``promoted`` and so on, ``before`` if that was before the window.
    """
    stays, finish = run.stays, _finish_ns(run.trace)
    seen = (stays.end_ns > from_ns) & (stays.start_ns < until_ns)
    rows: list[dict[str, object]] = []
    for i in np.flatnonzero(seen).tolist():
        start, end, session = int(stays.start_ns[i]), int(stays.end_ns[i]), int(stays.session[i])
        over = min(max(int(finish[session]), start), end)
        for part_from, part_until, is_over in ((start, over, False), (over, end, True)):
            cut_from, cut_until = max(part_from, from_ns), min(part_until, until_ns)
            if cut_from >= cut_until:
                continue
            event = _event_name(run, i) if part_from == start else "completed"
            rows.append(
                {
                    "policy": run.setting.policy,
                    "session": session,
                    "place": run.place(int(stays.tier[i])),
                    "start_s": cut_from / NS_PER_S,
                    "end_s": cut_until / NS_PER_S,
                    "is_over": is_over,
                    "event": event if part_from >= from_ns else "before",
                }
            )
    return _frame(rows, _STAY_TYPES)


def victims(run: Replayed, at_ns: int) -> pd.DataFrame:
    """The paused residents just before an instant, the first to go at the top.

    Parameters
    ----------
    run : Replayed
    at_ns : int
        The instant [ns].

    Returns
    -------
    pandas.DataFrame
        ``policy``, ``rank`` from 1, ``session``, ``place``, ``length`` [tokens], ``idle_s``, ``score`` (the
        ranking's, in s where it is a time; missing where it is endless) and ``back_s``, the time until
        the session's next request, missing if there is none. Pins and the tiers' own candidates are not
        looked at: it is the order of the scores.
    """
    stays, trace = run.stays, run.trace
    here = np.flatnonzero((stays.start_ns < at_ns) & (stays.end_ns >= at_ns) & (stays.tier != NOWHERE))
    scored = []
    for i in here.tolist():
        session = int(stays.session[i])
        row = _current_row(trace, session, at_ns)
        if trace.end_ns[row] >= at_ns:
            continue
        score = _score(run, row, at_ns)
        scored.append((-score, session, row, run.place(int(stays.tier[i]))))
    rows: list[dict[str, object]] = []
    for rank, (negated, session, row, place) in enumerate(sorted(scored), start=1):
        is_last = bool(trace.corpus.is_last[row])
        rows.append(
            {
                "policy": run.setting.policy,
                "rank": rank,
                "session": session,
                "place": place,
                "length": int(trace.corpus.length[row]),
                "idle_s": (at_ns - int(trace.end_ns[row])) / NS_PER_S,
                "score": np.nan if -negated >= _ENDLESS else -negated / NS_PER_S,
                "back_s": np.nan if is_last else (int(trace.arrival_ns[row + 1]) - at_ns) / NS_PER_S,
            }
        )
    return _frame(rows, _VICTIM_TYPES)


def _frame(rows: list[dict[str, object]], types: dict[str, str]) -> pd.DataFrame:
    """A frame whose columns have their types even when it is empty."""
    return pd.DataFrame(rows, columns=list(types)).astype(types)


def _score(run: Replayed, row: int, at_ns: int) -> float:
    if run.trace.ends_session[row] and run.ranking.sees_completion:
        return DEAD_SCORE
    return ranking_score(run.ranking, row, at_ns - int(run.trace.end_ns[row]))


def _current_row(trace: Trace, session: int, at_ns: int) -> int:
    """The session's last row that arrived before an instant."""
    first, after = trace.corpus.first_row[session : session + 2]
    return int(first + np.searchsorted(trace.arrival_ns[first:after], at_ns, side="left") - 1)


def _finish_ns(trace: Trace) -> NDArray[np.int64]:
    """When each session's last turn ended [sessions, ns]."""
    return trace.end_ns[trace.corpus.first_row[1:] - 1]


def _event_name(run: Replayed, i: int) -> str:
    """What began a stay; of a request, whether it hit."""
    cause = Action(int(run.stays.cause[i]))
    if cause not in (Action.PLACE, Action.BYPASS):
        return _EVENTS[cause]
    row = _current_row(run.trace, int(run.stays.session[i]), int(run.stays.start_ns[i]) + 1)
    if run.trace.corpus.turn[row] == 0:
        return "started"
    return "hit" if run.outcomes.is_hit[row] else "miss"


def _stays(run: Replayed) -> Stays:
    """The stays that the recorded actions make."""
    actions, trace = run.outcomes.actions, run.trace
    assert actions is not None
    order = np.lexsort((np.arange(len(actions)), actions[:, 2]))
    index, cause, session, _, tier = actions[order].T
    code = trace.events[index]
    start = np.where(code & 1, trace.arrival_ns[code >> 1], trace.end_ns[code >> 1])
    if run.ranking.drop_after_ns is not None:
        for i in np.flatnonzero(cause == Action.DROP).tolist():
            row = _current_row(trace, int(session[i]), int(start[i]))
            start[i] = trace.end_ns[row] + run.ranking.drop_after_ns[row]
    is_last = np.append(session[1:] != session[:-1], True)
    last_end = np.where(tier == NOWHERE, _finish_ns(trace)[session], run.span_ns[1])
    end = np.where(is_last, last_end, np.append(start[1:], 0))
    end = np.where(tier == NOWHERE, np.minimum(end, _finish_ns(trace)[session]), end)
    lasting = end > start
    return Stays(session[lasting], tier[lasting], start[lasting], end[lasting], cause[lasting])


@lru_cache(maxsize=KEPT)
def _replayed(setting: Setting, stamp: tuple[int, int]) -> Replayed:
    chosen = contender(setting.policy)
    trace = _trace(setting.corpus, stamp, setting.log_sd, setting.session_share)
    penalty = {"penalty_s": setting.penalty_s} if "penalty_s" in chosen.entry.parameters else {}
    if chosen.entry.is_stateful:
        raise UnisonError(
            f"explorer: {setting.policy} keeps state and has no ranking to show; choose another"
        )
    ranking = build_policy(chosen.entry.name, _signals(trace, setting.alpha), **penalty)
    assert not isinstance(ranking, StatefulPolicy)
    model = model_of(trace.corpus.name)
    envelope = parse_envelope(setting.envelope, model=model, mean_live_tokens=trace.mean_live_tokens)
    tiering = Tiering(tide=chosen.tide, max_swaps=load_defaults().tide.max_swaps)
    outcomes = replay(trace, ranking, envelope, tiering, record=True)
    return Replayed(setting, trace, ranking, envelope, costs_for(model), outcomes)


@lru_cache(maxsize=KEPT)
def _signals(trace: Trace, alpha: float) -> Signals:
    return dataclasses.replace(_base_signals(trace), alpha=alpha)


@lru_cache(maxsize=KEPT)
def _base_signals(trace: Trace) -> Signals:
    return signals_of(trace)


@lru_cache(maxsize=KEPT)
def _trace(corpus: str, stamp: tuple[int, int], log_sd: float | None, session_share: float) -> Trace:
    opened = _corpus(corpus, stamp)
    if log_sd is not None:
        opened = with_gap_dispersion(opened.timed(), log_sd, session_share, seed=0)
    return base_schedule(opened)


@lru_cache(maxsize=KEPT)
def _corpus(name: str, stamp: tuple[int, int]) -> Corpus:
    return load_corpus(name)


def _stamp(corpus: str) -> tuple[int, int]:
    """Time and size of a corpus' file, so that a file written anew is read anew; zeros for a name."""
    path = Path(corpus)
    if not corpus or not path.is_file():
        return 0, 0
    return path.stat().st_mtime_ns, path.stat().st_size
