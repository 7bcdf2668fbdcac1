"""The figures of flash placement show what their frames hold, with nothing clipped."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from unison.report import plots
from unison.report.flash_columns import placement_title
from unison.report.plots.flash import OTHER_COLOUR, flash_look

MAIN = ["hbm_first", "lachesis", "remaining_life", "bound"]
REGIMES = ["temporal", "structural", "inter_worker", "mixed"]


def product(**columns) -> pd.DataFrame:
    """Every combination of the values."""
    return pd.MultiIndex.from_product(columns.values(), names=list(columns)).to_frame(index=False)


def years() -> pd.DataFrame:
    frame = product(model=["one", "two"], regime=REGIMES, policy=MAIN, config=["hbm1", "hbm4", "chain"])
    return frame.assign(device_years=np.linspace(2, 90, len(frame)))


def kept() -> pd.DataFrame:
    frame = product(policy=MAIN, regime=REGIMES)
    return frame.assign(kept_share=np.linspace(0.1, 0.6, len(frame)))


def occupancy() -> pd.DataFrame:
    frame = product(policy=MAIN[:3], time_s=[1.0, 1800.0, 3600.0])
    held = {"reasoning": 0.4, "sub_agents": 0.3, "surviving": 0.15, "lead": 0.05}
    return frame.assign(hbm_share=0.9, flash_gb=frame["time_s"] / 10, **held)


def points() -> pd.DataFrame:
    names = ["all_hbf", "lachesis", "lachesis_strict"]
    still = pd.DataFrame({"series": names, "margin": np.nan, "flash_gb_per_s": [0.7, 0.5, 0.5]})
    moving = pd.DataFrame(
        {
            "series": "remaining_life",
            "margin": [1.0, 4.0],
            "flash_gb_per_s": [0.4, 0.42],
            "moved_gb_per_s": [0.2, 0.1],
        }
    )
    return pd.concat([still.assign(moved_gb_per_s=0.0), moving], ignore_index=True)


def predictors() -> pd.DataFrame:
    names = ["true_order", "class_mean", "ridge", "knn_tfidf", "gradient_boosting"]
    frame = product(regime=REGIMES[1:3], record_share=[0.0, 0.9], predictor=names)
    return frame.assign(tau_b=np.linspace(0, 1, len(frame)), regret=np.linspace(0.1, 0, len(frame)))


FIGURES = {
    "years": lambda: plots.plot_flash_years(years(), warranty_years=5.0),
    "kept": lambda: plots.plot_flash_kept(kept()),
    "occupancy": lambda: plots.plot_flash_occupancy(occupancy()),
    "pareto": lambda: plots.plot_flash_pareto(points()),
    "predictors": lambda: plots.plot_flash_predictors(predictors()),
}


@pytest.mark.parametrize("name", FIGURES)
def test_no_text_leaves_the_picture(name):
    figure = FIGURES[name]()
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    width, height = canvas.get_width_height()
    texts = [text for axes in figure.axes for text in axes.texts if text.get_text()]
    labels = [label for axes in figure.axes for label in (axes.xaxis.label, axes.yaxis.label)]
    for text in [*texts, *(label for label in labels if label.get_text())]:
        box = text.get_window_extent()
        assert box.x0 >= -1 and box.x1 <= width + 1, text.get_text()  # noqa: PT018
        assert box.y0 >= -1 and box.y1 <= height + 1, text.get_text()  # noqa: PT018


def test_bars_have_the_shares_of_the_frame():
    data = kept()
    axes = plots.plot_flash_kept(data).axes[0]
    heights = sorted(patch.get_height() for patch in axes.patches)
    assert heights == pytest.approx(sorted(data["kept_share"]))


def test_years_are_drawn_for_each_configuration():
    data = years()
    figure = plots.plot_flash_years(data, warranty_years=5.0)
    assert len(figure.axes) == 8
    lines = {line.get_label(): line for line in figure.axes[0].get_lines()}
    mine = data[(data["model"] == "one") & (data["regime"] == "temporal") & (data["policy"] == "lachesis")]
    assert lines["Lachesis"].get_ydata().tolist() == mine["device_years"].tolist()
    assert lines["warranty, 5 years"].get_ydata() == [5.0, 5.0]


def test_ours_is_a_line_over_its_margins():
    _, plane = plots.plot_flash_pareto(points()).axes
    line = next(line for line in plane.get_lines() if line.get_label() == flash_look("remaining_life").label)
    assert list(line.get_xdata()) == [0.2, 0.1]
    assert {"×1", "×4", "Remaining life (ours)"} <= {text.get_text() for text in plane.texts}
    assert plane.get_xlim()[0] == 0


def test_who_never_moves_stands_apart_with_titles_that_do_not_touch():
    figure = plots.plot_flash_pareto(points())
    FigureCanvasAgg(figure).draw()
    texts = sorted(figure.axes[0].texts, key=lambda text: text.get_position()[1])
    assert texts[-1].get_text() == "All to flash"
    assert {text.get_text() for text in texts[:2]} == {"Lachesis", "Lachesis, strict"}
    boxes = [text.get_window_extent() for text in texts]
    assert all(low.y1 <= high.y0 for low, high in itertools.pairwise(boxes))


def test_hbm_is_stacked_by_class_up_to_what_is_in_use():
    figure = plots.plot_flash_occupancy(occupancy())
    assert [axes.get_title() for axes in figure.axes] == [placement_title(name) for name in MAIN[:3]]
    tops = [area.get_paths()[0].vertices[:, 1].max() for area in figure.axes[0].collections]
    assert tops == pytest.approx([0.4, 0.7, 0.85, 0.9])


def test_predictors_are_lines_over_what_the_record_tells():
    data = predictors()
    figure = plots.plot_flash_predictors(data)
    order, cost = figure.axes[0], figure.axes[2]
    for axes, column in ((order, "tau_b"), (cost, "regret")):
        lines = {line.get_label(): line for line in axes.get_lines()}
        mine = data[(data["predictor"] == "ridge") & (data["regime"] == "structural")]
        assert list(lines["ridge"].get_xdata()) == [0.0, 0.9]
        assert list(lines["ridge"].get_ydata()) == mine[column].tolist()


def test_placements_that_figures_are_about_look_unlike_any_other():
    looks = {name: flash_look(name) for name in (*MAIN, "lachesis_deterministic", "remaining_life_placed")}
    assert len({look.color for look in looks.values()}) == len(looks)
    assert flash_look("lru_k").color == flash_look("random").color == OTHER_COLOUR
    assert OTHER_COLOUR not in {look.color for look in looks.values()}
