"""Which corpora a run looks at."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.sessions import make_corpus

from unison.errors import UnisonError
from unison.experiments.inputs import SMOKE_CORPORA, open_corpora
from unison.traces.schema import write_corpus
from unison.traces.synthetic import CORPORA, synthesize


def test_full_run_has_the_six_synthetic_corpora_in_their_order():
    assert [corpus.name for corpus in open_corpora()] == list(CORPORA)


def test_smoke_run_has_the_two_smallest():
    sizes = {name: synthesize(name).n_turns for name in CORPORA}
    assert set(SMOKE_CORPORA) == set(sorted(CORPORA, key=sizes.__getitem__)[:2])
    assert [corpus.name for corpus in open_corpora(profile="smoke")] == list(SMOKE_CORPORA)


@pytest.mark.parametrize("profile", ["smoke", "full"])
def test_one_corpus_is_opened_by_name_or_file_in_any_profile(profile: str, tmp_path: Path):
    write_corpus(make_corpus([2, 3], name="mine"), tmp_path / "a.parquet")
    assert [corpus.name for corpus in open_corpora(CORPORA[3], profile)] == [CORPORA[3]]
    assert [corpus.name for corpus in open_corpora(str(tmp_path / "a.parquet"), profile)] == ["mine"]


def test_neither_a_name_nor_a_file_is_an_error():
    with pytest.raises(UnisonError, match=r"unknown corpus 'gaia-qwen'; did you mean 'gaia-qwen3'"):
        open_corpora("gaia-qwen")
