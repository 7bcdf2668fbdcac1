"""The catalogue of mutants: enough of them, all of them plantable, and what is caught or not is said so."""

from collections import Counter

import pytest

from unison.errors import UnisonError
from unison.rtl.checks.design import verilog_modules
from unison.rtl.checks.findings import Verdict
from unison.rtl.config import VARIANTS, default_config
from unison.rtl.formal import proofs
from unison.rtl.generate import render_ip
from unison.rtl.mutants import SESSIONS, Mutant, all_mutants, mutants_of, mutants_table, try_mutant

LEAST = 5


@pytest.fixture(scope="module")
def texts():
    return {v: verilog_modules(render_ip(default_config(v, SESSIONS))) for v in VARIANTS}


def test_every_mutant_can_be_planted_and_changes_its_module_only(texts):
    for mutant in all_mutants():
        planted = mutant.plant(texts[mutant.variant])
        changed = {name for name in planted if planted[name] != texts[mutant.variant][name]}
        assert changed == {mutant.module}, mutant


def test_a_mutant_can_be_of_another_variant_than_its_module():
    variants = {mutant.variant for mutant in mutants_of("unison_csr")}
    assert variants == {"score_scan", "scan_div_recip", "scan_div_lut"}


def test_names_are_unique_in_a_module():
    assert max(Counter((mutant.module, mutant.name) for mutant in all_mutants()).values()) == 1


def test_every_module_has_five_mutants_or_more(texts):
    counts = Counter(mutant.module for mutant in all_mutants())
    every = {module for modules in texts.values() for module in modules}
    assert {module: counts[module] for module in every if counts[module] < LEAST} == {}


def test_a_property_that_is_violated_is_one_of_its_module(texts):
    found = {
        (variant, proof.module, label)
        for variant in VARIANTS
        for proof in proofs(default_config(variant, SESSIONS), texts[variant])
        for label in proof.properties
    }
    wanted = {(mutant.variant, mutant.module, mutant.violates) for mutant in all_mutants() if mutant.violates}
    assert wanted <= found


def test_every_property_has_a_mutant_that_violates_it(texts):
    variants = {mutant.variant for mutant in all_mutants()}
    found = {
        (proof.module, label)
        for variant in variants
        for proof in proofs(default_config(variant, SESSIONS), texts[variant])
        for label in proof.properties
    }
    assert found == {(mutant.module, mutant.violates) for mutant in all_mutants() if mutant.violates}


@pytest.mark.parametrize(
    ("module", "name", "check"),
    [
        ("unison_apb", "error dropped", "formal"),
        ("unison_argmax", "wrong compare", "cosimulation, events"),
    ],
)
def test_a_mutant_is_caught(module, name, check):
    (mutant,) = [mutant for mutant in mutants_of(module) if mutant.name == name]
    caught = try_mutant(mutant)
    if caught.verdict is Verdict.SKIPPED:
        pytest.skip(caught.note)
    assert (caught.verdict, caught.caught_by) == (Verdict.PASSED, check)


def test_a_mutant_that_changes_nothing_is_not_caught():
    same = Mutant(
        "unison_apb", "the same", "pslverr_o <= error_i;", "pslverr_o <=  error_i;", violates="p_error"
    )
    caught = try_mutant(same)
    if caught.verdict is Verdict.SKIPPED:
        pytest.skip(caught.note)
    assert caught.verdict is Verdict.FAILED
    assert mutants_table([caught]).loc[0, "caught_by"] is None


def test_text_that_is_not_there_once_is_an_error(texts):
    with pytest.raises(UnisonError, match="0 times"):
        Mutant("unison_apb", "x", "no such text", "").plant(texts["score_scan"])


def test_an_unknown_module_is_refused_with_the_nearest():
    with pytest.raises(UnisonError, match="unison_tide"):
        mutants_of("unison_tid")


def test_a_missing_tool_skips_a_mutant(tmp_path, monkeypatch):
    monkeypatch.setattr("unison.rtl.checks.tools.SCRIPTS", tmp_path)
    monkeypatch.setenv("CXX", str(tmp_path / "none"))
    for name in ("error dropped", "direction inverted"):
        (mutant,) = [mutant for mutant in mutants_of("unison_apb") if mutant.name == name]
        assert try_mutant(mutant).verdict is Verdict.SKIPPED
