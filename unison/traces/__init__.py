"""Corpora, schedules, importers and their statistics."""

from unison.traces.corpus import UNKNOWN, Corpus
from unison.traces.schema import read_corpus, write_corpus
from unison.traces.trace import NEVER, Trace, schedule

__all__ = ["NEVER", "UNKNOWN", "Corpus", "Trace", "read_corpus", "schedule", "write_corpus"]
