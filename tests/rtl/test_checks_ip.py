"""Every check passes on the generated IP, and whatever the configuration type accepts the tools accept."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from unison.fixed_point import Contract
from unison.rtl.checks import Verdict, check_ip
from unison.rtl.checks.design import load_design, verilog_modules
from unison.rtl.checks.inventory import expected_state
from unison.rtl.checks.lint import check_lint
from unison.rtl.checks.nets import check_drivers, check_loops
from unison.rtl.checks.registers import check_registers, found_state
from unison.rtl.checks.synthesis import check_synthesis
from unison.rtl.config import VARIANTS, Config, default_config, default_contract
from unison.rtl.generate import render_ip


@st.composite
def configs(draw):
    """Any configuration of few slots; the forms are those that the variant allows."""
    variant = draw(st.sampled_from(VARIANTS))
    forms = default_contract(variant)
    form = forms.penalty_form
    if form != "table":
        form = draw(st.sampled_from(("affine", "shift")))
    contract = Contract(
        hazard_bits=draw(st.sampled_from((4, 8, 12, 16))),
        gap_bits=draw(st.sampled_from((16, 24, 32, 33, 48, 64))),
        score_bits=draw(st.sampled_from((32, 48, 64))),
        tau_ns=1000,
        penalty=draw(st.sampled_from((0, 1, 500_000, (1 << 40) - 1))),
        divider=forms.divider,
        penalty_form=form,
        recip_bits=draw(st.sampled_from((8, 16, 32))) if forms.divider == "reciprocal" else 0,
    )
    return Config(
        variant,
        draw(st.sampled_from((4, 8, 16))),
        draw(st.sampled_from(("ff", "lutram"))),
        contract,
        draw(st.sampled_from((2, 4, 8))),
        draw(st.sampled_from((4, 16))),
    )


@settings(max_examples=3, derandomize=True, deadline=None, suppress_health_check=list(HealthCheck))
@given(configs())
def test_every_accepted_configuration_is_accepted_by_every_tool(config):
    texts = verilog_modules(render_ip(config))
    design = load_design(texts)
    outcomes = [check_drivers(design), check_loops(design), check_registers(design, config)]
    outcomes += [check_lint(texts), check_synthesis(texts)]
    for outcome in outcomes:
        assert outcome.verdict is not Verdict.FAILED, (config, outcome.findings)


def test_every_check_passes_on_the_ip():
    for outcome in check_ip(default_config("score_scan", 4)):
        assert outcome.verdict is not Verdict.FAILED, outcome.findings


@pytest.mark.parametrize("variant", ["scan_div_recip", "dual"])
def test_a_register_too_few_and_one_too_many_are_found(variant, monkeypatch):
    config = default_config(variant, 4)
    design = load_design(verilog_modules(render_ip(config)))
    expected = expected_state(config)
    assert found_state(design) == expected
    del expected["u_control"]["id_q"]
    expected["u_apb"]["spare_q"] = (1, 1)
    monkeypatch.setattr("unison.rtl.checks.registers.expected_state", lambda config: expected)
    found = {finding.subject for finding in check_registers(design, config).findings}
    assert found == {"id_q", "spare_q"}
