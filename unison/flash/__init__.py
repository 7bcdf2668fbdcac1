"""Lachesis: placing KV segments on HBM or high-bandwidth flash by how long they will live."""
