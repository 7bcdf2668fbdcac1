"""Contenders: taken from the registry, ordered by what they know."""

from __future__ import annotations

import pytest

from unison.errors import UnisonError
from unison.experiments.contenders import (
    BASELINE,
    ORACLE,
    SHOWN_ABLATIONS,
    UNISON,
    contender,
    contenders,
)
from unison.policies.registry import InfoClass, all_policies, get_policy


def test_every_registered_policy_and_the_paper_s_system_compete_by_default():
    labels = [entry.label for entry in contenders()]
    main = [entry.name for entry in all_policies() if not entry.is_ablation]
    assert sorted(labels) == sorted([*main, *SHOWN_ABLATIONS, UNISON])
    assert all(get_policy(name).is_ablation for name in SHOWN_ABLATIONS)


def test_ablations_can_be_left_out_and_put_in():
    assert not any(entry.entry.is_ablation for entry in contenders(ablations=()))
    shown = contenders(ablations=["spear_no_gap"])
    assert [entry.label for entry in shown if entry.entry.is_ablation] == ["spear_no_gap"]


def test_baseline_is_first_oracles_are_last_and_others_are_ordered_by_what_they_know():
    found = contenders()
    assert found[0].label == BASELINE
    ranks = [list(InfoClass).index(entry.entry.info) for entry in found[1:]]
    assert ranks == sorted(ranks)
    assert found[-1].entry.info == InfoClass.ORACLE
    assert get_policy(ORACLE).info == InfoClass.ORACLE


def test_label_with_tide_is_the_policy_with_tide():
    plain, tide = contender("spear"), contender("spear+tide")
    assert (plain.entry, plain.tide, tide.entry, tide.tide) == (
        get_policy("spear"), False, get_policy("spear"), True,
    )  # fmt: skip
    assert tide.about() == {"policy": "spear+tide", "info": "F0", "sees_completion": True}


def test_given_contenders_are_the_only_ones():
    assert [entry.label for entry in contenders(["belady", "spear", "lru"])] == ["lru", "spear", "belady"]


@pytest.mark.parametrize("label", ["belaty", "belaty+tide"])
def test_unknown_policy_names_the_nearest(label: str):
    with pytest.raises(UnisonError, match=r"unknown policy 'belaty'; did you mean 'belady'"):
        contenders(["lru", label])
