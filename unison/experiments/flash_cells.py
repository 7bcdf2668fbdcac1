"""Runs of flash placement: one corpus on one GPU under several policies, and what is measured of each."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import joblib
import numpy as np
import pandas as pd

from unison.config import load_defaults
from unison.errors import UnisonError
from unison.flash.adapter import segments_of
from unison.flash.corpora import Scenario, cut
from unison.flash.device import FlashDevice, flash_device, improvement
from unison.flash.load import Config, get_config
from unison.flash.plans import DEFAULT_VARIANT, Variant
from unison.flash.policies import PlacementPolicy, Setting, get_placement
from unison.flash.reads import ReadTally
from unison.flash.replay import Placed, replay_placement
from unison.flash.segments import Timeline
from unison.traces.corpus import Corpus
from unison.traces.synthetic import base_schedule

BASELINE = "hbm_first"
DETERMINISTIC = "lachesis_deterministic"
LACHESIS = "lachesis"
OURS = "remaining_life"
PLACED = "remaining_life_placed"
BOUND = "bound"
"""The placement that keeps as much in HBM as any can; see `unison.flash.bound`."""

MAIN = (BASELINE, DETERMINISTIC, LACHESIS, OURS, BOUND)
KEYS = ["regime", "model", "config", "slo", "seed"]
_GB = 1e9
_NS_PER_S = 1e9
_LEAST_SESSIONS = 2


@dataclass(frozen=True)
class Cell:
    """A corpus on a GPU.

    Attributes
    ----------
    regime, model, config, slo : str
        See `unison.flash.corpora.Scenario` and `unison.flash.load.get_config`.
    seed : int
    variant : Variant
    profile : str
        Length of the run.
    """

    regime: str
    model: str
    config: str
    slo: str
    seed: int = 0
    variant: Variant = DEFAULT_VARIANT
    profile: str = "full"

    @property
    def keys(self) -> dict[str, Any]:
        """What names the cell in tables."""
        return {name: getattr(self, name) for name in KEYS}


class Prepared:
    """A cell with its corpus and earlier traffic, on which policies are run.

    Parameters
    ----------
    cell : Cell
    """

    def __init__(self, cell: Cell) -> None:
        config = get_config(cell.config, cell.model)
        scenario = Scenario(cell.regime, config, cell.slo, cell.seed, cell.variant)
        setting = Setting(
            timeline=scenario.timeline(cell.profile),
            history=scenario.history(),
            capacity=config.hbm_blocks,
            block_tokens=load_defaults().flash_node.block_tokens,
            seed=cell.seed,
        )
        self._begin(config, setting, load_defaults(cell.profile).flash_study.warm_share)
        self._written_bytes_per_s = scenario.written_bytes_per_s(setting.history)

    @classmethod
    def of(cls, config: Config, setting: Setting) -> Prepared:
        """A run made elsewhere, all of which counts."""
        prepared = cls.__new__(cls)
        prepared._begin(config, setting, Fraction(0))
        return prepared

    def _begin(self, config: Config, setting: Setting, warm_share: Fraction) -> None:
        self.config = config
        self.setting = dataclasses.replace(
            setting, counted_ns=round(warm_share * setting.timeline.duration_ns)
        )
        written = int(setting.timeline.blocks(setting.block_tokens).sum()) * config.block_bytes
        self._written_bytes_per_s = written / (setting.timeline.duration_ns / _NS_PER_S)

    @property
    def warm_ns(self) -> int:
        """Time from which on the run is counted [ns]."""
        return self.setting.counted_ns

    @property
    def device(self) -> FlashDevice:
        """The flash of the GPU."""
        return flash_device(self.config.flash_stacks, self.config.weight_bytes)

    def count_all(self) -> None:
        """Count the run from its beginning on, with HBM empty."""
        self.setting = dataclasses.replace(self.setting, counted_ns=0)

    def shorten(self, writes: int) -> Timeline:
        """Keep only the first writes of the run, and count all of it; what lives at its end is discarded."""
        whole = self.setting.timeline
        part = cut(whole, whole.duration_ns, min(writes, whole.n_writes))
        self.setting = dataclasses.replace(self.setting, timeline=part)
        self.count_all()
        return part

    def build(self, name: str) -> PlacementPolicy:
        """A registered placement, made for the run."""
        return get_placement(name).build(self.setting)

    def run(self, policy: PlacementPolicy, *, samples: int = 0, tally: ReadTally | None = None) -> Placed:
        """Replay under a policy; see `unison.flash.replay.replay_placement`."""
        return replay_placement(
            self.setting.timeline,
            policy,
            hbm_blocks=self.setting.capacity,
            flash_blocks=self.config.flash_blocks,
            block_tokens=self.setting.block_tokens,
            warm_ns=self.warm_ns,
            samples=samples,
            tally=tally,
        )

    def measured(self, placed: Placed, baseline: Placed) -> dict[str, Any]:
        """What tables show of a replay.

        Shares are those of the run; rates are these shares of what such traffic writes in the long run, so
        that the mix of sessions in one run does not pass for a rate.
        """
        books = placed.books
        flash_rate = placed.flash_share * self._written_bytes_per_s
        years = self.device.years(flash_rate)
        return {
            "written_blocks": books.written,
            "flash_blocks": books.flash,
            "flash_share": placed.flash_share,
            "kept_share": books.kept / books.written,
            "moved_share": books.moved / books.written,
            "spilled_share": books.spilled / books.written,
            "improvement": improvement(baseline.books.flash, books.flash),
            "kept_ratio": books.kept / baseline.books.kept if baseline.books.kept else float("nan"),
            "flash_gb_per_s": flash_rate / _GB,
            "moved_gb_per_s": books.moved / books.written * self._written_bytes_per_s / _GB,
            "device_years": years,
            "meets_warranty": years >= self.device.constants.warranty_years,
        }


def run_cell(cell: Cell, policies: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each policy on one cell; `BASELINE` is run in any case."""
    prepared = Prepared(cell)
    baseline = prepared.run(prepared.build(BASELINE))
    rows = []
    for name in policies:
        placed = baseline if name == BASELINE else prepared.run(prepared.build(name))
        entry = get_placement(name)
        about = {"policy": name, "migrates": entry.migrates, "knows": str(entry.knows)}
        rows.append(cell.keys | about | prepared.measured(placed, baseline))
    return rows


def place_corpus(
    corpus: Corpus, config: Config, share: float, policies: Sequence[str]
) -> list[dict[str, Any]]:
    """A row for each policy on the segments of an ordinary corpus, as far as its log tells them.

    Parameters
    ----------
    corpus : Corpus
        With times. Every other session is earlier traffic to learn from, the others are placed.
    config : Config
        Gives bytes and the device; its HBM is not used.
    share : float
        HBM over the KV that is live on average.
    policies : sequence of str

    Returns
    -------
    list of dict

    Raises
    ------
    UnisonError
        If the corpus has fewer than two timed sessions, or nothing would fit.
    """
    timed = corpus.timed()
    if timed.n_sessions < _LEAST_SESSIONS or share <= 0:
        raise UnisonError(
            f"corpus {corpus.name!r}: {timed.n_sessions} timed sessions, HBM of {share} of the live KV; give "
            f"at least {_LEAST_SESSIONS} and a positive share"
        )
    halves = [timed.select(np.arange(first, timed.n_sessions, 2)) for first in (0, 1)]
    history, run = (segments_of(base_schedule(half)) for half in halves)
    size = load_defaults().flash_node.block_tokens
    live = float((run.blocks(size) * (run.life_ns / run.duration_ns)).sum())
    capacity = max(1, round(share * live))
    prepared = Prepared.of(config, Setting(run, history, capacity, size))
    baseline = prepared.run(prepared.build(BASELINE))
    rows = []
    for name in policies:
        entry = get_placement(name)
        about = {"regime": corpus.name, "policy": name, "migrates": entry.migrates, "knows": str(entry.knows)}
        rows.append(about | prepared.measured(prepared.run(prepared.build(name)), baseline))
    return rows


def run_cells(cells: Sequence[Cell], policies: Sequence[str], *, jobs: int = 2) -> pd.DataFrame:
    """`run_cell` for several cells, side by side, in their order."""
    run = joblib.delayed(run_cell)
    parts = joblib.Parallel(n_jobs=jobs)(run(cell, policies) for cell in cells)
    return pd.DataFrame([row for rows in parts for row in rows])
