"""The guard: what is read from each tier, and the pace of decoding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unison.errors import UnisonError
from unison.flash.guard import GuardModel
from unison.flash.load import ServiceModel, demand_of, get_config
from unison.flash.plans import draw_plans

MODEL = ServiceModel(get_config("hbm2", "llama-4-maverick"), demand_of(draw_plans("mixed", 20, 0)))
LOAD = MODEL.admitted("tight")


def test_with_everything_in_flash_the_guard_is_the_load_model():
    guard = GuardModel(MODEL, 1.0).at(LOAD.sessions_per_s)
    assert guard.tpot_s == pytest.approx(LOAD.tpot_s, rel=1e-9)
    assert guard.high_tpot_s == pytest.approx(0.060, rel=1e-6)
    assert guard.kv_hbm_bytes_per_s == 0


@given(share=st.floats(0.75, 1))
def test_what_hbm_serves_spares_the_flash_and_a_step_is_no_longer(share):
    guard, whole = (GuardModel(MODEL, part).at(LOAD.sessions_per_s) for part in (share, 1.0))
    read = guard.kv_flash_bytes_per_s + guard.kv_hbm_bytes_per_s
    assert read == pytest.approx(whole.kv_flash_bytes_per_s)
    assert guard.high_tpot_s <= whole.high_tpot_s * (1 + 1e-9)
    assert guard.kv_flash_bytes_per_s + guard.weight_bytes_per_s <= MODEL.config.read_bytes_per_s


def test_little_hbm_bandwidth_is_no_place_for_all_reads():
    # One stack of HBM against seven of flash: with every context in HBM a step waits for it.
    model = ServiceModel(get_config("hbm1", "llama-4-maverick"), MODEL.demand)
    load = 0.3 * model.admitted("tight").sessions_per_s
    decoded = load * model.demand.output_tokens * model.demand.context_tokens
    assert decoded * model.config.card.kv_bytes_per_token > model.config.hbm_bytes_per_s
    with pytest.raises(UnisonError, match="cannot be kept up with"):
        GuardModel(model, 0.0).at(load)
