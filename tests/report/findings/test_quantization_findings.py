"""Sentences on the integer form follow the numbers they are made from."""

from __future__ import annotations

import itertools

import pandas as pd

from unison.fixed_point.study import load_study
from unison.report.findings import quantization as findings

STUDY = load_study()
POINT = {
    "hazard_bits": 12, "gap_bits": 32, "score_bits": 64, "tau_ns": 1000, "divider": "exact",
    "penalty_form": "affine", "bits": 108, "snapshots": 10, "top1": 0.999, "hit_drift_worst": 0.001,
    "saturated_share": 0.0, "overflows": False, "passes": True, "is_selected": True, "is_paper": True,
}  # fmt: skip


def grid(*changes: dict) -> pd.DataFrame:
    return pd.DataFrame([POINT | change for change in changes])


def test_the_papers_point_may_be_the_one_selected():
    text = findings.grid_finding(
        grid({}, {"hazard_bits": 8, "passes": False, "is_selected": False, "is_paper": False})
    )
    assert (
        "1 of the 2 points pass every gate: 0 of 1 with 8 hazard bits and 1 of 1 with 12 hazard bits." in text
    )
    assert text.endswith("It is the point that the paper locks.")


def test_another_point_may_be_selected_whether_the_papers_passes_or_not():
    narrow = {"hazard_bits": 10, "bits": 66, "is_paper": False, "top1": 0.998}
    text = findings.grid_finding(grid(narrow, {"is_selected": False}))
    assert "passes too but does not come out" in text
    assert "Disagreement is 0.10 % for the paper's and 0.20 % for the selected one" in text
    assert "they take 108 and 66 bits." in text
    text = findings.grid_finding(grid(narrow, {"is_selected": False, "passes": False}))
    assert "fails a gate but does not come out" in text


def test_no_point_may_pass():
    text = findings.grid_finding(grid({"passes": False, "is_selected": False, "overflows": True}))
    assert "1 overflow at the median. None can be selected." in text


def test_forms_are_compared_all_else_equal():
    points = grid(
        *(
            {"divider": divider, "penalty_form": form, "top1": 0.99 + 0.001 * (form == "shift")}
            for divider, form in itertools.product(("exact", "reciprocal"), ("affine", "shift"))
        ),
        {"saturated_share": 0.1, "divider": "reciprocal", "top1": 0.1, "passes": False},
    )
    text = findings.forms_finding(points)
    assert text.startswith("Of the 4 points at which nothing saturates")
    assert "exact divider changes agreement by at most 0.000 pp" in text
    assert "affine penalty changes agreement by at most 0.100 pp" in text
    assert "affine 2 of 3 and shift 2 of 2." in text
    assert "alone turns 0 of 2 verdicts" in text
    turned = points.assign(passes=points["divider"] == "exact")
    assert "alone turns 2 of 2 verdicts" in findings.forms_finding(turned)


def agreements(which: str) -> pd.DataFrame:
    row = {
        "which": which, "snapshots": 10, "top1_live": 0.98, "tau_b": 0.9, "hit_drift_worst": 0.002,
        "hit_drift_mean": 0.001, "amat_drift": -0.0001,
    }  # fmt: skip
    return pd.DataFrame(
        [row | {"corpus": name, "top1": top1} for name, top1 in (("a", 1.0), ("b", 0.9), ("all", 0.95))]
    )


def test_agreement_is_told_by_corpus_with_what_one_request_is_worth():
    both = pd.concat([agreements("selected"), agreements("paper")])
    text = findings.agreement_finding(both, {"a": 5000, "b": 800}, STUDY)
    assert (
        "The selected point over 10 snapshots: the same resident first in 95.00 % (90.00 % to 100.00 %"
        in text
    )
    assert "The paper's point over 10 snapshots" in text
    assert "AMAT -0.010 %" in text
    assert "On b a single request is 0.125 pp of hit rate: there the drift gate allows a change of 1." in text


def test_a_selected_point_that_is_the_papers_is_named_as_both():
    text = findings.agreement_finding(agreements("selected and paper"), {"a": 5000}, STUDY)
    assert text.startswith("The selected point, which is the paper's, over 10 snapshots")


def test_draws_are_counted_by_width_and_gate():
    row = {
        "gap_bits": 32, "score_bits": 64, "tau_ns": 1000, "divider": "exact", "penalty_form": "affine",
        "seeds": 10, "top1_worst": 0.99, "hit_drift_worst": 0.003,
    }  # fmt: skip
    counts = [(10, 2, 9, 3), (12, 7, 10, 8)]
    table = pd.DataFrame(
        [row | {"hazard_bits": b, "passed": p, "passed_top1": t, "passed_drift": d} for b, p, t, d in counts]
    )
    text = findings.seeds_finding(table)
    assert "gap 32 and score 64 bits: 2 with 10 hazard bits and 7 with 12 hazard bits" in text
    assert (
        "agreement in 9 and drift in 3 with 10 and agreement in 10 and drift in 8 with 12 hazard bits" in text
    )
    assert text.endswith("The largest drift of any draw is 0.300 pp.")


def test_without_a_snapshot_nothing_is_said_to_agree():
    nothing = grid({"snapshots": 0, "top1": float("nan"), "passes": False, "is_selected": False})
    assert (
        findings.grid_finding(nothing)
        == f"{findings.NO_SNAPSHOT} No point can pass or fail, and none is selected."
    )
    assert findings.forms_finding(nothing) == findings.NO_SNAPSHOT
    table = agreements("paper").assign(snapshots=0)
    assert findings.agreement_finding(table, {"a": 5000}, STUDY) == findings.NO_SNAPSHOT
    draws = pd.DataFrame([{"top1_worst": float("nan")}])
    assert findings.seeds_finding(draws) == findings.NO_SNAPSHOT
