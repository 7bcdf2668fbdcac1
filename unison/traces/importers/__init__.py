"""Importers: one file a log format, each turning logs into sessions of numbers and tool names."""

from unison.traces.importers import atif, claude_code, mini_swe_agent, mooncake, table, weka
from unison.traces.importers.build import CorpusBuilder, Imported, import_traces
from unison.traces.importers.records import BadRecord, ImportLog, Problem, SessionRecord, TurnRecord
from unison.traces.importers.registry import ImporterEntry, all_importers, get_importer, importer

__all__ = [
    "BadRecord",
    "CorpusBuilder",
    "ImportLog",
    "Imported",
    "ImporterEntry",
    "Problem",
    "SessionRecord",
    "TurnRecord",
    "all_importers",
    "atif",
    "claude_code",
    "get_importer",
    "import_traces",
    "importer",
    "mini_swe_agent",
    "mooncake",
    "table",
    "weka",
]
