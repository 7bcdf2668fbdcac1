"""Live pictures show what their frames hold, as SVG that a screen reader and any theme can use."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from unison.experiments.residency import Setting, replayed
from unison.experiments.residency import victims as victims_of
from unison.replay.reference import Decision, ReferenceEngine
from unison.report.live import live_ranking, live_residency
from unison.report.live.residency import MOST_MARKS
from unison.report.live.svg import ticks
from unison.report.plots.ranking_bars import MOST_SHOWN
from unison.report.plots.residency import LOST_COLOUR, PLACE_COLOURS

PAIR = ("lru", "spear+tide")
TIERS = ("sram", "hbm")
SVG = "{http://www.w3.org/2000/svg}"


def stays(*rows: tuple[Any, ...]) -> pd.DataFrame:
    names = ["policy", "session", "place", "start_s", "end_s", "is_over", "event"]
    return pd.DataFrame(rows, columns=names)


def victims(*rows: tuple[Any, ...], policy: str = "lru") -> pd.DataFrame:
    """Rows of (place, score, back_s); sessions are 10, 11 and so on."""
    return pd.DataFrame(
        {
            "policy": policy,
            "rank": rank,
            "session": 9 + rank,
            "place": place,
            "score": score,
            "back_s": back_s,
        }
        for rank, (place, score, back_s) in enumerate(rows, start=1)
    )


TWO = stays(
    ("lru", 3, "sram", 90.0, 100.0, False, "before"),
    ("lru", 3, "away", 100.0, 105.0, False, "evicted"),
    ("lru", 3, "hbm", 105.0, 110.0, False, "miss"),
    ("lru", 7, "hbm", 95.0, 102.5, False, "started"),
    ("lru", 7, "hbm", 102.5, 110.0, True, "completed"),
    ("spear+tide", 3, "sram", 90.0, 105.0, False, "before"),
    ("spear+tide", 3, "sram", 105.0, 110.0, False, "hit"),
)


def panels(shown: str) -> list[ET.Element]:
    """The pictures of a page's part; what is not well-formed fails here."""
    page = ET.fromstring(f"<div>{shown}</div>")
    return [svg for svg in page.iter(f"{SVG}svg") if svg.get("role") == "img"]


def said(panel: ET.Element) -> list[str]:
    return ["".join(text.itertext()) for text in panel.iter(f"{SVG}text")]


def paths(panel: ET.Element, **wanted: str) -> list[str]:
    """Outlines of the paths with these attributes."""
    found = [p for p in panel.iter(f"{SVG}path") if all(p.get(key) == value for key, value in wanted.items())]
    return [str(path.get("d")) for path in found]


def test_boxes_lie_where_and_when_a_session_sat() -> None:
    lru, unison = panels(live_residency(TWO, policies=PAIR, at_s=100.0))
    # 20 s from 90 to 110 are drawn 424 wide from x = 46: 21.2 a second; a line is 14 high from y = 66.
    # SRAM 90 to 100 of the first session: 212 wide, 0.84 x 14 = 11.76 high about 73.
    assert paths(lru, fill=PLACE_COLOURS["sram"]) == ["M46.0 67.1h212.0v11.8h-212.0z"]
    # HBM, 7 high: 105 to 110 of the first session, 95 to 102.5 of the second.
    assert paths(lru, fill=PLACE_COLOURS["hbm"]) == [
        "M364.0 69.5h106.0v7.0h-106.0zM152.0 83.5h159.0v7.0h-159.0z"
    ]
    assert paths(lru, fill="currentColor") == ["M311.0 83.5h159.0v7.0h-159.0z"]  # over from 102.5 on
    assert len(paths(unison, fill=PLACE_COLOURS["sram"])) == 1
    assert paths(unison, fill=PLACE_COLOURS["hbm"]) == []


def test_a_loss_a_miss_and_a_hit_are_marked_and_counted() -> None:
    lru, unison = panels(live_residency(TWO, policies=PAIR, at_s=100.0))
    assert "1 evicted, 1 misses, 0 hits in view" in said(lru)
    assert "0 evicted, 0 misses, 1 hits in view" in said(unison)
    assert paths(lru, stroke=LOST_COLOUR) == ["M254.5 69.5l7.0 7.0m0 -7.0l-7.0 7.0"]  # at 100 s, x = 258
    assert paths(lru, style=f"stroke:{LOST_COLOUR}") == ["M364.0 73.0h0"]
    assert paths(unison, style="stroke:currentColor") == ["M364.0 73.0h0"]


def test_the_instant_is_marked_and_time_counts_from_it() -> None:
    (lru, _) = panels(live_residency(TWO, policies=PAIR, at_s=100.0))
    assert paths(lru, **{"stroke-dasharray": "3 3"}) == ["M258.0 62.0V94.0"]
    assert "instant, 100.0 s" in said(lru)
    assert {"−10", "0", "10", "Time from the instant [s]", "3", "7"} <= set(said(lru))


def test_every_panel_says_what_it_is_and_shows() -> None:
    ranked = victims(("hbm", 4.0, 1.0))
    for shown in (
        live_residency(TWO, policies=PAIR, at_s=100.0),
        live_ranking(ranked, policies=PAIR, units="ss", tiers=TIERS),
    ):
        told = [(p.findtext(f"{SVG}title"), p.findtext(f"{SVG}desc")) for p in panels(shown)]
        assert all(title and desc for title, desc in told)
        assert [desc.split(":")[0] for _, desc in told if desc] == list(PAIR)


def test_ink_and_paper_are_those_of_the_page() -> None:
    ranked = victims(("hbm", np.nan, np.nan), ("sram", 4.0, 1.0))
    shown = live_residency(TWO, policies=PAIR, at_s=100.0)
    shown += live_ranking(ranked, policies=PAIR, units="ss", tiers=TIERS)
    colours = set(re.findall(r"(?:fill|stroke)(?:=\"|:)([^\";]+)", shown))
    own = {LOST_COLOUR, *PLACE_COLOURS.values(), "#707070"}  # the chip of LRU; that of Unison is LOST_COLOUR
    assert colours - own == {"currentColor", "none", "var(--jp-layout-color0, Canvas)"}


def test_an_empty_window_is_told() -> None:
    assert "No session is there" in live_residency(stays(), policies=PAIR, at_s=1.0)


@pytest.mark.parametrize("kind", ["evicted", "miss", "hit"])
def test_too_many_marks_are_counted_instead(kind: str) -> None:
    def rows(n: int) -> pd.DataFrame:
        return stays(*(("lru", 0, "hbm", float(i), i + 1.0, False, kind) for i in range(n)))

    few, many = (
        panels(live_residency(rows(n), policies=["lru"], at_s=5.0))[0] for n in (MOST_MARKS, MOST_MARKS + 1)
    )
    name = {"evicted": "evicted", "miss": "misses", "hit": "hits"}[kind]
    assert any(f"{MOST_MARKS} {name}" in text and "*" not in text for text in said(few))
    assert any(f"{MOST_MARKS + 1} {name}*" in text and "too many to mark" in text for text in said(many))
    assert len(list(many.iter(f"{SVG}path"))) < len(list(few.iter(f"{SVG}path")))


def test_ten_times_the_stays_are_no_more_elements() -> None:
    def elements(n: int) -> int:
        rows = stays(*(("lru", i % 40, "hbm", float(i), i + 1.0, False, "before") for i in range(n)))
        return len(list(panels(live_residency(rows, policies=["lru"], at_s=5.0))[0].iter()))

    assert elements(4000) <= elements(400) + 10  # ticks of the time axis


def test_the_largest_score_of_the_last_tier_is_the_victim() -> None:
    ranked = victims(("sram", 9.0, 1.0), ("hbm", 4.0, 2.5), ("hbm", 3.0, np.nan))
    lru, unison = panels(live_ranking(ranked, policies=PAIR, units=["s", "s"], tiers=TIERS))
    texts = said(lru)
    assert texts[texts.index("10") :][:12] == [
        "10", "9", "1 s", "◀ demoted next",
        "11", "4", "2.5 s", "◀ evicted next",
        "12", "3", "never",
    ]  # fmt: skip
    assert "Score [s], largest first" in texts
    assert "Nobody is paused at this instant, so that nobody can go." in said(unison)


def test_a_victim_that_only_its_slot_decides_is_a_tie() -> None:
    ranked = victims(("hbm", np.nan, np.nan), ("hbm", np.nan, np.nan), ("hbm", 3.0, 1.0))
    (lru,) = panels(live_ranking(ranked, policies=["lru"], units=["s"], tiers=TIERS))
    assert said(lru).count("◀ evicted next (tie)") == 2
    assert said(lru).count("endless") == 2


def marked(panel: ET.Element) -> dict[str, set[int]]:
    """Sessions by what the panel says is done to them next."""
    texts = said(panel)
    found: dict[str, set[int]] = {}
    for at, text in enumerate(texts):
        if text.startswith("◀"):
            found.setdefault(text.split()[1], set()).add(int(texts[at - 3]))
    return found


@pytest.mark.parametrize("policy", ["lru", "spear", "belady_size"])
def test_the_marked_session_is_the_one_that_the_reference_engine_takes(policy: str) -> None:
    run = replayed(Setting("gaia-gemma4", policy, "x1/2", alpha=0.3, penalty_s=50.0))
    seen: list[Decision] = []
    ReferenceEngine(run.trace, run.ranking, run.envelope, observe=seen.append).run()
    first = list({decision.time_ns: decision for decision in reversed(seen)}.values())
    compared = 0
    for decision in first[::5]:
        ranked = victims_of(run, decision.time_ns)
        (panel,) = panels(live_ranking(ranked, policies=[policy], units=["s"], tiers=TIERS))
        taken = decision.sessions[decision.slots.index(decision.victim)]
        tier = ranked.set_index("session")["place"][taken]
        candidates = marked(panel)["evicted" if tier == "hbm" else "demoted"]
        if candidates <= set(decision.sessions):  # not if the marked one is back at this very instant
            assert taken in candidates
            compared += 1
    assert compared > 0.9 * len(first) / 5


def test_a_victim_below_the_shown_ones_is_shown() -> None:
    ranked = victims(*(("sram", 99.0 - i, 1.0) for i in range(MOST_SHOWN + 3)), ("hbm", 1.0, 1.0))
    (lru,) = panels(live_ranking(ranked, policies=["lru"], units=["s"], tiers=TIERS))
    assert f"{MOST_SHOWN + 4} paused, {MOST_SHOWN + 1} shown" in said(lru)
    assert said(lru)[-1] == "◀ evicted next"


def test_nobody_in_the_last_tier_is_told() -> None:
    (lru,) = panels(live_ranking(victims(("sram", 1.0, 1.0)), policies=["lru"], units=["s"], tiers=TIERS))
    assert "1 paused, nobody in HBM to be evicted" in said(lru)


def test_bars_start_at_zero_on_either_side() -> None:
    ranked = victims(("hbm", 3.0, 1.0), ("hbm", -1.0, 1.0))
    (lru,) = panels(live_ranking(ranked, policies=["lru"], units=["s"], tiers=TIERS))
    # From -1 to 3 are 160 wide from x = 58: zero at 98, 3 at 218, -1 at 58.
    bars = paths(lru, fill=PLACE_COLOURS["hbm"])
    assert [re.findall(r"M([\d.]+) .*?H([\d.]+)", bar)[0] for bar in bars] == [
        ("98.0", "218.0"),
        ("98.0", "58.0"),
    ]


def test_numbers_of_any_size_are_short() -> None:
    ranked = victims(*(("hbm", score, score) for score in (123456789.0, 9876.5, 0.012345)))
    (lru,) = panels(live_ranking(ranked, policies=["lru"], units=["s × tokens"], tiers=TIERS))
    assert {"1.23e+08", "9,876", "0.0123", "0.0123 s"} <= set(said(lru))


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_within_and_few(low: float, span: float) -> None:
    found = ticks(low, low + span)
    assert 1 <= len(found) <= 9
    slack = 1e-9 * (abs(low) + span)
    assert low - slack <= found[0]
    assert found[-1] <= low + span + slack
    steps = np.diff(found)
    assert steps.size == 0 or np.allclose(steps, steps[0], rtol=1e-3)


def test_ticks_are_round() -> None:
    assert ticks(-30.0, 30.0) == [-30.0, -20.0, -10.0, 0.0, 10.0, 20.0, 30.0]
