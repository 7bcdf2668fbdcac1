"""The synthetic corpora are, value by value, those that the committed results were made from."""

from __future__ import annotations

import hashlib

from unison.checks.failed import CheckFailed
from unison.traces import synthetic
from unison.traces.corpus import Corpus

GOLDEN = {
    "swe-qwen3": "5d970b0eb3d4ca03321e24d63cdf6d1a26becf583b1c6a65a486252a5f0cc6dd",
    "swe-devstral": "1d42d87033ac6c4ea68a6241cd29664565fb823aa7a326cddc8598b497708f37",
    "swe-gemma4": "5eaadd8ad36b3654dcfa90655522a8243a4508a9129d5578151235b6258b5c74",
    "gaia-qwen3": "5953792f0c11d35e37352aac2c72fdbdec8851398d96e3253e0b22abe1bde7ea",
    "gaia-devstral": "c1d6d5e9be9d72de1f257d884929c2938dca90e6fe554322333c8e0a02e53cc4",
    "gaia-gemma4": "a9111cfd87d55790b7fe8abe66c9a32eb91733836ed4d697e5d8cd4a990e3ded",
}
"""`corpus_digest` of each synthetic corpus at seed 0."""

_COLUMNS = (
    "session", "turn", "gap_ns", "service_ns", "arrival_ns", "prompt_tokens", "new_prompt_tokens",
    "output_tokens", "tool", "role", "completed", "tokens_estimated", "timing_estimated",
)  # fmt: skip


def corpus_digest(corpus: Corpus) -> str:
    """SHA-256 over a corpus's name, tools and columns, the same on every machine."""
    digest = hashlib.sha256("\n".join((corpus.name, *corpus.tools)).encode())
    for column in _COLUMNS:
        values = getattr(corpus, column)
        digest.update(values.astype(values.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()


def check_synthetic(name: str) -> None:
    """Synthesize a corpus at seed 0 and compare it with `GOLDEN`.

    Raises
    ------
    CheckFailed
        If a value differs.
    """
    found = corpus_digest(synthetic.synthesize(name))
    if found != GOLDEN[name]:
        raise CheckFailed(f"corpus {name}: sha256 {found[:16]}…, expected {GOLDEN[name][:16]}…")
