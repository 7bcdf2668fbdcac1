"""Remaining life of what is written: a column over writes, from what earlier traffic and the harness tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from unison.config import load_defaults
from unison.flash.segments import SegmentClass, Timeline
from unison.hazard import TurnHazard

_HALF = 0.5
"""Of the turn in progress is still to come, on average."""
_MOST_CERTAIN = 1 - 1e-6


def class_mean_life(timeline: Timeline, history: Timeline) -> NDArray[np.float64]:
    """Remaining life as the mean of the class over written tokens [ns, writes]; infinite if never seen."""
    kind = history.seg_class[history.segment]
    weight = np.bincount(kind, weights=history.tokens, minlength=len(SegmentClass))
    life = np.bincount(kind, weights=history.tokens * history.life_ns, minlength=len(SegmentClass))
    means = np.divide(life, weight, out=np.full(len(SegmentClass), np.inf), where=weight > 0)
    life_ns: NDArray[np.float64] = means[timeline.seg_class[timeline.segment]]
    return life_ns


@dataclass(frozen=True, eq=False)
class Progress:
    """How far the agents are at each write: all of it told by the harness or the engine.

    Attributes
    ----------
    turn : int64 [writes]
        Turn of the segment, from 1: the agent's; for thinking the request since the user's message.
    decoded : int64 [writes]
        Tokens decoded of the reply in progress, this write included.
    """

    turn: NDArray[np.int64]
    decoded: NDArray[np.int64]


def progress_of(timeline: Timeline) -> Progress:
    """The progress at each write of a timeline."""
    decoded = np.zeros(timeline.n_writes, dtype=np.int64)
    requests = np.zeros(timeline.n_writes, dtype=np.int64)
    now_decoded: dict[int, int] = {}
    now_requests: dict[int, tuple[int, int]] = {}
    agents, turns = timeline.agent[timeline.segment].tolist(), timeline.turn.tolist()
    for i, (agent, turn, is_prompt, tokens) in enumerate(
        zip(agents, turns, timeline.is_prompt.tolist(), timeline.tokens.tolist(), strict=True)
    ):
        known_turn, count = now_requests.get(agent, (turn, 0))
        count = (count if known_turn == turn else 0) + int(is_prompt)
        now_requests[agent] = (turn, count)
        now_decoded[agent] = 0 if is_prompt else now_decoded.get(agent, 0) + tokens
        decoded[i], requests[i] = now_decoded[agent], max(count, 1)
    thinks = timeline.seg_class[timeline.segment] == SegmentClass.REASONING
    return Progress(np.where(thinks, requests, timeline.turn), decoded)


@dataclass(frozen=True, eq=False)
class _Table:
    """What one class of segments, or a third of one, has shown.

    Attributes
    ----------
    hazard : float64 [turns]
        Chance that turn t is the last one.
    further : float64 [turns + 1]
        Expected turns after turn t, if there is one more.
    turn_ns : float
        Mean time of a turn [ns].
    odds : float64 [output buckets]
        By how much the tokens decoded so far move the odds that the turn is the last one.
    """

    hazard: NDArray[np.float64]
    further: NDArray[np.float64]
    turn_ns: float
    odds: NDArray[np.float64]

    def life(self, now: _Now) -> NDArray[np.float64]:
        """Expected remaining life [ns, writes]; see `TurnLife`."""
        at, is_last, turn_ns = self._ahead(now)
        result: NDArray[np.float64] = turn_ns * _expected(is_last, self.further[at + 1])
        return result

    def holding(self, now: _Now) -> NDArray[np.float64]:
        """What holding on costs for each byte saved [ns, writes]; see `TurnLife`."""
        at, is_last, turn_ns = self._ahead(now)
        least = np.minimum(_HALF / is_last, _expected(is_last, self.further[at + 1]))
        alive, held, ended = (np.full(at.size, start) for start in (1.0, 0.0, 0.0))
        for ahead in range(1, self.hazard.size):
            chance = self.hazard[np.minimum(at + ahead, self.hazard.size - 1)]
            held, ended, alive = held + alive, ended + alive * chance, alive * (1 - chance)
            cost = (_HALF + (1 - is_last) * held) / (is_last + (1 - is_last) * ended)
            least = np.minimum(least, cost)
        return turn_ns * least

    def _ahead(self, now: _Now) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
        """Index of the turn's hazard, chance that the turn is the last one, and time of a turn [ns]."""
        at = np.minimum(now.turn, self.hazard.size) - 1
        chance = np.minimum(self.hazard[at], _MOST_CERTAIN)
        defaults = load_defaults().flash_policy
        bucket = np.searchsorted(defaults.output_edges, now.decoded, side="right")
        odds = chance / (1 - chance) * self.odds[bucket]
        turn_ns = (defaults.pace_turns * self.turn_ns + now.age) / (defaults.pace_turns + now.turn - _HALF)
        return at, odds / (1 + odds), turn_ns


def _expected(is_last: NDArray[np.float64], further: NDArray[np.float64]) -> NDArray[np.float64]:
    """Expected turns that are left, half of the one in progress among them."""
    return _HALF + (1 - is_last) * (1 + further)


@dataclass(frozen=True, eq=False)
class _Now:
    """Writes of one table: turn, tokens decoded, and age of the segment [ns]."""

    turn: NDArray[np.int64]
    decoded: NDArray[np.int64]
    age: NDArray[np.int64]


class TurnLife:
    """Remaining life from the turn-indexed hazard, as it is expected and as what it costs to await it.

    ``life = g (1/2 + (1 - l) (1 + sum over j >= 1 of S(t + 1 + j | t + 1)))``: half of the turn in progress,
    and unless it is the last one, the next turn and those expected after it. The survival S is that of
    `TurnHazard`. The chance l of the last turn is h(t), its odds multiplied by how much more often a last
    turn's reply gets as long as this one. The time of a turn g is the class's mean, drawn to the agent's own.
    Thinking lives until the user answers: the requests left of the reply, then the mean delay.

    What holding on costs is the least over k of ``E[min(L, k)] / P(L <= k)`` of that life L: held for k more
    turns at most, a byte takes so much room and time for each byte that ends meanwhile and need never be
    written to flash. Under constant hazards it orders as the life does; where many end soon and a few live
    long it is far less (an index of Gittins). Of the user's delay it is `cost_of_waiting`.

    Parameters
    ----------
    history : Timeline
        Whole sessions of earlier traffic.
    groups : int64 [segments], optional
        A group of each of the history's segments, as the third of the predicted lives that it falls in; each
        class and group has its own table.
    """

    def __init__(self, history: Timeline, groups: NDArray[np.int64] | None = None) -> None:
        own = np.zeros(history.n_segments, dtype=np.int64) if groups is None else groups
        progress = progress_of(history)
        self.delays_ns = user_delays(history)
        self._tables = {
            (kind, group): _tabulate(history, progress, (history.seg_class == kind) & (own == group))
            for kind in np.unique(history.seg_class).tolist()
            for group in np.unique(own[history.seg_class == kind]).tolist()
        }

    def expected(self, timeline: Timeline, groups: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """Expected remaining life at each write [ns, writes]; `groups` as for the history."""
        delay = float(self.delays_ns.mean()) if self.delays_ns.size else 0.0
        return self._column(timeline, groups, _Table.life, delay)

    def holding(self, timeline: Timeline, groups: NDArray[np.int64] | None = None) -> NDArray[np.float64]:
        """What holding on costs at each write [ns, writes]; `groups` as for the history."""
        delay = cost_of_waiting(self.delays_ns, 0) if self.delays_ns.size else 0.0
        return self._column(timeline, groups, _Table.holding, delay)

    def _column(
        self,
        timeline: Timeline,
        groups: NDArray[np.int64] | None,
        of_table: Callable[[_Table, _Now], NDArray[np.float64]],
        delay_ns: float,
    ) -> NDArray[np.float64]:
        own = np.zeros(timeline.n_segments, dtype=np.int64) if groups is None else groups
        segment = timeline.segment
        kind, group = timeline.seg_class[segment], own[segment]
        progress = progress_of(timeline)
        age = timeline.write_ns - timeline.spawn_ns[segment]
        found = np.full(timeline.n_writes, np.inf)
        for (one, part), table in self._tables.items():
            mine = (kind == one) & (group == part)
            found[mine] = of_table(table, _Now(progress.turn[mine], progress.decoded[mine], age[mine]))
        found[kind == SegmentClass.REASONING] += delay_ns
        return found


def _tabulate(history: Timeline, progress: Progress, members: NDArray[np.bool_]) -> _Table:
    writes = members[history.segment]
    turns = np.zeros(history.n_segments, dtype=np.int64)
    np.maximum.at(turns, history.segment, progress.turn)
    until = np.zeros(history.n_segments, dtype=np.int64)
    np.maximum.at(until, history.segment, history.write_ns)
    counts, active = turns[members], (until - history.spawn_ns)[members]
    defaults = load_defaults().flash_policy
    most = int(np.sort(counts)[-min(defaults.least_at_risk, counts.size)])
    epsilon = load_defaults().spear.epsilon
    hazard = TurnHazard(max_turn=most, epsilon=epsilon, smoothing="kernel").fit(counts).hazard_
    hazard = np.maximum(hazard, epsilon)
    further = np.full(most + 1, (1 - hazard[-1]) / hazard[-1])
    for t in range(most - 2, -1, -1):
        further[t] = (1 - hazard[t]) * (1 + further[t + 1])
    is_last = writes & (progress.turn == turns[history.segment])
    bucket = np.searchsorted(defaults.output_edges, progress.decoded, side="right")
    size = len(defaults.output_edges) + 1
    last = np.bincount(bucket[is_last], minlength=size) + 1.0
    other = np.bincount(bucket[writes & ~is_last], minlength=size) + 1.0
    odds = last / other
    return _Table(hazard, further, float(active.sum() / counts.sum()), odds / odds[0])


def user_delays(history: Timeline) -> NDArray[np.int64]:
    """Times from the end of a reply to the user's next message, in order of size [ns]."""
    thinking = np.flatnonzero(history.seg_class == SegmentClass.REASONING)
    answered: dict[int, list[int]] = {}
    for segment in thinking.tolist():
        answered.setdefault(int(history.session[segment]), []).append(segment)
    delays = []
    replies = np.flatnonzero(history.awaits_user)
    for write in replies.tolist():
        time = int(history.write_ns[write])
        session = int(history.session[history.segment[write]])
        frees = [int(history.free_ns[s]) for s in answered[session]]
        after = min((free for free in frees if free > time), default=time + 1)
        if after > time + 1:
            delays.append(after - time)
    return np.sort(np.array(delays, dtype=np.int64))


def cost_of_waiting(delays_ns: NDArray[np.int64], waited_ns: int) -> float:
    """What holding on costs for each byte saved, at best [ns]; see `TurnLife`.

    ``min over s of E[min(D - w, s)] / P(D - w <= s)`` of the delays D longer than w.
    """
    left = delays_ns[delays_ns > waited_ns] - waited_ns
    if not left.size:
        return float("inf")
    count = np.arange(1, left.size + 1)
    held = np.cumsum(left) + left * (left.size - count)
    return float((held / count).min())
