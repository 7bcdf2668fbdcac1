"""libCacheSim beside the kernel: equal hits where both mean the same, and no pass without the package."""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
import pytest

from unison.bench import libcachesim
from unison.bench.requests import Requests, session_requests
from unison.traces.corpus import Corpus
from unison.traces.library import load_corpus
from unison.traces.synthetic import base_schedule
from unison.traces.trace import Trace


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    return load_corpus("gaia-gemma4").select(range(40))


@pytest.fixture(scope="module")
def trace(corpus: Corpus) -> Trace:
    return base_schedule(corpus)


def lru_hits(keys: list[int], room: int) -> int:
    held: OrderedDict[int, None] = OrderedDict()
    hits = 0
    for key in keys:
        hits += key in held
        held[key] = None
        held.move_to_end(key)
        if len(held) > room:
            held.popitem(last=False)
    return hits


def belady_hits(keys: list[int], room: int) -> int:
    held: dict[int, float] = {}
    hits = 0
    for index, key in enumerate(keys):
        hits += key in held
        if key not in held and len(held) == room:
            del held[max(held, key=lambda k: held[k])]
        rest = keys[index + 1 :]
        held[key] = rest.index(key) + index + 1 if key in rest else float("inf")
    return hits


@pytest.mark.parametrize("room", [1, 3, 12, 40])
def test_hits_are_equal_on_requests_that_mean_the_same(trace: Trace, room: int) -> None:
    package = pytest.importorskip("libcachesim")
    keys = session_requests(trace).key.tolist()
    rows = {row["policy"]: row for row in libcachesim.align(package, trace, room=room)}
    assert rows["lru"]["hits"] == rows["lru"]["libcachesim_hits"] == lru_hits(keys, room)
    assert rows["belady"]["hits"] == rows["belady"]["libcachesim_hits"] == belady_hits(keys, room)
    assert all(row["equal"] for row in rows.values())


def test_unequal_hits_are_told(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    package = pytest.importorskip("libcachesim")
    monkeypatch.setattr(libcachesim, "POLICIES", {"lru": "Belady"})
    (row,) = libcachesim.align(package, trace)
    assert not row["equal"]


def test_without_the_package_the_comparison_is_skipped_with_the_reason(
    corpus: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(libcachesim, "PACKAGE", "no_such_cache_simulator")
    found = libcachesim.compare(corpus, runs=1)
    assert found["status"] == "SKIPPED"
    assert "no_such_cache_simulator" in found["reason"]
    assert set(found) == {"status", "reason"}


def test_both_hash_powers_of_one_policy_hit_alike(corpus: Corpus) -> None:
    pytest.importorskip("libcachesim")
    found = libcachesim.compare(corpus, runs=1)
    by_policy: dict[str, set[int]] = {}
    for row in found["speeds"]:
        by_policy.setdefault(row["policy"], set()).add(row["libcachesim_hits"])
    assert set(by_policy) == {"lru", "belady", "gdsf"}
    assert all(len(hits) == 1 for hits in by_policy.values())


def test_records_have_the_layout_of_the_oracle_format() -> None:
    requests = Requests(np.asarray([3, 3], dtype=np.int64), np.asarray([7, 9], dtype=np.int64))
    records = libcachesim._records(requests)
    assert records.dtype.itemsize == 24
    assert records["next_use"].tolist() == [1, np.iinfo(np.int64).max]
    assert records["size"].tolist() == [7, 9]
