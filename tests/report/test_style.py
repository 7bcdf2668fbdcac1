"""The look of policies and the style context."""

from itertools import combinations
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import font_manager
from matplotlib.colors import to_rgb

from unison.report import direct_labels, figure_style, new_figure, policy_line, policy_look
from unison.report.style import _spread

POLICIES = (
    "lru", "lru_completion", "timeout", "agserve_eta", "cachescout",
    "spear", "spear+tide", "belady", "belady_size",
)  # fmt: skip

# Viénot, Brettel and Mollon 1999: what is left of linear RGB without the long or middle cones.
DICHROMACY = {
    "full": np.eye(3),
    "protanopia": np.array([[0.1124, 0.8876, 0], [0.1124, 0.8876, 0], [0.0040, -0.0040, 1]]),
    "deuteranopia": np.array([[0.2928, 0.7072, 0], [0.2928, 0.7072, 0], [-0.0223, 0.0223, 1]]),
}


def lab(colour: str, vision: np.ndarray) -> np.ndarray:
    """CIELAB of a colour as seen with the given vision."""
    rgb = np.array(to_rgb(colour))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    xyz = to_xyz @ np.clip(vision @ linear, 0, 1) / np.array([0.9505, 1.0, 1.089])
    f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("vision", DICHROMACY)
def test_policies_differ_in_colour_for_every_vision(vision: str) -> None:
    # Differences below about 10 are hard to see; markers tell apart what colours do not.
    for one, other in combinations(POLICIES, 2):
        a, b = (lab(policy_look(name).color, DICHROMACY[vision]) for name in (one, other))
        assert np.linalg.norm(a - b) > 10, (one, other)


def test_every_policy_has_its_own_marker_and_label() -> None:
    looks = [policy_look(name) for name in POLICIES]
    assert len({look.marker for look in looks}) == len(looks)
    assert len({look.label for look in looks}) == len(looks)


def test_spear_with_tide_is_called_unison() -> None:
    assert policy_look("spear+tide").label == "Unison"


def test_an_unknown_policy_keeps_one_look_of_its_own() -> None:
    assert policy_look("residual_life") == policy_look("residual_life")
    assert policy_look("residual_life").label == "residual_life"
    assert policy_look("residual_life").linestyle not in {policy_look(name).linestyle for name in POLICIES}


def test_user_settings_neither_leak_in_nor_are_lost() -> None:
    with mpl.rc_context({"axes.facecolor": "red", "font.size": 33.0}):
        with figure_style():
            assert mpl.rcParams["font.size"] == 8.0
            assert mpl.rcParams["axes.facecolor"] == "white"
        assert mpl.rcParams["font.size"] == 33.0


def test_the_font_is_the_one_matplotlib_ships() -> None:
    with figure_style():
        found = Path(font_manager.findfont(font_manager.FontProperties()))
    assert found.is_relative_to(mpl.get_data_path())


def test_direct_labels_name_each_line_in_its_colour_without_overlap() -> None:
    with figure_style():
        figure, axes = new_figure()
        axes.plot([0, 1], [0.0, 0.500], **policy_line("lru"))
        axes.plot([0, 1], [0.0, 0.501], **policy_line("spear"))
        axes.plot([0, 1], [0.0, 0.9], label="_hidden")
        direct_labels(axes)
        figure.draw_without_rendering()
        boxes = [text.get_window_extent() for text in axes.texts]
    assert [text.get_text() for text in axes.texts] == ["LRU", "Spear"]
    assert axes.texts[0].get_color() == policy_look("lru").color
    assert not boxes[0].overlaps(boxes[1])


def test_spread_moves_labels_only_as_far_as_needed() -> None:
    assert _spread([0.0, 10.0, 30.0], 8.0) == [0.0, 10.0, 30.0]
    assert _spread([10.0, 12.0], 8.0) == [7.0, 15.0]
    # The pair moves to 7 and 15, then touches 16: one block of three around the mean 38 / 3.
    assert _spread([10.0, 12.0, 16.0], 8.0) == pytest.approx([38 / 3 - 8, 38 / 3, 38 / 3 + 8])
