"""The interactive page: what is chosen moves the curves, the intervals, Bélády and the numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from selenium.webdriver import ActionChains, Keys
from support.browser import Browser
from support.sites import grid_frame

PARTS = """
const svg = document.getElementById(arguments[0]);
const curve = (name) => svg.querySelector(`.curve[data-policy="${name}"]`)?.getAttribute("points") ?? null;
return {
  curves: [...svg.querySelectorAll(".curve")].map((one) => one.dataset.policy).sort(),
  unison: curve("spear+tide"), bound: curve("belady"), bands: svg.querySelectorAll("polygon").length,
  intervals: [...svg.querySelectorAll(".interval")].map((one) => one.getAttribute("y1")),
};
"""
NUMBERS = """
const rows = [...document.querySelectorAll("#numbers tr")];
return rows.map((row) => [...row.children].map((one) => one.textContent));
"""
OUTSIDE = """
const isOutside = (own, box) => own.left < box.left - 1 || own.right > box.right + 1
  || own.top < box.top - 1 || own.bottom > box.bottom + 1;
return [...document.querySelectorAll(".plate svg")].flatMap((svg) => [...svg.querySelectorAll("text")]
  .filter((one) => isOutside(one.getBoundingClientRect(), svg.getBoundingClientRect()))
  .map((one) => one.textContent));
"""


@pytest.fixture
def page(site: Path, browser: Browser) -> Browser:
    browser.open(site / "explorer.html")
    return browser


def parts(page: Browser, chart: str = "by-capacity_share") -> dict[str, Any]:
    return dict(page.run(PARTS, chart))


def press(page: Browser, control: str, *keys: str) -> None:
    page.run("document.querySelector(arguments[0]).focus()", control)
    ActionChains(page.driver).send_keys(*keys).perform()


def test_curves_bands_and_intervals_are_drawn(page: Browser) -> None:
    for chart in ("by-capacity_share", "by-dispersion", "by-session_share"):
        drawn = parts(page, chart)
        assert drawn["curves"] == ["belady", "lru", "lru_completion", "spear+tide"]
        assert drawn["bands"] >= 3
        assert len(drawn["intervals"]) == 3  # the gain of LRU over itself has none


@pytest.mark.parametrize("axis", ["capacity_share", "dispersion", "session_share"])
@pytest.mark.parametrize("policy", ["spear+tide", "belady"])
def test_curves_have_the_shape_of_the_table(axis: str, policy: str, page: Browser) -> None:
    middle = {"dispersion": 1.0, "session_share": 0.5, "capacity_share": 0.5}
    frame = grid_frame().query("corpus == 'swe-small'")
    for other in middle.keys() - {axis}:
        frame = frame[frame[other] == middle[other]]
    wide = frame.pivot(index=axis, columns="policy", values="hit_rate")
    gains = (wide[policy] - wide["lru"]).to_numpy()
    points = parts(page, f"by-{axis}")["unison" if policy == "spear+tide" else "bound"]
    heights = [-float(point.split(",")[1]) for point in points.split()]
    assert np.corrcoef(gains, heights)[0, 1] > 0.9999


def test_the_dispersion_moves_curves_intervals_and_bound(page: Browser) -> None:
    before = parts(page)
    press(page, "#dispersion", Keys.ARROW_RIGHT)
    after = parts(page)
    assert page.run("return document.getElementById('dispersion-value').textContent") == "2"
    for part in ("unison", "bound", "intervals"):
        assert before[part] != after[part]


@pytest.mark.parametrize(
    ("axis", "key"), [("#capacity_share", Keys.ARROW_LEFT), ("#session_share", Keys.ARROW_RIGHT)]
)
def test_the_other_axes_move_it_too(axis: str, key: str, page: Browser) -> None:
    before = parts(page, "by-dispersion")
    press(page, axis, key)
    after = parts(page, "by-dispersion")
    for part in ("unison", "bound", "intervals"):
        assert before[part] != after[part]


def test_numbers_are_those_of_the_table(page: Browser) -> None:
    press(page, "#corpus", Keys.ARROW_DOWN)
    frame = grid_frame()
    middle = (frame.dispersion == 1) & (frame.session_share == 0.5) & (frame.capacity_share == 0.5)
    chosen = frame[(frame.corpus == "gaia-small") & middle]
    rows = {row.policy: row for row in chosen.itertuples()}
    shown = {line[0]: line[1:] for line in page.run(NUMBERS)}
    assert list(shown) == ["Bélády", "LRU", "LRU + completion", "Unison"]
    unison, lru, belady = rows["spear+tide"], rows["lru"], rows["belady"]
    gain, room = unison.hit_rate - lru.hit_rate, belady.hit_rate - lru.hit_rate
    assert shown["Unison"] == [
        f"{100 * unison.hit_rate:.1f} ({100 * unison.low:.1f} to {100 * unison.high:.1f})",
        f"{100 * gain:+.1f} ({100 * unison.gain_low:+.1f} to {100 * unison.gain_high:+.1f})",
        f"{100 * unison.token_hit_rate:.1f}",
        f"{100 * gain / room:.0f}",
    ]


def test_the_sentence_tells_a_win_from_a_loss(page: Browser) -> None:
    def sentence() -> str:
        return str(page.run("return document.getElementById('sentence').textContent"))

    frame = grid_frame().query("corpus == 'swe-small' and session_share == 0.5 and capacity_share == 0.5")
    gain = frame.pivot(index="dispersion", columns="policy", values="hit_rate").eval("`spear+tide` - lru")
    assert f"best of the shown is Unison, {100 * gain[1.0]:+.1f} pp against LRU, a win" in sentence()
    press(page, "input[value='lru_completion']", Keys.SPACE)
    press(page, "#dispersion", Keys.ARROW_RIGHT)
    assert f"Unison, −{-100 * gain[2.0]:.1f} pp against LRU, a loss" in sentence()


def test_a_policy_is_ticked_off_and_on_with_the_keyboard(page: Browser) -> None:
    press(page, "input[value='spear+tide']", Keys.SPACE)
    assert "spear+tide" not in parts(page)["curves"]
    press(page, "input[value='spear+tide']", Keys.SPACE)
    assert "spear+tide" in parts(page)["curves"]


def test_each_measure_has_its_own_axis(page: Browser) -> None:
    names = []
    for measure in ("gain", "hit", "token"):
        page.run("document.querySelector(`input[value=${arguments[0]}]`).click()", measure)
        names.append(page.run("return document.querySelector('#by-capacity_share text').textContent"))
    assert names == ["Gain over LRU [percentage points]", "Hit rate [%]", "Token hit rate [%]"]


def test_using_it_asks_for_nothing_and_logs_nothing(page: Browser) -> None:
    press(page, "#corpus", Keys.ARROW_DOWN)
    press(page, "#dispersion", Keys.ARROW_RIGHT)
    for box in page.driver.find_elements("css selector", "#policies input"):
        box.click()
    assert len(page.requests()) == 1
    assert page.console() == []


def test_nothing_is_drawn_outside_the_chart(page: Browser, site: Path) -> None:
    for width in (1280, 390):
        page.open(site / "explorer.html", width=width)
        assert page.run(OUTSIDE) == []


def test_without_script_the_numbers_are_tables(site: Path, browser: Browser) -> None:
    browser.open(site / "explorer.html", has_script=False)
    text = browser.run("return document.querySelector('main').innerText")
    assert "swe-small, dispersion moved, dispersion 1, share of the session 0.5" in text
    assert "gaia-small" in text
    assert browser.run("return document.getElementById('app').checkVisibility()") is False
    row = (
        grid_frame()
        .query("corpus == 'swe-small' and dispersion == 1 and session_share == 0.5 and policy == 'lru'")
        .iloc[0]
    )
    assert f"{100 * row.hit_rate:.1f} ({100 * row.low:.1f} to {100 * row.high:.1f})" in text
