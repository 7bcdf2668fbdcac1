"""Proofs of the modules: they hold, they are not empty, and what is not proved does not pass."""

import dataclasses

import pytest

from unison.errors import UnisonError
from unison.rtl.checks.design import verilog_modules
from unison.rtl.checks.findings import Verdict
from unison.rtl.committed import about, committed_rows
from unison.rtl.config import VARIANTS, default_config
from unison.rtl.formal import (
    Method,
    formal_plan,
    formal_table,
    full_plan,
    proofs,
    refute,
    run_formal,
    run_proof,
    save_formal,
    small_config,
)
from unison.rtl.formal.proof import PROPERTY, Result, described, only, with_properties
from unison.rtl.formal.run import COMMAND, STEM, plan_configs
from unison.rtl.generate import render_ip

MODULE = """module toy (input wire clk_i, input wire rst_ni, output reg [2:0] count_o);
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) count_o <= 3'd0;
    else if (count_o != 3'd5) count_o <= count_o + 3'd1;
  end
endmodule
"""

PROPERTIES = """
  always @* begin
    if (rst_ni) begin
      lemma_low: assert (count_o <= 3'd5);
      // it never gets to six
      p_never: assert (count_o != 3'd6);
      // it stays below four (which is wrong)
      p_wrong: assert (count_o < (3'd3 + 3'd1));
    end
  end
"""


def by_name(variant, name):
    """The one proof of that name of the smallest IP."""
    config = small_config(variant)
    found = proofs(config, verilog_modules(render_ip(config)))
    (proof,) = [proof for proof in found if proof.name == name]
    return proof


def passed(result: Result) -> bool:
    if result.verdict is Verdict.SKIPPED:
        pytest.skip(result.note)
    return result.verdict is Verdict.PASSED


@pytest.mark.parametrize("name", ["unison_event_fifo 2 words of 59 bits", "unison_apb"])
def test_a_module_is_proved_by_induction(name):
    proof = by_name("score_scan", name)
    assert proof.method is Method.INDUCTION
    assert passed(run_proof(proof))


def test_a_fault_is_shown_by_a_counterexample():
    proof = by_name("score_scan", "unison_event_fifo 2 words of 59 bits")
    text = proof.texts["unison_event_fifo"].replace("push_i & ~full_o;", "push_i;", 1)
    assert text != proof.texts["unison_event_fifo"]
    wrong = dataclasses.replace(proof, texts={"unison_event_fifo": text})
    result = run_proof(wrong)
    assert not passed(result)
    assert result.failed
    assert refute(wrong, "p_level").failed == ("p_level",)
    assert refute(proof, "p_level").verdict is Verdict.PASSED


def test_every_property_says_something_and_has_its_own_label():
    for variant in VARIANTS:
        for _, proof in formal_plan(variant, 16):
            text = proof.texts[proof.module]
            labels = PROPERTY.findall(text)
            assert len(labels) == len(set(labels)) == len(proof.properties) > 0
            assert all(proof.properties.values())
            assert proof.depth > 0
            assert proof.search > 0


def test_the_module_itself_is_proved_and_not_a_copy():
    texts = verilog_modules(render_ip(small_config("score_scan")))
    for proof in proofs(small_config("score_scan"), texts):
        head, _, _ = texts[proof.module].rpartition("\nendmodule")
        assert proof.texts[proof.module].startswith(head)


def test_only_one_assertion_is_left_for_a_search():
    text = only(with_properties(MODULE, PROPERTIES), "p_wrong")
    assert "p_wrong: assert (count_o < (3'd3 + 3'd1));" in text
    assert text.count("assert") == 1


def test_properties_are_read_with_the_comment_above_them():
    assert described(PROPERTIES) == {
        "p_never": "it never gets to six",
        "p_wrong": "it stays below four (which is wrong)",
    }


def test_a_module_without_an_end_is_an_error():
    with pytest.raises(UnisonError, match="endmodule"):
        with_properties("module x;", PROPERTIES)


def test_without_the_tools_a_proof_is_skipped_and_not_passed(tmp_path, monkeypatch):
    monkeypatch.setattr("unison.rtl.checks.tools.SCRIPTS", tmp_path)
    result = run_proof(by_name("score_scan", "unison_apb"))
    assert result.verdict is Verdict.SKIPPED
    assert "make setup" in result.note


def test_a_proof_that_is_stopped_has_failed():
    result = run_proof(by_name("score_scan", "unison_apb"), seconds=0.01)
    assert result.verdict in (Verdict.FAILED, Verdict.SKIPPED)


def test_the_table_has_a_row_for_each_property():
    config = small_config("score_scan")
    proof = by_name("score_scan", "unison_apb")
    table = formal_table([(config, Result(proof, Verdict.SKIPPED, note="why"))])
    assert list(table["property"]) == list(proof.properties)
    assert set(table["verdict"]) == {"SKIPPED"}
    assert set(zip(table["configuration"], table["verilog"], strict=True)) == {tuple(about(config).values())}


def test_what_variants_have_in_common_is_proved_once_and_told_of_each(monkeypatch):
    asked, lines = [], []

    def answer(proof):
        asked.append(proof.name)
        return Result(proof, Verdict.PASSED if len(asked) == 1 else Verdict.FAILED)

    monkeypatch.setattr("unison.rtl.formal.run.run_proof", answer)
    plan = [pair for variant in VARIANTS for pair in formal_plan(variant, 16, "unison_apb")]
    plan += formal_plan("score_scan", 16, "unison_argmax")
    found = run_formal(plan, jobs=1, tell=lines.append)
    assert asked == ["unison_apb", "unison_argmax N = 16"]
    assert [config.variant for config, _ in found] == [*VARIANTS, "score_scan"]
    assert [str(result.verdict) for _, result in found] == ["passed"] * len(VARIANTS) + ["FAILED"]
    assert lines == ["[1/2] unison_apb, induction: passed", "[2/2] unison_argmax N = 16, induction: FAILED"]


def test_the_full_plan_has_every_module_that_has_properties_in_every_variant():
    found = {(config.variant, proof.module) for config, proof in full_plan()}
    for variant in VARIANTS:
        own = {proof.module for _, proof in formal_plan(variant, default_config(variant).sessions)}
        assert {module for name, module in found if name == variant} == own


def test_the_saved_table_is_about_the_verilog_of_the_plan(tmp_path):
    config = default_config("score_scan")
    save_formal(
        formal_table([(config, Result(by_name("score_scan", "unison_apb"), Verdict.PASSED))]), tmp_path
    )
    found = committed_rows(STEM, plan_configs(), command=COMMAND, folder=tmp_path)
    assert set(found["verdict"]) == {"passed"}


def test_an_unknown_module_is_refused_with_the_nearest():
    with pytest.raises(UnisonError, match="unison_divider"):
        formal_plan("score_scan", 16, "unison_dividr")


def test_a_module_without_a_proof_is_said_so():
    with pytest.raises(UnisonError, match="unison_top of scan_div has no proof, only the simulation"):
        formal_plan("scan_div", 16, "unison_top")


@pytest.mark.parametrize(("variant", "module"), [("score_scan", "unison_scan"), ("scan_div", "unison_pipe")])
def test_a_scan_is_proved_by_induction_in_the_size_that_is_committed(variant, module):
    ((_, proof),) = formal_plan(variant, 64, module)
    assert (proof.size, proof.method) == ("N = 64", Method.INDUCTION)
    assert passed(run_proof(proof))


@pytest.mark.parametrize(
    ("module", "right", "wrong"),
    [
        ("unison_argmax", "key_i > max_key_q", "key_i >= max_key_q"),
        ("unison_scan", "LAST_SLOT = 6'd63", "LAST_SLOT = 6'd62"),
    ],
)
def test_a_fault_below_or_in_a_scan_breaks_its_induction(module, right, wrong):
    ((_, proof),) = formal_plan("score_scan", 64, "unison_scan")
    assert right in proof.texts[module]
    texts = {**proof.texts, module: proof.texts[module].replace(right, wrong)}
    result = run_proof(dataclasses.replace(proof, texts=texts))
    assert not passed(result)
    assert result.failed


def test_small_configurations_are_valid_for_every_variant():
    assert {small_config(variant).variant for variant in VARIANTS} == set(VARIANTS)
    assert default_config("score_scan").sessions > small_config("score_scan").sessions
