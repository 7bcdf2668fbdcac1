"""Which corpora a run looks at: the six synthetic ones, two of them at smoke size, or the one asked for."""

from __future__ import annotations

from unison.traces.corpus import Corpus
from unison.traces.library import load_corpus
from unison.traces.synthetic import CORPORA

SMOKE_CORPORA = ("gaia-devstral", "gaia-gemma4")
"""The two smallest corpora."""


def open_corpora(corpus: str = "", profile: str = "full") -> list[Corpus]:
    """The corpora of a run.

    Parameters
    ----------
    corpus : str
        Name or file of one corpus; empty for the synthetic ones.
    profile : str
        ``smoke`` takes `SMOKE_CORPORA`, anything else all six.

    Returns
    -------
    list of Corpus

    Raises
    ------
    UnisonError
        If the corpus is neither a name nor a file.
    """
    if corpus:
        return [load_corpus(corpus)]
    return [load_corpus(name) for name in (SMOKE_CORPORA if profile == "smoke" else CORPORA)]
