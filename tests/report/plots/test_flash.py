"""The figures of flash placement show what their frames hold, with nothing clipped."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from unison.report import plots
from unison.report.plots.flash import flash_look

MAIN = ["hbm_first", "lachesis", "remaining_life", "write_on_evict_oracle"]
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
    return frame.assign(hbm_share=0.9, flash_gb=frame["time_s"] / 10)


def points() -> pd.DataFrame:
    still = pd.DataFrame({"series": ["all_hbf", "lachesis"], "margin": np.nan, "flash_gb_per_s": [0.7, 0.5]})
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
    assert lines["warranty"].get_ydata() == [5.0, 5.0]


def test_ours_is_a_line_over_its_margins():
    axes = plots.plot_flash_pareto(points()).axes[0]
    line = next(line for line in axes.get_lines() if line.get_label() == flash_look("remaining_life").label)
    assert list(line.get_xdata()) == [0.2, 0.1]
    assert {"×1", "×4", "Lachesis", "all_hbf"} <= {text.get_text() for text in axes.texts}
