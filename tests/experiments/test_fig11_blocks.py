"""Blocks and links of an IP are those of its Verilog: a toy with an assignment, and the real one."""

from __future__ import annotations

import itertools
import re

import pytest

from unison.experiments.fig11_blocks import BLOCK, LINK, SOFTWARE, blocks_of, ip_blocks
from unison.rtl.checks.design import load_design
from unison.rtl.config import default_config
from unison.rtl.generate import render_ip

LEAF = """`default_nettype none
module toy_leaf (
  input  wire       clk_i,
  input  wire       rst_ni,
  input  wire [3:0] data_i,
  output wire [3:0] sum_o
);
  reg [3:0] kept_q;
  reg [3:0] words_q [0:7];
  assign sum_o = kept_q + words_q[kept_q[2:0]];
  always @(posedge clk_i) words_q[kept_q[2:0]] <= data_i;
  always @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) kept_q <= 4'd0;
    else kept_q <= data_i;
  end
endmodule
"""
TOP = """`default_nettype none
module toy_top (
  input  wire       clk_i,
  input  wire       rst_ni,
  input  wire [3:0] data_i,
  output wire [3:0] sum_o
);
  wire [3:0] first;
  wire [3:0] second;
  wire [3:0] both;
  assign both = first ^ data_i;
  toy_leaf u_first (.clk_i(clk_i), .rst_ni(rst_ni), .data_i(data_i), .sum_o(first));
  toy_leaf u_second (.clk_i(clk_i), .rst_ni(rst_ni), .data_i(both), .sum_o(second));
  toy_leaf u_third (.clk_i(clk_i), .rst_ni(rst_ni), .data_i(second), .sum_o(sum_o));
endmodule
"""


@pytest.fixture(scope="module")
def toy():
    return blocks_of(load_design({"toy_leaf": LEAF, "toy_top": TOP}, "toy_top"))


def test_blocks_have_the_bits_of_their_registers_and_memories(toy):
    blocks = toy[toy["kind"] == BLOCK]
    assert blocks["instance"].tolist() == ["u_first", "u_second", "u_third"]
    assert set(blocks["module"]) == {"toy_leaf"}
    # kept_q has 4 bits, words_q 8 words of 4
    assert blocks["register_bits"].tolist() == [4, 4, 4]
    assert blocks["memory_bits"].tolist() == [32, 32, 32]


def test_links_go_through_assignments_and_leave_out_clock_and_reset(toy):
    links = toy[toy["kind"] == LINK]
    assert {(row.instance, row.target): row.signals for row in links.itertuples()} == {
        (SOFTWARE, "u_first"): 1,  # data_i
        (SOFTWARE, "u_second"): 1,  # data_i, through both
        ("u_first", "u_second"): 1,  # first, through both
        ("u_second", "u_third"): 1,
        ("u_third", SOFTWARE): 1,
    }


def test_the_ip_has_every_instance_of_its_text_and_the_paths_that_events_take():
    config = default_config("score_scan", 8)
    data = ip_blocks(config)
    top = render_ip(config)["unison_top.v"]
    found = dict(re.findall(r"^  (unison_\w+)(?: #\([^;]*?\))? (u_\w+) \($", top, re.MULTILINE))
    blocks = data[data["kind"] == BLOCK]
    own = {name for name in blocks["instance"] if "." not in name}
    assert set(found.values()) <= own
    assert set(re.findall(r"\b(u_\w+) \(", top)) == own
    links = {(row.instance, row.target) for row in data[data["kind"] == LINK].itertuples()}
    path = [SOFTWARE, "u_apb", "u_csr", "u_event_fifo", "u_control", "u_response_fifo", "u_csr", "u_apb"]
    assert set(itertools.pairwise(path)) <= links
