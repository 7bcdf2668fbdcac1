"""The benchmark's document, by its schema, and its targets."""

from __future__ import annotations

import copy
from typing import Any

import jsonschema
import pytest

from unison.bench.report import LIVE, judge
from unison.bench.speed import POLICIES, measure_speed
from unison.errors import UnisonError
from unison.schemas import load_schema
from unison.traces.library import load_corpus
from unison.traces.synthetic import CORPORA

SMALL = "gaia-gemma4"


def complete(document: dict[str, Any]) -> dict[str, Any]:
    """The document as if all corpora and all numbers of live sessions had been measured."""
    made = copy.deepcopy(document)
    made["table"] |= {"corpora": 6, "seconds": 9.0}
    made["peak_memory_bytes"] = 10**9
    made["turns_per_s"] |= {"lru": 5.1e6, "spear+tide": 5.1e6}
    row = made["scaling"][0]
    made["scaling"] = [row | {"policy": "lru", "live": n, "ns_per_turn_per_log2": 10.0} for n in LIVE]
    row = made["answers"][0]
    made["answers"] = [row | {"corpus": name, "worst_s": 0.29} for name in CORPORA]
    made["libcachesim"] = {"aligned": [{"policy": "lru", "hits": 3, "libcachesim_hits": 3, "equal": True}]}
    return made


def met(document: dict[str, Any], start: str) -> bool | None:
    (target,) = (target for target in judge(document) if target.name.startswith(start))
    return target.met


def test_document_follows_its_schema(document: dict[str, Any]) -> None:
    jsonschema.validate(document, load_schema("bench"))


def test_skipped_comparison_follows_the_schema(document: dict[str, Any]) -> None:
    skipped = document | {"libcachesim": {"status": "SKIPPED", "reason": "not there"}}
    jsonschema.validate(skipped, load_schema("bench"))


def test_every_policy_has_a_speed(document: dict[str, Any]) -> None:
    assert set(document["turns_per_s"]) == set(POLICIES)
    assert [row["policy"] for row in document["speed"]["policies"]] == list(POLICIES)


def test_scaling_has_victims_to_choose(document: dict[str, Any]) -> None:
    for row in document["scaling"]:
        assert row["evictions"] > row["turns"] // 10


def test_what_a_small_run_leaves_out_is_neither_met_nor_missed(document: dict[str, Any]) -> None:
    assert met(document, "Table II") is None
    assert met(document, "cost a turn") is None
    assert met(document, "peak memory") is None
    assert met(document, "explorer") is None


def test_without_libcachesim_equality_is_not_met(document: dict[str, Any]) -> None:
    skipped = document | {"libcachesim": {"status": "SKIPPED", "reason": "not there"}}
    assert met(skipped, "policies whose hits differ") is None


def test_targets_within_their_limits_are_met(document: dict[str, Any]) -> None:
    assert [target.met for target in judge(complete(document))] == [True] * 7


@pytest.mark.parametrize(
    ("start", "change"),
    [
        ("kernel, lru", {"turns_per_s": {"lru": 4.9e6, "spear+tide": 6e6}}),
        ("kernel, spear+tide", {"turns_per_s": {"lru": 6e6, "spear+tide": 4.9e6}}),
        ("Table II", {"table": {"corpora": 6, "replays": 1, "seconds": 10.1}}),
        ("peak memory", {"peak_memory_bytes": 2_000_000_001}),
        ("explorer", {"answers": [{"worst_s": seconds} for seconds in (0.1, 0.1, 0.301, 0.1, 0.1, 0.1)]}),
        ("policies whose hits differ", {"libcachesim": {"aligned": [{"equal": False}]}}),
    ],
)
def test_a_target_beyond_its_limit_is_missed(document: dict[str, Any], start: str, change: dict) -> None:
    whole = complete(document)
    assert met(whole | change, start) is False
    assert sum(target.met is False for target in judge(whole | change)) == 1


def test_cost_that_outgrows_the_logarithm_is_missed(document: dict[str, Any]) -> None:
    whole = complete(document)
    whole["scaling"][-1]["ns_per_turn_per_log2"] = 10.1
    assert met(whole, "cost a turn") is False


def test_a_stateful_policy_has_no_kernel_to_measure() -> None:
    from unison.policies.registry import all_policies

    stateful = next((entry.name for entry in all_policies() if entry.is_stateful), None)
    if stateful is None:
        pytest.skip("no stateful policy is registered")
    with pytest.raises(UnisonError, match="stateful"):
        measure_speed(load_corpus(SMALL).select(range(3)), [stateful], runs=1)
