"""The six synthetic corpora: the published facts met exactly, every other number from data/calibration."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from unison.errors import unknown_name
from unison.traces.calibration import Calibration, default_calibration
from unison.traces.corpus import FIRST_TOOL, MIN_SERVICE_NS, Corpus
from unison.traces.draws import (
    apportion,
    at_ranks,
    draw,
    draw_classes,
    lognormal_factors,
    scale_to_median,
    stream,
    times_factors,
    uniform_ranks,
)
from unison.traces.trace import Trace, schedule

CORPORA = ("swe-qwen3", "swe-devstral", "swe-gemma4", "gaia-qwen3", "gaia-devstral", "gaia-gemma4")
"""Names of the synthetic corpora, ``<workload>-<model>``, in the order of the paper's tables."""

_NS_PER_US = 1000
_PERMILLE = 1000
_LOG_SD_DIGITS = 6


def synthesize(name: str, seed: int = 0, calibration: Calibration | None = None) -> Corpus:
    """A synthetic corpus.

    Parameters
    ----------
    name : str
        One of ``CORPORA``.
    seed : int
        Of the draw. Sessions, turns and the GAIA median gap are exact for every seed.
    calibration : Calibration, optional
        The committed one by default.

    Returns
    -------
    Corpus
        Whole microseconds; every session completed; tokens and times marked as estimates.

    Raises
    ------
    UnisonError
        If the name is unknown, the seed negative, or a calibration number is missing.

    Notes
    -----
    Turns a session, lengths and service times are drawn from quantile functions. GAIA gaps are a mixture
    over tools with a session effect, scaled to the model's published median; SWE gaps, which the paper
    constructs, are a nominal wait with log-normal jitter and do not depend on the tool.
    """
    if name not in CORPORA:
        raise unknown_name("corpus", name, CORPORA)
    return _Synthesis(name, seed, default_calibration() if calibration is None else calibration).corpus()


def base_schedule(
    corpus: Corpus, load: float = 1.0, seed: int = 0, calibration: Calibration | None = None
) -> Trace:
    """The corpus on an absolute clock at the calibrated concurrency.

    Parameters
    ----------
    corpus : Corpus
        Synthetic corpora, known by their names, are also held to the published bound of live sessions.
    load : float
        Load factor L.
    seed : int
        Of the order and spacing of session starts.
    calibration : Calibration, optional
        The committed one by default.

    Returns
    -------
    Trace

    Raises
    ------
    UnisonError
        See `schedule`.
    """
    calibration = default_calibration() if calibration is None else calibration
    return schedule(
        corpus,
        concurrency=calibration.number("common.concurrency"),
        load=load,
        max_live=calibration.integer("common.max_live") if corpus.name in CORPORA else None,
        seed=seed,
    )


class _Synthesis:
    """One draw of one corpus: the rows first, then a column at a time, each from its own stream."""

    def __init__(self, name: str, seed: int, calibration: Calibration) -> None:
        self._name, self._seed, self._cal = name, seed, calibration
        self._workload, self._model = name.split("-")
        self._levels = calibration.integers("common.levels")
        sessions = calibration.integer(f"corpora.{name}.sessions")
        shape = self._draw("turns", sessions)
        counts = apportion(shape, calibration.integer(f"corpora.{name}.turns"))
        self._sessions = sessions
        self._session = np.repeat(np.arange(sessions), counts)
        starts = np.cumsum(counts) - counts
        self._turn = np.arange(self._session.size) - starts[self._session]
        self._later = np.flatnonzero(self._turn > 0)

    def corpus(self) -> Corpus:
        turns = self._session.size
        tools, tool = self._tool_column()
        ranks = uniform_ranks(self._stream("output_tokens"), self._levels, turns)
        output = at_ranks(ranks, self._levels, self._quantiles("output_tokens"))
        service = self._service_ns(ranks)
        gap = self._gap_ns(tools, tool)
        prompt, new_prompt = self._prompts(output)
        elapsed = np.cumsum(gap + service) - service
        return Corpus(
            name=self._name,
            session=self._session.astype(np.int32),
            turn=self._turn.astype(np.int32),
            gap_ns=gap,
            service_ns=service,
            arrival_ns=elapsed - elapsed[self._turn == 0][self._session],
            prompt_tokens=prompt,
            new_prompt_tokens=new_prompt,
            output_tokens=output,
            tool=tool.astype(np.int16),
            tools=tools,
            role=np.zeros(turns, dtype=np.int16),
            roles=("",),
            completed=np.ones(self._sessions, dtype=np.int8),
            tokens_estimated=np.ones(turns, dtype=np.bool_),
            timing_estimated=np.ones(turns, dtype=np.bool_),
        )

    def _stream(self, what: str) -> np.random.Generator:
        return stream(self._seed, f"{self._name}/{what}")

    def _quantiles(self, what: str) -> tuple[int, ...]:
        """A list as it is; a single number is the median of the SWE list's shape."""
        value = self._cal[f"{self._workload}.{what}"].value
        if isinstance(value, tuple):
            return self._cal.integers(f"{self._workload}.{what}")
        shape = self._cal.integers(f"swe.{what}")
        median = self._cal.integer(f"{self._workload}.{what}")
        middle = shape[self._levels.index(_PERMILLE // 2)]
        return tuple(value * median // middle for value in shape)

    def _draw(self, what: str, size: int) -> NDArray[np.int64]:
        return draw(self._stream(what), self._levels, self._quantiles(what), size)

    def _tool_column(self) -> tuple[tuple[str, ...], NDArray[np.int64]]:
        """Tool names, the empty one of first turns in front, and each turn's index into them."""
        prefix = f"{self._workload}.tools"
        names = self._cal.children(prefix)
        shares = tuple(self._cal.integer(f"{prefix}.{name}.share") for name in names)
        column = np.zeros(self._session.size, dtype=np.int64)
        column[self._later] = 1 + draw_classes(self._stream("tool"), shares, self._later.size)
        return (FIRST_TOOL, *names), column

    def _service_ns(self, output_ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """A share of turns as large as the rank correlation takes its output's rank, the rest their own."""
        rng = self._stream("service")
        own = uniform_ranks(rng, self._levels, output_ranks.size)
        shared = rng.random(output_ranks.size) < self._cal.number("swe.service_output_rank_correlation")
        ranks = np.where(shared, output_ranks, own)
        service = at_ranks(ranks, self._levels, self._quantiles("service_us"))
        return np.maximum(service * _NS_PER_US, MIN_SERVICE_NS)

    def _gap_ns(self, tools: tuple[str, ...], tool: NDArray[np.int64]) -> NDArray[np.int64]:
        median = self._cal.integer(f"models.{self._model}.median_gap_us")
        if self._workload == "gaia":
            scaled = scale_to_median(self._mixed_gaps_us(tools, tool), median)
            later = np.minimum(scaled, self._cal.integer("gaia.longest_gap_us"))
        else:
            later = self._nominal_gaps_us(median)
        gap = np.zeros(self._session.size, dtype=np.int64)
        gap[self._later] = np.maximum(later, self._cal.integer("common.shortest_gap_us")) * _NS_PER_US
        return gap

    def _nominal_gaps_us(self, median: int) -> NDArray[np.int64]:
        nominal = np.full(
            self._later.size, round(median * self._cal.number("swe.nominal_gap")), dtype=np.int64
        )
        jitter = lognormal_factors(self._stream("gap"), self._cal.number("swe.gap_log_sd"), nominal.size)
        return times_factors(nominal, jitter)

    def _mixed_gaps_us(self, tools: tuple[str, ...], tool: NDArray[np.int64]) -> NDArray[np.int64]:
        ranks = uniform_ranks(self._stream("gap"), self._levels, self._later.size)
        gaps = np.empty(self._later.size, dtype=np.int64)
        for index, name in enumerate(tools[1:], start=1):
            kind = self._cal.text(f"gaia.tools.{name}.gap")
            mask = tool[self._later] == index
            gaps[mask] = at_ranks(ranks[mask], self._levels, self._cal.integers(f"gaps.{kind}"))
        share = self._cal.number("gaia.session_share")
        log_sd = float(np.log(gaps).std()) * (share / (1 - share)) ** 0.5
        effect = lognormal_factors(self._stream("session"), round(log_sd, _LOG_SD_DIGITS), self._sessions)
        return np.maximum(times_factors(gaps, effect[self._session[self._later]]), 1)

    def _prompts(self, output: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Prompt lengths, and the new part of each: last output plus result, or part of a shrunk prompt."""
        turns = self._session.size
        first = self._draw("first_prompt_tokens", self._sessions)[self._session].tolist()
        result = self._draw("result_tokens", turns).tolist()
        rng = self._stream("shrink")
        shrinks = (rng.random(turns) < self._cal.number("common.shrink.share")).tolist()
        kept = draw(rng, self._levels, self._cal.integers("common.shrink.prompt_permille"), turns).tolist()
        fresh = draw(rng, self._levels, self._cal.integers("common.shrink.new_permille"), turns).tolist()
        outputs, turn = output.tolist(), self._turn.tolist()
        prompt, new_prompt = first[:], first[:]
        for row in range(turns):
            if turn[row] == 0:
                continue
            if shrinks[row]:
                prompt[row] = max(1, prompt[row - 1] * kept[row] // _PERMILLE)
                new_prompt[row] = max(1, prompt[row] * fresh[row] // _PERMILLE)
            else:
                new_prompt[row] = outputs[row - 1] + result[row]
                prompt[row] = prompt[row - 1] + new_prompt[row]
        return np.array(prompt, dtype=np.int64), np.array(new_prompt, dtype=np.int64)
