"""The hardware: its configuration, register map, integer model, generated Verilog and its checks."""
