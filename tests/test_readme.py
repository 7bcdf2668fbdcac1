"""README.md says what is true: its tables are generated, its links exist, its example policy works."""

from __future__ import annotations

import re

import pytest

from unison.errors import UnisonError
from unison.experiments.contenders import contenders
from unison.experiments.runner import Evaluator, envelopes_of
from unison.paths import ROOT
from unison.policies import registry
from unison.report.readme import fill, refresh
from unison.traces.library import load_corpus
from unison.traces.synthetic import base_schedule

README = ROOT / "README.md"
DOCUMENTS = ("README.md", "ARTIFACT.md", "data/README.md")


def test_generated_tables_are_up_to_date() -> None:
    text, wanted = refresh(README)
    assert text == wanted, "run: unison readme"


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document: str) -> None:
    path = ROOT / document
    links = re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8"))
    missing = [link for link in links if "://" not in link and not (path.parent / link).exists()]
    assert missing == []


def test_commands_named_in_the_documents_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for document in DOCUMENTS:
        text = (ROOT / document).read_text(encoding="utf-8")
        named = set(re.findall(r"(?:`|^    )make ([a-z-]+)\b", text, re.MULTILINE))
        assert named - targets - {"tab", "fig"} == set(), document


def test_the_example_policy_is_ten_lines_and_is_picked_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_POLICIES", dict(registry._POLICIES))
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    body = [line for line in code.splitlines() if line.strip() and not line.startswith(("from ", "import "))]
    assert len(body) <= 10
    exec(compile(code, "README.md", "exec"), {})
    assert "tool_mean" in [entry.label for entry in contenders()]
    trace = base_schedule(load_corpus("gaia-gemma4"))
    evaluate = Evaluator(metrics=("hit_rate", "decisions"))
    envelope = envelopes_of(trace, evaluate.costs(trace))[0]
    assert evaluate(trace, "tool_mean", envelope)["decisions"] > 0


def test_an_unknown_block_is_refused() -> None:
    with pytest.raises(UnisonError, match="generated block 'nothing'"):
        fill("<!-- generated: nothing -->\n<!-- end -->")
    with pytest.raises(UnisonError, match="no block"):
        fill("plain text")
