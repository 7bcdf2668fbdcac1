"""Model table and device model: KV bytes by hand, costs by hand, and refusals."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unison.config import DeviceModel, load_defaults
from unison.device import Costs, costs_for, get_model, load_models, sensitivity
from unison.errors import UnisonError
from unison.models import MODELS_FILE, read_models

ROUND = DeviceModel(
    sram_bytes_per_s=10**13,
    hbm_bytes_per_s=10**12,
    host_bytes_per_s=10**10,
    dma_bytes_per_s=10**11,
    peak_flop_per_s=10**15,
    prefill_fraction=0.5,
)


@pytest.mark.parametrize(
    ("name", "kv_bytes", "window_bytes"),
    [
        ("qwen3", 2 * 48 * 4 * 128 * 2, 0),  # 96 KiB
        ("devstral", 2 * 40 * 8 * 128 * 2, 0),  # 160 KiB
        ("llama-3.1-8b", 131_072, 0),  # 128 KiB, a figure often quoted
        ("qwen2.5-7b", 57_344, 0),
        ("deepseek-v3", 61 * (512 + 64) * 2, 0),  # one latent vector and one rotary key a layer, no factor 2
        ("gpt-oss-120b", 2 * 18 * 8 * 64 * 2, 2 * 18 * 8 * 64 * 2 * 128),
        ("gemma4", 2 * 4 * 2 * 512 * 2, 2 * 20 * 2 * 256 * 2 * 512),
    ],
)
def test_kv_bytes_per_token(name: str, kv_bytes: int, window_bytes: int):
    model = get_model(name)
    assert model.kv_bytes_per_token == kv_bytes
    assert model.window_bytes == window_bytes


def test_the_three_corpora_models_are_known():
    assert {"qwen3", "devstral", "gemma4"} <= set(load_models())


def test_every_number_of_a_model_cites_a_source_in_words():
    for model in load_models().values():
        for constant in model.constants.values():
            assert " " in constant.source, constant


def test_costs_by_hand():
    # qwen3: 98,304 B/token; 2 * 3.3e9 FLOP/token at 5e14 FLOP/s.
    costs = costs_for("qwen3", ROUND)
    assert costs.sram_ns_per_token == pytest.approx(9.8304)
    assert costs.hbm_ns_per_token == pytest.approx(98.304)
    assert costs.host_ns_per_token == pytest.approx(9830.4)
    assert costs.prefill_ns_per_token == pytest.approx(13_200)
    assert costs.dma_ps_per_token == 983_040
    assert costs.read_to_prefill == pytest.approx(98.304 / 13_200)
    assert costs.read_ns_per_token == (
        costs.sram_ns_per_token,
        costs.hbm_ns_per_token,
        costs.host_ns_per_token,
    )


def test_dma_time_is_rounded_up():
    # 98,304 B at 3 B/ps would be 32,768 ps exactly; at 5 B/ps it is 19,660.8 ps.
    exact = dataclasses.replace(ROUND, dma_bytes_per_s=3 * 10**12)
    between = dataclasses.replace(ROUND, dma_bytes_per_s=5 * 10**12)
    assert costs_for("qwen3", exact).dma_ps_per_token == 32_768
    assert costs_for("qwen3", between).dma_ps_per_token == 19_661


def test_the_default_device_is_that_of_the_defaults():
    assert costs_for("devstral") == costs_for("devstral", load_defaults().device)
    assert costs_for(get_model("devstral")) == costs_for("devstral")


@pytest.mark.parametrize("name", sorted(load_models()))
def test_a_read_is_dearer_down_the_chain_and_cheaper_than_a_prefill(name: str):
    costs = costs_for(name)
    assert costs.sram_ns_per_token < costs.hbm_ns_per_token < costs.host_ns_per_token
    assert costs.host_ns_per_token < costs.prefill_ns_per_token


@given(factor=st.integers(2, 1000))
def test_costs_fall_as_bandwidth_grows(factor: int):
    faster = dataclasses.replace(ROUND, host_bytes_per_s=10**9 * factor, hbm_bytes_per_s=10**12 * factor,
                                 sram_bytes_per_s=10**13 * factor)  # fmt: skip
    base, quick = costs_for("qwen3", ROUND), costs_for("qwen3", faster)
    assert quick.hbm_ns_per_token == pytest.approx(base.hbm_ns_per_token / factor)
    assert quick.prefill_ns_per_token == base.prefill_ns_per_token


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"prefill_ns_per_token": 0.0}, r"prefill_ns_per_token: found 0.0, expected a finite number above 0"),
        ({"hbm_ns_per_token": math.nan}, r"hbm_ns_per_token: found nan"),
        ({"host_ns_per_token": math.inf}, r"host_ns_per_token: found inf"),
        ({"dma_ps_per_token": 0}, r"dma_ps_per_token: found 0"),
        ({"dma_ps_per_token": 2**63}, r"expected below 2\*\*63"),
        ({"sram_ns_per_token": 1e9}, r"no faster than the one before it"),
    ],
)
def test_costs_out_of_range_are_refused(change: dict[str, float], told: str):
    with pytest.raises(UnisonError, match=told):
        dataclasses.replace(costs_for("qwen3", ROUND), **change)


def test_a_device_whose_hbm_outruns_its_sram_is_refused():
    with pytest.raises(UnisonError, match=r"no faster than the one before it"):
        costs_for("qwen3", dataclasses.replace(ROUND, sram_bytes_per_s=10**11))


def test_an_unknown_model_names_the_nearest():
    with pytest.raises(UnisonError, match=r"unknown model 'qwen'; did you mean 'qwen3'"):
        costs_for("qwen")


def test_sensitivity_reaches_each_ratio_and_moves_nothing_else():
    base = costs_for("qwen3", ROUND)
    ratios = load_defaults().sensitivity.read_to_prefill
    grid = sensitivity(base)
    assert [costs.read_to_prefill for costs in grid] == pytest.approx(list(ratios))
    for costs in grid:
        assert costs.prefill_ns_per_token == base.prefill_ns_per_token
        assert costs.dma_ps_per_token == base.dma_ps_per_token
        assert costs.sram_ns_per_token / costs.hbm_ns_per_token == pytest.approx(0.1)
        assert costs.host_ns_per_token / costs.hbm_ns_per_token == pytest.approx(100)


@pytest.mark.parametrize("ratio", [0.0, -1.0, math.nan, math.inf])
def test_sensitivity_refuses_a_ratio_out_of_range(ratio: float):
    with pytest.raises(UnisonError, match=r"expected a finite ratio above 0"):
        sensitivity(costs_for("qwen3", ROUND), [ratio])


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('source = "qwen3-config"', 'source = "qwen3-confg"', r"unknown source 'qwen3-confg'; did you mean"),
        ("kv_heads = { value = 4,", "kv_head = { value = 4,", r"unknown constant 'kv_head'; did you mean"),
        ("value = 48,", "value = 0,", r"models.qwen3.layers: found 0, expected at least 1"),
        ('"grouped-query"\nnote', '"grouped"\nnote', r"unknown attention 'grouped'; did you mean"),
        ('"grouped-query"\nnote', '"latent"\nnote', r"models.qwen3: unknown constant 'kv_heads'"),
        ('title = "Qwen3-Coder-30B-A3B"\n', "", r"models.qwen3.title is missing"),
        ("\n[sources]\n", "\n[source]\n", r"unknown section 'source'; did you mean 'sources'"),
        ("value_bytes = { value = 2,", "# ", r"models.qwen3.value_bytes is missing"),
    ],
)
def test_a_mistake_in_the_model_table_is_told(tmp_path: Path, old: str, new: str, told: str):
    text = MODELS_FILE.read_text(encoding="utf-8")
    assert old in text
    path = tmp_path / "models.toml"
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(UnisonError, match=told):
        read_models(path)


def test_a_model_table_without_models_is_told(tmp_path: Path):
    path = tmp_path / "models.toml"
    path.write_text("[sources]\n", encoding="utf-8")
    with pytest.raises(UnisonError, match=r"no models"):
        read_models(path)


def test_costs_are_frozen():
    costs = costs_for("qwen3", ROUND)
    assert isinstance(costs, Costs)
    with pytest.raises(dataclasses.FrozenInstanceError):
        costs.dma_ps_per_token = 1  # type: ignore[misc]
