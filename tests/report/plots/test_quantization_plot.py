"""The figure of the grid draws every point at its values, with the gates and the two rings."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from unison.fixed_point.study import load_study
from unison.report import plots
from unison.report.style import figure_style

STUDY = load_study()


@pytest.fixture(scope="module")
def data() -> pd.DataFrame:
    rows = [
        {
            "hazard_bits": c.hazard_bits, "gap_bits": c.gap_bits, "score_bits": c.score_bits,
            "tau_ns": c.tau_ns, "divider": c.divider, "penalty_form": c.penalty_form,
            "disagreement": 0.001 * (at % 7), "hit_drift_worst": 0.0005 * (1 + at % 9),
            "is_selected": at == 100, "is_paper": at == 152,
        }
        for at, c in enumerate(STUDY.contracts())
    ]  # fmt: skip
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def figure(data):
    return plots.plot_quantization(data, STUDY.gates)


def heights(axes, size_below=9):
    """Heights of the points; rings are larger, the gate has no marker."""
    points = [line for line in axes.get_lines() if line.get_marker() != "None"]
    return sorted(float(line.get_ydata()[0]) for line in points if line.get_markersize() < size_below)


def test_each_panel_has_the_sixty_points_of_its_unit_at_their_values(figure, data):
    for row, column in enumerate(("disagreement", "hit_drift_worst")):
        for at, unit in enumerate(sorted(set(data["tau_ns"]))):
            axes = figure.axes[3 * row + at]
            expected = sorted(data[data["tau_ns"] == unit][column].clip(lower=1e-4))
            assert heights(axes) == expected
            assert len(expected) == 60


def test_the_gates_are_drawn_where_they_are(figure):
    gates = [
        [line.get_ydata()[0] for line in axes.get_lines() if line.get_marker() == "None"]
        for axes in figure.axes
    ]
    assert gates == [[1 - STUDY.gates.top1]] * 3 + [[STUDY.gates.hit_drift_pp / 100]] * 3


def test_the_selected_point_and_the_papers_have_rings(figure):
    rings = [sum(line.get_markersize() >= 9 for line in axes.get_lines()) for axes in figure.axes]
    assert rings == [0, 1, 1, 0, 1, 1]


def test_no_two_points_of_different_widths_stand_at_one_place(figure):
    places = {
        round(float(line.get_xdata()[0]), 6)
        for line in figure.axes[0].get_lines()
        if line.get_marker() != "None"
    }
    assert len(places) == 15


def test_nothing_reaches_over_the_edge(figure):
    with figure_style():
        figure.draw_without_rendering()
        inside = figure.get_tightbbox(FigureCanvasAgg(figure).get_renderer())
    width, height = figure.get_size_inches()
    assert min(inside.x0, inside.y0) > -0.03
    assert inside.x1 < width + 0.03
    assert inside.y1 < height + 0.03


def test_points_without_a_snapshot_are_left_out(data):
    axes = plots.plot_quantization(data.assign(disagreement=float("nan")), STUDY.gates).axes
    assert all(height != height for height in heights(axes[0]))
    assert heights(axes[3]) == heights(plots.plot_quantization(data, STUDY.gates).axes[3])
