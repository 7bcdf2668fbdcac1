"""The faults, a module for each part of the flow."""
