"""Cosimulation: the generated Verilog, driven through its APB port, against the integer model."""
