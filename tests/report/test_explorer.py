"""The explorer redraws when another value is chosen."""

from __future__ import annotations

from unison.report.explorer import explorer
from unison.report.style import new_figure


def test_a_choice_redraws_the_picture():
    asked = []

    def draw(corpus, load):
        asked.append((corpus, load))
        figure, axes = new_figure()
        axes.set_title(f"{corpus} {load}")
        return figure

    box = explorer(draw, corpus=["a", "b"], load=[1, 4])
    (corpus, load), picture = box.children[0].children, box.children[1]
    first = picture.value
    assert bytes(first[:4]) == b"\x89PNG"
    load.value = 4
    corpus.value = "b"
    assert asked == [("a", 1), ("a", 4), ("b", 4)]
    assert picture.value != first
