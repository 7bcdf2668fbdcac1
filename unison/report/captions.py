"""Captions: what a figure shows, with the corpora, the seed and the profile of the run."""

from __future__ import annotations

from collections.abc import Sequence

from unison.report.findings.words import listed


def caption(text: str, corpora: Sequence[str], *, profile: str, seed: int | str = 0) -> str:
    """A caption.

    Parameters
    ----------
    text : str
        Whole sentences: what is shown, and how.
    corpora : sequence of str
        Names of the corpora.
    profile : str
        ``smoke`` or ``full``.
    seed : int or str
        Of corpora and schedules; several as ``0, 1, 2``.
    """
    kind = "Corpus" if len(corpora) == 1 else "Corpora"
    return f"{text} {kind}: {listed(corpora)}; {_seeds(seed)}; profile {profile}."


def _seeds(seed: int | str) -> str:
    return f"seeds {seed}" if "," in str(seed) else f"seed {seed}"
