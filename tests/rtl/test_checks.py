"""Each check of the generated Verilog finds its planted fault, in a design of two small modules."""

from __future__ import annotations

import pytest

from unison.errors import UnisonError
from unison.rtl.checks.banned import BANNED, check_banned
from unison.rtl.checks.design import Design, load_design, parse_module
from unison.rtl.checks.findings import Finding, Outcome, Verdict
from unison.rtl.checks.latches import check_latches
from unison.rtl.checks.lint import check_lint, check_waivers
from unison.rtl.checks.machines import check_machines, machines
from unison.rtl.checks.nets import check_drivers, check_globals, check_loops, check_readers, check_resets
from unison.rtl.checks.registers import bits, found_state
from unison.rtl.checks.synthesis import check_synthesis

LEAF = """`default_nettype none

module toy_leaf (
  input  wire       clk_i,   // clock
  input  wire       rst_ni,  // reset
  input  wire       start_i, // start
  input  wire [3:0] data_i,  // data
  output wire       busy_o,  // busy
  output reg  [3:0] sum_o    // sum
);

  localparam [1:0] IDLE = 2'd0;
  localparam [1:0] RUN  = 2'd1;
  localparam [1:0] LAST = 2'd2;

  reg [1:0] state_q;
  reg [3:0] kept_q;
  reg [3:0] words_q [0:7];
  wire [3:0] word;

  assign busy_o = state_q != IDLE;
  assign word   = words_q[kept_q[2:0]];

  always @* begin
    sum_o = 4'd0;
    case (state_q)
      RUN: sum_o = kept_q;
      LAST: sum_o = kept_q + word;
      default: begin
      end
    endcase
  end

  always @(posedge clk_i) begin
    if (start_i) begin
      words_q[kept_q[2:0]] <= data_i;
    end
  end

  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= IDLE;
      kept_q  <= 4'd0;
    end else begin
      case (state_q)
        IDLE: begin
          if (start_i) begin
            kept_q  <= data_i;
            state_q <= RUN;
          end
        end
        RUN: begin
          state_q <= LAST;
        end
        LAST: begin
          state_q <= IDLE;
        end
        default: begin
          state_q <= IDLE;
        end
      endcase
    end
  end

endmodule

`default_nettype wire
"""

TOP = """`default_nettype none

module toy_top (
  input  wire       clk_i,   // clock
  input  wire       rst_ni,  // reset
  input  wire       start_i, // start
  input  wire [3:0] data_i,  // data
  output wire [3:0] sum_o    // sum
);

  wire       busy;
  wire       start;
  wire [3:0] sum;

  assign start = start_i & ~busy;
  assign sum_o = sum;

  toy_leaf u_leaf (
    .clk_i   (clk_i),
    .rst_ni  (rst_ni),
    .start_i (start),
    .data_i  (data_i),
    .busy_o  (busy),
    .sum_o   (sum)
  );

endmodule

`default_nettype wire
"""


def toy(leaf: tuple[str, str] = ("", ""), top: tuple[str, str] = ("", "")) -> dict[str, str]:
    """The two modules, with a text of each replaced."""
    assert leaf[0] in LEAF
    assert top[0] in TOP
    return {"toy_leaf": LEAF.replace(*leaf, 1), "toy_top": TOP.replace(*top, 1)}


def design(texts: dict[str, str]) -> Design:
    return load_design(texts, "toy_top")


DESIGN_CHECKS = (
    check_drivers,
    check_readers,
    check_latches,
    check_loops,
    check_globals,
    check_resets,
    check_machines,
)
TEXT_CHECKS = (check_banned, check_lint, check_waivers, check_synthesis)


@pytest.fixture(scope="module")
def sound() -> Design:
    return design(toy())


@pytest.mark.parametrize("check", DESIGN_CHECKS, ids=lambda check: check.__name__)
def test_a_sound_design_passes(sound, check):
    outcome = check(sound)
    assert outcome.verdict is Verdict.PASSED, outcome.findings
    assert outcome.looked_at > 0


@pytest.mark.parametrize("check", TEXT_CHECKS, ids=lambda check: check.__name__)
def test_the_text_of_a_sound_design_passes(check):
    outcome = check(toy())
    assert outcome.verdict in (Verdict.PASSED, Verdict.SKIPPED), outcome.findings


@pytest.mark.parametrize(
    ("check", "texts", "subject"),
    [
        pytest.param(
            check_drivers, toy(leaf=("  assign busy_o = state_q != IDLE;\n", "")), "busy_o", id="output"
        ),
        pytest.param(
            check_drivers,
            toy(top=("  assign sum_o = sum;", "  assign sum_o[2:0] = sum[2:0];")),
            "sum_o",
            id="one bit of an output",
        ),
        pytest.param(check_drivers, toy(top=(".data_i  (data_i)", ".data_i  ()")), "data_i", id="input"),
        pytest.param(
            check_readers,
            toy(top=("  wire       start;", "  wire       start;\n  wire spare;\n  assign spare = busy;")),
            "spare",
            id="unread wire",
        ),
        pytest.param(
            check_readers,
            toy(leaf=("sum_o = kept_q + word;", "sum_o = kept_q;")),
            "words_q",
            id="unread memory",
        ),
        pytest.param(check_latches, toy(leaf=("    sum_o = 4'd0;\n", "")), "sum_o", id="latch"),
        pytest.param(
            check_globals,
            toy(leaf=("always @(posedge clk_i) begin", "always @(negedge clk_i) begin")),
            "words_q",
            id="other clock edge",
        ),
        pytest.param(
            check_globals, toy(top=(".clk_i   (clk_i)", ".clk_i   (start)")), "kept_q", id="gated clock"
        ),
        pytest.param(
            check_globals,
            toy(leaf=("state_q != IDLE", "(state_q != IDLE) & rst_ni")),
            "busy_o",
            id="reset as data",
        ),
        pytest.param(check_resets, toy(leaf=("      kept_q  <= 4'd0;\n", "")), "kept_q", id="missed reset"),
        pytest.param(
            check_resets, toy(leaf=("kept_q  <= 4'd0;", "kept_q  <= data_i;")), "kept_q", id="reset to data"
        ),
        pytest.param(
            check_machines,
            toy(leaf=("          state_q <= LAST;", "          state_q <= IDLE;")),
            "LAST",
            id="state",
        ),
        pytest.param(
            check_machines,
            toy(leaf=("          state_q <= LAST;", "          state_q <= 2'd3;")),
            "state 3",
            id="state without a name",
        ),
    ],
)  # fmt: skip
def test_a_planted_fault_is_found(check, texts, subject):
    outcome = check(design(texts))
    assert outcome.verdict is Verdict.FAILED
    assert subject in {finding.subject for finding in outcome.findings}, outcome.findings


def test_a_loop_through_an_instance_is_found():
    # sum depends on start, start on sum: inside toy_leaf and outside each half is sound.
    texts = toy(
        leaf=("RUN: sum_o = kept_q;", "RUN: sum_o = start_i ? kept_q : data_i;"),
        top=("start_i & ~busy;", "start_i & ~busy & ~sum[0];"),
    )
    (finding,) = check_loops(design(texts)).findings
    assert {"toy_top.sum", "toy_top.start", "toy_top.u_leaf.start_i"} <= set(finding.detail.split(" <- "))


PLANTED = {
    "indexed part select": ("kept_q[2:0]];", "kept_q[0 +: 3]];"),
    "arithmetic left shift": ("kept_q + word", "kept_q <<< word"),
    "casez, casex": ("case (state_q)", "casez (state_q)"),
    "initialiser": ("wire [3:0] word;", "wire [3:0] word = 4'd1;"),
    "initial block": ("  assign busy_o", "  initial kept_q = 4'd0;\n  assign busy_o"),
    "several assignments in one statement": (
        "state_q != IDLE;\n  assign word   =",
        "state_q != IDLE, word =",
    ),
    "defparam": ("  assign busy_o", "  defparam u_x.W = 1;\n  assign busy_o"),
    "directive": ("  assign busy_o", "`define X\n  assign busy_o"),
    "delay": ("state_q <= LAST", "state_q <= #1 LAST"),
    "task": ("  assign busy_o", "  task t;\n  endtask\n  assign busy_o"),
    "SystemVerilog": ("reg [3:0] kept_q", "logic [3:0] kept_q"),
    "width by $clog2": ("IDLE = 2'd0", "IDLE = $clog2(1)"),
    "tri-state or inout": ("wire [3:0] word;", "tri [3:0] word;"),
    "genvar in a for": ("  assign busy_o", "  for (genvar i = 0; i < 2; i = i + 1) ;\n  assign busy_o"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(set(BANNED) - {"unnamed connection"}))
def test_a_banned_construct_is_found(name):
    outcome = check_banned(toy(leaf=PLANTED[name]))
    assert any(finding.detail.startswith(name) for finding in outcome.findings)


def test_unnamed_connections_are_found():
    texts = {
        "unison_top": "unison_leaf u_leaf (clk_i, rst_ni);",
        "unison_two": "unison_leaf #(.W (1)) u_leaf (a);",
    }
    assert {finding.module for finding in check_banned(texts).findings} == set(texts)


def test_comments_and_attributes_are_not_searched():
    assert check_banned({"x": '(* keep = "a +: b" *)\n// casez initial\n/* defparam\n */'}).findings == ()


def test_a_character_beyond_ascii_is_found():
    assert check_banned({"x": "// \u00b5s"}).verdict is Verdict.FAILED


LATCH = toy(leaf=("    sum_o = 4'd0;\n", ""))
UNDRIVEN = toy(leaf=("  assign busy_o = state_q != IDLE;\n", ""))
SYNTAX = toy(leaf=("endmodule", "endmodul"))


@pytest.mark.parametrize(
    ("check", "texts"),
    [
        (check_lint, UNDRIVEN),
        (check_lint, SYNTAX),
        (check_synthesis, LATCH),
        (check_synthesis, UNDRIVEN),
        (check_synthesis, SYNTAX),
    ],
)
def test_the_tools_find_planted_faults(check, texts):
    outcome = check(texts)
    if outcome.verdict is Verdict.SKIPPED:
        pytest.skip(outcome.note)
    assert outcome.verdict is Verdict.FAILED
    assert outcome.findings


def test_lint_finds_a_width_that_does_not_fit():
    outcome = check_lint(toy(leaf=("kept_q  <= data_i;", "kept_q  <= {1'b0, data_i};")))
    if outcome.verdict is Verdict.SKIPPED:
        pytest.skip(outcome.note)
    assert [finding.detail.partition(":")[0] for finding in outcome.findings] == ["WIDTHTRUNC"]


def test_waivers_are_counted_and_need_a_reason_and_an_end():
    good = "// nobody asks\n// verilator lint_off PINMISSING\nx\n// verilator lint_on PINMISSING\n"
    assert check_waivers({"x": good}).note == "1 waivers"
    assert check_waivers({"x": good}).verdict is Verdict.PASSED
    assert (
        len(check_waivers({"x": "\n// verilator lint_off WIDTH\n// verilator lint_on WIDTH"}).findings) == 1
    )
    assert len(check_waivers({"x": "// reason\n// verilator lint_off WIDTH"}).findings) == 1


def test_a_tool_that_is_missing_is_skipped_and_not_passed(tmp_path, monkeypatch):
    monkeypatch.setattr("unison.rtl.checks.tools.SCRIPTS", tmp_path)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    for check in (check_lint, check_synthesis):
        outcome = check(toy())
        assert outcome.verdict is Verdict.SKIPPED
        assert "make setup" in outcome.note


def test_a_check_that_looked_at_nothing_has_not_passed():
    assert Outcome.of("tool", "check", 0, "modules", []).verdict is Verdict.FAILED


def test_machines_are_read_with_states_and_transitions(sound):
    (machine,) = machines(sound)
    assert machine.states == {"IDLE": 0, "RUN": 1, "LAST": 2}
    assert machine.reset == 0
    # 3 is the state without a name, which default leads to IDLE.
    assert machine.transitions >= {(0, 1), (1, 2), (2, 0)}


def test_state_is_counted_in_bits(sound):
    assert found_state(sound) == {"u_leaf": {"state_q": (2, 1), "kept_q": (4, 1), "words_q": (4, 8)}}
    assert bits(found_state(sound)) == (6, 32)


def test_a_module_that_is_missing_is_named():
    with pytest.raises(UnisonError, match="toy_leaf"):
        load_design({"toy_top": TOP}, "toy_top")


def test_what_pyverilog_does_not_parse_is_an_error():
    with pytest.raises(UnisonError, match="does not parse"):
        parse_module(TOP.replace("endmodule", "endmodul"))


def test_findings_read_as_a_sentence():
    finding = Finding("every signal is read", "unison_apb", "wdata_q", "no output depends on it")
    assert str(finding) == "unison_apb.wdata_q: no output depends on it (every signal is read)"
