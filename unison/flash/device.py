"""The life of the flash: device-years from bytes a second, and what shortens it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from unison.config import load_defaults
from unison.constants import check_ranges
from unison.errors import UnisonError
from unison.flash.constants import FlashDeviceDefaults

SECONDS_PER_YEAR = 3.156e7
SECONDS_PER_DAY = 86_400


@dataclass(frozen=True)
class FlashDevice:
    """The flash of one GPU.

    Attributes
    ----------
    stacks : int
    constants : FlashDeviceDefaults
        Of one stack.
    weight_bytes : int
        Weights that lie there, so that no KV is written over them [bytes].
    """

    stacks: int
    constants: FlashDeviceDefaults
    weight_bytes: int = 0

    def __post_init__(self) -> None:
        """Refuse a device without room for KV."""
        check_ranges(self.constants, "FlashDevice")
        if self.stacks < 1 or self.weight_bytes < 0 or self.kv_bytes <= 0:
            raise UnisonError(
                f"FlashDevice: {self.stacks} stacks have no room beside {self.weight_bytes} bytes of weights"
            )

    @property
    def kv_bytes(self) -> int:
        """Capacity that KV may be written to [bytes]."""
        return self.stacks * self.constants.stack_bytes - self.weight_bytes

    @property
    def endurance_bytes(self) -> int:
        """TBW: bytes that can be programmed before the cells wear out, ``(V N - weights) E`` [bytes]."""
        return self.kv_bytes * self.constants.cycles

    def years(
        self, bytes_per_s: float, *, append_amplification: float = 1.0, reclaim_bytes_per_s: float = 0.0
    ) -> float:
        """Device-years at a rate of KV bytes written, around the clock.

        ``TBW / (kappa * (WAF * amplification * rate + reclaim) * 3.156e7)``; infinite for no writes.

        Parameters
        ----------
        bytes_per_s : float
            KV bytes written to flash [bytes/s].
        append_amplification : float
            Of partial pages; see `append_amplification`.
        reclaim_bytes_per_s : float
            Bytes written anew against read disturb, erase blocks at a time [bytes/s].

        Raises
        ------
        UnisonError
            If a rate is negative or not finite, or fewer bytes are programmed than appended.
        """
        if not (0 <= bytes_per_s < math.inf and 0 <= reclaim_bytes_per_s < math.inf):
            raise UnisonError(
                f"FlashDevice.years: {bytes_per_s} and {reclaim_bytes_per_s} bytes/s; a rate is at least 0 "
                "and finite"
            )
        if not 1 <= append_amplification < math.inf:
            raise UnisonError(
                f"FlashDevice.years: append_amplification {append_amplification}; it is at least 1 and finite"
            )
        programmed = self.constants.write_amplification * append_amplification * bytes_per_s
        worn = self.constants.wear_concentration * (programmed + reclaim_bytes_per_s) * SECONDS_PER_YEAR
        return self.endurance_bytes / worn if worn else math.inf

    def budget_bytes_per_s(self, years: float | None = None) -> float:
        """KV bytes a second with which the device lasts so long; the warranty by default [bytes/s].

        Raises
        ------
        UnisonError
            If the years are not above 0 and finite.
        """
        years = self.constants.warranty_years if years is None else years
        if not 0 < years < math.inf:
            raise UnisonError(
                f"FlashDevice.budget_bytes_per_s: {years} years; give a number above 0 and finite"
            )
        wear = self.constants.write_amplification * self.constants.wear_concentration
        return self.endurance_bytes / (wear * years * SECONDS_PER_YEAR)

    def reclaim_bytes_per_s(self, read_bytes_per_s: float) -> float:
        """Bytes a second written anew against read disturb: an erase block after so many page reads."""
        constants = self.constants
        block_bytes = constants.page_bytes * constants.block_pages
        return read_bytes_per_s / constants.page_bytes / constants.reclaim_reads * block_bytes


def flash_device(stacks: int, weight_bytes: int = 0) -> FlashDevice:
    """The device with the default constants."""
    return FlashDevice(stacks, load_defaults().flash_device, weight_bytes)


def append_amplification(append_bytes: int, page_bytes: int) -> float:
    """Bytes programmed for each byte of an append that is not gathered into whole pages first.

    ``ceil(n / page) * page / n``; 1 for whole pages.

    Raises
    ------
    UnisonError
        If a size is below 1.
    """
    if append_bytes < 1 or page_bytes < 1:
        raise UnisonError(f"append_amplification: {append_bytes} and {page_bytes} bytes; give 1 or more")
    return math.ceil(append_bytes / page_bytes) * page_bytes / append_bytes


def days_at_full_rate(device: FlashDevice) -> float:
    """Days that the device lasts if all its stacks are written at full rate without a pause."""
    rate = device.stacks * device.constants.write_bytes_per_s
    return device.years(rate) * SECONDS_PER_YEAR / SECONDS_PER_DAY


def improvement(baseline_blocks: int, blocks: int) -> float:
    """Ratio of two lives of one device under the same load: that of the flash writes, whatever the device."""
    return baseline_blocks / blocks if blocks else math.inf
