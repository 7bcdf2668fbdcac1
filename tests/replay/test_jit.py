"""The compiled kernels' cache is keyed by their sources, so that no edit is ignored."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from unison.replay import jit


@pytest.mark.parametrize("name", ["kernel.py", "state.py", "heap.py", "outcomes.py", "jit.py"])
def test_an_edit_of_any_source_gives_another_cache(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = jit.source_hash()
    for source in jit._HERE.glob("*.py"):
        shutil.copy(source, tmp_path)
    monkeypatch.setattr(jit, "_HERE", tmp_path)
    jit.source_hash.cache_clear()
    assert jit.source_hash() == before
    with (tmp_path / name).open("a") as source:
        source.write("\n")
    jit.source_hash.cache_clear()
    assert jit.source_hash() != before
    monkeypatch.undo()
    jit.source_hash.cache_clear()
