"""Figures of the hardware: what is in the data is drawn where it belongs, and nothing is cut off."""

from __future__ import annotations

import pandas as pd
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from unison.experiments.fig11_blocks import BLOCK, LINK, SOFTWARE
from unison.report import plots
from unison.report.style import figure_style

TOPS = ["u_apb", "u_csr", "u_event_fifo", "u_response_fifo", "u_control", "u_table", "u_spear", "u_tide"]
INSIDE = ["u_spear.u_rank", "u_spear.u_select", "u_spear.u_select.u_argmax"]
LINKS = [
    (SOFTWARE, "u_apb"), ("u_csr", SOFTWARE), ("u_apb", "u_csr"), ("u_csr", "u_event_fifo"),
    ("u_csr", "u_spear"), ("u_csr", "u_tide"), ("u_table", "u_spear"), ("u_control", "u_table"),
    ("u_tide", "u_other"),
]  # fmt: skip


def blocks(names: list[str]) -> pd.DataFrame:
    empty = {"target": None, "module": None, "register_bits": 0, "memory_bits": 0, "signals": 0}
    rows = [
        {
            **empty,
            "kind": BLOCK,
            "instance": name,
            "module": "m",
            "register_bits": 7 * at,
            "memory_bits": 1000 * at,
        }
        for at, name in enumerate(names)
    ]
    rows += [{**empty, "kind": LINK, "instance": a, "target": b, "signals": 2} for a, b in LINKS]
    return pd.DataFrame(rows)


@pytest.fixture(scope="module")
def drawn():
    return plots.plot_ip_blocks(blocks([*TOPS, *INSIDE, "u_other"]), "title")


def test_every_block_is_a_box_and_every_pair_that_is_linked_a_line(drawn):
    (axes,) = drawn.axes
    assert {patch.get_gid() for patch in axes.patches} == {SOFTWARE, "u_other", *TOPS, *INSIDE}
    pairs = {frozenset(line.get_gid().split("-")) for line in axes.get_lines()}
    assert pairs == {frozenset(pair) for pair in LINKS}


def test_a_line_ends_at_the_boxes_that_it_joins(drawn):
    (axes,) = drawn.axes
    boxes = {
        patch.get_gid(): patch.get_extents().transformed(axes.transData.inverted()) for patch in axes.patches
    }
    for line in axes.get_lines():
        ends = [(line.get_xdata()[at], line.get_ydata()[at]) for at in (0, -1)]
        for name in line.get_gid().split("-"):
            box = boxes[name]
            near = [
                x > box.x0 - 0.4 and x < box.x1 + 0.4 and y > box.y0 - 0.4 and y < box.y1 + 0.4
                for x, y in ends
            ]
            assert any(near), (line.get_gid(), name, ends, box)


def test_boxes_say_their_bits(drawn):
    texts = [text.get_text() for text in drawn.axes[0].texts]
    assert "registers\n7 reg\n1,000 mem" in texts
    # the eighth block of the list, Tide, has 7 x 7 bits
    assert "Tide\n49 reg\n7,000 mem" in texts
    assert "rank 56 reg 8,000 mem" in texts


def test_texts_stay_in_their_boxes():
    data = blocks([*TOPS, *INSIDE, "u_divider", "u_multiplier", "u_other"])
    data.loc[data["instance"] == "u_spear.u_select", "memory_bits"] = 102_550
    figure = plots.plot_ip_blocks(data, "")
    (axes,) = figure.axes
    with figure_style():
        figure.draw_without_rendering()
    patches = [patch.get_window_extent() for patch in axes.patches]
    for text in axes.texts:
        extent = text.get_window_extent()
        inside = [p for p in patches if p.x0 < extent.x0 and extent.x1 < p.x1 and p.y0 < extent.y0 < p.y1]
        assert inside, text.get_text()


def test_boxes_beside_each_other_do_not_overlap():
    figure = plots.plot_ip_blocks(
        blocks([*TOPS, "u_divider", "u_multiplier", "u_file", "u_file_scan", "u_sync", "u_other"]), ""
    )
    found = [patch.get_extents() for patch in figure.axes[0].patches]
    for at, one in enumerate(found):
        for other in found[:at]:
            assert not one.shrunk(0.98, 0.98).overlaps(other.shrunk(0.98, 0.98))


WAVES = {
    "psel_i": ("PSEL", False, [0, 1, 1, 0, 0, 0]),
    "paddr_i": ("PADDR", True, [0, 9, 9, 9, 0, 0]),
}
TEXTS = {"paddr_i": [None, "EV_PUSH", "EV_PUSH", "EV_PUSH", None, "LONGEST_NAME"]}


@pytest.fixture(scope="module")
def waves() -> pd.DataFrame:
    return pd.DataFrame(
        [
            {"cycle": at - 1, "signal": name, "label": label, "is_bus": is_bus, "value": value,
             "text": TEXTS.get(name, [None] * 6)[at]}
            for name, (label, is_bus, values) in WAVES.items()
            for at, value in enumerate(values)
        ]
    )  # fmt: skip


def test_a_level_is_high_in_the_cycles_in_which_it_is(waves):
    axes = plots.plot_timing(waves, {}).axes[0]
    (line,) = [each for each in axes.get_lines() if each.get_gid() == "psel_i"]
    middles = dict(zip((line.get_xdata()[1::2] - 0.5).tolist(), line.get_ydata()[1::2].tolist(), strict=True))
    # the row below the clock has its foot at -1; cycles 0 and 1 are high
    assert middles == {-0.5: -1.0, 0.5: -0.4, 1.5: -0.4, 2.5: -1.0, 3.5: -1.0, 4.5: -1.0}


def test_the_clock_has_an_edge_in_every_cycle(waves):
    axes = plots.plot_timing(waves, {}).axes[0]
    (clock,) = [each for each in axes.get_lines() if each.get_gid() == "clock"]
    x, y = clock.get_xdata(), clock.get_ydata()
    rises = [x[at] for at in range(1, len(x)) if y[at] > y[at - 1] and x[at] == x[at - 1]]
    assert rises == [-1, 0, 1, 2, 3, 4]


def test_a_bus_shows_one_text_for_as_long_as_it_says_it(waves):
    axes = plots.plot_timing(waves, {}).axes[0]
    assert [(text.get_text(), text.get_position()[0]) for text in axes.texts] == [
        ("EV_PUSH", 1.5),
        ("LONGEST_NAME", 4.5),
    ]


def test_a_span_reaches_from_the_first_cycle_to_the_end_of_the_last(waves):
    axes = plots.plot_timing(waves, {"transfer: 3 cycles": (0, 2)}).axes[0]
    (arrow,) = [each for each in axes.texts if each.get_gid() == "span"]
    assert (arrow.xyann[0], arrow.xy[0]) == (0, 3)
    assert "transfer: 3 cycles" in {text.get_text() for text in axes.texts}


def cycles(**changes: float) -> pd.DataFrame:
    rows = [
        {"variant": variant, "sessions": n, "what": what, "mean_us": mean * n, "worst_us": 2 * mean * n}
        for variant, mean in ({"a": 0.01, "b": 0.01, "c": 0.02} | changes).items()
        for n in (16, 64)
        for what in ("decision", "event")
    ]
    return pd.DataFrame(rows)


PAPER = pd.DataFrame(
    [{"sessions": 16, "statistic": "mean", "us": 0.3}, {"sessions": 64, "statistic": "worst", "us": 3.14}]
)


def lines(axes) -> dict[str, list[float]]:
    return {line.get_label(): list(line.get_ydata()) for line in axes.get_lines()}


def test_each_panel_has_ours_the_papers_and_its_formula():
    figure = plots.plot_cycles(cycles(), PAPER, extra_cycles=5, clock_mhz=150)
    assert [axes.get_title() for axes in figure.axes] == ["decision", "event"]
    found = lines(figure.axes[0])
    assert found["a (all 2 forms)"] == [0.16, 0.64]
    assert found["c"] == [0.32, 1.28]
    assert found["(N + 5) / f"] == [21 / 150, 69 / 150]
    assert (found["paper, mean"], found["paper, worst"]) == ([0.3], [3.14])


def test_variants_with_other_numbers_have_lines_of_their_own():
    found = lines(plots.plot_cycles(cycles(b=0.03), PAPER, extra_cycles=5, clock_mhz=150).axes[0])
    assert {"a", "b", "c"} <= set(found)


def test_a_skipped_figure_says_so_and_why():
    (text,) = plots.plot_skipped("no C++ compiler").axes[0].texts
    assert text.get_text() == "SKIPPED: no C++ compiler"


def test_nothing_reaches_over_the_edge(drawn, waves):
    spans = {"a span with a long text that stands beside it": (2, 2)}
    figures = [drawn, plots.plot_timing(waves, spans), plots.plot_skipped("word " * 40)]
    figures.append(plots.plot_cycles(cycles(), PAPER, extra_cycles=5, clock_mhz=150))
    for figure in figures:
        with figure_style():
            figure.draw_without_rendering()
            inside = figure.get_tightbbox(FigureCanvasAgg(figure).get_renderer())
        width, height = figure.get_size_inches()
        assert min(inside.x0, inside.y0) > -0.03
        assert inside.x1 < width + 0.03
        assert inside.y1 < height + 0.03
