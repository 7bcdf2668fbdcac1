"""Corpora: seeded, calibrated on the input alone, and cut from their steady state."""

from __future__ import annotations

import numpy as np
import pytest

from unison.errors import UnisonError
from unison.experiments.tab12_flash_inputs import flash_inputs
from unison.flash.corpora import Scenario, cut, lay_out
from unison.flash.load import ServiceModel, configs, demand_of, get_config
from unison.flash.plans import REGIME_ABOUT, REGIME_TITLES, REGIMES, Variant, draw_plans, plans
from unison.flash.segments import SegmentClass

MODEL = "llama-4-maverick"


def test_a_longer_draw_begins_with_the_shorter():
    for first, again in zip(draw_plans("mixed", 3, 5), draw_plans("mixed", 6, 5), strict=False):
        assert first.kind == again.kind
        np.testing.assert_array_equal(first.turns.prompt, again.turns.prompt)


def test_what_is_kept_is_what_would_be_drawn():
    variant = Variant(record_share=0.5)
    for count in (2, 5, 3):
        for kept, drawn in zip(
            plans("structural", count, 9, variant), draw_plans("structural", count, 9, variant), strict=True
        ):
            np.testing.assert_array_equal(kept.turns.prompt, drawn.turns.prompt)
            assert [len(one.workers) for one in kept.rounds] == [len(one.workers) for one in drawn.rounds]


@pytest.mark.parametrize("draw", [draw_plans, plans])
def test_an_unknown_regime_names_the_nearest(draw):
    with pytest.raises(UnisonError, match="did you mean 'temporal'"):
        draw("temporl", 1, 0, Variant())


def test_every_regime_has_a_title_and_says_who_is_at_work():
    assert tuple(REGIME_TITLES) == tuple(REGIME_ABOUT) == REGIMES


def test_without_a_reviewer_there_is_none():
    plans = draw_plans("structural", 5, 0, Variant(has_reviewer=False))
    assert all(one.reviewer is None for plan in plans for one in plan.rounds)


BANDS = {
    "reasoning_share_least": (0.66, 0.83),
    "reasoning_share_most": (0.66, 0.83),
    "output_over_reasoning": (7.6, 17.2),
    "lead_over_worker": (4.0, 6.1),
    "lead_over_reviewer": (4.7, 38.3),
    "worker_spread": (3.7, 23.6),
    "peak_context_tokens": (37_000, 69_000),
    "context_over_chatbot": (29, 29),
}


def test_the_published_spreads_are_met_by_the_input():
    found = flash_inputs("full")
    assert list(BANDS) == list(dict.fromkeys(found["statistic"]))
    for _, row in found.iterrows():
        low, high = BANDS[row["statistic"]]
        assert (row["published_least"], row["published_most"]) == (low, high)
        assert row["is_inside"] == (low <= row["value"] <= high), dict(row)
        assert row["source"].startswith("Lachesis")
    # The one published number without a range is not met, and the table says so.
    assert set(found.loc[~found["is_inside"], "statistic"]) == {"context_over_chatbot"}


def test_a_cut_keeps_what_happens_inside():
    service = Scenario("mixed", get_config("hbm2", MODEL), "tight").service
    starts = np.array([-900, -300, 0, 100]) * 1_000_000_000
    whole = lay_out("mixed", draw_plans("mixed", 4, 3), starts, service)
    part = cut(whole, 800 * 1_000_000_000, 10**6)
    inside = (whole.write_ns >= 0) & (whole.write_ns < part.duration_ns)
    assert part.tokens.sum() == whole.tokens[inside].sum()
    assert part.free_ns.max() <= part.duration_ns
    assert (part.write_ns < part.free_ns[part.segment]).all()


def test_a_reasoning_segment_ends_at_the_users_next_message():
    service = Scenario("temporal", get_config("hbm2", MODEL), "tight").service
    run = lay_out("temporal", draw_plans("temporal", 1, 2), np.array([0]), service)
    thinking = np.flatnonzero(run.seg_class == SegmentClass.REASONING)
    kept = np.flatnonzero(run.seg_class == SegmentClass.SURVIVING)
    assert run.free_ns[thinking[:-1]].tolist() == run.spawn_ns[thinking[1:]].tolist()
    assert kept.size == 1
    assert run.free_ns[kept[0]] == run.free_ns[thinking[-1]]


@pytest.mark.parametrize("regime", REGIMES)
def test_a_looser_level_admits_more(regime):
    model = ServiceModel(get_config("hbm2", MODEL), demand_of(draw_plans(regime, 20, 0)))
    tight, loose = model.admitted("tight"), model.admitted("loose")
    assert tight.sessions_per_s < loose.sessions_per_s
    # Little's law: the batch is what decodes at the rate and time of a step.
    assert tight.batch == pytest.approx(tight.sessions_per_s * model.demand.output_tokens * tight.tpot_s)
    assert not model.admits(1.01 * tight.sessions_per_s, "tight")


def test_configurations_share_the_sites():
    names = [config.name for config in configs(MODEL)]
    assert names == ["hbm1", "hbm2", "hbm3", "hbm4", "chain"]
    assert all(c.hbm_stacks + c.flash_stacks == 8 for c in configs(MODEL)[:4])
    # 2 * 36 GB less 4 GB, in blocks of 16 * 196,608 bytes.
    assert get_config("hbm2", MODEL).hbm_blocks == 68_000_000_000 // 3_145_728


@pytest.mark.parametrize(("model", "size"), [(MODEL, 196_608), ("qwen3-235b-a22b", 192_512)])
def test_bytes_a_token_are_the_published_ones(model, size):
    assert get_config("hbm1", model).card.kv_bytes_per_token == size


def test_an_unknown_level_is_refused():
    model = ServiceModel(get_config("hbm2", MODEL), demand_of(draw_plans("mixed", 3, 0)))
    with pytest.raises(UnisonError, match="unknown service level"):
        model.admitted("tihgt")


def test_no_session_and_no_write_are_nothing_to_place():
    service = Scenario("temporal", get_config("hbm2", MODEL), "tight").service
    with pytest.raises(UnisonError, match="no session, so there is nothing to place"):
        lay_out("temporal", (), np.array([], dtype=np.int64), service)
    run = lay_out("temporal", draw_plans("temporal", 1, 2), np.array([0]), service)
    for duration, most in ((0, 10), (10**12, 0)):
        with pytest.raises(UnisonError, match="so there is nothing to place; give a longer part"):
            cut(run, duration, most)


@pytest.mark.parametrize(
    "given", [{"record_share": 1.5}, {"record_share": -0.1}, {"user_delay_log_sd": -1.0}]
)
def test_a_variant_out_of_range_is_refused(given):
    with pytest.raises(UnisonError, match=r"^Variant\..*: found .*, expected at least 0"):
        Variant(**given)
