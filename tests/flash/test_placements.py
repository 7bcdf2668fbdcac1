"""Single placements on a few segments by hand, and the registry."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from support.segments import Piece, built, place, setting_of, timeline_of

from unison.errors import UnisonError
from unison.flash.lifetimes import cost_of_waiting
from unison.flash.policies import Knows, all_placements, get_placement, placement
from unison.flash.policies.lachesis import Lachesis
from unison.flash.policies.on_evict import EvictLongest
from unison.flash.policies.read_to_write import read_to_write_ratio
from unison.flash.policies.remaining_life import PlacedByLife, RemainingLife
from unison.flash.policies.simple import LruK
from unison.flash.segments import SegmentClass

REASONING, SURVIVING, WORKER, REVIEWER, LEAD = SegmentClass


def deterministic(run, hbm: int, **options):
    return place(run, Lachesis(setting_of(run, hbm), **options), hbm).books


def test_a_name_is_registered_once():
    about = {"rule": "", "citation": "", "knows": Knows.NOTHING}
    with pytest.raises(UnisonError, match="registered twice"):
        placement("hbm_first", title="", **about)(lambda setting: None)
    with pytest.raises(UnisonError, match="another one is titled 'HBM-first'"):
        placement("hbm_second", title="HBM-first", **about)(lambda setting: None)
    with pytest.raises(UnisonError, match="did you mean 'lachesis'"):
        get_placement("lachesiss")


def test_every_placement_says_what_it_does_and_they_are_listed_by_what_they_know():
    entries = all_placements()
    assert len({entry.title for entry in entries}) == len(entries) >= 17
    assert all(entry.rule and entry.citation for entry in entries)
    order = [list(Knows).index(entry.knows) for entry in entries]
    assert order == sorted(order)
    assert all(knows.about for knows in Knows)


def test_hbm_first_splits_a_write():
    run = timeline_of([Piece(SURVIVING, 0, 9, [(0, 80)])])
    assert built(get_placement("hbm_first"), run, 3).books.kept == 3


def test_lachesis_sends_the_long_lived_to_flash_and_the_short_lived_to_hbm():
    run = timeline_of([Piece(SURVIVING, 0, 90, [(0, 32)]), Piece(REASONING, 1, 50, [(2, 48)])])
    books = deterministic(run, 4, reserve=float("inf"))
    assert (books.kept, books.flash, books.spilled) == (3, 2, 0)


def test_lachesis_spills_a_write_whole():
    run = timeline_of([Piece(REASONING, 0, 50, [(1, 32), (2, 48)])])
    books = deterministic(run, 4)
    assert (books.kept, books.spilled) == (2, 3)


def test_the_long_lived_use_what_is_above_the_reserve():
    run = timeline_of([Piece(SURVIVING, 0, 90, [(0, 32), (1, 32)])])
    # Of 5 free blocks 2 leave 3, more than the reserve of 2; of the 3 left, 2 would leave 1.
    assert deterministic(run, 5, reserve=2).kept == 2


def test_the_fit_test_takes_the_shortest_workers_whose_peaks_fit():
    # Each worker ends with 4 blocks, the mean peak is 4, and HBM has 9: 0.9 * 9 = 8.1 is room for two.
    lead = Piece(LEAD, 0, 99, [(0, 1)])
    workers = [Piece(WORKER, 5, end, [(6 + i, 64)]) for i, end in enumerate((90, 50, 70))]
    run = timeline_of([lead, *workers])
    lives = np.array([np.inf, 85.0, 45.0, 65.0])
    books = deterministic(run, 9, predicted_s=lives, reserve=float("inf"))
    assert (books.kept, books.flash, books.spilled) == (8, 1 + 4, 0)


def test_a_smaller_booking_lets_more_workers_in():
    # As above, but 2.5 blocks booked for each: 8.1 is room for three.
    lead = Piece(LEAD, 0, 99, [(0, 1)])
    workers = [Piece(WORKER, 5, end, [(6 + i, 64)]) for i, end in enumerate((90, 50, 70))]
    run = timeline_of([lead, *workers])
    policy = Lachesis(setting_of(run, 9), np.array([np.inf, 85.0, 45.0, 65.0]), booked=np.full(4, 2.5))
    place(run, policy, 9)
    assert (policy.let_in, policy.is_predictive) == (3, True)


def test_a_reviewer_is_always_short_lived():
    run = timeline_of([Piece(LEAD, 0, 99, [(0, 1)]), Piece(REVIEWER, 5, 20, [(6, 16)])])
    assert deterministic(run, 3, predicted_s=np.array([np.inf, 1.0]), reserve=float("inf")).kept == 1


def test_lru_k_admits_to_flash_at_the_kth_access():
    run = timeline_of([Piece(SURVIVING, 0, 90, [(0, 16), (1, 16), (2, 16)])])
    run.is_prompt[:] = True
    assert place(run, LruK(setting_of(run, 9), k=2), 9).books.kept == 1
    assert place(run, LruK(setting_of(run, 9), k=3), 9).books.kept == 2


def test_recency_evicts_the_agent_idle_for_longest():
    # Room for 2: the third block evicts session 0's, idle since 0.
    run = timeline_of([Piece(SURVIVING, t, end, [(t, 16)], session=t) for t, end in enumerate((90, 80, 70))])
    books = built(get_placement("write_on_evict_lru"), run, 2).books
    assert (books.moved, books.kept) == (1, 2)


def test_a_newcomer_that_ends_last_goes_to_flash_itself_unless_all_enter():
    run = timeline_of([Piece(SURVIVING, 0, 50, [(0, 16)]), Piece(SURVIVING, 1, 90, [(1, 16)], session=1)])
    ends = run.free_ns[run.segment].astype(np.float64)
    for admits_all, moved in ((False, 0), (True, 1)):
        books = place(run, EvictLongest(ends, run.n_segments, admits_all=admits_all), 1).books
        assert (books.flash, books.moved) == (1, moved)


def test_a_margin_moves_only_what_lives_that_much_longer():
    run = timeline_of([Piece(SURVIVING, 0, 50, [(0, 16)]), Piece(SURVIVING, 1, 40, [(1, 16)], session=1)])
    ends = run.free_ns[run.segment].astype(np.float64)
    # At 1 the first has 49 left and the newcomer 39: 49 > 39, but not above 39 * 3/2.
    for margin, moved in ((1.0, 1), (1.5, 0)):
        policy = EvictLongest(ends, run.n_segments, admits_all=False, margin=margin)
        assert place(run, policy, 1).books.moved == moved


def test_told_the_true_lives_the_ranking_evicts_what_truly_ends_last():
    # Room for one block: the first session's ends at 50, the second's at 90.
    run = timeline_of([Piece(LEAD, 0, 50, [(0, 16)]), Piece(LEAD, 1, 90, [(1, 16)], session=1)])
    for pieces_end, moved in ((50, 0), (95, 1)):
        first = dataclasses.replace(run, free_ns=np.array([pieces_end, 90]), duration_ns=pieces_end + 90)
        policy = RemainingLife(setting_of(first, 1), known=tuple(SegmentClass))
        assert place(first, policy, 1).books.moved == moved


def test_the_bar_follows_the_free_room():
    run = timeline_of([Piece(SURVIVING, 0, 50, [(0, 64), (1, 16), (2, 16)])])
    # Bar 10 where half of 8 blocks is free: 20 at 8 free, 10 at 4, then 7.5 at 3.
    policy = PlacedByLife(np.array([20.0, 10.0, 8.0]), 10.0, 8, 0.5)
    assert place(run, policy, 8).books.kept == 5


def test_the_ratio_of_reads_to_writes():
    # L_in 2, L_out 2: reads 2 + 3 = 5, writes 2 + 2 - 1 = 3.
    assert read_to_write_ratio(np.array([2.0]), np.array([2.0]))[0] == pytest.approx(5 / 3)


def test_waiting_costs_the_least_mean_time_for_each_end():
    # Delays 1, 2, 10: until 1: 3 / 1 = 3; until 2: (1 + 2 + 2) / 2 = 2.5; until 10: 13 / 3.
    delays = np.array([1, 2, 10], dtype=np.int64)
    assert cost_of_waiting(delays, 0) == pytest.approx(2.5)
    assert cost_of_waiting(delays, 2) == pytest.approx(8)
    assert cost_of_waiting(delays, 10) == float("inf")


def test_without_short_lived_segments_nothing_is_reserved_for_them():
    run = timeline_of([Piece(SURVIVING, 0, 90, [(0, 32), (1, 32)])])
    # A reserve of 0: of 5 blocks free, 2 leave 3, then 1.
    assert built(get_placement("lachesis_deterministic"), run, 5).books.kept == 4


def test_recency_is_that_of_the_last_write_not_of_the_first():
    # Session 0 writes at 0 and at 2, session 1 at 1: at 3, session 1 has been idle for longest.
    pieces = [
        Piece(SURVIVING, 0, 90, [(0, 8), (2, 8)], session=0),
        Piece(SURVIVING, 1, 80, [(1, 16)], session=1),
        Piece(SURVIVING, 3, 70, [(3, 16)], session=2),
    ]
    policy = get_placement("write_on_evict_lru").build(setting_of(timeline_of(pieces), 2))
    policy.residents = _Room(0)
    for write, segment in enumerate((0, 1, 0)):
        policy.prefers_hbm(write, segment, 1, write)
    assert policy.victim(3, 2) == 1


def test_of_an_agent_the_oldest_segment_leaves_first():
    pieces = [Piece(kind, t, 90, [(t, 16)]) for t, kind in enumerate((SURVIVING, REASONING))]
    run = timeline_of([*pieces, Piece(SURVIVING, 2, 70, [(2, 16)], session=1)])
    policy = get_placement("write_on_evict_lru").build(setting_of(run, 2))
    policy.residents = _Room(0)
    for write in range(2):
        policy.prefers_hbm(write, write, 1, write)
    assert policy.victim(2, 2) == 0


def test_every_block_that_is_moved_is_counted():
    # Three blocks of session 0 leave for three of session 1, at once.
    run = timeline_of([Piece(SURVIVING, t, 90, [(t, 48)], session=t) for t in range(2)])
    books = built(get_placement("write_on_evict_lru"), run, 3).books
    assert (books.moved, books.flash, books.kept) == (3, 3, 3)


@pytest.mark.parametrize(("need", "is_admitted"), [(9, True), (10, False)])
def test_head_room_is_what_is_left_after_the_write(need, is_admitted):
    # A tenth of 10 blocks: 9 new ones leave the 1, 10 leave none.
    run = timeline_of([Piece(SURVIVING, 0, 90, [(0, 16 * need)])])
    assert built(get_placement("head_room"), run, 10).books.kept == (need if is_admitted else 0)


def test_of_equal_ends_the_newcomer_goes_to_flash():
    run = timeline_of([Piece(LEAD, t, 50, [(t, 16)], session=t) for t in range(2)])
    books = built(get_placement("bound"), run, 1).books
    assert (books.moved, books.flash) == (0, 1)


class _Room:
    """Residents of one block each."""

    def __init__(self, free_hbm: int) -> None:
        self.free_hbm = free_hbm

    def hbm_blocks(self, segment: int) -> int:
        return 1
