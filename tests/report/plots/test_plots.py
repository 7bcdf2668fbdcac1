"""Figures draw what their frames hold, for one corpus and for six, with nothing clipped."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from unison.report import plots
from unison.report.plots.panels import corpus_grid, model_colour, workload_grid
from unison.report.style import figure_style, policy_look
from unison.traces.synthetic import CORPORA

ONE = ("a_log_of_mine",)
POLICIES = ("belady", "lru", "spear+tide")
CAUSES = ("first_turn", "shrunk_prefix", "evicted", "timeout", "bypassed")


def product(**columns) -> pd.DataFrame:
    """Every combination of the values."""
    return pd.MultiIndex.from_product(columns.values(), names=list(columns)).to_frame(index=False)


def gaps(names):
    frame = product(corpus=names, gap_s=[0.01, 0.1, 1.0, 10.0, 100.0])
    return frame.assign(median_s=1.0, share=np.clip(0.25 * (np.log10(frame["gap_s"]) + 2), 0, 1))


def turns(names):
    frame = product(corpus=names, turns=[1, 3, 40])
    return frame.assign(sessions=5, share_at_least=frame["turns"].map({1: 1.0, 3: 0.6, 40: 0.3}))


def live_set(names):
    frame = product(corpus=names, time_s=[0.0, 3600.0, 7200.0])
    return frame.assign(live_sessions=3, live_tokens=frame["time_s"] * 10, max_live=4, mean_live_tokens=3e4)


def hazard(names):
    frame = product(corpus=names, turn=[1, 2, 50])
    return frame.assign(hazard=0.1, low=0.05, high=0.3, is_pooled=frame["turn"] == 50)


def survival(names):
    return product(corpus=names, form=["local", "cumulative"], turn=[1, 2, 3]).assign(
        survival=0.8, low=0.7, high=0.9
    )


def online(names):
    frame = product(corpus=names, update=["on_complete", "risk_set"], n_completed=[1, 16, 128])
    return frame.assign(convergence=np.linspace(-0.5, 1.5, len(frame)))


def hit_rates(names):
    frame = product(corpus=names, policy=POLICIES, live_share=[0.125, 1.0, 4.0])
    gain = np.linspace(-0.1, 0.2, len(frame))
    rate = frame["live_share"] / 4
    return frame.assign(hit_rate=rate, hit_gain=gain, gain_low=gain - 0.01, gain_high=gain + 0.02)


def miss_causes(names):
    return product(corpus=names, policy=POLICIES, cause=CAUSES).assign(share=0.15)


def ttft(names):
    frame = product(corpus=names, policy=POLICIES, load=[1, 4], quantile=["p50", "p99"])
    return frame.assign(ttft_ratio=np.linspace(0.5, 1.4, len(frame)), lru_ttft_s=1.0)


FIGURES = {
    "gaps": (plots.plot_gaps, gaps),
    "turns": (plots.plot_turns, turns),
    "live_set": (plots.plot_live_set, live_set),
    "hazard": (plots.plot_hazard, hazard),
    "survival": (plots.plot_survival, survival),
    "online": (plots.plot_online, online),
    "hit_rate": (plots.plot_hit_rate, hit_rates),
    "gain": (plots.plot_gain, hit_rates),
    "miss_causes": (plots.plot_miss_causes, miss_causes),
    "ttft_load": (plots.plot_ttft_load, ttft),
}


def visible(figure):
    return [axes for axes in figure.axes if axes.get_visible()]


@pytest.mark.parametrize("names", [ONE, CORPORA], ids=["1", "6"])
@pytest.mark.parametrize("which", FIGURES)
def test_nothing_reaches_over_the_edge_and_the_frame_stays_as_it_was(which, names):
    draw, frame = FIGURES[which]
    data = frame(names)
    figure = draw(data)
    pd.testing.assert_frame_equal(data, frame(names))
    with figure_style():
        figure.draw_without_rendering()
        inside = figure.get_tightbbox(FigureCanvasAgg(figure).get_renderer())
    width, height = figure.get_size_inches()
    assert inside.x0 > -0.03
    assert inside.y0 > -0.03
    assert inside.x1 < width + 0.03
    assert inside.y1 < height + 0.03


def test_lines_hold_the_frames_numbers_in_the_policys_colour():
    data = hit_rates(CORPORA)
    for name, axes in zip(CORPORA, visible(plots.plot_hit_rate(data)), strict=True):
        assert axes.get_title() == name
        for policy, line in zip(POLICIES, axes.get_lines(), strict=True):
            rows = data[(data["corpus"] == name) & (data["policy"] == policy)]
            assert line.get_color() == policy_look(policy).color
            assert line.get_xydata().tolist() == rows[["live_share", "hit_rate"]].to_numpy().tolist()


@pytest.mark.parametrize("which", ["online", "gain", "ttft_load", "hazard"])
def test_limits_take_in_every_panel(which):
    draw, frame = FIGURES[which]
    data = frame(CORPORA)
    column = {"online": "convergence", "gain": "hit_gain", "ttft_load": "ttft_ratio", "hazard": "hazard"}[
        which
    ]
    for axes in visible(draw(data)):
        low, high = axes.get_ylim()
        shown = np.concatenate([line.get_ydata() for line in axes.get_lines()])
        assert low <= shown.min()
        assert shown.max() <= high
    assert data[column].max() <= max(axes.get_ylim()[1] for axes in visible(draw(data)))


def test_bars_of_causes_stack_to_the_share_missed():
    axes = visible(plots.plot_miss_causes(miss_causes(ONE)))[0]
    ends = [bar.get_x() + bar.get_width() for bar in axes.patches]
    assert max(ends) == pytest.approx(5 * 0.15)
    assert [label.get_text() for label in axes.get_yticklabels()] == [policy_look(p).label for p in POLICIES]


def test_a_cell_sorts_contenders_by_hit_rate():
    cells = pd.DataFrame(
        {
            "corpus": "c", "envelope": "edge", "load": [1, 1, 4], "policy": ["lru", "belady", "lru"],
            "hit_rate": [0.2, 0.5, 0.9], "sram_hit_rate": [0.1, 0.2, 0.3],
        }
    )  # fmt: skip
    axes = visible(plots.plot_cell(cells, corpus="c", envelope="edge"))[0]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["Bélády", "LRU"]
    assert [bar.get_width() for bar in axes.patches] == pytest.approx([50, 20, 20, 10])


@pytest.mark.parametrize(("count", "columns"), [(1, 1), (2, 2), (3, 3), (4, 3), (6, 3)])
def test_panels_are_as_many_as_corpora(count, columns):
    figure, panels = corpus_grid(pd.DataFrame({"corpus": CORPORA[:count]}))
    assert list(panels) == list(CORPORA[:count])
    assert visible(figure) == list(panels.values())
    assert figure.axes[0].get_gridspec().ncols == columns


def test_workloads_share_a_panel_and_one_corpus_has_its_own():
    _, members, _ = workload_grid(pd.DataFrame({"corpus": CORPORA}))
    assert [len(names) for names in members.values()] == [3, 3]
    _, members, axes = workload_grid(pd.DataFrame({"corpus": ["swe-lite-mine"]}))
    assert members == {"swe-lite-mine": ["swe-lite-mine"]}
    assert axes["swe-lite-mine"].get_title() == "swe-lite-mine"


def test_models_keep_their_colour_across_workloads():
    assert model_colour("swe-gemma4") == model_colour("gaia-gemma4") != model_colour("gaia-qwen3")
