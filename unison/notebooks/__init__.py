"""Notebooks: reading their declarations, running them strictly, and rendering what they made."""
