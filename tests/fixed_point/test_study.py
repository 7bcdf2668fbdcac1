"""The study as it was written down: its grid, its gates and a complete order of preference."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from unison.claims import paper_claim
from unison.device import costs_for
from unison.errors import UnisonError
from unison.fixed_point import Contract, paper_contract
from unison.fixed_point.study import Gates, load_study
from unison.replay.envelope import default_envelopes

STUDY = load_study()
GATES = Gates(top1=0.99, hit_drift_pp=0.2, saturated_share=0.5)


def test_the_grid_has_180_different_points_and_the_papers_is_one():
    points = STUDY.contracts()
    assert len(points) == len(set(points)) == 180
    assert paper_contract() in points


def test_every_score_is_as_wide_as_its_gap():
    assert {(c.gap_bits, c.score_bits) for c in STUDY.contracts()} == {
        (24, 32), (24, 64), (32, 32), (32, 64), (64, 64)
    }  # fmt: skip


def test_the_penalty_is_500_s_in_every_unit():
    assert {c.penalty * c.tau_ns for c in STUDY.contracts()} == {500 * 10**9}


def test_the_gates_are_the_papers():
    assert STUDY.gates.top1 == paper_claim("fixed.gate.top1").number
    assert STUDY.gates.hit_drift_pp == paper_claim("fixed.gate.hit_drift").number


def test_the_envelopes_exist():
    names = [envelope.name for envelope in default_envelopes(costs_for("qwen3"))]
    assert len(STUDY.snapshots.envelopes) == 3
    assert set(STUDY.snapshots.envelopes) <= set(names)


def test_agreement_passes_from_the_gate_on():
    assert [GATES.pass_top1(share) for share in (0.9899, 0.99, 1.0)] == [False, True, True]


def test_drift_passes_up_to_the_gate_in_either_direction():
    drifts = (-0.21, -0.2, 0.0, 0.2, 0.21)
    assert [GATES.pass_drift(drift) for drift in drifts] == [False, True, True, True, False]


def test_half_of_all_gaps_saturated_is_an_overflow():
    assert [GATES.overflow(share) for share in (0.0, 0.49, 0.5)] == [False, False, True]


def test_no_two_points_tie_in_preference():
    keys = [STUDY.preference.key(contract) for contract in STUDY.contracts()]
    assert len(set(keys)) == len(keys)


def test_preference_goes_from_bits_to_divider_to_form_to_widths_to_the_unit():
    preferred = [
        Contract(8, 24, 32, 10**6, 500_000, "exact", "shift"),  # 64 bits
        Contract(8, 24, 32, 10**3, 500_000, "exact", "shift"),  # smaller unit
        Contract(8, 24, 32, 10**6, 500_000, "exact", "affine"),  # dearer form
        Contract(8, 24, 32, 10**6, 500_000, "reciprocal", "shift", 16),  # dearer divider
        Contract(10, 24, 32, 10**6, 500_000, "exact", "shift"),  # 66 bits
        Contract(8, 32, 32, 10**6, 500_000, "exact", "shift"),  # 72 bits
    ]
    for shuffled in itertools.permutations(preferred, 2):
        first = min(shuffled, key=preferred.index)
        assert STUDY.preferred(shuffled) == first
    assert STUDY.preferred([]) is None


def test_an_unknown_preference_is_refused():
    wrong = dataclasses.replace(STUDY.preference, order=("bits", "tau"))
    with pytest.raises(UnisonError, match="did you mean 'tau_ns'"):
        wrong.key(paper_contract())
