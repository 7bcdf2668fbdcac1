"""Agreement of two scores on snapshots: against scipy and against a plain selection."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import kendalltau

from unison.fixed_point.fidelity import Snapshots, agreement

COMPLETED = 10**6
"""Above every score of these tests."""


def snapshot(*residents: tuple[int, int, bool, bool]) -> tuple[Snapshots, np.ndarray, np.ndarray]:
    """One snapshot of residents (one score, other score, is dead, is candidate) by slot."""
    one, other, dead, candidate = (np.asarray(column) for column in zip(*residents, strict=True))
    size = len(residents)
    return Snapshots(np.asarray([0, size]), np.arange(size), dead, candidate), one, other


def result(*residents):
    found = agreement(*snapshot(*residents))
    return bool(found.same_first[0]), bool(found.same_victim[0]), float(found.tau_b[0])


def test_equal_orders_agree():
    assert result((1, 10, False, True), (2, 20, False, True), (3, 30, False, True)) == (True, True, 1.0)


def test_reversed_orders_do_not():
    assert result((1, 30, False, True), (2, 20, False, True), (3, 10, False, True)) == (False, False, -1.0)


def test_a_tie_goes_to_the_lowest_slot():
    # The other score ties both: slot 0 goes, while the first score prefers slot 1.
    assert result((1, 5, False, True), (2, 5, False, True))[0] is False
    assert result((2, 5, False, True), (1, 5, False, True))[0] is True


def test_a_completed_resident_goes_before_any_score():
    assert result((9, 1, False, True), (0, 0, True, True), (1, 9, False, True))[:2] == (True, True)


def test_the_victim_is_sought_among_the_candidates_only():
    # Over all residents the scores differ; among the candidates both choose slot 1.
    assert result((9, 0, False, False), (5, 5, False, True), (1, 1, False, True))[:2] == (False, True)
    # Over all residents both choose slot 0; among the candidates they differ.
    assert result((9, 9, False, False), (5, 1, False, True), (1, 5, False, True))[:2] == (True, False)


@pytest.mark.parametrize(
    ("other", "expected"),
    [((7, 7, 7), 0.0), ((1, 2, 2), 2 / np.sqrt(3 * 2)), ((1, 2, 3), 1.0)],
)
def test_tau_b_of_a_tied_score(other, expected):
    # (1, 2, 2) against (1, 2, 3): two concordant pairs, one tied in the other alone.
    residents = [(score, tied, False, True) for score, tied in zip((1, 2, 3), other, strict=True)]
    assert result(*residents)[2] == pytest.approx(expected, abs=1e-15)


def test_two_scores_that_tie_everything_agree_fully():
    assert result((1, 7, False, True), (1, 7, False, True))[2] == 1.0


RESIDENTS = st.lists(
    st.tuples(st.integers(0, 5), st.integers(0, 5), st.booleans(), st.booleans()), min_size=2, max_size=9
).filter(lambda residents: any(candidate for *_, candidate in residents))


@given(st.lists(RESIDENTS, min_size=1, max_size=5))
def test_many_snapshots_are_compared_as_each_alone(groups):
    flat = [resident for group in groups for resident in group]
    one, other, dead, candidate = (np.asarray(column) for column in zip(*flat, strict=True))
    first = np.cumsum([0, *map(len, groups)])
    found = agreement(Snapshots(first, np.arange(len(flat)), dead, candidate), one, other)
    for at, group in enumerate(groups):
        shown = [[COMPLETED if r[2] else r[which] for r in group] for which in (0, 1)]
        alive = [at for at, r in enumerate(group) if r[3]]
        tops = [min(range(len(group)), key=lambda i, s=s: (-s[i], i)) for s in shown]
        victims = [min(alive, key=lambda i, s=s: (-s[i], i)) for s in shown]
        assert found.same_first[at] == (tops[0] == tops[1])
        assert found.same_victim[at] == (victims[0] == victims[1])
        expected = kendalltau(*shown).statistic
        if not np.isnan(expected):
            assert found.tau_b[at] == pytest.approx(expected, abs=1e-12)


def test_has_dead_tells_which_snapshots_have_a_completed_resident():
    dead = np.asarray([False, False, True, False])
    found = Snapshots(np.asarray([0, 2, 4]), np.arange(4), dead, np.ones(4, bool))
    assert found.has_dead.tolist() == [False, True]


def test_no_snapshot_is_no_agreement():
    nothing = Snapshots(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0, bool), np.zeros(0, bool))
    found = agreement(nothing, np.zeros(3, np.int64), np.zeros(3, np.int64))
    assert len(nothing) == found.tau_b.size == nothing.has_dead.size == 0
