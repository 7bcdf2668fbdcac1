"""The table of the corpora: what a schedule makes of them."""

from __future__ import annotations

from support.sessions import make_corpus

from unison.experiments.tab01_corpora import tab01
from unison.traces.synthetic import base_schedule


def test_table_one_tells_what_a_schedule_leaves_out():
    corpus = make_corpus([2, 2], gaps_s=[1.0, -1.0])
    row = tab01([corpus], [base_schedule(corpus)]).iloc[0]
    assert (row["sessions"], row["left_out"], row["max_live"]) == (2, 1, 1)
