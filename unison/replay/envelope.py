"""Envelope: the chain of tiers a replay runs with, and the ways to name one."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from fractions import Fraction

from unison.config import load_defaults
from unison.device import Costs, costs_for
from unison.errors import UnisonError, unknown_name

TIER_NAMES = ("sram", "hbm", "host")
"""Names of tiers by position; read costs go by position too."""

MAX_CAPACITY_TOKENS = 2**62
"""Bound on the tokens of all tiers together, so that sums stay in 63 bits."""

_FORMS = "a name, S,H in tokens (12000,48000), xSHARE of the mean live tokens (x1/4, x0.75), or S GiB,H GiB"
_LONGEST = 100
_NEGATIVE = re.compile(r"(^|[x,])\s*-")
_NUMBER = r"(\d+(?:\.\d+)?)"
_TOKENS = re.compile(r"\d+(_\d+)*")
_SHARE = re.compile(rf"x{_NUMBER}(?:/{_NUMBER})?")
_BYTES = re.compile(rf"{_NUMBER}\s*(GiB|MiB)")
_BYTES_PER_UNIT = {"GiB": 2**30, "MiB": 2**20}


@dataclass(frozen=True)
class Tier:
    """One memory of the chain.

    Attributes
    ----------
    name : str
        ``sram``, ``hbm`` or ``host`` in the envelopes of this project.
    capacity_tokens : int
        Tokens it holds; 0 is a tier that never holds a session.
    read_ns_per_token : float
        Cost of reading a token on a hit [ns].
    """

    name: str
    capacity_tokens: int
    read_ns_per_token: float

    def __post_init__(self) -> None:
        """Refuse a capacity that is not a whole number from 0 up and a cost that is not finite."""
        capacity, where = self.capacity_tokens, f"tier {self.name!r}"
        if not isinstance(capacity, int) or isinstance(capacity, bool) or capacity < 0:
            raise UnisonError(f"{where}: capacity {capacity!r}, expected whole tokens, 0 or more")
        if not 0 <= self.read_ns_per_token < math.inf:
            raise UnisonError(
                f"{where}: read cost {self.read_ns_per_token} ns/token, expected finite, 0 or more"
            )


@dataclass(frozen=True)
class Envelope:
    """An ordered chain of one to three tiers and a limit on sessions (EQUATIONS eq. 3).

    Attributes
    ----------
    name : str
        What results call it.
    tiers : tuple of Tier
        Fastest first; a full tier demotes to the next and the last evicts.
    slots : int
        Most sessions that are resident at once.
    dma_ps_per_token : int
        Time to move a token between neighbouring tiers [ps].

    Notes
    -----
    Every capacity may be 0, all of them together too: then every turn is bypassed.
    """

    name: str
    tiers: tuple[Tier, ...]
    slots: int
    dma_ps_per_token: int

    def __post_init__(self) -> None:
        """Refuse a chain that a replay cannot run with."""
        where = f"envelope {self.name!r}"
        names = [tier.name for tier in self.tiers]
        if not 1 <= len(names) <= len(TIER_NAMES):
            raise UnisonError(f"{where}: {len(names)} tiers, expected 1 to {len(TIER_NAMES)}")
        if len(set(names)) != len(names):
            raise UnisonError(f"{where}: tiers {', '.join(names)}: each name once")
        if self.total_tokens > MAX_CAPACITY_TOKENS:
            raise UnisonError(f"{where}: {self.total_tokens} tokens in all, expected at most 2**62")
        if self.slots < 1:
            raise UnisonError(f"{where}: {self.slots} slots, expected at least 1")
        if self.dma_ps_per_token < 1:
            raise UnisonError(f"{where}: dma_ps_per_token {self.dma_ps_per_token}, expected at least 1")

    @property
    def total_tokens(self) -> int:
        """Capacity of all tiers together [tokens]."""
        return sum(tier.capacity_tokens for tier in self.tiers)


def parse_envelope(
    text: str, *, model: str, mean_live_tokens: float | None = None, slots: int | None = None
) -> Envelope:
    """The envelope that a user names.

    Parameters
    ----------
    text : str
        One of four forms. ``edge``: a fixed envelope of data/defaults.toml. ``12000,48000``: capacities in
        tokens, one to three, fastest tier first. ``x1/4``: a share of the mean live tokens, split as
        `share_envelope` does. ``1 GiB,4 GiB`` (or MiB): bytes, one to three, turned into whole tokens of
        the model, rounded down.
    model : str
        A name of data/models.toml; its costs give the read costs of the tiers by position.
    mean_live_tokens : float, optional
        The trace's live working set, for ``xSHARE`` [tokens].
    slots : int, optional
        Session slots; ``replay.slots`` of data/defaults.toml by default.

    Raises
    ------
    UnisonError
        If the text has none of the forms, a number is out of range, or the model is unknown.
    """
    costs = costs_for(model)
    given = text.strip()
    if len(given) > _LONGEST:
        raise UnisonError(f"envelope {given[:20]!r}...: {len(given)} characters. Give {_FORMS}")
    named = {envelope.name: envelope for envelope in default_envelopes(costs, slots=slots)}
    if given in named:
        return named[given]
    if share := _SHARE.fullmatch(given):
        if mean_live_tokens is None:
            raise UnisonError(
                f"envelope {given!r}: a share needs a corpus to take it of; give one, or use S,H"
            )
        return share_envelope(_fraction(share, given), mean_live_tokens, costs, slots=slots)
    parts = [part.strip() for part in given.split(",")]
    if all(_TOKENS.fullmatch(part) for part in parts):
        return _envelope(given, [int(part) for part in parts], costs, slots)
    if all(_BYTES.fullmatch(part) for part in parts):
        return _envelope(given, [_bytes_to_tokens(part, costs) for part in parts], costs, slots)
    raise _misnamed(given, named)


def default_envelopes(costs: Costs, *, slots: int | None = None) -> tuple[Envelope, ...]:
    """The fixed envelopes of SRAM and HBM, by growing total, for the synthetic corpora.

    Their totals are a geometric series through ``envelope.total_tokens`` at the default envelope; SRAM is
    ``envelope.sram_share`` of the total, rounded down to whole tokens, and HBM the rest.

    Parameters
    ----------
    costs : Costs
        Read costs of the tiers and the DMA cost.
    slots : int, optional
        Session slots; ``replay.slots`` by default.
    """
    defaults = load_defaults()
    names, default = defaults.envelope.names, defaults.replay.envelope
    smallest = defaults.envelope.total_tokens // defaults.envelope.ratio ** names.index(default)
    return tuple(
        _split(name, smallest * defaults.envelope.ratio**step, costs, slots)
        for step, name in enumerate(names)
    )


def share_envelope(
    share: Fraction, mean_live_tokens: float, costs: Costs, *, slots: int | None = None
) -> Envelope:
    """The envelope of SRAM and HBM that holds a share of the live working set.

    The total is ``share * mean_live_tokens`` and SRAM ``envelope.sram_share`` of it, each rounded down to
    whole tokens; HBM is the rest.

    Parameters
    ----------
    share : Fraction
        0 or more.
    mean_live_tokens : float
        The trace's live working set [tokens].
    costs : Costs
        Read costs of the tiers and the DMA cost.
    slots : int, optional
        Session slots; ``replay.slots`` by default.

    Raises
    ------
    UnisonError
        If the share is below 0, or the mean is not finite and above 0.
    """
    if share < 0:
        raise UnisonError(f"envelope: a share of {share}, expected 0 or more")
    if not 0 < mean_live_tokens < math.inf:
        raise UnisonError(f"envelope: {mean_live_tokens} mean live tokens, expected a finite number above 0")
    return _split(f"x{share}", math.floor(share * Fraction(mean_live_tokens)), costs, slots)


def share_envelopes(
    mean_live_tokens: float, costs: Costs, *, slots: int | None = None
) -> tuple[Envelope, ...]:
    """The envelopes for an imported corpus: `share_envelope` at each of ``envelope.live_shares``."""
    shares = load_defaults().envelope.live_shares
    return tuple(share_envelope(share, mean_live_tokens, costs, slots=slots) for share in shares)


def _split(name: str, total: int, costs: Costs, slots: int | None) -> Envelope:
    sram = math.floor(total * load_defaults().envelope.sram_share)
    return _envelope(name, [sram, total - sram], costs, slots)


def _envelope(name: str, capacities: list[int], costs: Costs, slots: int | None) -> Envelope:
    if len(capacities) > len(TIER_NAMES):
        raise UnisonError(f"envelope {name!r}: {len(capacities)} tiers, expected 1 to {len(TIER_NAMES)}")
    reads = costs.read_ns_per_token
    tiers = tuple(Tier(TIER_NAMES[i], capacity, reads[i]) for i, capacity in enumerate(capacities))
    limit = load_defaults().replay.slots if slots is None else slots
    return Envelope(name, tiers, limit, costs.dma_ps_per_token)


def _bytes_to_tokens(part: str, costs: Costs) -> int:
    match = _BYTES.fullmatch(part)
    assert match is not None
    return math.floor(Fraction(match[1]) * _BYTES_PER_UNIT[match[2]] / costs.kv_bytes_per_token)


def _fraction(match: re.Match[str], given: str) -> Fraction:
    above, below = Fraction(match[1]), Fraction(match[2] or 1)
    if below == 0:
        raise UnisonError(f"envelope {given!r}: division by 0; give a share such as x1/4")
    return above / below


def _misnamed(given: str, names: dict[str, Envelope]) -> UnisonError:
    if _NEGATIVE.search(given):
        return UnisonError(f"envelope {given!r}: capacities and shares are 0 or more. Give {_FORMS}")
    if given[:1].isdigit():
        return UnisonError(f"envelope {given!r}: not all in tokens, or not all in GiB or MiB. Give {_FORMS}")
    return UnisonError(f"{unknown_name('envelope', given, names)}. Give {_FORMS}")
