"""Simulations of every variant that tests of the hardware share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from unison.rtl.config import VARIANTS, default_config
from unison.rtl.cosim.build import build_simulation
from unison.rtl.cosim.compare import Bench, bench_for
from unison.rtl.cosim.toolchain import Skipped, Toolchain, find_toolchain

N = 16


@pytest.fixture(scope="session")
def tools() -> Toolchain:
    """The tools; without them these tests are skipped and say why."""
    found = find_toolchain()
    if isinstance(found, Skipped):
        pytest.skip(str(found))
    return found


@pytest.fixture(scope="session")
def benches(tools: Toolchain) -> dict[str, Bench]:
    """Every variant, built two at a time."""
    made = {variant: bench_for(tools, default_config(variant, N)) for variant in VARIANTS}
    first, *others = made.values()
    build_simulation(tools, first.config, first.sources)
    with ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda bench: bench.library, others))
    return made
