"""Unison: a reproducible artifact for ranking the paused sessions of LLM agents."""

__version__ = "0.1.0"
