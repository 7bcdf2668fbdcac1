"""Contract: the widths, units and forms that fix every bit of the integer Spear score."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from unison.config import load_defaults
from unison.constants import read_constant, read_record, read_toml
from unison.errors import UnisonError, unknown_name
from unison.fixed_point.quantizer import quantize
from unison.paths import DATA

DIVIDERS = ("exact", "reciprocal")
"""How the gap term divides by sigma (EQUATIONS eq. 17)."""

PENALTY_FORMS = ("affine", "shift", "table")
"""How the hazard term is made (EQUATIONS eq. 18); ``table`` holds the affine values, one a turn."""

QUANTIZATION_FILE = DATA / "quantization.toml"
NS_PER_S = 1_000_000_000

HAZARD_BITS = (4, 16)
GAP_BITS = (16, 64)
SCORE_BITS_MOST = 64
TAU_NS = (1, NS_PER_S)
PENALTY_BITS_MOST = 40
RECIP_BITS = (8, 32)
EMA_SUM_BITS = 4
"""Bits by which 3 g + 7 e exceeds the width of a gap (EQUATIONS eq. 20)."""


@dataclass(frozen=True)
class Contract:
    """One integer image of Spear: what hardware, integer model and integer ranking agree on to the bit.

    Attributes
    ----------
    hazard_bits : int
        b_h, width of hazard and survival codes, 4 to 16; a code c stands for c / (2^b_h - 1).
    gap_bits : int
        b_g, width of stored gaps and of their average, 16 to 64; larger gaps saturate.
    score_bits : int
        b_s, width of the score, from `gap_bits` to 64; larger scores saturate.
    tau_ns : int
        Stored unit of time, 1 ns to 1 s [ns].
    penalty : int
        P_Z, the penalty P in stored units, below 2^40; `stored_penalty` makes it from seconds.
    divider : str
        ``exact`` or ``reciprocal``: a product with a reciprocal of `recip_bits` fraction bits.
    penalty_form : str
        ``affine``: a product divided by 2^b_h - 1; ``shift``: the product shifted right by b_h; ``table``:
        the affine values, computed beforehand for each turn.
    recip_bits : int
        r, fraction bits of a reciprocal, 8 to 32; 0 with the exact divider.

    Notes
    -----
    UNISON eq. (13)-(21). The widths below hold for any table of hazards and for every penalty
    that fits `penalty_bits`, since both are written at run time.
    """

    hazard_bits: int
    gap_bits: int
    score_bits: int
    tau_ns: int
    penalty: int
    divider: str = "exact"
    penalty_form: str = "affine"
    recip_bits: int = 0

    def __post_init__(self) -> None:
        """Refuse what no hardware is generated for, naming the nearest value that is allowed."""
        if self.divider not in DIVIDERS:
            raise unknown_name("divider", self.divider, DIVIDERS)
        if self.penalty_form not in PENALTY_FORMS:
            raise unknown_name("penalty_form", self.penalty_form, PENALTY_FORMS)
        _check_whole("hazard_bits", self.hazard_bits, *HAZARD_BITS)
        _check_whole("gap_bits", self.gap_bits, *GAP_BITS)
        _check_whole("score_bits", self.score_bits, self.gap_bits, SCORE_BITS_MOST)
        _check_whole("tau_ns", self.tau_ns, *TAU_NS)
        _check_whole("penalty", self.penalty, 0, (1 << PENALTY_BITS_MOST) - 1)
        bounds = RECIP_BITS if self.divider == "reciprocal" else (0, 0)
        _check_whole(f"recip_bits (with divider {self.divider!r})", self.recip_bits, *bounds)

    @property
    def lambda_h(self) -> int:
        """Lambda = 2^b_h - 1, the code of a probability of 1."""
        return (1 << self.hazard_bits) - 1

    @property
    def epsilon_code(self) -> int:
        """The least survival code: epsilon (``spear.epsilon``) quantised, and at least 1."""
        return max(1, quantize(load_defaults().spear.epsilon, self.hazard_bits))

    @property
    def largest_gap(self) -> int:
        """The code at which stored gaps saturate [stored units]."""
        return (1 << self.gap_bits) - 1

    @property
    def largest_score(self) -> int:
        """The code at which scores saturate, and the score of a completed session."""
        return (1 << self.score_bits) - 1

    @property
    def largest_reciprocal(self) -> int:
        """The largest entry R of a reciprocal table, that of the least survival code; 0 if there is none."""
        if self.divider == "exact":
            return 0
        return ((self.lambda_h << (self.recip_bits + 1)) // self.epsilon_code + 1) >> 1

    @property
    def reciprocal_bits(self) -> int:
        """Width of an entry of the reciprocal table; 0 if there is none."""
        return self.largest_reciprocal.bit_length()

    @property
    def penalty_bits(self) -> int:
        """Width of the register that holds P_Z; at least 1."""
        return max(1, self.penalty.bit_length())

    @property
    def ema_sum_bits(self) -> int:
        """Width of 3 g + 7 e, the numerator of the moving average."""
        return self.gap_bits + EMA_SUM_BITS

    @property
    def numerator_bits(self) -> int:
        """Width of the gap term's product: gap times Lambda, or gap times reciprocal."""
        factor = self.lambda_h if self.divider == "exact" else self.largest_reciprocal
        return (self.largest_gap * factor).bit_length()

    @property
    def gap_term_bits(self) -> int:
        """Width of the largest gap term A, before any saturation."""
        return self._largest_gap_term.bit_length()

    @property
    def penalty_product_bits(self) -> int:
        """Width of the hazard term's product, (Lambda - sigma) times P_Z."""
        return self._largest_penalty_product.bit_length()

    @property
    def penalty_term_bits(self) -> int:
        """Width of the largest hazard term B; at least 1."""
        return max(1, self._largest_penalty_term.bit_length())

    @property
    def sum_bits(self) -> int:
        """Width of A + B before it saturates at the score's width."""
        return (self._largest_gap_term + self._largest_penalty_term).bit_length()

    @property
    def _largest_gap_term(self) -> int:
        if self.divider == "exact":
            return self.largest_gap * self.lambda_h // self.epsilon_code
        return (self.largest_gap * self.largest_reciprocal) >> self.recip_bits

    @property
    def _largest_penalty_product(self) -> int:
        return (self.lambda_h - self.epsilon_code) * ((1 << self.penalty_bits) - 1)

    @property
    def _largest_penalty_term(self) -> int:
        if self.penalty_form == "shift":
            return self._largest_penalty_product >> self.hazard_bits
        return self._largest_penalty_product // self.lambda_h


@dataclass(frozen=True)
class _PaperPoint:
    hazard_bits: int
    gap_bits: int
    score_bits: int
    tau_ns: int
    divider: str
    penalty_form: str


def paper_contract() -> Contract:
    """The point that the paper locks (EQUATIONS eq. 21), from data/quantization.toml."""
    place = QUANTIZATION_FILE.name
    table = read_toml(QUANTIZATION_FILE).get("paper", {})
    constants = {key: read_constant(f"paper.{key}", entry, place) for key, entry in table.items()}
    point = read_record(_PaperPoint, constants, place, "paper")
    penalty = stored_penalty(load_defaults().spear.penalty_s, point.tau_ns)
    return Contract(**vars(point), penalty=penalty)


def stored_penalty(penalty_s: float, tau_ns: int) -> int:
    """P_Z = P / tau, rounded down [stored units].

    Parameters
    ----------
    penalty_s : float
        P [s], at least 0.
    tau_ns : int
        Stored unit [ns].

    Raises
    ------
    UnisonError
        If P is negative or not finite.
    """
    if not 0 <= penalty_s < float("inf"):
        raise UnisonError(f"penalty_s must be finite and at least 0; given {penalty_s}")
    return int(Fraction(penalty_s) * NS_PER_S / tau_ns)


def _check_whole(name: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnisonError(f"Contract: {name} must be a whole number from {low} to {high}; given {value!r}")
    if not low <= value <= high:
        nearest = min(max(value, low), high)
        raise UnisonError(
            f"Contract: {name} must be from {low} to {high}; given {value}, "
            f"the nearest valid value is {nearest}"
        )
